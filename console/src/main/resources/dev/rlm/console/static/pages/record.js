import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, number, percent, time} from '../format.js'
import {link} from '../router.js'
import {truth} from '../truth.js'
import {Answer, Chip, Command, Figures, Table, Text} from '../ui.js'

/** Whether the record is whole, what it lacks, and the jobs that made it. */
export function Record({query}) {
  const {journal} = query
  const report = useAnswer(['report'], {journal})
  const jobs = useAnswer(['jobs'], {journal, limit: 50, lines: 8})
  const lost = useAnswer(['list'], {journal, outcome: 'abandoned', limit: 50})
  return html`<h1>Record</h1>
    <${Answer} answer=${report}>${() => {
      const {all, losses, damaged_lines: lines, damaged_events: events, journal: folder} = report.lines[0]
      const {whole, text} = truth(report.lines[0])
      return html`<p class=${whole ? 'whole' : 'problem'}>${whole ? '✓' : '⚠'} ${text}</p>
        <${Figures} figures=${[['journal', folder], ['runs', count(report.lines[0].journal_runs)], ['lack events', all.incomplete_runs || null], ['damaged lines', lines || null], ['events that cannot be read', events || null],
          ['running', all.running || null], ['process died', all.abandoned || null, link(['runs'], {outcome: 'abandoned', journal})]]} />
        ${losses.length > 0 && html`<h2>What sinks have lost</h2><${Table} caption="losses" rows=${losses} columns=${Object.keys(losses[0]).map((name, i) => ({title: name.replaceAll('_', ' '), always: i === 0, num: typeof losses[0][name] === 'number', cell: loss => typeof loss[name] === 'object' ? brief(JSON.stringify(loss[name]), 120) : typeof loss[name] === 'number' ? count(loss[name]) : loss[name]}))} />`}`
    }}<//><${Command} path=${['report']} query=${{}} />
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
