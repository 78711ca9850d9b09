// The little Markdown of the rulebooks: headings, numbered clauses, emphasis. Never HTML.

export interface Span {
  text: string
  style: 'plain' | 'em' | 'strong' | 'code'
}

export interface Block {
  kind: 'title' | 'section' | 'clause' | 'text'
  number: string
  spans: Span[]
}

export function spans(text: string): Span[] {
  const found: Span[] = []
  const pattern = /\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`]+)`/g
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index), style: 'plain' })
    const [whole, strong, em, code] = match
    found.push({
      text: strong ?? em ?? code ?? whole,
      style: strong ? 'strong' : em ? 'em' : 'code',
    })
    at = match.index + whole.length
  }
  if (at < text.length) found.push({ text: text.slice(at), style: 'plain' })
  return found
}

export function readRules(markdown: string): Block[] {
  return markdown
    .split(/\n\s*\n/)
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean)
    .map((part) => {
      const heading = /^(#+) (?:(\d+)\. )?(.*)$/.exec(part)
      if (heading) {
        const kind = heading[1]!.length === 1 ? 'title' : 'section'
        return { kind, number: heading[2] ?? '', spans: spans(heading[3]!) }
      }
      const clause = /^(\d+\.\d+) (.*)$/.exec(part)
      if (clause) return { kind: 'clause', number: clause[1]!, spans: spans(clause[2]!) }
      return { kind: 'text', number: '', spans: spans(part) }
    })
}
