// Drawing the player's attention: by the title, a buzz, the focus, and by scrolling. Each function
// is an effect of the component that calls it.

import { tick, untrack } from 'svelte'
import { t } from './i18n.svelte'
import { calm } from './settings.svelte'

let keyboard = false
addEventListener('keydown', () => (keyboard = true), true)
addEventListener('pointerdown', () => (keyboard = false), true)

/** Says in the title of the page that it is my turn. */
export function titled(mine: () => boolean, game: () => string): void {
  $effect(() => {
    document.title = mine() ? `● ${t('title.your_turn')} – Foxtray` : `${game()} – Foxtray`
  })
}

/** Buzzes once when my turn comes, not with every message while it lasts. */
export function buzzing(mine: () => boolean, alone: () => boolean): void {
  $effect(() => {
    if (!mine()) return
    // Before the first touch a browser refuses, and says so in its console.
    const touched = navigator.userActivation?.hasBeenActive ?? true
    if (touched && !untrack(alone)) navigator.vibrate?.([80, 60, 80])
  })
}

const MAIN_BUTTON = '.act button.primary:not(:disabled)'

/** The focus stays where the player is: when its element is gone, it goes to the main button. */
export function focused(changes: () => unknown): void {
  $effect(() => {
    changes()
    void tick().then(() => {
      const now = document.activeElement
      if (!keyboard || (now && now !== document.body)) return
      const next =
        document.querySelector<HTMLElement>(MAIN_BUTTON) ??
        document.querySelector<HTMLElement>('.dice button.usable') ??
        document.querySelector<HTMLElement>('[data-place]') ??
        document.getElementById('content')
      next?.focus({ preventScroll: next.id === 'content' })
    })
  })
}

/** To the main button, for those who use the keyboard. */
export async function focusMainButton(): Promise<void> {
  await tick()
  if (keyboard) document.querySelector<HTMLElement>(MAIN_BUTTON)?.focus()
}

/** Brings the dice into sight whenever one is to be chosen: they lie at the top. */
export function diceInSight(wanted: () => string | null): void {
  $effect(() => {
    if (!wanted()) return
    void tick().then(() => {
      if (document.querySelector('.dice')!.getBoundingClientRect().top < 0) scroll(0)
    })
  })
}

/** Brings at least one of the places on offer into sight; that there are others is said by Beyond. */
export function placesInSight(wanted: () => string | null, covered: () => number): void {
  $effect(() => {
    if (!wanted()) return
    void tick().then(() => {
      const floor = innerHeight - covered()
      const spots = [...document.querySelectorAll('[data-place]')].map((place) => place.getBoundingClientRect())
      if (!spots.length || spots.some((spot) => spot.top >= 0 && spot.bottom <= floor)) return
      const first = Math.min(...spots.map((spot) => spot.bottom))
      const by = first > floor ? Math.max(...spots.map((spot) => spot.bottom)) - floor + 12 : first - 120
      scroll(scrollY + by)
    })
  })
}

function scroll(top: number): void {
  scrollTo({ top, behavior: calm() ? 'auto' : 'smooth' })
}
