import {html, useEffect, useState} from '../core.js'
import {ask, useAnswer} from '../api.js'
import {brief, count, number, percent, signed, wordDiff} from '../format.js'
import {go, link} from '../router.js'
import {Answer, Chip, Command, Filters, filtersOf, Result, resultOf, Table, Text} from '../ui.js'

const MOST = 200
const SIDES = 4

/** Groups: what came of each sample. */
export function Groups({query}) {
  const filters = filtersOf(query)
  const limit = Number(query.limit ?? MOST)
  const asked = {by: 'sample', ...filters, sort: query.sort ?? 'solved-rate', limit}
  const answer = useAnswer(['list'], asked)
  const columns = [
    {title: 'sample', cell: group => group.sample ?? '–', always: true, sort: 'sample'},
    {title: 'runs', cell: group => html`<span class="marks">${group.results.map(each => html`<a href=${link(['runs', each.run_id], {journal: query.journal})} aria-label=${`run ${each.run_id}, ${each.result}`}><${Result} result=${each.result === 'not_solved' ? 'unsolved' : each.result} /></a>`)}</span>`, sort: 'runs'},
    {title: 'solved', num: true, cell: group => `${group.solved} of ${group.decided}`, sort: 'solved-rate'},
    {title: 'mean reward', num: true, cell: group => number(group.mean_reward), sort: 'reward'},
    {title: 'steps', num: true, cell: group => number(group.mean_steps, 1), sort: 'steps'},
    {title: 'environment', cell: group => brief(group.environment, 24), sort: 'environment'},
    {title: 'split', cell: group => group.split}
  ]
  return html`<h1>Groups</h1><${Filters} path=${['groups']} query=${query} />
    <${Answer} answer=${answer} isEmpty=${answer.lines?.length === 0} empty="No sample fits.">${() => html`
      ${answer.lines.every(group => group.runs < 2) && html`<p class="quiet">Each sample ran once: there is nothing to compare within groups. <code>rlm run --rollouts 4</code> runs each four times.</p>`}
      <${Table} caption="groups" columns=${columns} rows=${answer.lines} href=${group => link(['groups', group.sample ?? ''], {journal: query.journal})} sort=${query.sort ?? 'solved-rate'} onSort=${sort => go(link(['groups'], {...query, sort}))} />
      ${answer.lines.length === limit && html`<p><a href=${link(['groups'], {...query, limit: limit + MOST})}>more</a></p>`}`}<//>
    <${Command} path=${['list']} query=${asked} />`
}

/** One group: its runs side by side, with where they part. */
export function Group({path, query}) {
  const asked = {'sample-id': path[1], journal: query.journal}
  const answer = useAnswer(['list'], asked)
  return html`<p class="crumbs"><a data-up href=${link(['groups'], {journal: query.journal})}>Groups</a></p><h1>${brief(path[1], 80)}</h1>
    <${Answer} answer=${answer} isEmpty=${answer.lines?.length === 0} empty="No run is of this sample.">${() => html`<${Sides} runs=${answer.lines} query=${query} />`}<//>
    <${Command} path=${['list']} query=${asked} />`
}

function Sides({runs, query}) {
  const chosen = [query.run].flat().filter(Boolean)
  const shown = (chosen.length ? runs.filter(run => chosen.includes(run.run_id)) : runs).slice(0, SIDES)
  const toggle = id => link(['groups', runs[0].sample_id], {...query, run: (chosen.length ? chosen : shown.map(run => run.run_id)).includes(id)
    ? (chosen.length ? chosen : shown.map(run => run.run_id)).filter(each => each !== id) : [...(chosen.length ? chosen : shown.map(run => run.run_id)), id].slice(-SIDES)})
  return html`<${Text} text=${runs[0].task} />
    <p class="marks">${runs.map(run => html`<a data-row href=${toggle(run.run_id)} class=${shown.includes(run) ? 'on' : ''} title=${run.run_id}><${Result} result=${resultOf(run)} /> #${run.trajectory_index ?? '?'} ${number(run.total_reward)}</a>`)}</p>
    ${shown.length > 1 ? html`<${Aligned} runs=${shown} journal=${query.journal} />` : html`<p class="quiet">${shown.length ? html`One run: <a href=${link(['runs', shown[0].run_id], {journal: query.journal})}>look at it</a>` : 'Choose runs above.'}</p>`}`
}

/** Two texts, with the words marked that the other has not. */
function differing(one, other, length) {
  const texts = [brief(one ?? '', length), brief(other ?? '', length)]
  return one && other ? wordDiff(...texts).map(parts => parts.map(([text, differs]) => differs ? html`<mark>${text}</mark>` : text)) : texts
}

/** Each run beside the first, step by step, as `rlm diff` aligns them. */
export function Aligned({runs, journal}) {
  const [diffs, setDiffs] = useState(null)
  const ids = runs.map(run => run.run_id).join(' ')
  useEffect(() => {
    let current = true
    Promise.all(runs.slice(1).map(run => ask(['diff', runs[0].run_id, run.run_id], {journal}))).then(all => current && setDiffs(all), error => current && setDiffs(error))
    return () => { current = false }
  }, [ids])
  if (!diffs) return html`<p class="quiet" role="status">reading …</p>`
  if (diffs instanceof Error) return html`<p class="problem">${diffs.message}</p>`
  return html`${diffs.map((diff, i) => {
    const [{first_divergence: parts, facts}, ...steps] = diff
    const answers = differing(facts.final_answer?.this_side, facts.final_answer?.other_side, 400)
    return html`<section><h2><a href=${link(['runs', runs[0].run_id], {journal})}>#${runs[0].trajectory_index ?? runs[0].run_id}</a> and <a href=${link(['runs', runs[i + 1].run_id], {journal})}>#${runs[i + 1].trajectory_index ?? runs[i + 1].run_id}</a>
      <span class="note"> ${parts ? `the same until step ${parts}` : 'no step differs'} · reward ${number(facts.total_reward.this_side)} and ${number(facts.total_reward.other_side)}</span></h2>
      ${answers.some(text => text.length) && html`<p class="answers">answers <q>${answers[0]}</q> and <q>${answers[1]}</q></p>`}
      <div class="scroll" tabindex="0" role="region" aria-label="steps side by side"><table class="sides"><tbody>${steps.slice(0, 200).map(step => {
        const sides = [step.this_side, step.other_side]
        const done = differing(...sides.map(side => side?.code ?? side?.model_replies?.join(' ')), 300)
        const got = differing(...sides.map(side => side?.output), 160)
        return html`<tr class=${step.change}>${sides.map((side, s) => html`<td>${side && html`<b>${side.step}</b> ${brief(side.action_type ?? '', 20)} <code>${done[s]}</code> ${side.error ? html`<${Chip} kind="warn">${brief(side.error, 60)}<//>` : html`<span class="note">${got[s]}</span>`} ${side.reward ? html`<b class=${side.reward < 0 ? 'minus' : ''}>◆ ${signed(side.reward)}</b>` : ''}`}</td>`)}</tr>`
      })}</tbody></table></div></section>`
  })}`
}
