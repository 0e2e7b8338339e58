import {html, useEffect, useMemo, useState} from '../core.js'
import {address, isFile, useAnswer} from '../api.js'
import {brief, count, nanos, number, signed, simpleName, time, visible} from '../format.js'
import {link} from '../router.js'
import {Answer, Bar, Chip, Command, Figures, filtersOf, Result, resultOf, Spark, Table, Tabs, Text} from '../ui.js'
import {conversation, stepsOf} from '../events.js'

const TABS = [['conversation', 'Conversation'], ['steps', 'Steps'], ['time', 'Time'], ['tools', 'Tools'], ['rewards', 'Rewards'], ['tokens', 'Tokens'], ['artifacts', 'Artifacts'], ['events', 'Events']]
const MOST = 500
const NONE = []

export function Run({path, query, place}) {
  const id = path[1]
  const {journal, view = 'conversation'} = query
  const filters = filtersOf(query)
  const events = useAnswer(['show', id], {journal})
  const list = useAnswer(['list'], {...filters, sort: query.sort, limit: 1000})
  const ready = Boolean(events.lines)
  const all = events.lines ?? NONE // of a long run, what is made of them is made once
  const steps = useMemo(() => stepsOf(all), [all])
  const turns = useMemo(() => view === 'conversation' ? conversation(all) : NONE, [all, view])
  const outline = useMemo(() => html`<${Outline} steps=${steps} path=${path} query=${query} />`, [steps, link(path, query)])
  useEffect(() => { if (place) document.getElementById(place)?.scrollIntoView({block: 'start'}) }, [place, ready, view])
  const [follows, setFollows] = useState(false)
  useEffect(() => { if (follows) scrollTo(0, document.body.scrollHeight) }, [follows, events.lines])
  return html`<${Answer} answer=${events} isEmpty=${events.lines?.length === 0} empty="Nothing of this run is here.">${() => {
    const start = all.find(event => event.type === 'run_started') ?? {}
    const end = all.find(event => event.type === 'run_ended')
    const row = list.lines?.find(run => run.run_id === start.run_id)
    const shown = part(steps, place, Number(query.from ?? 0))
    const more = (title, from) => html`<p><a href=${link(path, {...query, from: from || null})}>${title}</a></p>`
    return html`<${Head} start=${start} end=${end} row=${row} events=${all} list=${list.lines} query=${query} />
      <${Tabs} path=${path} query=${query} tabs=${TABS.filter(([tab]) => tab !== 'artifacts' || all.some(event => event.type === 'artifact_saved'))} />
      <p class="tools">${['conversation', 'steps'].includes(view) && html`<a data-markdown href=${link(path, {...query, text: query.text === 'markdown' ? null : 'markdown'})}>${query.text === 'markdown' ? 'as text' : 'as Markdown'}</a>`}
        ${!end && html`<button data-follow aria-pressed=${follows} onClick=${() => setFollows(!follows)}>${follows ? 'following' : 'follow'}</button>`}<span data-id=${start.run_id} /></p>
      <div class="run">${outline}
        <div class="body">${shown.from > 0 && more('earlier steps', Math.max(0, shown.from - MOST))}
          ${views[view]?.({events: all, turns, start, end, path, query, steps, shown}) ?? html`<p class="empty">There is no view ${visible(view)}.</p>`}
          ${shown.to < steps.length && more('later steps', shown.to)}</div></div>
      <${Command} path=${['show', id]} query=${{messages: view === 'conversation' || null, tools: view === 'tools' || null}} />`
  }}<//>`
}

/** The steps that the page has: those from one on, or those around the place that is asked for. */
function part(steps, place, asked) {
  const wanted = steps.findIndex(step => 'step-' + step.number === place)
  const from = wanted < 0 || (wanted >= asked && wanted < asked + MOST) ? asked : Math.max(0, Math.min(wanted - 20, steps.length - MOST))
  return {from, to: from + MOST}
}

/** The turns of those steps; what was said before and after all steps with the first and the last of them. */
function turnsOf(turns, steps, {from, to}) {
  const numbers = new Set(steps.slice(from, to).map(step => step.number))
  const first = from === 0 ? 0 : turns.findIndex(turn => numbers.has(turn.step))
  const last = to >= steps.length ? turns.length : turns.findLastIndex(turn => numbers.has(turn.step)) + 1
  return turns.slice(Math.max(0, first), last)
}

