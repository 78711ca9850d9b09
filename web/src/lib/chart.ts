// Lines and bars of the small charts, in a box of the given size.

export interface Scale {
  low: number
  high: number
  ticks: number[]
}

/** Round numbers that hold all values, and `from` if it is given. */
export function scaleFor(values: number[], steps = 4, from: number | null = 0): Scale {
  const least = from === null ? Math.min(...values) : Math.min(from, ...values)
  const most = Math.max(least + 1, ...values)
  const rough = (most - least) / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!
  const low = Math.floor(least / step) * step
  const high = Math.ceil(most / step) * step
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step)
  return { low, high, ticks }
}

export function polyline(values: number[], width: number, height: number, scale: Scale): string {
  const last = Math.max(values.length - 1, 1)
  return values
    .map((value, i) => {
      const x = (i / last) * width
      const y = height - ((value - scale.low) / (scale.high - scale.low)) * height
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}

export interface Bin {
  from: number
  to: number
  count: number
}

/** Totals sorted into bins of a round width. */
export function bins(totals: number[], width = 20): Bin[] {
  if (!totals.length) return []
  const first = Math.floor(Math.min(...totals) / width) * width
  const last = Math.floor(Math.max(...totals) / width) * width
  const found: Bin[] = []
  for (let from = first; from <= last; from += width) {
    const to = from + width - 1
    found.push({ from, to, count: totals.filter((total) => total >= from && total <= to).length })
  }
  return found
}
