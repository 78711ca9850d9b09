// Shows a page of its own when the server cannot be reached; the game itself is never cached.

const CACHE = 'foxtray-offline-1'
const FILES = ['/offline.html', '/offline.css', '/icon.svg']

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))),
  )
})

self.addEventListener('fetch', (event) => {
  const path = new URL(event.request.url).pathname
  if (event.request.mode === 'navigate') {
    event.respondWith(fetch(event.request).catch(() => caches.match('/offline.html')))
  } else if (FILES.includes(path)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(path)))
  }
})

// A notification leads to its table: to the tab that shows it, or to a new one.
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const wanted = new URL(event.notification.data || '/', self.location.origin)
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then((open) => {
      const there = open.find((client) => new URL(client.url).pathname === wanted.pathname)
      return there ? there.focus() : self.clients.openWindow(wanted.href)
    }),
  )
})