/** Whether a run's end tells of rewards: one of an earlier version does not count them. */
const isRewarded = end => end && end.rewards !== 0

function Head({start, end, row, events, list, query}) {
  const newest = list && (query.sort ? list : [...list].reverse())
  const at = newest ? newest.findIndex(run => run.run_id === start.run_id) : -1
  const neighbour = way => at >= 0 && newest[at + way] && link(['runs', newest[at + way].run_id], query)
  const state = row?.state ?? end?.outcome ?? 'running'
  const missing = end ? end.seq - new Set(events.filter(event => event.seq <= end.seq).map(event => event.seq)).size : 0
  const rewards = events.filter(event => event.type === 'reward_given')
  return html`<p class="crumbs"><a data-up href=${link(['runs'], filtersOf(query))}>Runs</a>
      ${neighbour(-1) && html` <a data-previous href=${neighbour(-1)}>◂ previous</a>`}${neighbour(1) && html` <a data-next href=${neighbour(1)}>next ▸</a>`}</p>
    <h1>${start.sample_id ? html`<a href=${link(['groups', start.sample_id], {journal: query.journal})}>${visible(start.sample_id)}</a> ${start.trajectory_index ? '#' + start.trajectory_index : ''}` : visible(start.run_id)}
      <span class="note"> ${visible(start.run_id)}</span></h1>
    ${state === 'abandoned' && html`<p class="problem">Its process died. What it had recorded is below.</p>`}
    ${end?.error && html`<p class="problem" data-finding tabindex="-1">${simpleName(end.error_type)}: ${visible(end.status?.message)}</p>`}
    ${missing > 0 && html`<p class="problem" data-finding tabindex="-1">${missing} events are missing here.</p>`}
    <${Figures} figures=${[
      ['state', html`<${Result} result=${resultOf(row ?? {state, solved: end?.solved || isRewarded(end) ? end.solved : undefined})} /> ${state}`],
      ['reward', row ? number(row.total_reward) : isRewarded(end) ? number(end.total_reward) : null, null, end?.absent_rewards ? end.absent_rewards + ' absent' : null],
      ['steps', end?.steps ?? row?.steps], ['duration', row ? nanos(row.duration_nanos) : end && nanos(end.nanos)],
      ['started', time(start.time)], ['environment', visible(start.environment)], ['model', start.model && visible(start.model)],
      ['split', start.split], ['train step', start.train_step], ['policy version', start.policy_version], ['attempt', start.attempt > 1 ? start.attempt : null],
      ['ended by', end?.termination_reason && visible(end.termination_reason)], ['late rewards', rewards.filter(reward => end && reward.seq > end.seq).length || null],
      ['expected', start.expected_answer && brief(start.expected_answer, 60)], ['answer', end?.final_answer && brief(end.final_answer, 60)]]} />`
}

function Outline({steps, path, query}) {
  if (steps.length < 2) return null
  return html`<nav class="outline" aria-label="steps">
    <${Spark} values=${steps.map(step => step.end?.cumulative_reward ?? null)} width=${150} label="reward so far, by step" />
    <ol>${steps.map(step => html`<li><a href=${link(path, query, 'step-' + step.number)} data-reward=${step.reward ? '' : undefined}>
      ${step.number} ${brief(step.end?.action_type || step.calls[0]?.tool || '…', 16)}${step.failed ? ' ✗' : ''}${step.reward ? html` <b class=${step.reward < 0 ? 'minus' : ''}>◆ ${signed(step.reward)}</b>` : ''}</a></li>`)}</ol></nav>`
}

