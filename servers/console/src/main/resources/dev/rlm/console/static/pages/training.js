import {html, useEffect, useRef} from '../core.js'
import {useAnswer} from '../api.js'
import {brief, count, estimate, number, rounded, signed} from '../format.js'
import {go, link} from '../router.js'
import {Answer, Command, Filters, filtersOf, Spark, Table, Tabs} from '../ui.js'
import uPlot from '../vendor/uplot.js'

const AXES = ['train-step', 'epoch', 'policy-version', 'time']
const FILTER = {train_step: 'train-step', epoch: 'epoch', policy_version: 'policy-version'}

/** Curves along training, health, and the table behind them. */
export function Training({query}) {
  const view = query.view ?? 'curves'
  return html`<h1>Training</h1><${Filters} path=${['training']} query=${query} />
    <${Tabs} path=${['training']} query=${query} tabs=${[['curves', 'Curves'], ['table', 'Steps'], ['health', 'Health'], ['checkpoints', 'Checkpoints']]} />
    ${view === 'health' ? html`<${Health} query=${query} />` : view === 'table' ? html`<${Steps} query=${query} />` : html`<${Curves} query=${query} view=${view} />`}`
}

function Curves({query, view}) {
  const asked = {curves: true, ...filtersOf(query), 'x-axis': query['x-axis']}
  const answer = useAnswer(['report'], asked)
  return html`<p class="filters"><label>by <select value=${query['x-axis'] ?? ''} onChange=${event => go(link(['training'], {...query, 'x-axis': event.target.value}))}>
      <option value="">what the runs tell</option>${AXES.map(axis => html`<option>${axis}</option>`)}</select></label></p>
    <${Answer} answer=${answer} isEmpty=${answer.lines?.[0].curves.length === 0} empty="Nothing tells where in a training it belongs. rlm run --train-step says it.">${() => {
      const report = answer.lines[0]
      if (view === 'checkpoints') return html`<${Checkpoints} report=${report} />`
      const shown = report.curves.filter(curve => curve.points.length > 0)
      const [large, small] = [shown.filter(curve => curve.points.length > 1), shown.filter(curve => curve.points.length === 1)]
      return html`<div class="charts">${large.slice(0, 40).map(curve => html`<${Chart} key=${name(curve)} curve=${curve} axis=${report.x_axis} query=${query} />`)}</div>
        ${small.length > 0 && html`<h2>At one place only</h2><${Table} caption="numbers at one place" rows=${small} columns=${[{title: 'number', cell: name, always: true}, {title: 'mean', num: true, cell: curve => rounded(curve.points[0].mean)}, {title: report.x_axis.replace('_', ' '), cell: curve => curve.points[0][report.x_axis]}]} />`}
        ${report.hints.map(hint => html`<p class="quiet">${hint}</p>`)}`
    }}<//><${Command} path=${['report']} query=${asked} />`
}

const name = curve => [curve.kind === 'run' ? '' : curve.kind.replace('_', ' '), curve.source, curve.name, curve.unit].filter(Boolean).join(' · ')

/** A curve with its points; a click on one leads to the runs behind it. */
function Chart({curve, axis, query}) {
  const box = useRef(null)
  const points = curve.points.filter(point => point.mean !== null)
  const places = points.map(point => point[axis])
  const key = JSON.stringify([places, points.map(point => point.mean)])
  useEffect(() => {
    const style = getComputedStyle(document.documentElement)
    const color = style.getPropertyValue('--accent'), quiet = style.getPropertyValue('--quiet'), faint = style.getPropertyValue('--line')
    const x = axis === 'time' ? places.map(place => Date.parse(place) / 1000) : typeof places[0] === 'number' ? places : places.map((_, i) => i)
    const line = {stroke: quiet, grid: {stroke: faint, width: 1}, ticks: {show: false}, font: '11px system-ui', size: 44}
    const plot = new uPlot({
      width: box.current.clientWidth || 380, height: 180, legend: {show: false}, cursor: {y: false, sync: {key: 'training'}},
      scales: {x: {time: axis === 'time'}},
      axes: [{...line, size: 26, values: typeof places[0] === 'number' || axis === 'time' ? undefined : (_, splits) => splits.map(split => places[split] ?? '')}, line],
      series: [{}, {stroke: color, width: 1.8, points: {size: 5, show: points.length < 60}}]
    }, [x, points.map(point => point.mean)], box.current)
    plot.over.addEventListener('click', () => {
      const place = places[plot.cursor.idx]
      if (place !== undefined && FILTER[axis]) go(link(['runs'], {...filtersOf(query), [FILTER[axis]]: place}))
    })
    return () => plot.destroy()
  }, [key])
  return html`<figure><figcaption>${brief(name(curve), 60)} <span class="note">${rounded(points[0]?.mean)} → ${rounded(points.at(-1)?.mean)}${curve.trend !== null && curve.trend !== undefined ? ` · trend ${signed(curve.trend)}` : ''}</span></figcaption>
    <div class="plot" ref=${box} role="img" aria-label=${`${name(curve)}: ${points.length} points, first ${rounded(points[0]?.mean)}, last ${rounded(points.at(-1)?.mean)}`}></div></figure>`
}

