// The games of this device in words.

import { list, t } from '../lib/i18n.svelte'
import { botName } from '../lib/names'
import type { Setup } from './state'

/** Who else plays, or how it is played alone. */
export function others({ seats, tutorial, record }: Setup): string {
  if (tutorial) return t('home.learn')
  if (seats.length === 1 && !record) return t('home.solo')
  return list(
    seats.flatMap(({ kind, name, bot }, i) =>
      kind === 'me' ? [] : [bot ? botName(bot) : name || t('seat.number', { n: i + 1 })],
    ),
  )
}
