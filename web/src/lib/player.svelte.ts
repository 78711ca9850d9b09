// Who I am at this server.

import { invitation, keepInvitation } from './account'
import { api, Refused, type Refusal } from './api'
import { has, t } from './i18n.svelte'
import type { Me } from './wire'

let me = $state.raw<Me | null>(null)

export function player(): Me | null {
  return me
}

export async function meet(): Promise<Me> {
  me = await api.me()
  return me
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
      await api.rename(wanted, known ? '' : invitation())
      keepInvitation('')
      await meet()
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
