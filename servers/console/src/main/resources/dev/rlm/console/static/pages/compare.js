import {html, useState} from '../core.js'
import {useAnswer} from '../api.js'
import {count, number, percent, signed} from '../format.js'
import {go, link} from '../router.js'
import {Aligned} from './groups.js'
import {Answer, Command, Filters, filtersOf, Table} from '../ui.js'

const p = value => value === null ? '–' : value < 1e-4 ? value.toExponential(1) : value.toFixed(value < 0.1 ? 4 : 3)

/** Two models, or two tags, sample by sample. */
export function Compare({query}) {
  return Array.isArray(query.run) ? html`<${Pair} query=${query} />` : html`<${Populations} query=${query} />`
}

/** Two runs, side by side. */
function Pair({query}) {
  const [one, other] = query.run
  const list = useAnswer(['list'], {journal: query.journal, limit: 1000})
  const run = id => list.lines?.find(each => each.run_id === id) ?? {run_id: id}
  return html`<h1>Compare</h1><${Answer} answer=${list}>${() => html`<${Aligned} runs=${[run(one), run(other)]} journal=${query.journal} />`}<//>
    <${Command} path=${['diff', one, other]} query=${{}} />`
}

function Populations({query}) {
  const report = useAnswer(['report'], {by: 'model', journal: query.journal})
  const models = report.lines?.[0].rows.map(row => row.model).filter(Boolean) ?? []
  const asked = query.against ? {...filtersOf(query), against: query.against} : null
  return html`<h1>Compare</h1>
    <p class="quiet">This side is chosen by the filters, the other by a model or a tag; only samples that both have are compared.</p>
    <${Filters} path=${['compare']} query=${query} />
    <${Other} key=${query.against} models=${models} query=${query} />
    ${models.length > 1 && !query.against && html`<ul>${models.slice(1, 6).map(model => html`<li><a data-row href=${link(['compare'], {model: models[0], against: 'model=' + model, journal: query.journal})}>${models[0]} against ${model}</a></li>`)}</ul>`}
    ${asked ? html`<${Sides} asked=${asked} />` : html`<${Command} path=${['report']} query=${{by: 'model'}} />`}`
}

function Other({models, query}) {
  const [value, setValue] = useState(query.against ?? '')
  return html`<form class="filters" onSubmit=${event => { event.preventDefault(); go(link(['compare'], {...query, against: value})) }}>
    <label>against <input list="others" value=${value} placeholder="model=NAME or tag=NAME=VALUE" size="30" onInput=${event => setValue(event.target.value)} /></label>
    <datalist id="others">${models.map(model => html`<option value=${'model=' + model} />`)}</datalist> <button>compare</button></form>`
}

function Sides({asked}) {
  const answer = useAnswer(['report'], asked)
  return html`<${Answer} answer=${answer}>${() => {
    const {against} = answer.lines[0]
    const rows = [['mean reward', against.reward], ['solved rate', against.solved_rate]].filter(row => row[1]?.samples)
    if (!rows.length) return html`<p class="empty">No sample is on both sides: ${against.samples_this_side_only} here, ${against.samples_other_side_only} there.</p>`
    const {mcnemar} = against
    return html`<h2>${against.this_side} against ${against.other_side}</h2>
      <${Table} caption="differences" rows=${rows} columns=${[
        {title: 'figure', cell: row => row[0], always: true}, {title: 'this side', num: true, cell: row => number(row[1].this_side)}, {title: 'other side', num: true, cell: row => number(row[1].other_side)},
        {title: 'difference', num: true, cell: row => signed(row[1].difference)}, {title: '95 % interval', num: true, cell: row => `${signed(row[1].low)} to ${signed(row[1].high)}`},
        {title: '', cell: row => html`<${Interval} of=${row[1]} />`}, {title: 'samples', num: true, cell: row => count(row[1].samples)}]} />
      ${mcnemar && html`<p>Solved on both sides ${mcnemar.both}, on this one only ${mcnemar.this_side_only}, on the other only ${mcnemar.other_side_only}, on neither ${mcnemar.neither}: McNemar's exact test p = ${p(mcnemar.p_value)}.</p>`}
      <${Samples} samples=${against.samples} journal=${asked.journal} />`
  }}<//><${Command} path=${['report']} query=${asked} />`
}

/** The samples that both sides have: as points, and those that differ most as rows. */
function Samples({samples, journal}) {
  const known = samples.filter(sample => sample.difference !== null)
  const lists = [['Won', known.filter(sample => sample.difference > 0)], ['Lost', known.filter(sample => sample.difference < 0)]]
  const href = sample => link(['groups', sample.sample], {journal})
  return html`<div class="charts"><${Scatter} samples=${known} href=${href} /></div>
    ${lists.filter(([, rows]) => rows.length).map(([title, rows]) => html`<h2>${title} <span class="note">${count(rows.length)} of ${count(known.length)} samples by mean reward</span></h2>
      <${Table} caption=${title} rows=${rows.slice(0, 50)} href=${href} columns=${[
        {title: 'sample', cell: row => row.sample, always: true}, {title: 'this side', num: true, cell: row => number(row.this_side.mean_reward)}, {title: 'other side', num: true, cell: row => number(row.other_side.mean_reward)},
        {title: 'difference', num: true, cell: row => signed(row.difference)}, {title: 'solved here', num: true, cell: row => percent(row.this_side.solved_rate)}, {title: 'solved there', num: true, cell: row => percent(row.other_side.solved_rate)},
        {title: 'runs', num: true, cell: row => `${row.this_side.runs} and ${row.other_side.runs}`}, {title: 'environment', cell: row => row.environment}]} />`)}`
}

/** Each sample by its mean reward on the other side and on this one: above the line it is better here. */
function Scatter({samples, href}) {
  const all = samples.flatMap(sample => [sample.this_side.mean_reward, sample.other_side.mean_reward])
  if (!all.length) return null
  const low = Math.min(...all), span = Math.max(...all) - low || 1
  const x = value => 20 + 260 * (value - low) / span
  return html`<figure><figcaption>Mean reward of each sample: across the other side, up this side</figcaption>
    <svg class="scatter" viewBox="0 0 300 300" aria-hidden="true">
      <line x1="20" y1="280" x2="280" y2="20" />${samples.map(sample => html`<a href=${href(sample)} tabindex="-1"><circle class=${sample.difference < 0 ? 'minus' : ''} cx=${x(sample.other_side.mean_reward)} cy=${300 - x(sample.this_side.mean_reward)} r="4"><title>${sample.sample}</title></circle></a>`)}
    </svg></figure>`
}

/** An interval around a difference, with zero in the middle. */
function Interval({of}) {
  const most = Math.max(Math.abs(of.low), Math.abs(of.high)) || 1
  const x = value => 80 + 75 * value / most
  return html`<svg width="160" height="14" role="img" aria-label=${`from ${signed(of.low)} to ${signed(of.high)}`} class=${'interval' + (of.low > 0 || of.high < 0 ? ' sure' : '')}>
    <line class="zero" x1="80" x2="80" y1="0" y2="14" /><line x1=${x(of.low)} x2=${x(of.high)} y1="7" y2="7" /><circle cx=${x(of.difference)} cy="7" r="3" /></svg>`
}
