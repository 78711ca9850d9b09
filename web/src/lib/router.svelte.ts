// Addresses of the page: /, /t/ID, /replay/ID, /review/ID, /practice, /again/ID, /match/ID/OTHER,
// /daily/GAME, /history, /rules/GAME, /about, /account,
// /admin, /link/CODE, /invited/CODE.
// The key of a link is in the fragment (#key=KEY), which browsers send to no server and no proxy.

export interface Route {
  path: string[]
  query: URLSearchParams
  /** The key of a link, if there is one. */
  key: string
}

function read(): Route {
  const query = new URLSearchParams(location.search)
  const fragment = new URLSearchParams(location.hash.slice(1))
  return {
    path: location.pathname.split('/').filter(Boolean),
    query,
    key: fragment.get('key') ?? query.get('key') ?? '', // older links have it in the query
  }
}

/** An address with the key that opens it, if it needs one. */
export function withKey(address: string, key: string): string {
  return key ? `${address}#${new URLSearchParams({ key })}` : address
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
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
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
  const link = (event.target as Element | null)?.closest('a')
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  if (link.pathname.startsWith('/api/')) return
  if (link.hash && link.pathname === location.pathname) return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
}
