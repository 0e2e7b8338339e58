import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, duration, nanos, percent, unlessZero} from '../format.js'
import {link} from '../router.js'
import {Answer, Bar, Command, Filters, filtersOf, Table} from '../ui.js'

/** Tools: how often they were called, failed, how long they took, and why they failed. */
export function Tools({query}) {
  const filters = filtersOf(query)
  const asked = {by: 'tool', ...filters}
  const answer = useAnswer(['report'], asked)
  const failed = useAnswer(['report'], {'failed-tools': true, ...filters})
  return html`<h1>Tools</h1><${Filters} path=${['tools']} query=${query} />
    <${Answer} answer=${answer} isEmpty=${answer.lines?.[0].tools.length === 0} empty="No tool was called.">${() => html`<${Table} caption="tools" rows=${answer.lines[0].tools} href=${tool => link(['runs'], {...filters, tool: tool.tool})} columns=${[
      {title: 'tool', cell: tool => brief(tool.tool, 50), always: true}, {title: 'calls', num: true, cell: tool => count(tool.calls)}, {title: 'failed', num: true, cell: tool => unlessZero(tool.failed)},
      {title: 'error rate', num: true, cell: tool => percent(tool.error_rate)}, {title: '', cell: tool => html`<${Bar} value=${-tool.error_rate} label=${percent(tool.error_rate)} />`}, {title: 'runs', num: true, cell: tool => count(tool.runs)},
      {title: 'p50', num: true, cell: tool => duration(tool.p50)}, {title: 'p95', num: true, cell: tool => duration(tool.p95)}]} />`}<//>
    <${Command} path=${['report']} query=${asked} />
    <h2>Failed calls</h2>
    <${Answer} answer=${failed} isEmpty=${failed.lines?.[0].failed_calls === 0} empty="No call of a tool failed.">${() => html`<${Table} caption="errors of tools" rows=${failed.lines[0].errors} columns=${[
      {title: 'tool', cell: error => brief(error.tool, 50), always: true}, {title: 'error', wide: true, cell: error => brief(error.error, 200)}, {title: 'calls', num: true, cell: error => count(error.calls)}]} />
      <${Table} caption="failed calls" rows=${failed.lines[0].latest} href=${call => link(['runs', call.run_id], {...filters, view: 'tools'})} columns=${[
      {title: 'run', cell: call => call.run_id, always: true}, {title: 'step', num: true, cell: call => call.step}, {title: 'tool', cell: call => brief(call.tool, 50)},
      {title: 'arguments', wide: true, cell: call => brief(call.arguments, 200)}, {title: 'error', wide: true, cell: call => brief(call.error, 200)}]} />`}<//>
    <${Command} path=${['report']} query=${{'failed-tools': true, ...filters}} />`
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
