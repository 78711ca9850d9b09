// How much time is left, and how long somebody has been away, by the server's time.

/** Times that a table can be given for each decision, in seconds; 0 is no clock. */
export const CLOCKS = [0, 30, 60, 120, 300]

/** From so many seconds on, the time left is a matter of urgency. */
export const SOON = 10

/** Whole seconds until a moment of the server, never below 0; `ahead` is how far its clock is ahead. */
export function secondsLeft(until: number, now: number, ahead: number): number {
  return Math.max(0, Math.ceil((until - ahead - now) / 1000))
}

/** Whether somebody who left at a moment of the server has been away for so many seconds. */
export function longAway(since: number, absence: number, now: number, ahead: number): boolean {
  return now + ahead - since >= absence * 1000
}

/** Minutes and seconds as on a clock. */
export function clockFace(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
