// What the screens ask a server about a table, answered for tables of this device.

import { Refused } from '../lib/api'
import type { Match } from '../lib/wire'
import { recordText } from './record'
import { LocalRefusal } from './refusal'
import { summary } from './statistics'
import { course, steps } from './steps'
import { browser, layoutOf, store } from './surroundings'
import { LocalTable } from './table'

/** The answer to `GET tables/ID/...`. */
export async function answer(path: string): Promise<unknown> {
  const { pathname, searchParams } = new URL(path, 'local:/')
  const [, , id = '', what = ''] = pathname.split('/')
  try {
    const table = await LocalTable.open(id, browser)
    const { state } = table
    const wanted = (name: string, otherwise: number) => Number(searchParams.get(name) ?? otherwise)
    switch (what) {
      case '':
        return table.snapshot()
      case 'steps':
        return steps(state.playing, wanted('first', 0), wanted('count', 50))
      case 'course':
        return course(state.playing)
      case 'record':
        if (!state.over && !state.isGivenUp) throw new LocalRefusal('not_over')
        return recordText(state)
      case 'summary': {
        const [{ sheet }, { games }, kept] = await Promise.all([layoutOf(state.setup.game), store.list(), store.get(id)])
        return summary(sheet, kept!, games)
      }
      case 'match':
        return { game: state.setup.game, games: [] } satisfies Match
      default:
        throw new LocalRefusal('not_found')
    }
  } catch (error) {
    throw error instanceof LocalRefusal ? new Refused(error.code, error.message) : error
  }
}
