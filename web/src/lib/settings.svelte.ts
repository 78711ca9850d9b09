// Choices of this browser: light or dark, the pace of bots, sounds, the lens, shortcuts.

import type { PaceName } from './wire'

export type Theme = 'auto' | 'light' | 'dark'

function saved(): Theme {
  try {
    const found = localStorage.getItem('theme')
    return found === 'light' || found === 'dark' ? found : 'auto'
  } catch {
    return 'auto'
  }
}

let theme = $state<Theme>(saved())
const dark = matchMedia('(prefers-color-scheme: dark)')
const still = matchMedia('(prefers-reduced-motion: reduce)')

function apply(): void {
  const shown = theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme
  document.documentElement.dataset.theme = shown
}
dark.addEventListener('change', apply)
apply()

export function currentTheme(): Theme {
  return theme
}

export function setTheme(wanted: Theme): void {
  theme = wanted
  apply()
  try {
    localStorage.setItem('theme', wanted)
  } catch {
    // It lasts as long as the page.
  }
}

/** What is on or off. */
const SWITCHES = { sound: false, buzz: true, lens: false, keys: true }
export type Switch = keyof typeof SWITCHES
export const SWITCH_NAMES = Object.keys(SWITCHES) as Switch[]

function kept(): Record<Switch, boolean> {
  try {
    return { ...SWITCHES, ...(JSON.parse(localStorage.getItem('switches') ?? '{}') as object) }
  } catch {
    return SWITCHES
  }
}

let switches = $state.raw(kept())

export function isOn(name: Switch): boolean {
  return switches[name]
}

export function turn(name: Switch, on: boolean): void {
  switches = { ...switches, [name]: on }
  try {
    localStorage.setItem('switches', JSON.stringify(switches))
  } catch {
    // It lasts as long as the page.
  }
}

export const PACES = ['calm', 'quick', 'instant'] as const satisfies PaceName[]

function keptPace(): PaceName {
  try {
    return PACES.find((name) => name === localStorage.getItem('pace')) ?? 'quick'
  } catch {
    return 'quick'
  }
}

let pace = $state<PaceName>(keptPace())

/** How fast bots are to be. */
export function currentPace(): PaceName {
  return pace
}

export function setPace(wanted: PaceName): void {
  pace = wanted
  try {
    localStorage.setItem('pace', wanted)
  } catch {
    // It lasts as long as the page.
  }
}

// The same condition as in the styles of the table and the replay.
const large = matchMedia('(min-width: 1100px) and (min-height: 560px)')
let roomy = $state(large.matches)
large.addEventListener('change', () => (roomy = large.matches))

/** Whether there is room beside a table: for its story, and for the sheets of the others. */
export function isWide(): boolean {
  return roomy
}

/** Whether movement is unwelcome. */
export function calm(): boolean {
  return still.matches
}
