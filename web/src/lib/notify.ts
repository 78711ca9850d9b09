// "Your turn" where the page is not looked at: as a notification and as a badge, where the browser
// has them. People are asked once, in words of ours, before the browser asks.

import { fileAddress } from './site'

const PLACE = 'notify'

function stored(): string | null {
  try {
    return localStorage.getItem(PLACE)
  } catch {
    return 'no' // nothing can be kept here, so nobody is asked every time
  }
}

function keep(answer: 'yes' | 'no'): void {
  try {
    localStorage.setItem(PLACE, answer)
  } catch {
    // It lasts as long as the page.
  }
}

/** Whether people may be asked: once, and only where it can work. */
export function mayAsk(): boolean {
  return 'Notification' in window && Notification.permission === 'default' && stored() === null
}

/** The answer to our question; the browser then asks its own. */
export async function answer(yes: boolean): Promise<void> {
  keep(yes ? 'yes' : 'no')
  if (yes) await Notification.requestPermission()
}

/** Tells of a turn, if the page is not in sight and the player wants that. One for each table. */
export async function notify(table: string, title: string, text: string): Promise<void> {
  if (document.visibilityState === 'visible' || !('Notification' in window)) return
  if (Notification.permission !== 'granted' || stored() !== 'yes') return
  const options = { body: text, tag: table, icon: fileAddress('icon-192.png'), data: `/t/${table}` }
  const worker = await navigator.serviceWorker?.getRegistration()
  // On phones only a service worker may show one; without https there is none.
  if (worker) await worker.showNotification(title, options)
  else new Notification(title, options).onclick = () => window.focus()
}

/** How many games wait, on the icon of the page where it is installed. */
export function badge(count: number): void {
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>
  if (count) void setAppBadge?.call(navigator, count).catch(() => undefined)
  else void clearAppBadge?.call(navigator).catch(() => undefined)
}
