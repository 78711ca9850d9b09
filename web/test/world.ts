// Sockets, clocks and storage for tests, in the hands of the test.

import type { SocketLike, World } from '../src/lib/connection'

class FakeSocket implements SocketLike {
  onopen: SocketLike['onopen'] = null
  onmessage: SocketLike['onmessage'] = null
  onclose: SocketLike['onclose'] = null
  sent: Record<string, unknown>[] = []
  send(text: string) {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  close() {}
}

export function fakeWorld(kept = '') {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  const sockets: FakeSocket[] = []
  let ids = 0
  const saved = { text: kept }
  const world: World = {
    socket() {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    now: () => now,
    later(run, ms) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return timer
    },
    cancel: (timer) => void (timers = timers.filter((other) => other !== timer)),
    id: () => `id${++ids}`,
    keep: (text) => void (saved.text = text),
    kept: () => saved.text,
  }
  const last = () => sockets.at(-1)!
  return {
    world, sockets, saved, last,
    receive: (message: object) => last().onmessage!({ data: JSON.stringify(message) }),
    pass(ms: number) {
      const end = now + ms
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((timer) => timer !== next)
        now = next.at
        next.run()
      }
      now = end
    },
  }
}
