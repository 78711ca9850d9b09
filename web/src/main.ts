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

// Service workers exist in secure contexts only; without one there is just no offline page.
if ('serviceWorker' in navigator && import.meta.env.PROD) {
  void navigator.serviceWorker.register('/sw.js').catch(() => undefined)
}