const views = {
  conversation: ({turns, query, steps, shown}) => html`<ol class="talk">${turnsOf(turns, steps, shown).map(turn => html`
    <li class=${'turn ' + turn.role} id=${turn.anchor} data-finding=${turn.problem ? '' : undefined} tabindex=${turn.problem ? -1 : undefined}>
      <h3>${visible(turn.role)}${turn.name ? ' ' + visible(turn.name) : ''} <span class="note">${turn.step ? 'step ' + turn.step : ''}${turn.note ? ' · ' + turn.note : ''}</span></h3>
      ${turn.thinks && html`<details><summary>thinks (${count(turn.thinks.length)} characters)</summary><${Text} text=${turn.thinks} /></details>`}
      <${Text} text=${turn.text} markdown=${query.text === 'markdown' && turn.role !== 'tool'} />
      ${turn.rewards?.map(reward => html`<p class="reward">◆ ${signed(reward.value)} ${visible(reward.source)} ${reward.explanation ? html`<span class="note">${visible(reward.explanation)}</span>` : ''}</p>`)}
    </li>`)}</ol>`,
  steps: ({query, steps, shown}) => html`<div>${steps.slice(shown.from, shown.to).map(step => html`<section class="step" id=${'step-' + step.number} data-finding=${step.failed ? '' : undefined} tabindex=${step.failed ? -1 : undefined}>
    <h3>step ${step.number} ${visible(step.end?.action_type)} <span class="note">${step.end ? nanos(step.end.nanos - (step.end.start_nanos ?? step.start?.nanos ?? 0)) : 'not ended'}</span>
      ${step.failed && html` <${Chip} kind="warn">failed<//>`} ${step.reward ? html`<b class=${step.reward < 0 ? 'minus' : ''}>◆ ${signed(step.reward)}</b>` : ''}</h3>
    ${[['saw', step.start?.observation], ['did', step.end?.code], ['got', step.end?.output], ['error', step.end?.error]].filter(part => part[1]).map(([title, text]) => html`<h4>${title}</h4><${Text} text=${text} lines=${12} markdown=${query.text === 'markdown' && title !== 'error'} />`)}
  </section>`)}</div>`,
  time: ({events, end}) => {
    const spans = timed(events)
    const whole = Math.max(end?.nanos ?? 0, ...spans.map(span => span.to)) || 1
    return html`<ol class="waterfall">${spans.slice(0, MOST).map(span => html`<li><span class="what">${brief(span.name, 34)}</span>
      <svg width="100%" height="14" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true"><rect class=${span.failed ? 'minus' : span.kind} x=${1000 * span.from / whole} y="2" width=${Math.max(1.5, 1000 * (span.to - span.from) / whole)} height="10" /></svg>
      <span class="num">${nanos(span.to - span.from)}</span></li>`)}</ol>`
  },
  tools: ({events, path, query}) => {
    const calls = events.filter(event => event.type === 'tool_called')
    if (!calls.length) return html`<p class="empty">No tool was called.</p>`
    return html`<${Table} caption="tool calls" rows=${calls} columns=${[
      {title: 'step', num: true, cell: call => html`<a data-row href=${link(path, {...query, view: 'steps'}, 'step-' + call.step)}>${call.step || 'run'}</a>`, always: true}, {title: 'tool', cell: call => brief(call.tool, 30)},
      {title: 'arguments', wide: true, cell: call => brief(call.arguments, 70)}, {title: 'result', wide: true, cell: call => brief(call.error ?? call.result, 70)},
      {title: 'status', cell: call => call.error || call.status_code ? html`<${Chip} kind="warn">failed ${call.status_code}<//>` : 'ok'},
      {title: 'duration', num: true, cell: call => nanos(call.nanos - call.start_nanos)}]} />`
  },
  rewards: ({events}) => {
    const rewards = events.filter(event => event.type === 'reward_given')
    if (!rewards.length) return html`<p class="empty">No reward was given.</p>`
    const most = Math.max(...rewards.map(reward => Math.abs(reward.value ?? 0)))
    return html`<${Table} caption="rewards" rows=${rewards} columns=${[
      {title: 'step', num: true, cell: reward => reward.step || 'run', always: true}, {title: 'source', cell: reward => brief(reward.source, 30)},
      {title: 'value', num: true, cell: reward => reward.absence ? 'absent' : signed(reward.value)}, {title: '', cell: reward => html`<${Bar} value=${reward.value} most=${most} label=${signed(reward.value)} />`},
      {title: 'label', cell: reward => reward.label}, {title: 'components', wide: true, cell: reward => reward.components?.map(part => `${part.name} ${number(part.value)} × ${number(part.weight, 2)}`).join(', ')},
      {title: 'why', wide: true, cell: reward => brief(reward.absence ?? reward.explanation ?? '', 80)}]} />`
  },
  tokens: ({events}) => {
    const calls = events.filter(event => event.type === 'model_called')
    if (!calls.length) return html`<p class="empty">No model was called.</p>`
    return html`<${Table} caption="model calls" rows=${calls} columns=${[
      {title: 'step', num: true, cell: call => call.step || 'run', always: true}, {title: 'model', cell: call => brief(call.response_model ?? call.request_model, 30)},
      {title: 'in', num: true, cell: call => count(call.usage?.input_tokens)}, {title: 'cached', num: true, cell: call => count(call.usage?.cached_tokens)},
      {title: 'out', num: true, cell: call => count(call.usage?.output_tokens)}, {title: 'reasoning', num: true, cell: call => count(call.usage?.reasoning_tokens)},
      {title: 'first token', num: true, cell: call => call.first_token_nanos && nanos(call.first_token_nanos - call.start_nanos)},
      {title: 'duration', num: true, cell: call => nanos(call.nanos - call.start_nanos)}, {title: 'ended by', cell: call => call.finish_reason && visible(call.finish_reason)},
      {title: 'log probabilities', cell: call => call.tokens?.response_logprobs && html`<${Spark} values=${call.tokens.response_logprobs} label="log probabilities of the reply's tokens" />`},
      {title: 'error', wide: true, cell: call => call.error && brief(call.error, 80)}]} />`
  },
  artifacts: ({events, query}) => html`<ul class="artifacts">${events.filter(event => event.type === 'artifact_saved').map(event => html`<${Artifact} event=${event} journal=${query.journal} />`)}</ul>`,
  events: ({events}) => html`<${Table} caption="events" rows=${events.slice(0, 4 * MOST)} columns=${[
    {title: 'seq', num: true, cell: event => html`<span id=${'seq-' + event.seq}>${event.seq}</span>`, always: true}, {title: 'type', cell: event => event.type}, {title: 'step', num: true, cell: event => event.step || ''},
    {title: 'at', num: true, cell: event => nanos(event.nanos)}, {title: 'line', wide: true, cell: event => html`<details><summary>${brief(JSON.stringify(event), 100)}</summary><${Text} text=${JSON.stringify(event, null, 2)} /></details>`}]} />`
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** A file that was kept: a picture as one, all else to be taken away. What it is called is a label, and opens nothing. */
function Artifact({event, journal}) {
  const at = address(['artifacts', event.sha256], {journal})
  const kept = !event.absence && event.sha256 && !isFile
  return html`<li><h3>${visible(event.name)} <span class="note">${event.step ? 'step ' + event.step + ' · ' : ''}${visible(event.media_type)} · ${count(event.size)} bytes</span></h3>
    ${kept && PICTURES.includes(event.media_type) && html`<img src=${at} alt=${visible(event.name)} loading="lazy" />`}
    <p>${event.absence ? html`<${Chip} kind="warn">not kept: ${visible(event.absence)}<//>` : kept && html`<a href=${at} target="_blank" download=${visible(event.name).replace(/[^\w.-]+/g, '_')}>save</a>`} <span class="note">SHA-256 ${visible(event.sha256)}</span></p></li>`
}

function timed(events) {
  const names = {step_ended: event => `step ${event.step} ${event.action_type ?? ''}`, model_called: event => 'model ' + (event.response_model ?? event.request_model), tool_called: event => 'tool ' + event.tool, span_recorded: event => event.name, reward_given: event => 'reward ' + event.source}
  const starts = Object.fromEntries(events.filter(event => event.type === 'step_started').map(event => [event.step, event.nanos]))
  return events.filter(event => names[event.type]).map(event => ({
    name: names[event.type](event), kind: event.type.split('_')[0], failed: Boolean(event.error) || event.success === false,
    from: event.start_nanos ?? starts[event.step] ?? event.nanos, to: event.nanos
  })).filter(span => span.kind !== 'reward' || span.to > span.from).sort((one, other) => one.from - other.from || other.to - one.to)
}
