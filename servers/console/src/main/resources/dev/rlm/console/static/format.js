// Figures as the command line prints them: with no more digits than they are good for.
export const NONE = '–'

/** A fraction, a mean or a reward: three digits. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE
  if (typeof value !== 'number') return String(value)
  if (Math.abs(value) >= 1e9) return value.toExponential(3)
  const text = value.toFixed(digits)
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text
}

/** Of any size, to four digits. */
export function rounded(value) {
  if (value === null || value === undefined) return NONE
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value)
  if (Math.abs(value) >= 1e9 || Math.abs(value) < 1e-4) return value.toExponential(3)
  return String(Number(value.toPrecision(4)))
}

export const count = value => value === null || value === undefined ? NONE : value.toLocaleString('en-US')

export const unlessZero = value => value ? count(value) : NONE

export const percent = value => value === null || value === undefined ? NONE : (100 * value).toFixed(1) + ' %'

export const signed = value => value === null || value === undefined ? NONE : (value > 0 ? '+' : '') + number(value)

/** A value and its standard error, to two digits of the error. */
export function estimate(value, error) {
  if (value === null || value === undefined) return NONE
  if (error === null || error === undefined) return number(value)
  const digits = error > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(error)))) : 3
  return number(value, digits) + ' ± ' + number(error, digits)
}

/** A length of time in seconds, in its natural unit. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return NONE
  const nanos = Math.round(seconds * 1e9)
  if (nanos < 1e3) return nanos + 'ns'
  if (nanos < 1e6) return scaled(nanos / 1e3) + 'µs'
  if (nanos < 1e9) return scaled(nanos / 1e6) + 'ms'
  if (nanos < 60e9) return scaled(seconds) + 's'
  const whole = Math.floor(seconds)
  if (whole < 3600) return Math.floor(whole / 60) + 'm' + String(whole % 60).padStart(2, '0') + 's'
  return Math.floor(whole / 3600) + 'h' + String(Math.floor(whole / 60) % 60).padStart(2, '0') + 'm'
}

const scaled = value => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

export const nanos = value => value === null || value === undefined ? NONE : duration(value / 1e9)

/** A time of this day by the clock, another one with its day. */
export function time(text) {
  if (!text) return NONE
  const at = new Date(text)
  const clock = at.toTimeString().slice(0, 8)
  return at.toDateString() === new Date().toDateString() ? clock : at.toISOString().slice(0, 10) + ' ' + clock
}

/** A text whose unseen and direction-changing characters can be seen. */
export function visible(text) {
  return String(text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    each => '\\u' + each.charCodeAt(0).toString(16).padStart(4, '0'))
}

/** The beginning of a text, on one line. */
export function brief(text, length = 90) {
  const line = visible(text).replace(/\s+/g, ' ').trim()
  return line.length > length ? line.slice(0, length - 1) + '…' : line
}

const MOST_WORDS = 400

/** The words of two texts, with how long a run of them both have in the same order: `[[of the first, differs], …]` and the same of the other. */
export function wordDiff(one, other) {
  const [a, b] = [one, other].map(text => visible(text).match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [])
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return [[[a.join(''), a.join('') !== b.join('')]], [[b.join(''), a.join('') !== b.join('')]]]
  const longest = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1])
  }
  const parts = [[], []]
  const add = (side, word, differs) => {
    const last = parts[side].at(-1)
    if (last?.[1] === differs) last[0] += word
    else parts[side].push([word, differs])
  }
  let i = 0, j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(0, a[i++], false)
      add(1, b[j++], false)
    } else if (j === b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) add(0, a[i++], true)
    else add(1, b[j++], true)
  }
  return parts
}

/** The name of an error's class without what it lies in. */
export const simpleName = name => String(name ?? '').replace(/^.*[.$]/, '')

const ORDERS = {reward: 'total_reward', duration: 'duration_nanos', sample: 'sample_id', started: 'started_at'}

/** Runs in an order of `rlm list --sort`; those without a value come last both ways. */
export function sorted(runs, sort) {
  const name = sort.replace(/^-/, ''), field = ORDERS[name] ?? name
  const way = sort.startsWith('-') ? -1 : 1
  const none = run => run[field] === null || run[field] === undefined
  return [...runs].sort((one, other) => none(one) - none(other) || (one[field] < other[field] ? -way : one[field] > other[field] ? way : 0))
}
