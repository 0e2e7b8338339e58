// Keys of single letters: never in a field, never with a modifier, and only unless they are switched off.
import {go, goTo, here, link, show} from './router.js'
import {mark, marks} from './pages/runs.js'

const move = (selector, way) => {
  const all = [...document.querySelectorAll(selector)].filter(each => each.offsetParent !== null)
  if (!all.length) return
  const at = all.indexOf(document.activeElement)
  const from = at >= 0 ? at : all.findIndex(each => each.getBoundingClientRect().top >= 0) - (way > 0 ? 1 : 0)
  const next = all[Math.max(0, Math.min(all.length - 1, from + way))]
  focus(next)
}

function focus(row) {
  row?.focus()
  row?.scrollIntoView({block: 'nearest'})
}

const end = way => {
  scrollTo(0, way > 0 ? document.body.scrollHeight : 0)
  focus([...document.querySelectorAll('[data-row]')].at(way > 0 ? -1 : 0))
}

/** The id of the run that the focus is on, or that the page shows. */
const focused = () => document.activeElement.closest('[data-row]')?.textContent.trim() ?? document.querySelector('[data-id]')?.dataset.id

const copy = text => text && navigator.clipboard?.writeText(text)

function open(all) {
  document.querySelectorAll('main details').forEach(each => { each.open = all })
  document.querySelectorAll(`main [data-all="${all ? 'more' : 'less'}"]`).forEach(each => each.click())
}

/** The system's colours, or those that were chosen here. */
export function theme() {
  const next = {'': 'dark', dark: 'light', light: ''}[localStorage.theme ?? '']
  localStorage.theme = next
  document.documentElement.dataset.theme = next
}

/** Long lines are broken, or run on to the right. */
function wrap() {
  document.documentElement.classList.toggle('unwrapped')
}

/** Shows the run of the row that the focus is on beside the list, until that is asked for again. */
function peek() {
  const row = document.activeElement.closest('[data-row][data-run]')
  if (row) show('peek', here().query.peek === row.dataset.run ? null : row.dataset.run)
  return row
}

const press = selector => document.querySelector(selector)?.click()

/** Listens until the function that it returns is called. */
export function startKeys(pages, help) {
  let number = null
  const listener = event => {
    const field = event.target.closest?.('input, textarea, select, dialog')
    if (field || event.ctrlKey || event.metaKey || event.altKey || localStorage.keys === 'off') return
    if (number !== null) {
      if (/\d/.test(event.key)) number += event.key
      else {
        if (event.key === 'Enter' && number) goTo('step-' + number)
        if (event.key === 'g' && !number) end(-1)
        number = null
      }
      return
    }
    const actions = {
      j: () => move('[data-row]', 1), k: () => move('[data-row]', -1),
      n: () => move('[data-finding]', 1), p: () => move('[data-finding]', -1),
      ']': () => move('[data-reward]', 1), '[': () => move('[data-reward]', -1),
      u: () => press('[data-up]'), h: () => press('[data-previous]'), l: () => press('[data-next]'),
      e: () => open(true), x: () => open(false), m: () => press('[data-markdown]'), w: wrap, G: () => end(1), L: () => press('[data-follow]'),
      c: () => copy(location.href), y: () => copy(focused()), C: () => press('[data-copy]'), t: theme,
      v: () => { if (focused()) { mark(focused()); dispatchEvent(new PopStateEvent('popstate')) } },
      V: () => { if (marks().length === 2) go(link(['compare'], {run: marks(), journal: here().query.journal})) }, '?': help, g: () => { number = '' },
      '/': () => { if (!document.querySelector('[data-search]')) go('/search'); setTimeout(() => document.querySelector('[data-search]')?.focus()) },
      f: () => document.querySelector('[data-filter]')?.focus()
    }
    const page = pages['1234567890'.indexOf(event.key)]
    const action = actions[event.key] ?? (page !== undefined && /\d/.test(event.key) ? () => go(page) : null)
    if (event.key === ' ' && peek()) event.preventDefault()
    else if (action) {
      event.preventDefault()
      action()
    }
  }
  document.addEventListener('keydown', listener)
  return () => document.removeEventListener('keydown', listener)
}
