import type { Catalogue } from '../lib/i18n.svelte'
import { en } from './en'

export const de: Catalogue = en
