// Addresses of pages: what is shown is in the address, so that it can be given on and comes back.
import {useEffect, useState} from './core.js'

const listeners = new Set()
const tell = () => listeners.forEach(each => each())
const inFile = document.getElementById('data') !== null

/** Where we are. In a file the address lies behind the #. */
export function here() {
  const url = inFile ? new URL(decodeURIComponent(location.hash.slice(1)) || '/', 'http://file') : new URL(location.href)
  return {
    path: url.pathname.split('/').filter(part => part).map(decodeURIComponent),
    query: Object.fromEntries([...new Set(url.searchParams.keys())].map(name => {
      const all = url.searchParams.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    })),
    place: url.hash.slice(1)
  }
}

export function go(address, replace = false) {
  if (inFile && replace) history.replaceState(null, '', '#' + encodeURIComponent(address))
  else if (inFile) location.hash = encodeURIComponent(address)
  else if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  tell()
  if (!replace && !address.includes('#')) scrollTo(0, 0)
}

/** Shows the same page with a value of its query, which is no step of its history. */
export function show(name, value) {
  const {path, query, place} = here()
  go(link(path, {...query, [name]: value}, place), true)
}

/** Goes to a place of the page that is shown. */
export function goTo(place) {
  const page = inFile ? decodeURIComponent(location.hash.slice(1)) || '/' : location.pathname + location.search
  go(page.replace(/#.*/, '') + '#' + place)
}

addEventListener('popstate', tell)
addEventListener('hashchange', tell)

/** Links of ours change the page without loading it. */
document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href^="/"]')
  if (!link || link.target || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  go(link.getAttribute('href'))
})

export function useAddress() {
  const [address, setAddress] = useState(here)
  useEffect(() => {
    const each = () => setAddress(here())
    listeners.add(each)
    each() // it may have changed since it was rendered
    return () => listeners.delete(each)
  }, [])
  return address
}

/** The address of a page. */
export function link(path, query = {}, place = '') {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each !== undefined && each !== null && each !== '') search.append(name, each)
    }
  }
  const text = search.toString()
  return '/' + path.map(encodeURIComponent).join('/') + (text ? '?' + text : '') + (place ? '#' + place : '')
}
