// An invitation to this server, which a newcomer needs where the host wants one.

/** The invitation to this server that brought me here, until I am a player. */
export function invitation(): string {
  try {
    return sessionStorage.getItem('invitation') ?? ''
  } catch {
    return kept
  }
}

let kept = ''

export function keepInvitation(code: string): void {
  kept = code
  try {
    if (code) sessionStorage.setItem('invitation', code)
    else sessionStorage.removeItem('invitation')
  } catch {
    // Storage may be forbidden; it then lasts as long as the page.
  }
}
