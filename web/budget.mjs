// What every visitor loads before the first move, as browsers get it at https: page, script, style and
// the longest catalogue. `make bench-browser` measures the rest, almost 14 kB: what the server tells by
// HTTP and by the socket, and headers. Together they are to stay below 75 kB.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

const LIMIT = 61_000
const folder = new URL('../src/foxtray/client/', import.meta.url)
const read = (name) => readFileSync(new URL(name, folder))
const build = Object.values(JSON.parse(read('build.json')))

const needed = new Set(['index.html'])
function need(file) {
  if (needed.has(file)) return
  needed.add(file)
  const chunk = build.find((one) => one.file === file)
  for (const style of chunk?.css ?? []) needed.add(style)
}
for (const [, file] of String(read('index.html')).matchAll(/"\/(assets\/[^"]+)"/g)) need(file)

const weigh = (file) => {
  const packed = read(`${file}.br`)
  if (!brotliDecompressSync(packed).equals(read(file))) throw new Error(`${file}.br is not ${file}`)
  return packed.length
}
const catalogues = build
  .filter((one) => /^src\/i18n\/.*\?first$/.test(one.src ?? ''))
  .map((one) => [one.file, weigh(one.file)])
  .sort((a, b) => b[1] - a[1])
const weights = [...[...needed].map((file) => [file, weigh(file)]), catalogues[0]]

const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
for (const [file, weight] of weights) console.log(`${String(weight).padStart(8)}  ${file}`)
console.log(`${String(total).padStart(8)}  of ${LIMIT} bytes, compressed, before the first move`)
if (total > LIMIT) {
  console.error('The client has outgrown its budget.')
  process.exit(1)
}
