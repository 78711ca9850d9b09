// Who I am at this server.

import { api, Refused, type Me } from './api'
import { has, t } from './i18n.svelte'

let me = $state.raw<Me | null>(null)

export function player(): Me | null {
  return me
}

export async function meet(): Promise<Me> {
  me = await api.me()
  return me
}

/** Makes sure that I am somebody here: before the first table, a name is enough. */
export async function introduce(name: string): Promise<void> {
  const wanted = name.trim() || t('name.guest')
  if (!me?.player || me.player.name !== wanted) {
    await api.rename(wanted)
    await meet()
  }
}

/** A refusal in the language of the page. */
export function explain(error: unknown): string {
  if (error instanceof Refused) {
    const key = `refused.${error.code}`
    return has(key) ? t(key) : error.message
  }
  return t('refused.internal')
}
