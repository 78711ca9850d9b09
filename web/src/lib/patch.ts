// What changed in a view, as the server tells it (docs/protocol.md, "Patches").

/** A value with its changes; whatever has not changed stays the same object. */
export function patched<T>(value: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch as T
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete copy[key]
    else copy[key] = patched(copy[key], change)
  }
  return copy as T
}
