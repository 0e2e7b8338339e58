import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count} from '../format.js'
import {go, link} from '../router.js'
import {Answer, Chip, Command, Filters, filtersOf, Table} from '../ui.js'

const MOST = 500

/** What makes verdicts on runs doubtful, by the rules of `rlm scan`, with the places that show it. */
export function Findings({query}) {
  const asked = {...filtersOf(query), rule: query.rule}
  const answer = useAnswer(['scan'], asked)
  return html`<h1>Findings</h1><${Filters} path=${['findings']} query=${query} />
    <${Answer} answer=${answer} isEmpty=${answer.lines?.length === 0} empty=${html`No rule of <code>rlm scan</code> finds anything in these runs.`}>${() => {
      const rules = Map.groupBy(answer.lines, finding => finding.rule)
      const shown = answer.lines.slice(0, MOST)
      return html`<p class="marks">${query.rule && html`<a href=${link(['findings'], {...query, rule: null})}>all rules</a>`}${[...rules].map(([rule, found]) => html`<a href=${link(['findings'], {...query, rule})} class=${rule === query.rule ? 'on' : ''}>${rule.replaceAll('_', ' ')} ${count(found.length)}</a>`)}</p>
        <${Table} caption="findings" rows=${shown} href=${finding => link(['runs', finding.run_id], {journal: query.journal}, place(finding))} columns=${[
          {title: 'run', cell: finding => finding.run_id, always: true}, {title: 'rule', cell: finding => finding.rule.replaceAll('_', ' ')},
          {title: 'voids', cell: finding => finding.voids && html`<${Chip} kind="warn">${finding.voids}<//>`},
          {title: 'places', num: true, cell: finding => count(finding.citations.length + finding.more)},
          {title: 'step', num: true, cell: finding => finding.citations[0]?.step},
          {title: 'text', wide: true, cell: finding => brief(finding.citations[0]?.text ?? '', 140)}]} />
        ${answer.lines.length > MOST && html`<p class="quiet">${count(answer.lines.length - MOST)} more: the command below shows all.</p>`}`
    }}<//><${Command} path=${['scan']} query=${asked} />`
}

const place = finding => finding.citations[0]?.step ? 'step-' + finding.citations[0].step : ''
