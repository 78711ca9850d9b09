import { describe, expect, it } from 'vitest'
import { patched } from '../src/lib/patch'

const view = {
  round: 1,
  rating: null as number | null,
  faces: [1, 2, 3],
  seats: [
    { marks: { y1: 1, b2: 3 } as Record<string, number>, stage: 'pick' },
    { marks: {} as Record<string, number>, stage: 'idle' },
  ],
}

describe('a patch', () => {
  it('replaces values and whole lists', () => {
    expect(patched(view, { round: 2, faces: [6], rating: 0 })).toEqual({ ...view, round: 2, faces: [6], rating: 0 })
  })

  it('adds, changes and removes members of objects, and finds list items by their index', () => {
    const after = patched(view, { seats: { 0: { marks: { y1: null, b2: 4, g3: 5 } } } })
    expect(after.seats).toEqual([{ marks: { b2: 4, g3: 5 }, stage: 'pick' }, view.seats[1]])
  })

  it('leaves the view before it as it was, and shares what did not change', () => {
    const before = structuredClone(view)
    const after = patched(before, { seats: { 0: { stage: 'idle' } } })
    expect(before).toEqual(view)
    expect(after.seats[1]).toBe(before.seats[1])
    expect(after.seats[0]!.marks).toBe(before.seats[0]!.marks)
    expect(after.faces).toBe(before.faces)
  })

  it('may change nothing', () => expect(patched(view, {})).toEqual(view))
})
