// A new game on this device, from the same wish that a server would be sent.

import { Refused } from '../lib/api'
import type { SeatWish, TableWish } from '../lib/wire'
import { newTable } from './creation'
import { LocalRefusal } from './refusal'
import type { SeatSetup } from './state'
import { browser } from './surroundings'

/** Makes a table; open seats are for guests, who go by these names. Returns its id. */
export async function begin(wish: TableWish, name: string, guests: string[]): Promise<string> {
  const names = [...guests]
  const seat = ({ kind, bot }: SeatWish): SeatSetup => {
    if (kind === 'bot') return { kind, name: '', bot }
    return kind === 'me' ? { kind, name: name.trim() } : { kind: 'guest', name: (names.shift() ?? '').trim() }
  }
  try {
    return await newTable(browser, {
      game: wish.game,
      seats: wish.seats.map(seat),
      solo_fallback: wish.solo_fallback ?? false,
      fox_floor: wish.fox_floor ?? false,
      tutorial: wish.tutorial ?? false,
      real_dice: (wish.real_dice ?? false) && !wish.tutorial,
      rematch_of: null,
    })
  } catch (error) {
    throw error instanceof LocalRefusal ? new Refused(error.code, error.message) : error
  }
}
