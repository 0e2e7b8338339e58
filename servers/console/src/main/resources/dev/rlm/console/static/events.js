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

/** Finds of the messages that calls of models are shown those that are new, as `rlm show --messages` does. */
function newMessages() {
  const beginning = new Map()
  const known = new Set()
  const key = message => message.role + '\n' + content(message).trim()
    + (message.role === 'assistant' || !message.parts?.length ? '' : JSON.stringify(message.parts))
  const learn = message => known.size < known.add(key(message)).size
  const then = (turn, message) => turn.get(key(message)) ?? turn.set(key(message), new Map()).get(key(message))
  return call => {
    const fresh = []
    const instructions = {role: 'system', content: call.system_instructions}
    if (instructions.content && learn(instructions)) fresh.push(instructions)
    const messages = call.messages ?? []
    const answered = messages.map(message => message.role).lastIndexOf('assistant')
    let turn = beginning
    messages.forEach((message, i) => {
      const isKnown = turn.has(key(message))
      turn = then(turn, message)
      if (learn(message) || (!isKnown && i > answered)) fresh.push(message)
    })
    if (call.reply) {
      then(turn, {...call.reply, role: 'assistant'})
      learn({...call.reply, role: 'assistant'})
    }
    return fresh
  }
}

/** What was asked, what the agent said or did, and what it was answered; of what a model is shown, what is new to it, by whose it is. */
export function conversation(events) {
  const turns = []
  const fresh = newMessages()
  const said = new Set() // since the agent's last word
  let task = events.find(event => event.type === 'run_started')?.task ?? ''
  let heard = null // until it is known by whom
  const put = (role, step, text, more = {}) => {
    if (!text && !more.thinks) return
    said.add(text)
    turns.push({role, step, text, ...more})
  }
  const tell = () => {
    const [asked, told] = [task, heard]
    task = ''
    heard = null
    put('user', 0, asked)
    if (told) put('environment', told.step, told.text)
  }
  const say = (role, step, text, more = {}) => {
    if (!text && !more.thinks) return
    if (role !== 'system') tell()
    if (role === 'assistant') said.clear()
    put(role, step, text, more)
  }
  const hear = (step, text) => {
    if (!text || text === task || heard?.text === text || said.has(text)) return
    if (heard) tell()
    heard = {step, text}
  }
  const call = event => {
    if (event.type === 'tool_called') {
      say('tool', event.step, event.error ?? event.result, {name: event.tool, problem: Boolean(event.error || event.status_code)})
      return
    }
    const shown = fresh(event)
    if (shown.some(message => content(message).includes(task))) task = ''
    if (shown.some(message => content(message) === heard?.text)) heard = null
    const speak = message => { if (!said.has(content(message))) say(message.role, event.step, content(message)) }
    shown.filter(message => message.role === 'system').forEach(speak)
    shown.filter(message => message.role !== 'system').forEach(speak)
    const reply = event.reply
    const asked = (reply?.tool_calls ?? []).map(each => `→ ${each.tool}(${each.arguments})`)
    const used = event.usage?.output_tokens
    say('assistant', event.step, [content(reply), ...asked].filter(part => part).join('\n'), {thinks: thoughts(reply), note: used ? used + ' tokens' : null})
    if (event.error) say('error', event.step, event.error, {problem: true})
  }
  const steps = new Map(stepsOf(events).map(step => [step.number, step]))
  for (const event of events) {
    if (event.type === 'step_ended') {
      const step = steps.get(event.step)
      hear(event.step, step.start?.observation)
      if (!step.calls.some(each => each.type === 'model_called')) say('assistant', event.step, event.code, {name: event.action_type})
      step.calls.forEach(call)
      hear(event.step, event.output)
      if (event.error && !said.has(event.error)) say('error', event.step, event.error, {problem: true})
    } else if (event.type === 'run_ended') {
      steps.forEach(step => { if (!step.end) step.calls.forEach(call) })
      tell()
      say('assistant', 0, event.final_answer, {name: 'final answer'})
    } else if (!event.step && (event.type === 'tool_called' || event.type === 'model_called')) call(event)
    else if (!event.step && event.type === 'reward_given') {
      tell()
      if (turns.length) (turns.at(-1).rewards ??= []).push(event)
    }
  }
  tell()
  const last = new Map() // turns by their steps
  turns.filter(turn => turn.step).forEach(turn => {
    if (!last.has(turn.step)) turn.anchor = 'step-' + turn.step
    last.set(turn.step, turn)
  })
  last.forEach((turn, number) => { turn.rewards = [...steps.get(number).rewards.filter(reward => reward.value), ...turn.rewards ?? []] })
  return turns
}
