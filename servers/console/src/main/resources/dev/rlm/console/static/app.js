// The frame of all pages: where one is, whether the record is whole, and the keys.
import {html, render, useEffect, useLayoutEffect, useRef, useState} from './core.js'
import {ask, isFile, live, useAnswer, useLive} from './api.js'
import {go, link, useAddress} from './router.js'
import {brief} from './format.js'
import {startKeys} from './keys.js'
import {Overview} from './pages/overview.js'
import {Runs} from './pages/runs.js'
import {Run} from './pages/run.js'
import {Group, Groups} from './pages/groups.js'
import {Compare} from './pages/compare.js'
import {Training} from './pages/training.js'
import {Rewards} from './pages/rewards.js'
import {Time, Tools} from './pages/tools.js'
import {Findings} from './pages/findings.js'
import {Record} from './pages/record.js'
import {Search} from './pages/search.js'

const PAGES = [['', 'Overview', Overview], ['runs', 'Runs', Runs], ['groups', 'Groups', Groups], ['compare', 'Compare', Compare],
  ['training', 'Training', Training], ['rewards', 'Rewards', Rewards], ['tools', 'Tools', Tools], ['time', 'Time', Time],
  ['findings', 'Findings', Findings], ['record', 'Record', Record], ['search', 'Search', Search]]

function Completeness({journal}) {
  const check = useAnswer(['check'], {journal}).lines?.[0]
  if (!check) return html`<span class="chip">…</span>`
  const whole = check.record === 'complete'
  return html`<a class=${'chip ' + (whole ? 'good' : check.record === 'unknown' ? '' : 'warn')} href=${link(['record'], {journal})}>${whole ? '✓' : check.record === 'unknown' ? '?' : '⚠'} ${brief(check.statement, 90)}</a>`
}

function Live() {
  useLive()
  if (isFile) return html`<span class="chip">a file</span>`
  return html`<span class=${'chip ' + (live.connected ? 'good' : 'warn')} role="status">${live.connected ? '● live' : '○ not connected'}</span>`
}

function Help({close}) {
  const dialog = useRef(null)
  useLayoutEffect(() => dialog.current.showModal(), []) // at once: a key that closes it may follow before the next paint
  const keys = [['1 … 9, 0', 'pages'], ['j k', 'next, previous row'], ['Enter', 'open'], ['u', 'up'], ['h l', 'previous, next run of the list'],
    ['n p', 'next, previous finding'], ['[ ]', 'previous, next step with a reward'], ['g and a number', 'go to a step'], ['g g, G', 'to the first, the last'], ['Space', 'look at the run beside the list'], ['e x', 'open, close all texts'], ['m', 'Markdown or text'], ['w', 'break long lines, or not'],
    ['/', 'search'], ['f', 'filter'], ['v', 'mark the run'], ['V', 'compare the marked runs'], ['L', 'follow a run'], ['c y C', 'copy the link, the id, the command'], ['t', 'light, dark or the system’s'], ['?', 'this']]
  return html`<dialog ref=${dialog} onClose=${close} aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    <dl class="keys">${keys.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <p><label><input type="checkbox" checked=${localStorage.keys !== 'off'} onChange=${event => { localStorage.keys = event.target.checked ? 'on' : 'off' }} /> keys of a single letter</label></p>
    <form method="dialog"><button autofocus>close</button></form>
  </dialog>`
}

function App() {
  const address = useAddress()
  const [about, setAbout] = useState(null)
  const [help, setHelp] = useState(false)
  useEffect(() => { ask(['about']).then(lines => setAbout(lines[0]), () => setAbout({journals: ['?']})) }, [])
  useEffect(() => startKeys(PAGES.map(page => '/' + page[0]), () => setHelp(true)), [])
  const [name, id] = address.path
  const page = PAGES.find(each => each[0] === (name ?? '')) ?? PAGES[0]
  const Page = name === 'runs' && id ? Run : name === 'groups' && id ? Group : page[2]
  useEffect(() => { document.title = [id, page[1], 'rlm'].filter(Boolean).join(' · ') }, [id, page])
  const journal = address.query.journal
  return html`
    <a class="skip" href="#main">to the page</a>
    <header>
      <a class="name" href=${link([], {journal})} title=${about?.journals.join(', ')}>rlm</a>
      <nav aria-label="pages">${PAGES.map(([path, title]) => html`<a href=${link(path ? [path] : [], {journal})} aria-current=${path === page[0] ? 'page' : undefined}>${title}</a>`)}</nav>
      <span class="state">
        ${about?.journals.length > 1 && html`<label class="hidden" for="journal">journal</label>
          <select id="journal" value=${journal ?? '0'} onChange=${event => go(link(address.path.slice(0, 1), {journal: event.target.value}))}>
            ${about.journals.map((each, i) => html`<option value=${String(i)}>${each}</option>`)}</select>`}
        <${Live} /><${Completeness} journal=${journal} />
        <button class="round" aria-label="keys" onClick=${() => setHelp(true)}>?</button>
      </span>
    </header>
    <main id="main" tabindex="-1"><${Page} key=${address.path.join('/')} ...${address} /></main>
    ${help && html`<${Help} close=${() => setHelp(false)} />`}`
}

document.documentElement.dataset.theme = localStorage.theme ?? ''
render(html`<${App} />`, document.body)
