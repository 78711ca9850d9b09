// Fills a sentence of a catalogue: `{name}` is replaced, `{n#one|few|many}` picks a plural form.

export type Values = Record<string, string | number>

const rules = new Map<string, { select: Intl.PluralRules; forms: string[] }>()

function plural(language: string): { select: Intl.PluralRules; forms: string[] } {
  let known = rules.get(language)
  if (!known) {
    const select = new Intl.PluralRules(language)
    const used = select.resolvedOptions().pluralCategories
    known = { select, forms: ['one', 'few', 'other'].filter((form) => used.includes(form as never)) }
    rules.set(language, known)
  }
  return known
}

export function fill(language: string, sentence: string, values: Values = {}): string {
  return sentence.replace(/\{(\w+)(?:#([^}]*))?\}/g, (whole, name: string, forms?: string) => {
    const value = values[name]
    if (value === undefined) return whole
    if (forms === undefined) return String(value)
    const known = plural(language)
    const index = known.forms.indexOf(known.select.select(Number(value)))
    const options = forms.split('|')
    return options[index] ?? options[options.length - 1]!
  })
}

/** The language to begin with: the first of the wanted ones that exists. */
export function pick<T extends string>(wanted: readonly string[], known: readonly T[], other: T): T {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0]!
    const found = known.find((language) => language === base)
    if (found) return found
    if (['hr', 'bs', 'sh', 'cnr'].includes(base)) {
      const near = known.find((language) => language === 'sr')
      if (near) return near
    }
  }
  return other
}
