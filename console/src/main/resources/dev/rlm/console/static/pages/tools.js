import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, duration, nanos, percent, unlessZero} from '../format.js'
import {link} from '../router.js'
import {Answer, Bar, Command, Filters, filtersOf, Table} from '../ui.js'

/** Tools: how often they were called, failed, and how long they took. */
export function Tools({query}) {
  const asked = {by: 'tool', ...filtersOf(query)}
  const answer = useAnswer(['report'], asked)
  return html`<h1>Tools</h1><${Filters} path=${['tools']} query=${query} />
    <${Answer} answer=${answer} isEmpty=${answer.lines?.[0].tools.length === 0} empty="No tool was called.">${() => html`<${Table} caption="tools" rows=${answer.lines[0].tools} href=${tool => link(['runs'], {...filtersOf(query), tool: tool.tool})} columns=${[
      {title: 'tool', cell: tool => brief(tool.tool, 50), always: true}, {title: 'calls', num: true, cell: tool => count(tool.calls)}, {title: 'failed', num: true, cell: tool => unlessZero(tool.failed)},
      {title: 'error rate', num: true, cell: tool => percent(tool.error_rate)}, {title: '', cell: tool => html`<${Bar} value=${-tool.error_rate} label=${percent(tool.error_rate)} />`}, {title: 'runs', num: true, cell: tool => count(tool.runs)},
      {title: 'p50', num: true, cell: tool => duration(tool.p50)}, {title: 'p95', num: true, cell: tool => duration(tool.p95)}]} />`}<//>
    <${Command} path=${['report']} query=${asked} />`
}

/** Where the runs' time goes, and the slowest of them. */
export function Time({query}) {
  const filters = filtersOf(query)
  const phases = useAnswer(['report'], {phases: true, ...filters})
  const slow = useAnswer(['list'], {...filters, sort: '-duration', limit: 10})
  return html`<h1>Time</h1><${Filters} path=${['time']} query=${query} />
    <${Answer} answer=${phases} isEmpty=${phases.lines?.[0].all.phases.length === 0} empty="No run tells its times.">${() => html`<${Table} caption="phases" rows=${phases.lines[0].all.phases} columns=${[
      {title: 'what', cell: phase => phase.name ?? phase.kind.replaceAll('_', ' '), always: true}, {title: 'kind', cell: phase => phase.name ? phase.kind.replaceAll('_', ' ') : null}, {title: 'count', num: true, cell: phase => unlessZero(phase.count)}, {title: 'failed', num: true, cell: phase => unlessZero(phase.failed)},
      {title: 'share', num: true, cell: phase => percent(phase.share)}, {title: 'own time', num: true, cell: phase => duration(phase.own)}, {title: 'own share', num: true, cell: phase => percent(phase.own_share)}, {title: '', cell: phase => html`<${Bar} value=${phase.own_share} label=${percent(phase.own_share)} />`},
      {title: 'p50', num: true, cell: phase => duration(phase.p50)}, {title: 'p95', num: true, cell: phase => duration(phase.p95)}, {title: 'max', num: true, cell: phase => duration(phase.max)}]} />`}<//>
    <${Command} path=${['report']} query=${{phases: true, ...filters}} />
    <h2>The slowest runs</h2>
    <${Answer} answer=${slow} isEmpty=${slow.lines?.length === 0} empty="No runs.">${() => html`<${Table} caption="slowest runs" rows=${slow.lines} href=${run => link(['runs', run.run_id], {...filters, view: 'time'})} columns=${[
      {title: 'run', cell: run => run.run_id, always: true}, {title: 'duration', num: true, cell: run => nanos(run.duration_nanos)}, {title: 'steps', num: true, cell: run => run.steps}, {title: 'model', cell: run => run.model}, {title: 'task', wide: true, cell: run => brief(run.task, 70)}]} />`}<//>`
}
