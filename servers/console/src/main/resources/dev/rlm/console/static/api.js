// Asks the server, which answers with what a command prints; and is told when a journal changes.
import {useEffect, useState} from './core.js'

import {sorted} from './format.js'

const file = document.getElementById('data')
const data = file && await unpacked(file.textContent)

async function unpacked(text) {
  const packed = new Blob([Uint8Array.from(atob(text), each => each.charCodeAt(0))])
  return new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).json()
}

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

const parsed = lines => lines.split('\n').filter(line => line).map(line => JSON.parse(line))

/** The objects that a command prints, a line each. */
export async function ask(path, query = {}) {
  return data ? kept(path, query) : parsed(await text(address(path, query)))
}

const FIELDS = {outcome: 'state', 'sample-id': 'sample_id', env: 'environment', model: 'model', split: 'split', 'train-step': 'train_step', invocation: 'invocation_id'}

/** An answer that lies in this file; of the list of its runs a part, in another order. */
function kept(path, query) {
  const {journal, ...asked} = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''))
  const options = Object.entries(asked).map(([name, value]) => name + '=' + value).sort().join('&')
  const key = path.join('/') + (options ? '?' + options : '')
  if (path[0] === 'about') return [data.about]
  if (key in data.answers) return parsed(data.answers[key])
  const {sort, limit, ...filters} = asked
  if (path.join() === 'list' && Object.keys(filters).every(name => name in FIELDS)) {
    const runs = parsed(data.answers.list).filter(run => Object.entries(filters).every(([name, value]) => String(run[FIELDS[name]]) === String(value)))
    return sort ? sorted(runs, sort).slice(0, limit) : runs.slice(-limit)
  }
  throw new Error('this is not in this file')
}

/** The command that prints the same. */
export function command(path, query = {}) {
  const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'"
  const options = []
  for (const [name, value] of Object.entries(data ? {...data.filters, ...query} : query)) {
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

/** Renders again whenever a journal has changed. */
export function useLive() {
  const [, again] = useState(0)
  const {cursor} = live
  useEffect(() => {
    const each = () => again(n => n + 1)
    listeners.add(each)
    listen()
    if (live.cursor !== cursor) each() // it has changed since it was rendered
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
