// Where the page comes from: a server, or a folder of files that any host can serve (`foxtray site`).

const root = globalThis.document?.documentElement

/** Whether there is no server behind the page: only what is local works. */
export const serverless = root?.dataset?.site === 'static'

/** The address of a file that comes with the page. */
export function fileAddress(name: string): string {
  return serverless ? new URL(name, document.baseURI.replace(/[#?].*/, '')).href : `/${name}`
}

const FACTS = /^(games|lessons|sheets|layouts|rules|nets)\b/

/**
 * Where something is asked for. What is the same for everybody (games, lessons, sheets, tables of
 * the rules, rulebooks, nets) is a file where there is no server; for all else one is needed, and null says so.
 */
export function source(path: string): string | null {
  if (!serverless) return `/api/${path}`
  if (!FACTS.test(path)) return null
  const [name, language] = path.split('?language=')
  const kind = name!.startsWith('nets/') ? 'bin' : 'json'
  return fileAddress(`data/${name}${language ? `.${language}` : ''}.${kind}`)
}
