// Keeps a copy of the page, so that everything local works without a network. Games at a server are
// never copied: what counts there is what the server says.

// Filled in by foxtray.server.offline: the files, and a version that their contents make.
const COPY = { version: '', files: [] }

const NAME = `foxtray-${COPY.version}`
const PATIENCE_MS = 4000
const PAUSES_MS = [2000, 4000, 8000]
const AT_ONCE = 4
const address = (name) => new URL(name, self.location).href
const known = new Set(COPY.files.map(address))
const page = address('./')
const isAsset = (url) => url.startsWith(address('assets/'))

/** Many people may come from one address: who is refused for that waits, and asks again. */
async function patiently(url, options) {
  for (const pause of PAUSES_MS) {
    const response = await fetch(url, options)
    if (response.status !== 429) return response
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return fetch(url, options)
}

async function fill() {
  const cache = await caches.open(NAME)
  const waiting = [...known]
  const work = async () => {
    for (let url = waiting.pop(); url; url = waiting.pop()) {
      // The name of an asset changes with its content; all else may have changed since it was kept.
      const response = await patiently(url, { cache: isAsset(url) ? 'default' : 'no-cache' })
      if (!response.ok) throw new Error(`${url}: ${response.status}`)
      await cache.put(url, response)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Deletes old copies but the last: another tab may still play with it. */
async function tidy() {
  const copies = (await caches.keys()).filter((name) => name.startsWith('foxtray-') && name !== NAME)
  await Promise.all(copies.slice(0, -1).map((name) => caches.delete(name)))
}

self.addEventListener('install', (event) => event.waitUntil(fill()))
self.addEventListener('activate', (event) => event.waitUntil(tidy().then(() => self.clients.claim())))

const kept = (url) =>
  caches.match(url, { ignoreVary: true, cacheName: NAME }).then((found) => found ?? caches.match(url, { ignoreVary: true }))

/** The network's answer; the copy, if it does not come, comes too late or says that a server is down. */
async function fresh(request, url) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)))
  const coming = fetch(request)
  try {
    const response = await Promise.race([coming, late])
    if (response && response.status < 500) return response
    return (await kept(url)) ?? (await coming)
  } catch (error) {
    const copy = await kept(url)
    if (copy) return copy
    throw error
  } finally {
    clearTimeout(timer)
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = request.url.replace(/#.*/, '')
  if (request.method !== 'GET' || !url.startsWith(page)) return
  if (isAsset(url)) event.respondWith(kept(url).then((found) => found ?? fetch(request)))
  else if (known.has(url)) event.respondWith(fresh(request, url))
  else if (request.mode === 'navigate' && !url.startsWith(address('api/'))) event.respondWith(fresh(request, page))
})

// The page decides when a new version takes over: never under a running game.
self.addEventListener('message', (event) => {
  if (event.data === 'files') event.ports[0]?.postMessage([...known])
  if (event.data === 'take over') void self.skipWaiting()
})

// A notification leads to its table: to the tab that shows it, or to a new one.
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const wanted = new URL(event.notification.data || './', self.location)
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then((open) => {
      const there = open.find((client) => new URL(client.url).pathname === wanted.pathname)
      return there ? there.focus() : self.clients.openWindow(wanted.href)
    }),
  )
})
