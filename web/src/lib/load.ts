// What a screen needs from the server: asked for until it comes, forgotten when it is not wanted.

import { Refused } from './api'

const WAITS_MS = [500, 1000, 2000, 4000, 8000]

/**
 * Asks again and again while the line or the server fails, but takes a refusal for an answer.
 * Whoever wants something else meanwhile calls what is returned: nothing is told after that, so
 * that a late answer never overwrites a newer one. An effect can return it as it is.
 */
export function load<T>(
  ask: () => Promise<T>,
  found: (answer: T) => void,
  failed: (error: unknown, again: boolean) => void = () => undefined,
): () => void {
  let wanted = true
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function rest(): void {
    clearTimeout(timer)
    window.removeEventListener('online', attempt)
  }
  function attempt(): void {
    rest()
    ask().then(
      (answer) => wanted && found(answer),
      (error: unknown) => {
        if (!wanted) return
        const again = error instanceof Refused && error.passing
        if (again) {
          timer = setTimeout(attempt, WAITS_MS[Math.min(tries++, WAITS_MS.length - 1)]!)
          window.addEventListener('online', attempt)
        }
        failed(error, again)
      },
    )
  }
  attempt()
  return () => {
    wanted = false
    rest()
  }
}
