// What pages are made of.
import {Fragment, html, useEffect, useRef, useState} from './core.js'
import {command, isFile} from './api.js'
import {visible} from './format.js'
import {go, link} from './router.js'

/**
 * A table. A column has a `title`, a `cell` of a row, `num` for figures, and a `sort` by which the page can be sorted.
 * @param {{columns: object[], rows: object[], href?: function, run?: function, sort?: string, onSort?: function, caption: string}} props
 */
export function Table({columns, rows, href, sort, onSort, caption, mark, run}) {
  const shown = columns.filter(column => column && rows.some(row => column.always || !isNone(column.cell(row))))
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="hidden">${caption}</caption>
      <thead><tr>${shown.map(column => html`<th scope="col" class=${column.num ? 'num' : ''} aria-sort=${sorted(column, sort)}>
        ${column.sort && onSort ? html`<button class="head" onClick=${() => onSort(next(column, sort))}>${column.title}${arrow(column, sort)}</button>` : column.title}
      </th>`)}</tr></thead>
      <tbody>${rows.map(row => html`<tr class=${mark?.(row) ? 'marked' : ''}>${shown.map((column, i) => html`<td class=${column.num ? 'num' : column.wide ? 'wide' : ''}>
        ${i === 0 && href ? html`<a data-row data-run=${run?.(row)} href=${href(row)}>${column.cell(row)}</a>` : column.cell(row)}
      </td>`)}</tr>`)}</tbody>
    </table>
  </div>`
}

const isNone = cell => cell === null || cell === undefined || cell === '' || cell === '–'
const sorted = (column, sort) => !column.sort || !sort ? undefined : sort === column.sort ? 'ascending' : sort === '-' + column.sort ? 'descending' : undefined
const next = (column, sort) => sort === '-' + column.sort ? column.sort : '-' + column.sort
const arrow = (column, sort) => sort === column.sort ? ' ▴' : sort === '-' + column.sort ? ' ▾' : ''

/** What stands where there is nothing to show, or an error, or the wait for the first answer. */
export function Answer({answer, children, empty, isEmpty}) {
  if (answer.error?.startsWith('there is no journal')) return html`<p class="empty">${visible(answer.error)}. <code>rlm run</code> records episodes, <code>rlm record</code> those of your own programs.</p>`
  if (answer.error && !answer.lines) return html`<p class="problem" role="alert">${visible(answer.error)}</p>`
  if (!answer.lines) return html`<p class="quiet" role="status">reading …</p>`
  return html`<${Fragment}>
    ${answer.error && html`<p class="problem" role="alert">${visible(answer.error)}</p>`}
    ${isEmpty ? html`<p class="empty">${empty}</p>` : children()}
  <//>`
}

