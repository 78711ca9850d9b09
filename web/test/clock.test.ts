import { describe, expect, it } from 'vitest'
import { clockFace, secondsLeft } from '../src/lib/clock'

describe('the turn clock', () => {
  it('counts by the server, whatever this clock shows', () => {
    expect(secondsLeft(100_000, 70_000, 0)).toBe(30)
    expect(secondsLeft(100_000, 40_000, 30_000)).toBe(30)
    expect(secondsLeft(100_000, 70_001, 0)).toBe(30)
    expect(secondsLeft(100_000, 100_000, 0)).toBe(0)
    expect(secondsLeft(100_000, 150_000, 0)).toBe(0)
  })
  it('looks like a clock', () => {
    expect([0, 9, 60, 61, 3600].map(clockFace)).toEqual(['0:00', '0:09', '1:00', '1:01', '60:00'])
  })
})
