import { mount } from 'svelte'
import './app.css'
import App from './App.svelte'
import { begin, preferred } from './lib/i18n.svelte'
import { load } from './lib/load'
import { follow } from './lib/router.svelte'

const target = document.getElementById('app')!
document.addEventListener('click', follow)
load(
  () => begin(preferred()),
  () => void mount(App, { target }),
)

// A copy for offline use must not slow down the way to the first move. Where there is no secure context,
// or storage is forbidden, there is just no copy.
const LATER_MS = 5000
if ('serviceWorker' in navigator && import.meta.env.PROD) {
  setTimeout(() => {
    import('./lib/offline').then(({ keepCopy }) => keepCopy(import.meta.url)).catch(() => undefined)
  }, LATER_MS)
}
