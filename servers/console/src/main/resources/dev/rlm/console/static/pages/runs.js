import {html, useEffect, useState} from '../core.js'
import {useAnswer} from '../api.js'
import {conversation} from '../events.js'
import {brief, count, nanos, number, simpleName, time, visible} from '../format.js'
import {go, link, show} from '../router.js'
import {Facets, Histogram} from './facets.js'
import {Answer, Chip, Command, Filters, filtersOf, Result, resultOf, Table, Text} from '../ui.js'

const PAGE = 100

/** Runs, a line each. */
export function RunTable({runs, journal, query, sort, onSort}) {
  const columns = [
    {title: 'run', cell: run => run.run_id, always: true},
    {title: '', cell: run => html`<${Result} result=${resultOf(run)} />`},
    {title: 'state', cell: run => run.state === 'completed' ? 'completed' : html`<${Chip} kind=${run.state === 'running' ? '' : 'warn'}>${run.state}<//>`, sort: 'state'},
    {title: 'reward', num: true, cell: run => number(run.total_reward), sort: 'reward'},
    {title: 'steps', num: true, cell: run => run.steps, sort: 'steps'},
    {title: 'duration', num: true, cell: run => nanos(run.duration_nanos), sort: 'duration'},
    {title: 'sample', cell: run => run.sample_id && brief(run.sample_id, 24), sort: 'sample'},
    {title: '#', num: true, cell: run => run.trajectory_index},
    {title: 'train step', num: true, cell: run => run.train_step},
    {title: 'split', cell: run => run.split},
    {title: 'environment', cell: run => brief(run.environment, 20), sort: 'environment'},
    {title: 'model', cell: run => run.model && brief(run.model, 28), sort: 'model'},
    {title: 'started', cell: run => time(run.started_at), sort: 'started'},
    {title: 'failure', cell: run => simpleName(run.failure ?? '')},
    {title: 'task', wide: true, cell: run => brief(run.task, 70)}
  ]
  return html`<${Table} columns=${columns} rows=${runs} caption="runs" sort=${sort} onSort=${onSort} mark=${run => marks().includes(run.run_id)} run=${run => run.run_id} href=${run => link(['runs', run.run_id], {journal, ...query})} />`
}

/** The runs that were marked to be compared, the last two. */
export const marks = () => JSON.parse(sessionStorage.marks ?? '[]')

export function mark(id) {
  sessionStorage.marks = JSON.stringify(marks().includes(id) ? marks().filter(each => each !== id) : [...marks(), id].slice(-2))
}

const LAST = 8

/** A run beside the list: what was asked, how it ended, and the last that was said. */
function Peek({id, journal}) {
  const answer = useAnswer(['show', id], {journal})
  return html`<aside class="peek" aria-label="a run beside the list"><h2><a href=${link(['runs', id], {journal})}>${visible(id)}</a> <button onClick=${() => show('peek', null)}>close</button></h2>
    <${Answer} answer=${answer}>${() => {
      const start = answer.lines.find(event => event.type === 'run_started'), end = answer.lines.find(event => event.type === 'run_ended')
      const turns = conversation(answer.lines)
      return html`<p>${end ? visible(end.outcome) : 'not ended'}${end?.solved ? ', solved' : ''}${end?.final_answer ? html` · answer <b>${brief(end.final_answer, 80)}</b>` : ''}${end?.error ? html` <${Chip} kind="warn">${brief(end.error, 80)}<//>` : ''}</p>
        <${Text} text=${start?.task} lines=${8} />
        ${turns.length > LAST && html`<p class="quiet">the last ${LAST} of ${count(turns.length)} turns</p>`}
        ${turns.slice(-LAST).map(turn => html`<h3>${visible(turn.role)}${turn.name ? ' ' + visible(turn.name) : ''} <span class="note">${turn.step ? 'step ' + turn.step : ''}</span></h3><${Text} text=${turn.text} lines=${6} />`)}`
    }}<//></aside>`
}

/** What is shown while somebody reads further down: newer runs wait until they are asked for. */
function useHeld(lines, sort) {
  const [held, setHeld] = useState([])
  const reading = lines && !sort && held.length > 0 && scrollY > 150
  const newer = reading ? lines.filter(run => !held.includes(run.run_id)) : []
  const shown = newer.length ? lines.filter(run => held.includes(run.run_id)) : lines
  const release = () => { setHeld(lines.map(run => run.run_id)); scrollTo(0, 0) }
  useEffect(() => { if (lines && !newer.length) setHeld(lines.map(run => run.run_id)) }, [lines])
  return [shown, newer.length, release]
}

export function Runs({query}) {
  const filters = filtersOf(query)
  const limit = Number(query.limit ?? PAGE)
  const asked = {...filters, sort: query.sort, limit}
  const answer = useAnswer(['list'], asked)
  const [shown, newer, release] = useHeld(answer.lines, query.sort)
  const newestFirst = lines => query.sort ? lines : [...lines].reverse()
  return html`<h1>Runs</h1>
    <${Filters} path=${['runs']} query=${query} />
    <${Answer} answer=${answer} isEmpty=${answer.lines?.length === 0} empty=${Object.keys(filters).length ? 'No run fits. Take off a filter.' : 'No runs are recorded here yet.'}>${() => html`
      <${Facets} query=${query} filters=${filters} /><${Histogram} runs=${answer.lines} query=${query} />
      <p class="quiet">${count(answer.lines.length)} shown, ${query.sort ? 'sorted by ' + query.sort.replace(/^-/, '') : 'the latest first'}</p>
      ${newer > 0 && html`<p class="pill" role="status"><button onClick=${release}>${count(newer)} newer runs · show</button></p>`}
      <${RunTable} runs=${newestFirst(shown)} journal=${query.journal} query=${{...filters, sort: query.sort}} sort=${query.sort} onSort=${sort => go(link(['runs'], {...query, sort}))} />
      ${answer.lines.length === limit && html`<p><a href=${link(['runs'], {...query, limit: limit + PAGE})}>more</a></p>`}`}<//>
    ${query.peek && html`<${Peek} key=${query.peek} id=${query.peek} journal=${query.journal} />`}
    <${Command} path=${['list']} query=${asked} />`
}
