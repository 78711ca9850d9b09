// Script and style that a browser loads before the first move may weigh 90 kB, compressed.

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT = 90_000
const folder = new URL('../src/foxtray/client/', import.meta.url)
const build = JSON.parse(readFileSync(new URL('build.json', folder), 'utf8'))

const needed = new Set()
function need(name) {
  const chunk = build[name]
  if (!chunk || needed.has(chunk.file)) return
  needed.add(chunk.file)
  for (const style of chunk.css ?? []) needed.add(style)
  for (const other of chunk.imports ?? []) need(other)
}
need('index.html')
// The longest catalogue comes on top: every player loads one.
const catalogues = Object.keys(build).filter((name) => name.startsWith('src/i18n/'))

const weigh = (file) => gzipSync(readFileSync(new URL(file, folder)), { level: 9 }).length
const weights = [...needed].map((file) => [file, weigh(file)])
const longest = catalogues
  .map((name) => [build[name].file, weigh(build[name].file)])
  .sort((a, b) => b[1] - a[1])
if (longest[0]) weights.push(longest[0])

const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
for (const [file, weight] of weights) console.log(`${String(weight).padStart(8)}  ${file}`)
console.log(`${String(total).padStart(8)}  of ${LIMIT} bytes, gzipped, before the first move`)
if (total > LIMIT) {
  console.error('The client has outgrown its budget.')
  process.exit(1)
}
