// The copy of the page that a service worker keeps (public/sw.js): made in the background, and replaced
// by a new version when the player wants that.

import { mount } from 'svelte'
import Renew from '../parts/Renew.svelte'
import { allWords } from './i18n.svelte'
import { fileAddress } from './site'

const LOOK_MS = 3_600_000

/** Whether this page is the one that a worker keeps: then that one can take over unseen. */
function isOf(worker: ServiceWorker, script: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve((data as string[]).includes(script))
    worker.postMessage('files', [port2])
  })
}

/** Loads the new version; for a player who is not in the middle of anything. */
function renew(worker: ServiceWorker): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload())
  worker.postMessage('take over')
}

let offered = false

async function consider(worker: ServiceWorker | null, script: string): Promise<void> {
  if (!worker || !navigator.serviceWorker.controller) return
  if (await isOf(worker, script)) {
    worker.postMessage('take over')
    return
  }
  if (offered) return
  offered = true
  await allWords()
  const target = document.createElement('div')
  document.body.prepend(target)
  mount(Renew, { target, props: { onrenew: () => renew(worker) } })
}

/** Keeps a copy where the browser can. `script`: the address of the page's main script. */
export async function keepCopy(script: string): Promise<void> {
  const registration = await navigator.serviceWorker.register(fileAddress('sw.js'))
  void consider(registration.waiting, script)
  registration.addEventListener('updatefound', () => {
    const coming = registration.installing
    coming?.addEventListener('statechange', () => {
      if (coming.state === 'installed') void consider(registration.waiting, script)
    })
  })
  setInterval(() => void registration.update().catch(() => undefined), LOOK_MS)
}
