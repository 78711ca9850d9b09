// What tables in the page have around them in a browser.

import { api, request } from '../lib/api'
import type { LayoutView } from '../lib/wire'
import { Layout } from './layout'
import { BrowserStore } from './store'
import type { Surroundings } from './table'
import { choose } from './thinking'

const CHANNEL = 'foxtray.local'

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL)

export const store = new BrowserStore()

const layouts = new Map<string, Promise<Layout>>()

/** The tables of a game's sheet: they stay the same as long as the page does. */
export function layoutOf(game: string): Promise<Layout> {
  const found =
    layouts.get(game) ??
    Promise.all([api.sheet(game), request<LayoutView>('GET', `layouts/${game}`)]).then(([sheet, names]) => new Layout(sheet, names))
  layouts.set(game, found)
  found.catch(() => layouts.delete(game))
  return found
}

export const browser: Surroundings = {
  store,
  layout: layoutOf,
  choose,
  now: () => Date.now(),
  wait: (ms) => new Promise((done) => setTimeout(done, ms)),
  tell: (id) => channel?.postMessage(id),
  hear(id, changed) {
    const heard = ({ data }: MessageEvent) => {
      if (data === id) changed()
    }
    channel?.addEventListener('message', heard)
    return () => channel?.removeEventListener('message', heard)
  },
}
