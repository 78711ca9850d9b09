import type { Plugin } from 'vite'
export function firstWords(source?: string): (key: string) => boolean
export function words(): Plugin
