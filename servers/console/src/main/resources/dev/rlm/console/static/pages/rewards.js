import {html} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, number, percent, signed, unlessZero} from '../format.js'
import {Answer, Bar, Command, Filters, filtersOf, Table} from '../ui.js'

/** Rewards by their sources and parts, why some are absent, and what others say of recorded runs. */
export function Rewards({query}) {
  const filters = filtersOf(query)
  const rewards = useAnswer(['report'], {rewards: true, ...filters})
  const report = useAnswer(['report'], filters)
  const all = report.lines?.[0].all
  return html`<h1>Rewards</h1><${Filters} path=${['rewards']} query=${query} />
    <${Answer} answer=${rewards} isEmpty=${rewards.lines?.[0].all.rewards.length === 0} empty="No reward was given.">${() => html`<${Table} caption="rewards by source" rows=${rewards.lines[0].all.rewards} columns=${[
      {title: 'source', cell: each => brief(each.source, 40), always: true}, {title: 'part', cell: each => each.kind === 'reward_part' ? brief(each.name, 40) : null}, {title: 'unit', cell: each => each.unit},
      {title: 'given', num: true, cell: each => count(each.given)}, {title: 'absent', num: true, cell: each => unlessZero(each.absent)}, {title: 'mean', num: true, cell: each => number(each.mean)},
      {title: 'spread', num: true, cell: each => number(each.standard_deviation)}, {title: 'min', num: true, cell: each => number(each.min)}, {title: 'max', num: true, cell: each => number(each.max)},
      {title: 'correlation', num: true, cell: each => signed(each.correlation)}, {title: 'share of variance', num: true, cell: each => percent(each.variance_share)},
      {title: '', cell: each => html`<${Bar} value=${each.variance_share} label=${percent(each.variance_share)} />`}]} />`}<//>
    <${Command} path=${['report']} query=${{rewards: true, ...filters}} />
    ${all?.absences.length > 0 && html`<h2>Why rewards are absent</h2><${Table} caption="absent rewards" rows=${all.absences} columns=${[{title: 'reason', wide: true, cell: each => brief(each.reason, 120), always: true}, {title: 'rewards', num: true, cell: each => count(each.rewards)}]} />`}
    ${all?.scores.length > 0 && html`<h2>Scores of recorded runs</h2><p class="quiet">Second opinions, labels and kept findings: in no total.</p><${Table} caption="scores" rows=${all.scores} columns=${[
      {title: 'score', cell: each => brief(each.name, 40), always: true}, {title: 'version', cell: each => each.version}, {title: 'kind', cell: each => each.kind}, {title: 'runs', num: true, cell: each => count(each.runs)},
      {title: 'mean', num: true, cell: each => number(each.mean)}, {title: 'min', num: true, cell: each => number(each.min)}, {title: 'max', num: true, cell: each => number(each.max)}]} />`}`
}
