// Plain http from another machine is no secure context: that is said once.

const PLACE = 'insecure'

export function mayWarn(): boolean {
  try {
    return !window.isSecureContext && localStorage.getItem(PLACE) === null
  } catch {
    return false
  }
}

export function warned(): void {
  try {
    localStorage.setItem(PLACE, 'told')
  } catch {
    // Then it is told once more.
  }
}
