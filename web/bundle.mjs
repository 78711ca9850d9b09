// Bundles one module of the page by itself: node bundle.mjs SOURCE TARGET [minify]. For tests and
// benchmarks.

import { rolldown } from 'rolldown'

const [source, target, minify] = process.argv.slice(2)
const bundle = await rolldown({ input: source, platform: 'neutral', logLevel: 'warn' })
await bundle.write({ file: target, format: 'esm', minify: minify === 'minify' })
