import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, estimate, number, percent, rounded} from '../format.js'
import {link} from '../router.js'
import {Answer, Command, Figures, Spark} from '../ui.js'
import {RunTable} from './runs.js'

/** What rules found, with the runs that show it. */
export function Findings({report, journal}) {
  const found = report.health.filter(rule => rule.verdict === 'found')
  if (!found.length) return html`<p class="quiet">No rule of <code>rlm report --health</code> finds a fault; ${report.health.filter(rule => rule.verdict === 'unknown').length} of ${report.health.length} cannot be told.</p>`
  return html`<ul class="findings">${found.map(rule => html`<li>
    <strong>${rule.rule.replaceAll('_', ' ')}</strong> ${rule.advice}
    <span class="note">${Object.entries(rule.figures).map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? rounded(value) : brief(JSON.stringify(value), 60)}`).join(' · ')}</span>
    ${rule.runs.slice(0, 5).map(run => html` <a data-finding href=${link(['runs', run], {journal})}>${run}</a>`)}</li>`)}</ul>`
}

export function Overview({query}) {
  const journal = query.journal
  const report = useAnswer(['report'], {journal})
  const latest = useAnswer(['list'], {journal, limit: 12})
  const curves = useAnswer(['report'], {curves: true, journal})
  const health = useAnswer(['report'], {health: true, journal})
  return html`<h1>Overview</h1>
    <${Answer} answer=${report} isEmpty=${report.lines?.[0].journal_runs === 0} empty=${html`Nothing is recorded here yet. <code>rlm run</code> records episodes, <code>rlm record</code> those of your own programs.`}>${() => {
      const {all} = report.lines[0]
      const last = all.pass.filter(pass => pass.pass_at_k !== null).at(-1)
      return html`<${Figures} figures=${[
        ['runs', count(all.runs), link(['runs'], {journal}), `of ${count(all.samples)} samples`],
        ['running', all.running || null, link(['runs'], {outcome: 'running', journal})],
        ['failed', all.failed || null, link(['runs'], {outcome: 'failed', journal})],
        ['process died', all.abandoned || null, link(['runs'], {outcome: 'abandoned', journal})],
        ['solved', estimate(all.solved_rate, all.solved_rate_se)], ['mean reward', estimate(all.mean_reward, all.mean_reward_se)],
        last && ['pass@' + last.k, number(last.pass_at_k)], last && ['pass^' + last.k, number(last.pass_hat_k)],
        all.groups_compared > 0 && ['groups without signal', `${all.groups_without_signal} of ${all.groups_compared}`, link(['groups'], {journal})],
        ['tool errors', all.tool_calls ? percent(all.tool_error_rate) : null, link(['tools'], {journal})]]} />
        <${Command} path=${['report']} query=${{}} />`
    }}<//>
    ${curves.lines?.[0].curves.filter(curve => curve.kind === 'run' && curve.points.length > 1).map(curve => html`<p class="line">
      <span>${curve.name} by ${curves.lines[0].x_axis.replace('_', ' ')}</span>
      <${Spark} values=${curve.points.map(point => point.mean)} width=${260} height=${34} label=${`${curve.name}, from ${number(curve.points[0].mean)} to ${number(curve.points.at(-1).mean)}`} />
      <span>${number(curve.points[0].mean)} → ${number(curve.points.at(-1).mean)}</span> <a href=${link(['training'], {journal})}>training</a></p>`)}
    <h2>Look at</h2>
    <${Answer} answer=${health}>${() => html`<${Findings} report=${health.lines[0]} journal=${journal} />`}<//>
    <h2>Latest runs</h2>
    <${Answer} answer=${latest} isEmpty=${latest.lines?.length === 0} empty="No runs.">${() => html`<${RunTable} runs=${[...latest.lines].reverse()} journal=${journal} />
      <${Command} path=${['list']} query=${{limit: 12}} />`}<//>`
}
