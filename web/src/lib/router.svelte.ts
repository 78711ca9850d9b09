// Addresses of the page: /, /t/ID, /replay/ID, /review/ID, /practice, /again/ID, /match/ID/OTHER,
// /daily/GAME, /history, /rules/GAME, /about, /account,
// /admin, /link/CODE, /invited/CODE.
// The key of a link is in the fragment (#key=KEY), which browsers send to no server and no proxy.
// Without a server there is one file to serve, so there the whole address is in the fragment: #/rules/GAME.

import { serverless } from './site'

export interface Route {
  path: string[]
  query: URLSearchParams
  /** The key of a link, if there is one. */
  key: string
}

function read(): Route {
  const { pathname, search, hash } = serverless ? new URL(location.hash.slice(1) || '/', location.origin) : location
  const query = new URLSearchParams(search)
  const fragment = new URLSearchParams(hash.slice(1))
  return {
    path: pathname.split('/').filter(Boolean),
    query,
    key: fragment.get('key') ?? query.get('key') ?? '', // older links have it in the query
  }
}

/** An address with the key that opens it, if it needs one. */
export function withKey(address: string, key: string): string {
  return key ? `${address}#${new URLSearchParams({ key })}` : address
}

/** An address of the page as the browser is to show it. */
function shown(address: string): string {
  return serverless ? `#${address}` : address
}

let current = $state.raw(read())

export function route(): Route {
  return current
}

// A step back takes a moment. Whoever wants to go elsewhere meanwhile goes there afterwards:
// otherwise the step would lead back from there.
let steppingBack = false
let afterwards: (() => void) | null = null

export function stepBack(): void {
  steppingBack = true
  history.back()
}

export function go(address: string, replace = false): void {
  if (steppingBack) {
    afterwards = () => go(address, replace)
    return
  }
  if (replace) history.replaceState(null, '', shown(address))
  else history.pushState(null, '', shown(address))
  current = read()
  if (!replace) {
    scrollTo(0, 0)
    document.getElementById('content')?.focus({ preventScroll: true })
  }
}

addEventListener('popstate', () => {
  steppingBack = false
  current = read()
  const wanted = afterwards
  afterwards = null
  wanted?.()
})

/** Lets ordinary links change the page without loading it anew. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = linkAt(event)
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  if (link.pathname.startsWith('/api/')) return
  if (serverless) {
    if (!link.hash.startsWith('#/')) return
    event.preventDefault()
    go(link.hash.slice(1))
    return
  }
  if (link.hash && link.pathname === location.pathname) return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
}

function linkAt(event: Event): HTMLAnchorElement | null {
  const link = (event.target as Element | null)?.closest('a') ?? null
  const address = link?.getAttribute('href')
  // Before it is used in any way, also for a new tab.
  if (serverless && address?.startsWith('/')) link!.setAttribute('href', shown(address))
  return link
}
if (serverless) for (const kind of ['pointerover', 'focusin', 'contextmenu']) addEventListener(kind, linkAt)
