// A long press: what a finger that stays means.

const LONG_MS = 450
const SLACK = 10

/** Calls back after a long press on an element; the click that would follow is swallowed. */
export function held(element: HTMLElement, callback: (() => void) | undefined) {
  let run = callback
  let timer = 0
  let from = { x: 0, y: 0 }
  let fired = false
  let finger = false

  function down(event: PointerEvent): void {
    fired = false
    finger = event.pointerType !== 'mouse'
    clearTimeout(timer)
    if (!run || event.button) return
    from = { x: event.clientX, y: event.clientY }
    timer = window.setTimeout(() => {
      fired = true
      run?.()
    }, LONG_MS)
  }
  function move(event: PointerEvent): void {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > SLACK) clearTimeout(timer)
  }
  const stop = () => clearTimeout(timer)
  function click(event: Event): void {
    if (fired) event.stopImmediatePropagation()
    fired = false
  }
  /** Touching long would open the browser's own menu. */
  function menu(event: Event): void {
    if (run && finger) event.preventDefault()
  }

  element.addEventListener('pointerdown', down)
  element.addEventListener('pointermove', move)
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) element.addEventListener(end, stop)
  element.addEventListener('click', click, true)
  element.addEventListener('contextmenu', menu)
  return {
    update(next: (() => void) | undefined) {
      run = next
    },
    destroy: stop,
  }
}
