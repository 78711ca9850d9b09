// The keys of the table: dice by their letters, places by arrows and numbers, and what the buttons do.

import type { Acting } from './acting.svelte'
import type { Choosing } from './choosing.svelte'
import type { Sheet } from './game'
import { letterOf } from './names'

/** Whether a key belongs to what has the focus, not to the table. */
function taken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return true
  return (event.target as Element).matches('input, select, textarea')
}

/** The dice whose names begin with a letter: pressed again, it means the next of them. */
export function diceOf(sheet: Sheet, letter: string): string[] {
  const begins = (colour: string) => letterOf(sheet.id, colour).toUpperCase().startsWith(letter)
  return sheet.dice.filter((die) => begins(die.colour)).map((die) => die.letter)
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Does what a key means; says whether it meant something. */
export function press(
  event: KeyboardEvent,
  sheet: Sheet,
  choosing: Choosing,
  acting: Acting,
  help: () => void,
): boolean {
  if (taken(event)) return false
  const { key } = event
  const { options, picked, may } = choosing
  const step = STEPS[key]
  if (step && options.length) {
    const now = options.findIndex((place) => place.action === picked?.action)
    const next = now < 0 ? (step > 0 ? 0 : options.length - 1) : (now + step + options.length) % options.length
    choosing.touchChoice(options[next]!)
    return true
  }
  if (/^[1-9]$/.test(key) && options[Number(key) - 1]) {
    choosing.touchChoice(options[Number(key) - 1]!)
    return true
  }
  if (key === 'Enter') {
    // A button that has the focus is pressed by the browser itself, but a die is chosen already.
    const button = (event.target as Element).closest('button, a, [role=button]')
    if (button && !(picked && button.closest('.dice, .choices'))) return false
    if (!acting.can) return false
    acting.main()
    return true
  }
  const letter = key.toUpperCase()
  const dice = event.shiftKey ? [] : diceOf(sheet, letter).filter((die) => choosing.usable.has(die))
  if (dice.length) {
    choosing.touchDie(dice[(dice.indexOf(choosing.touch.die ?? '') + 1) % dice.length]!)
    return true
  }
  if (letter === 'U') acting.undo()
  else if (letter === 'R' && may.has('reroll')) acting.reroll()
  else if (letter === 'P' && acting.mayPass) acting.pass()
  else if (key === '?') help()
  else return false
  return true
}
