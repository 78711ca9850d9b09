// A sheet is told everything anew with each message, though little of it has changed. What is equal
// to what was there before stays the same object, so that nothing is drawn again because of it.

function size(value: object): number {
  return value instanceof Set ? value.size : Object.keys(value).length
}

function holds(value: object, [key, item]: [string, unknown]): boolean {
  if (value instanceof Set) return value.has(key)
  return (value as Record<string, unknown>)[key] === item
}

function same(a: object, b: object): boolean {
  if (size(a) !== size(b)) return false
  const entries = a instanceof Set ? [...a].map((key) => [key, key] as [string, string]) : Object.entries(a)
  return entries.every((entry) => holds(b, entry))
}

/** Remembers what it was given under each name, and gives that back as long as it is equal. */
export function steady(): <T extends Set<string> | Record<string, number>>(name: string, value: T) => T {
  const before = new Map<string, object>()
  return (name, value) => {
    const old = before.get(name) as typeof value | undefined
    if (old && same(old, value)) return old
    before.set(name, value)
    return value
  }
}
