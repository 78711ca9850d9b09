// The colours of a game's dice as CSS variables, on light and on dark pages: everything inside
// `data-game` finds the tones of a colour as `--COLOUR-strong`, `-on`, `-soft` and `-ink`.

import type { SheetView, TonesView } from './wire'

const known = new Set<string>()

function variables(sheet: SheetView, theme: 'light' | 'dark'): string {
  return sheet.dice
    .flatMap(({ colour, paint }) =>
      (Object.entries(paint[theme]) as [keyof TonesView, string][]).map(
        ([tone, value]) => `--${colour}-${tone}: ${value};`,
      ),
    )
    .join(' ')
}

export function rules(sheet: SheetView): string {
  const place = `[data-game='${sheet.id}']`
  return `${place} { ${variables(sheet, 'light')} }
:root[data-theme='dark'] ${place} { ${variables(sheet, 'dark')} }`
}

/** Lets the page know the colours of a sheet. */
export function painted(sheet: SheetView): SheetView {
  if (!known.has(sheet.id)) {
    known.add(sheet.id)
    const style = new CSSStyleSheet()
    style.replaceSync(rules(sheet))
    document.adoptedStyleSheets.push(style)
  }
  return sheet
}
