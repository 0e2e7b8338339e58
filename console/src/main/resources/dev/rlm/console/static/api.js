// Asks the server, which answers with what a command prints; and is told when a journal changes.
import {useEffect, useState} from './core.js'

const file = document.getElementById('data')
const data = file ? JSON.parse(file.textContent) : null

/** Whether all there is lies in this file. */
export const isFile = data !== null

/** The address of a command's answer. Empty values are left out. */
export function address(path, query = {}) {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each !== undefined && each !== null && each !== '') search.append(name, each)
    }
  }
  const text = search.toString()
  return '/api/' + path.map(encodeURIComponent).join('/') + (text ? '?' + text : '')
}

async function text(at) {
  if (data) {
    if (!(at in data.requests)) throw new Error('this is not in this file')
    return data.requests[at]
  }
  const answer = await fetch(at)
  const body = await answer.text()
  if (!answer.ok) throw new Error(reason(body))
  return body
}

function reason(body) {
  try {
    return JSON.parse(body).error
  } catch {
    return body
  }
}

/** The objects that a command prints, a line each. */
export async function ask(path, query) {
  return (await text(address(path, query))).split('\n').filter(line => line).map(line => JSON.parse(line))
}

/** The command that prints the same. */
export function command(path, query = {}) {
  const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'"
  const options = []
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each === undefined || each === null || each === '' || name === 'journal') continue
      if (each === true || each === 'true') options.push('--' + name)
      else if (each === false || each === 'false') options.push('--no-' + name)
      else options.push('--' + name, quote(String(each)))
    }
  }
  return ['rlm', path[0], ...path.slice(1).map(quote), ...options].join(' ')
}

const listeners = new Set()
let events = null
export const live = {cursor: 0, at: 0, connected: false}

function listen() {
  const wanted = !data && listeners.size > 0 && document.visibilityState === 'visible'
  if (wanted && !events) {
    events = new EventSource('/api/changes')
    events.onopen = () => { live.connected = true; tell() }
    events.onerror = () => { live.connected = false; tell() }
    events.onmessage = message => {
      live.cursor = JSON.parse(message.data).cursor
      live.at = Date.now()
      live.connected = true
      tell()
    }
  } else if (!wanted && events) {
    events.close()
    events = null
  }
}

const tell = () => listeners.forEach(each => each())
document.addEventListener('visibilitychange', listen)

/** Renders anew whenever a journal has changed. */
export function useLive() {
  const [, again] = useState(0)
  useEffect(() => {
    const each = () => again(n => n + 1)
    listeners.add(each)
    listen()
    return () => {
      listeners.delete(each)
      listen()
    }
  }, [])
  return live
}

/** What a command prints, asked for again when the journal has changed; what was there stays until the new is. */
export function useAnswer(path, query = {}) {
  const {cursor} = useLive()
  const at = address(path, query)
  const [answer, setAnswer] = useState({at: null, lines: null, error: null})
  useEffect(() => {
    let current = true
    ask(path, query).then(
      lines => current && setAnswer({at, lines, error: null}),
      error => current && setAnswer(before => ({at, lines: before.at === at ? before.lines : null, error: error.message})))
    return () => { current = false }
  }, [at, cursor])
  return answer.at === at ? answer : {at, lines: answer.at?.split('?')[0] === at.split('?')[0] ? answer.lines : null, error: null, waiting: true}
}
