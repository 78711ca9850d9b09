// A sheet as the rules see it, with the names of what they number.

import type { Tables } from '../engine/engine'
import type { Sheet } from '../lib/game'
import type { LayoutView } from '../lib/wire'

export class Layout {
  readonly tables: Tables
  readonly letters: string[]
  private readonly ids: Map<string, number>

  constructor(
    readonly sheet: Sheet,
    readonly names: LayoutView,
  ) {
    this.tables = names.tables as unknown as Tables
    this.letters = sheet.dice.map((die) => die.letter)
    this.ids = new Map(names.actions.map((text, id) => [text, id]))
  }

  /** The number of an action; -1 if the sheet has no such action. */
  action(text: string): number {
    return this.ids.get(text) ?? -1
  }

  /** The colour of a die, area or cell by its number. */
  die(number: number): string {
    return this.sheet.dice[number]!.colour
  }

  area(number: number): string {
    return this.sheet.areas[number]!.colour
  }

  areaOf(cell: number): string {
    return this.area(this.names.cell_area[cell]!)
  }

  line(number: number) {
    const [area, index] = this.names.lines[number]!
    return { area: this.area(area), line: this.sheet.areas[area]!.lines[index]! }
  }
}
