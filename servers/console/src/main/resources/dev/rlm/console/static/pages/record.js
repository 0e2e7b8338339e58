import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, number, percent, time, visible} from '../format.js'
import {link} from '../router.js'
import {Answer, Chip, Command, Figures, Table, Text} from '../ui.js'

/** Whether the record is whole, what it lacks, and the jobs that made it. */
export function Record({query}) {
  const {journal} = query
  const check = useAnswer(['check'], {journal})
  const report = useAnswer(['report'], {journal})
  const jobs = useAnswer(['jobs'], {journal, limit: 50, lines: 8})
  const lost = useAnswer(['list'], {journal, outcome: 'abandoned', limit: 50})
  const losses = report.lines?.[0].losses ?? []
  return html`<h1>Record</h1>
    <${Answer} answer=${check}>${() => html`<${Check} check=${check.lines[0]} journal=${journal} />`}<//>
    <${Command} path=${['check']} query=${{}} />
    ${losses.length > 0 && html`<h2>What sinks have lost</h2><${Table} caption="losses" rows=${losses} columns=${[
      {title: 'sink', cell: loss => loss.sink, always: true}, {title: 'offered', num: true, cell: loss => count(loss.offered)}, {title: 'lost', cell: loss => reasons(loss.lost)}, {title: 'writers', wide: true, cell: loss => loss.writers.join(', ')}]} /><${Command} path=${['report']} query=${{}} />`}
    ${lost.lines?.length > 0 && html`<h2>Runs whose process died</h2><${Table} caption="abandoned runs" rows=${lost.lines} href=${run => link(['runs', run.run_id], {journal})} columns=${[
      {title: 'run', cell: run => run.run_id, always: true}, {title: 'started', cell: run => time(run.started_at)}, {title: 'steps', num: true, cell: run => run.steps}, {title: 'folder', wide: true, cell: run => run.folders?.join(', ')}]} />`}
    <h2>Jobs</h2>
    <${Answer} answer=${jobs} isEmpty=${jobs.lines?.length === 0} empty="No run tells the job that it belongs to.">${() => html`<${Table} caption="jobs" rows=${[...jobs.lines].reverse()} href=${job => link(['runs'], {invocation: job.invocation_id, journal})} columns=${[
      {title: 'job', cell: job => brief(job.invocation_id, 36), always: true}, {title: 'started', cell: job => time(job.started_at)}, {title: 'state', cell: job => ['killed', 'stopped'].includes(job.state) ? html`<${Chip} kind="warn">${job.state}<//>` : job.state},
      {title: 'rollouts', num: true, cell: job => job.rollouts ? `${job.rollouts_ended} of ${job.rollouts}` : null}, {title: 'runs', num: true, cell: job => count(job.runs)}, {title: 'failed', num: true, cell: job => job.failed || null},
      {title: 'solved', num: true, cell: job => percent(job.solved_rate)}, {title: 'reward', num: true, cell: job => number(job.mean_reward)}, {title: 'models', wide: true, cell: job => brief(job.models.join(', '), 60)},
      {title: 'log', wide: true, cell: job => job.log?.length ? html`<details><summary>${brief(job.log.at(-1), 60)}</summary><${Text} text=${job.log.join('\n')} /></details>` : null}]} />`}<//>
    <${Command} path=${['jobs']} query=${{lines: 8}} />`
}

const reasons = lost => Object.entries(lost).map(([reason, events]) => `${reason} ${count(events)}`).join(', ')

const numbers = run => [...run.missing.map(gap => gap.from === gap.to ? gap.from : `${gap.from}–${gap.to}`), run.without_end && 'the end'].filter(Boolean).join(', ')

function Check({check, journal}) {
  const kinds = {complete: ['whole', '✓'], incomplete: ['problem', '⚠'], unknown: ['quiet', '?']}
  const [kind, mark] = kinds[check.record]
  return html`<p class=${kind}>${mark} ${visible(check.statement)}</p>
    <${Figures} figures=${[['journal', check.journal], ['runs', count(check.runs)], ['events', count(check.events)], ['missing events', check.missing_events || null], ['damaged lines', check.damaged_lines || null], ['lost', reasons(check.lost)]]} />
    ${check.incomplete.length > 0 && html`<h2>Runs that lack events</h2><${Table} caption="runs that lack events" rows=${check.incomplete} href=${run => link(['runs', run.run_id], {journal, view: 'events'})} columns=${[
      {title: 'run', cell: run => run.run_id, always: true}, {title: 'events', num: true, cell: run => count(run.events)}, {title: 'missing', num: true, cell: run => run.missing_events || null}, {title: 'numbers', wide: true, cell: numbers}]} />
      ${check.incomplete.length < check.incomplete_runs && html`<p class="quiet">${count(check.incomplete_runs - check.incomplete.length)} more: rlm check --limit N shows them.</p>`}`}
    <h2>Writers</h2><${Table} caption="writers" rows=${[...check.writers].reverse().slice(0, 200)} columns=${[
      {title: 'writer', cell: writer => writer.writer, always: true}, {title: 'state', cell: writer => writer.state === 'killed' ? html`<${Chip} kind="warn">killed<//>` : writer.state}, {title: 'last ledger', cell: writer => writer.ledger_at ? time(writer.ledger_at) : 'none'},
      {title: 'offered', num: true, cell: writer => count(writer.offered)}, {title: 'delivered', num: true, cell: writer => count(writer.delivered)}, {title: 'lost', cell: writer => reasons(writer.lost)}]} />`
}
