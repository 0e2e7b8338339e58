// What the runs of a list are, and how their rewards are spread: each part narrows the list.
import {html, useState} from '../core.js'
import {isFile, useAnswer} from '../api.js'
import {brief, count, number} from '../format.js'
import {go, link} from '../router.js'

const DIMENSIONS = [['environment', 'env'], ['model', 'model'], ['split', 'split'], ['failure', 'failure'], ['train_step', 'train-step']]
const MOST = 12
const BINS = 20

/** Counts of the runs that fit, by what tells them apart; asked for when they are opened. */
export function Facets({query, filters}) {
  const [open, setOpen] = useState(false)
  if (isFile) return null
  return html`<details class="facets" onToggle=${event => setOpen(event.currentTarget.open)}><summary>what these runs are</summary>
    ${open && html`<div class="charts">${DIMENSIONS.filter(([, option]) => !filters[option]).map(([field, option]) => html`<${Facet} key=${field} field=${field} option=${option} query=${query} filters=${filters} />`)}</div>`}</details>`
}

function Facet({field, option, query, filters}) {
  const rows = useAnswer(['report'], {...filters, by: field.replace('_', '-')}).lines?.[0].rows.filter(row => row[field] !== null && row[field] !== '') ?? []
  if (!rows.length) return null
  return html`<section><h3>${field.replace('_', ' ')}</h3><ul>${rows.slice(0, MOST).map(row => html`<li><a href=${link(['runs'], {...query, [option]: row[field]})}>${brief(row[field], 40)}</a> <span class="note">${count(row.runs)}</span></li>`)}</ul>
    ${rows.length > MOST && html`<p class="quiet">${rows.length - MOST} more</p>`}</section>`
}

/** How many of the runs that are listed have which reward; a bar leads to them. */
export function Histogram({runs, query}) {
  const rewards = runs.map(run => run.total_reward).filter(reward => Number.isFinite(reward))
  const low = Math.min(...rewards), high = Math.max(...rewards)
  if (rewards.length < 2 || low === high) return null
  const bins = Array.from({length: BINS}, () => 0)
  rewards.forEach(reward => { bins[Math.min(BINS - 1, Math.floor(BINS * (reward - low) / (high - low)))]++ })
  const most = Math.max(...bins), edge = i => low + i * (high - low) / BINS
  return html`<figure class="histogram"><figcaption>rewards of the ${count(rewards.length)} runs below, from ${number(low)} to ${number(high)}</figcaption>
    <svg viewBox="0 0 400 60" preserveAspectRatio="none" aria-hidden="true">${bins.map((runs, i) => runs > 0 && html`<rect x=${i * 20 + 1} y=${60 - 56 * runs / most} width="18" height=${56 * runs / most} onClick=${() => go(link(['runs'], {...query, reward: `${edge(i)}..${edge(i + 1)}`}))}><title>${`${number(edge(i))} to ${number(edge(i + 1))}: ${runs} runs`}</title></rect>`)}</svg></figure>`
}