/** The command that tells the same, to be copied. */
export function Command({path, query}) {
  const [copied, setCopied] = useState(false)
  const text = command(path, query)
  const copy = async () => {
    await navigator.clipboard?.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return html`<p class="command"><code>${text}</code> <button data-copy onClick=${copy} aria-label="copy the command">${copied ? 'copied' : 'copy'}</button></p>`
}

/** Figures side by side. */
export function Figures({figures}) {
  return html`<dl class="figures">${figures.filter(figure => figure && !isNone(figure[1])).map(([name, value, href, note]) => html`
    <div><dt>${name}</dt><dd>${href ? html`<a href=${href}>${value}</a>` : value}${note && html`<span class="note"> ${note}</span>`}</dd></div>`)}</dl>`
}

/** A small line of values, from the lowest to the highest of them. */
export function Spark({values, width = 120, height = 22, label}) {
  const finite = values.filter(value => Number.isFinite(value))
  if (finite.length < 2) return null
  const low = Math.min(...finite), high = Math.max(...finite)
  const y = value => high > low ? height - 3 - (height - 6) * (value - low) / (high - low) : height / 2
  const points = values.map((value, i) => Number.isFinite(value) ? `${(2 + (width - 4) * i / (values.length - 1)).toFixed(1)},${y(value).toFixed(1)}` : null)
  const last = points.filter(point => point).at(-1).split(',')
  return html`<svg class="spark" width=${width} height=${height} role="img" aria-label=${label}>
    <polyline points=${points.filter(point => point).join(' ')} /><circle cx=${last[0]} cy=${last[1]} r="2" /></svg>`
}

/** A share as a bar, from 0 to 1; of a signed one from its middle. */
export function Bar({value, most = 1, label}) {
  if (value === null || value === undefined) return null
  const share = Math.max(-1, Math.min(1, value / (most || 1)))
  return html`<svg class=${'bar' + (share < 0 ? ' minus' : '')} width="80" height="10" role="img" aria-label=${label}>
    <rect class="ground" width="80" height="10" rx="2" /><rect width=${Math.abs(share) * 80} height="10" rx="2" /></svg>`
}

const MARKS = {solved: ['●', 'solved'], unsolved: ['○', 'not solved'], undecided: ['?', 'undecided'], unrewarded: ['–', 'no reward'], failed: ['!', 'failed'], running: ['·', 'running']}

/** How a run came out, as a mark. */
export function Result({result}) {
  const [mark, title] = MARKS[result] ?? ['·', result]
  return html`<span class=${'result ' + result} title=${title} aria-label=${title}>${mark}</span>`
}

export const resultOf = run => run.state === 'running' ? 'running' : run.state !== 'completed' ? 'failed'
  : run.undecided ? 'undecided' : run.solved === undefined ? 'unrewarded' : run.solved ? 'solved' : 'unsolved'

export function Chip({kind = '', href, children, title}) {
  return href ? html`<a class=${'chip ' + kind} href=${href} title=${title}>${children}</a>` : html`<span class=${'chip ' + kind} title=${title}>${children}</span>`
}

const FILTERS = [
  ['env', 'environment'], ['model', 'model'], ['split', 'split'], ['sample-id', 'sample'], ['outcome', 'outcome'], ['solved', 'solved'],
  ['reward', 'reward', '0..0.5'], ['steps', 'steps', '1..5'], ['train-step', 'train step', '100..200'], ['epoch', 'epoch'], ['policy-version', 'policy version'],
  ['experiment', 'experiment'], ['tool', 'tool'], ['failure', 'failure'], ['tag', 'tag', 'team=red'], ['label', 'label', 'label=1'], ['finding', 'finding', 'loop'],
  ['total-tokens', 'tokens', '..4000'], ['cost', 'cost', '0.5..'], ['duration', 'duration', '1s..'], ['invocation', 'job'], ['grep', 'text']
]
const CHOICES = {outcome: ['completed', 'failed', 'aborted', 'abandoned', 'running'], solved: ['true', 'false']}
export const filterNames = FILTERS.map(filter => filter[0])

/** The filters of a page's address, which are those of `rlm list`. */
export const filtersOf = query => Object.fromEntries(Object.entries(query).filter(([name]) => filterNames.includes(name) || name === 'journal'))

/** Filters as chips, each with a way to take it off, and one to add another. */
export function Filters({path, query}) {
  if (isFile) return null
  const [name, setName] = useState('')
  const value = useRef(null)
  useEffect(() => { if (name) value.current?.focus() }, [name])
  const active = FILTERS.filter(filter => query[filter[0]])
  const set = (filter, to) => { setName(''); go(link(path, {...query, [filter]: to})) }
  const chosen = FILTERS.find(filter => filter[0] === name)
  return html`<form class="filters" role="search" aria-label="filters" onSubmit=${event => { event.preventDefault(); if (value.current?.value) set(name, value.current.value) }}>
    ${active.map(([filter, title]) => html`<span class="chip">${title} ${visible([query[filter]].flat().join(', '))}
      <button type="button" aria-label=${'take off the filter ' + title} onClick=${() => set(filter, null)}>×</button></span>`)}
    <label class="hidden" for="filter">filter by</label>
    <select id="filter" data-filter value=${name} onChange=${event => setName(event.target.value)}>
      <option value="">filter by …</option>
      ${FILTERS.filter(filter => !query[filter[0]]).map(([filter, title]) => html`<option value=${filter}>${title}</option>`)}
    </select>
    ${chosen && (CHOICES[name]
      ? html`<select aria-label=${chosen[1]} ref=${value} onChange=${event => set(name, event.target.value)}><option value="">…</option>${CHOICES[name].map(choice => html`<option>${choice}</option>`)}</select>`
      : html`<input aria-label=${chosen[1]} ref=${value} placeholder=${chosen[2] ?? ''} size="14" /> <button>set</button>`)}
  </form>`
}

const ALTERED = /(\[(?:REDACTED|CUT):[^\]\n]*\])/

/** Where something was redacted or cut, that is marked: it is nothing that the agent saw. */
const marked = text => text.split(ALTERED).map((part, i) => i % 2 ? html`<mark class="altered" data-finding tabindex="-1">${part}</mark>` : part)

/** A text of any length: its beginning, and all of it when asked for. */
export function Text({text, lines = 40, markdown = false}) {
  const [all, setAll] = useState(false)
  if (markdown) return html`<${Markdown} text=${String(text ?? '')} />`
  const shown = visible(text)
  const rows = shown.split('\n')
  const long = rows.length > lines || shown.length > 20000
  const cut = all || !long ? shown : rows.slice(0, lines).join('\n').slice(0, 20000)
  return html`<div class="text"><pre tabindex="0">${marked(cut)}</pre>${long && html`<button data-all=${all ? 'less' : 'more'} onClick=${() => setAll(!all)}>${all ? 'less' : `all ${rows.length} lines, ${shown.length} characters`}</button>`}</div>`
}

function Markdown({text}) {
  const box = useRef(null)
  useEffect(() => {
    let current = true
    import('./markdown.js').then(made => current && box.current.replaceChildren(made.markdown(text)))
    return () => { current = false }
  }, [text])
  return html`<div class="text markdown" ref=${box} />`
}

/** Tabs within a page; which one is in the address. */
export function Tabs({path, query, name = 'view', tabs}) {
  const now = query[name] ?? tabs[0][0]
  return html`<nav class="tabs" aria-label="views">${tabs.map(([id, title]) => html`
    <a href=${link(path, {...query, [name]: id === tabs[0][0] ? null : id})} aria-current=${id === now ? 'page' : undefined}>${title}</a>`)}</nav>`
}
