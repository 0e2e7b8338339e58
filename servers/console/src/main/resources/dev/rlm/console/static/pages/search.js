import {html, useRef} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, time, visible} from '../format.js'
import {go, link} from '../router.js'
import {Answer, Command, Filters, filtersOf} from '../ui.js'

/** Texts of all runs in which something is found. */
export function Search({query}) {
  const field = useRef(null)
  const filters = filtersOf(query)
  return html`<h1>Search</h1>
    <form class="filters" role="search" aria-label="texts" onSubmit=${event => { event.preventDefault(); go(link(['search'], {...query, q: field.current.value})) }}>
      <label class="hidden" for="q">text or /regular expression/</label><input id="q" data-search ref=${field} type="search" size="40" placeholder="text or /regular expression/" defaultValue=${query.q ?? ''} />
      <label><input type="checkbox" checked=${query['ignore-case'] === 'true'} onChange=${event => go(link(['search'], {...query, q: field.current.value, 'ignore-case': event.target.checked ? 'true' : null}))} /> ignore case</label>
      <button>search</button></form>
    <${Filters} path=${['search']} query=${query} />
    ${query.q ? html`<${Hits} asked=${{...filters, 'ignore-case': query['ignore-case'], limit: 200}} q=${query.q} journal=${query.journal} />` : html`<p class="empty">Tasks, answers, observations, code, outputs, messages, arguments, results and errors are searched.</p>`}`
}

function Hits({asked, q, journal}) {
  const answer = useAnswer(['search', q], asked)
  const runs = new Map()
  answer.lines?.forEach(hit => runs.set(hit.run_id, [...(runs.get(hit.run_id) ?? []), hit]))
  return html`<${Answer} answer=${answer} isEmpty=${answer.lines?.length === 0} empty="Nothing is found.">${() => html`<p class="quiet">${answer.lines.length} hits in ${runs.size} runs, the latest first</p>
    <ul class="hits">${[...runs].map(([run, hits]) => html`<li><a data-row href=${link(['runs', run], {journal})}>${run}</a> <span class="note">${time(hits[0].time)}</span>
      <ul>${hits.slice(0, 5).map(hit => html`<li><a href=${link(['runs', run], {journal}, hit.step ? 'step-' + hit.step : '')}>${hit.step ? 'step ' + hit.step : 'run'} ${brief(hit.field, 30)}</a> <span>${visible(hit.before)}<mark>${visible(hit.match)}</mark>${visible(hit.after)}</span></li>`)}</ul></li>`)}</ul>`}<//>
    <${Command} path=${['search', q]} query=${asked} />`
}
