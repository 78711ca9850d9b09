// Drawing the player's attention: by the title, a buzz and the focus. Each function is an effect
// of the component that calls it.

import { tick, untrack } from 'svelte'
import { t } from './i18n.svelte'
import { isOn } from './settings.svelte'

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
    if (touched && isOn('buzz') && !untrack(alone)) navigator.vibrate?.([80, 60, 80])
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
