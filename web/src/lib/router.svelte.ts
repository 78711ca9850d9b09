// Addresses of the page: /, /t/ID, /replay/ID, /history, /rules/GAME, /learn, /about, /link/CODE.

export interface Route {
  path: string[]
  query: URLSearchParams
}

function read(): Route {
  return {
    path: location.pathname.split('/').filter(Boolean),
    query: new URLSearchParams(location.search),
  }
}

let current = $state.raw(read())

export function route(): Route {
  return current
}

export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  current = read()
  if (!replace) {
    scrollTo(0, 0)
    document.getElementById('content')?.focus({ preventScroll: true })
  }
}

addEventListener('popstate', () => (current = read()))

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