function Steps({query}) {
  const asked = {by: 'train-step', ...filtersOf(query)}
  const answer = useAnswer(['report'], asked)
  return html`<${Answer} answer=${answer} isEmpty=${answer.lines?.[0].rows.length === 0} empty="No run tells its step of training.">${() => html`<${Table} caption="steps of training" rows=${answer.lines[0].rows}
      href=${row => link(['runs'], {...filtersOf(query), 'train-step': row.train_step})} columns=${[
      {title: 'train step', cell: row => row.train_step ?? 'none', always: true}, {title: 'runs', num: true, cell: row => count(row.runs)}, {title: 'solved', num: true, cell: row => estimate(row.solved_rate, row.solved_rate_se)},
      {title: 'mean reward', num: true, cell: row => estimate(row.mean_reward, row.mean_reward_se)}, {title: 'min', num: true, cell: row => number(row.min_reward)}, {title: 'max', num: true, cell: row => number(row.max_reward)},
      {title: 'groups', num: true, cell: row => row.groups_compared || null}, {title: 'no signal', num: true, cell: row => row.groups_compared ? row.groups_without_signal : null},
      {title: 'steps a run', num: true, cell: row => row.runs ? number(row.steps / row.runs, 1) : null}, {title: 'tokens out', num: true, cell: row => count(row.output_tokens)}, {title: 'failed', num: true, cell: row => row.failed || null}, {title: 'absent', num: true, cell: row => row.absent_rewards || null}]} />`}<//>
    <${Command} path=${['report']} query=${asked} />`
}

function Health({query}) {
  const asked = {health: true, ...filtersOf(query)}
  const answer = useAnswer(['report'], asked)
  const words = {found: ['warn', 'found'], clear: ['good', 'clear'], unknown: ['', 'cannot be told']}
  return html`<${Answer} answer=${answer}>${() => html`<${Table} caption="rules" rows=${[...answer.lines[0].health].sort((one, other) => order(one) - order(other))} columns=${[
      {title: 'rule', cell: rule => rule.rule.replaceAll('_', ' '), always: true}, {title: 'verdict', cell: rule => html`<span class=${'chip ' + words[rule.verdict][0]} data-finding=${rule.verdict === 'found' ? '' : undefined} tabindex=${rule.verdict === 'found' ? 0 : undefined}>${words[rule.verdict][1]}</span>`},
      {title: 'figures', cell: rule => rule.verdict === 'unknown' ? rule.needs && 'needs ' + rule.needs : Object.entries(rule.figures).map(([figure, value]) => `${figure.replaceAll('_', ' ')} ${typeof value === 'number' ? rounded(value) : brief(JSON.stringify(value), 50)}`).join(', ')},
      {title: 'runs', cell: rule => rule.runs.slice(0, 4).map(run => html`<a href=${link(['runs', run], {journal: query.journal})}>${run}</a> `)}, {title: 'what to do', wide: true, cell: rule => rule.verdict === 'found' ? rule.advice : ''}]} />`}<//>
    <${Command} path=${['report']} query=${asked} />`
}

const order = rule => ['found', 'clear', 'unknown'].indexOf(rule.verdict)

function Checkpoints({report}) {
  if (!report.checkpoints.length) return html`<p class="empty">No run tells the version of its policy and a split other than train.</p>`
  return html`<${Table} caption="checkpoints" rows=${report.checkpoints} mark=${row => row.best} columns=${[
    {title: 'version', cell: row => row.policy_version, always: true}, {title: 'split', cell: row => row.split}, {title: 'model', cell: row => row.model}, {title: 'mean@k', num: true, cell: row => estimate(row.mean_at_k, row.mean_at_k_se)},
    {title: 'k', num: true, cell: row => row.k}, {title: 'samples', num: true, cell: row => count(row.samples)}, {title: 'to the best', num: true, cell: row => row.best ? 'best' : signed(row.difference)},
    {title: '95 % interval', num: true, cell: row => row.low !== null && row.low !== undefined ? `${signed(row.low)} to ${signed(row.high)}` : null}, {title: '', cell: row => row.surely_worse ? 'surely worse' : null}]} />`
}
