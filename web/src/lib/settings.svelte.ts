// Choices of this browser: light or dark, sounds, the lens, shortcuts.

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

/** Whether movement is unwelcome. */
export function calm(): boolean {
  return still.matches
}
