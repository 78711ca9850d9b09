// Choices of this browser: light or dark.

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

/** Whether movement is unwelcome. */
export function calm(): boolean {
  return still.matches
}
