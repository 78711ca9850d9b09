// The moment of a replay that an address names.

/** The step to show: what the address says if that is a number, the first one otherwise. */
export function stepFrom(text: string | null, last: number): number {
  const wanted = Number.parseInt(text ?? '', 10)
  return Math.max(0, Math.min(Number.isNaN(wanted) ? 0 : wanted, last))
}
