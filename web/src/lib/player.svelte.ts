// Who I am at this server.

import { invitation, keepInvitation } from './invitation'
import { api, Refused, type Refusal } from './api'
import { has, t } from './i18n.svelte'
import { serverless } from './site'
import { PROTOCOL, type Me, type PlayerInfo } from './wire'

let me = $state.raw<Me | null>(null)

export function player(): Me | null {
  return me
}

export async function meet(): Promise<Me> {
  const found = serverless ? myself() : await api.me()
  me = found
  return found
}

const NAME = 'name'
let called: string | null = null

/** Who I am where there is no server: a name that this browser keeps. */
function myself(): Me {
  let name = called
  try {
    name = localStorage.getItem(NAME) ?? called
  } catch {
    // It lasts as long as the page.
  }
  return {
    player: name === null ? null : { id: '', name },
    tables: [],
    best: {},
    protocol: PROTOCOL,
    version: '',
    bots: [],
    loopback: false,
    admin: false,
    registration: 'open',
  }
}

async function rename(name: string, invited: string): Promise<PlayerInfo> {
  if (!serverless) return api.rename(name, invited)
  called = name
  try {
    localStorage.setItem(NAME, name)
  } catch {
    // As above.
  }
  return { id: '', name }
}

let introduced: Promise<void> = Promise.resolve()

/**
 * Makes sure that I am somebody here: before the first table, a name is enough.
 *
 * One after the other: two at once would make a newcomer two players.
 */
export function introduce(name: string): Promise<void> {
  const done = introduced.then(async () => {
    const known = (me ?? (await meet())).player?.name
    const wanted = name.trim() || known || t('name.guest')
    if (wanted !== known) {
      const renamed = await rename(wanted, known ? '' : invitation())
      keepInvitation('')
      me = { ...me!, player: renamed }
    }
  })
  introduced = done.catch(() => undefined)
  return done
}

/** A refusal in the language of the page. */
export function worded(refusal: Refusal): string {
  const key = `refused.${refusal.code}`
  return has(key) ? t(key) : refusal.message
}

/** What went wrong; `again`: and is tried again by itself. */
export function explain(error: unknown, again = false): string {
  const what = error instanceof Refused ? worded(error) : t('refused.internal')
  return again ? `${what} ${t('line.again')}` : what
}
