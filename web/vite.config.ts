import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'
import { words } from './words.mjs'

export default defineConfig({
  plugins: [words(), svelte()],
  // Scripts find each other wherever they lie; the page is served at many addresses of one server.
  // `foxtray site` makes the page's own links relative, too.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }),
  },
  build: {
    outDir: '../src/foxtray/client',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    manifest: 'build.json',
    modulePreload: { polyfill: false },
    // What is loaded at once is one file: it is smaller so than in several. So is the table in the page.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'index', test: /src\/main\.ts$/ },
            { name: 'local', test: /src\/(local|engine)\/(?!.*\/levels\.js)/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:8750', ws: true } },
  },
  // Twins are run by the tests in Python, which tell them what to compare.
  test: {
    include: [process.env.FOXTRAY_TWIN ? 'test/**/*.twin.ts' : 'test/**/*.test.ts'],
    environment: 'node',
  },
})
