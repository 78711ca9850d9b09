// Opening a review, and the addresses of its moments.

import { api } from './api'
import { coach, type Review } from './coach'
import type { Sheet } from './game'
import { withKey } from './router.svelte'
import type { TableInfo } from './wire'

/** All that is needed to show the review of a game. */
export interface OpenReview {
  info: TableInfo
  sheet: Sheet
  /** Null as long as it is not made. */
  review: Review | null
  /** My own seat, if I had one. */
  mine: number | null
  /** With this, others can open the game, too. */
  opens: string
}

export async function openReview(id: string, key: string): Promise<OpenReview> {
  const { table: info, you } = await api.table(id, key)
  const sheet = await api.sheet(info.game)
  const told = await coach.state(id, key)
  const review = told.state === 'done' ? await coach.review(id, key) : null
  return { info, sheet, review, mine: you.seat, opens: you.key ?? '' }
}

/** Where a moment of a review is shown on a page of its own. */
export function reviewAddress(id: string, key: string, seat: number, at: number | null): string {
  return withKey(`/review/${id}?seat=${seat + 1}${at === null ? '' : `&at=${at}`}`, key)
}

/** Whether a link to a moment is followed without leaving what is on the screen, and not in a new tab. */
export function staysHere(event: MouseEvent): boolean {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return false
  event.preventDefault()
  return true
}
