// Tables of this device: how they are told from those of a server, and the way to them. All else is
// loaded when such a table is opened.

import type { SocketLike } from './connection'

/** The beginning of their ids; no table of a server has such an id. */
export const LOCAL = 'local-'

export function isLocal(id: string): boolean {
  return id.startsWith(LOCAL)
}

/** A line to a table in the page: the same messages as over a socket. */
export function localLine(id: string): SocketLike {
  const line: SocketLike = { onopen: null, onmessage: null, onclose: null, send() {}, close() {} }
  import('../local/line').then(
    ({ connect, browser }) => connect(line, id, browser),
    () => line.onclose?.({ code: 0 }),
  )
  return line
}

/** The database that keeps their games. */
export const DATABASE = 'foxtray'

/** Whether there may be games of this device: without any, nothing is loaded to look for them. */
export async function mayHaveGames(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === DATABASE)
  } catch {
    return true
  }
}

const CHOSEN = 'device'

/** Whether the player wants to play on this device although there is a server. */
export function prefersDevice(): boolean {
  try {
    return localStorage.getItem(CHOSEN) === 'yes'
  } catch {
    return false
  }
}

export function preferDevice(on: boolean): void {
  try {
    localStorage.setItem(CHOSEN, on ? 'yes' : 'no')
  } catch {
    // It lasts as long as the page.
  }
}
