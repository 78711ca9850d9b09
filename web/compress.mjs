// Compresses every file that browsers load, once, for a server that only passes it on.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

const folder = new URL('../src/foxtray/client/', import.meta.url)
const SMALL = 300

for (const name of readdirSync(folder, { recursive: true })) {
  if (!/\.(js|css|html|svg|webmanifest)$/.test(name)) continue
  const file = new URL(name, folder)
  const data = readFileSync(file)
  if (data.length < SMALL) continue
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
  }
  writeFileSync(new URL(`${name}.br`, folder), brotliCompressSync(data, { params }))
}
