// A run's events in the forms in which people look at them. No figure is computed here.

/** The steps, each with its start, its end and the calls in it. */
export function stepsOf(events) {
  const steps = new Map()
  const at = number => {
    if (!steps.has(number)) steps.set(number, {number, start: null, end: null, calls: [], rewards: [], reward: 0, failed: false})
    return steps.get(number)
  }
  for (const event of events) {
    if (!event.step) continue
    const step = at(event.step)
    if (event.type === 'step_started') step.start = event
    else if (event.type === 'step_ended') {
      step.end = event
      step.reward = event.reward ?? 0
      step.failed = event.success === false || Boolean(event.error)
    } else if (event.type === 'model_called' || event.type === 'tool_called') step.calls.push(event)
    else if (event.type === 'reward_given') step.rewards.push(event)
  }
  return [...steps.values()].sort((one, other) => one.number - other.number)
}

const content = message => typeof message?.content === 'string' ? message.content
  : (message?.content ?? message?.parts ?? []).map?.(part => part.text ?? `[${part.type}]`).join('\n') ?? ''

const thoughts = message => (message?.parts ?? []).filter(part => part.type === 'reasoning').map(part => part.text).join('\n')

/** What was asked, what the agent said or did, and what it was answered; of what a model is shown, what is new to it. */
export function conversation(events) {
  const turns = []
  let said = null
  const say = (role, step, text, more = {}) => {
    if (!text && !more.thinks) return
    if (text && text === said && !more.problem) return
    said = text
    turns.push({role, step, text, ...more})
  }
  const start = events.find(event => event.type === 'run_started')
  if (start) say('user', 0, start.task)
  const call = event => {
    if (event.type === 'tool_called') {
      say('tool', event.step, event.error ?? event.result, {name: event.tool, problem: Boolean(event.error || event.status_code)})
      return
    }
    const messages = event.messages ?? []
    let from = messages.length
    while (from > 0 && messages[from - 1].role !== 'assistant') from--
    messages.slice(from).filter(message => message.role === 'system').forEach(message => say('system', event.step, content(message)))
    const reply = event.reply
    const asked = (reply?.tool_calls ?? []).map(each => `→ ${each.tool}(${each.arguments})`)
    const used = event.usage?.output_tokens
    say('assistant', event.step, [content(reply), ...asked].filter(part => part).join('\n'), {thinks: thoughts(reply), note: used ? used + ' tokens' : null})
    if (event.error) say('error', event.step, event.error, {problem: true})
  }
  const steps = new Map(stepsOf(events).map(step => [step.number, step]))
  const anchored = new Set()
  for (const event of events) {
    const from = turns.length
    if (event.type === 'step_ended') {
      const step = steps.get(event.step)
      say('environment', event.step, step.start?.observation)
      if (!step.calls.some(each => each.type === 'model_called')) say('assistant', event.step, event.code, {name: event.action_type})
      step.calls.forEach(call)
      say('environment', event.step, event.output)
      if (event.error) say('error', event.step, event.error, {problem: true})
      if (turns.length > from) turns.at(-1).rewards = step.rewards.filter(reward => reward.value)
    } else if (event.type === 'run_ended') {
      steps.forEach(step => { if (!step.end) step.calls.forEach(call) })
      said = null
      say('assistant', 0, event.final_answer, {name: 'final answer'})
    } else if (!event.step && (event.type === 'tool_called' || event.type === 'model_called')) call(event)
    else if (!event.step && event.type === 'reward_given' && turns.length) (turns.at(-1).rewards ??= []).push(event)
    if (event.step && turns.length > from && !anchored.has(event.step)) {
      anchored.add(event.step)
      turns[from].anchor = 'step-' + event.step
    }
  }
  return turns
}
