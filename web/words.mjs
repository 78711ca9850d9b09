// Splits each catalogue in two, so that nobody waits for texts of screens that come later.
//
// The sources keep one file per language. `?first` is what the page itself may say before one of its
// lazy parts is loaded, `?later` is the rest; both are derived from the imports of src/main.ts.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('src/main.ts', import.meta.url))
const IMPORTED = /\bimport\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?'(\.[^']+)'/g
const ENTRY = /^ {2}'([^']+)': .*\n/gm
/**
 * Beginnings that are found in the first parts, but whose texts are said later: refusals come with the
 * first one, and `fair.` is where lib/witness keeps what it saw.
 */
const LATER = ['refused.', 'fair.']

/** The sources that are loaded at once. */
function loadedFirst() {
  const found = new Map()
  const visit = (path) => {
    if (found.has(path)) return
    const source = readFileSync(path, 'utf8')
    found.set(path, source)
    for (const [, name] of source.matchAll(IMPORTED)) {
      const beside = resolve(dirname(path), name)
      const file = [beside, `${beside}.ts`].find((one) => /\.(ts|svelte)$/.test(one) && existsSync(one))
      if (file) visit(file)
    }
  }
  visit(MAIN)
  return [...found.values()].join('\n')
}

/** Whether a text may be wanted by the parts that are loaded at once. */
export function firstWords(source = loadedFirst()) {
  const prefixes = [...source.matchAll(/`([a-z_.]+\.)\$\{/g)]
    .map(([, prefix]) => prefix)
    .filter((prefix) => !LATER.includes(prefix))
  return (key) => source.includes(`'${key}'`) || prefixes.some((prefix) => key.startsWith(prefix))
}

export function words() {
  let first = () => true
  return {
    name: 'words',
    enforce: 'pre',
    buildStart() {
      first = firstWords()
    },
    transform(code, id) {
      const half = /\/i18n\/\w+\.ts\?(first|later)$/.exec(id)?.[1]
      if (!half) return
      return code.replace(ENTRY, (line, key) => (first(key) === (half === 'first') ? line : ''))
    },
  }
}
