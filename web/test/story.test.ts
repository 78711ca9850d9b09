import { describe, expect, it, vi } from 'vitest'
import type { Area, GameEvent, GameView, Sheet } from '../src/lib/game'
import { speak, t, type Language } from '../src/lib/i18n.svelte'
import type { Entry, SeatInfo } from '../src/lib/wire'
import { promptFor } from '../src/lib/prompt'
import { facesBefore, narrate, tell } from '../src/lib/story'
import { answerForGames, GAMES } from './games'

vi.stubGlobal('document', { documentElement: {} })
answerForGames()

const DICE: string[] = ['white', 'yellow', 'blue', 'green', 'orange', 'purple']
const FACES = [6, 2, 1, 4, 5, 3]
const SEATS: SeatInfo[] = [{ kind: 'human', name: 'Ana', bot: null, ready: true, stand_in: null, guest: false, hints: 0 }]

function area(colour: string, writes: Area['writes'], grid: boolean): Area {
  const cell = { row: 0, column: 0, number: grid ? 7 : 0, minimum: 0, factor: 1, bonus: null, bonus_minimum: 0 }
  return {
    colour, writes, grid, letter: colour[0]!, entry: 'match', scores: 'count', adds_joker: false, row_dice: [],
    rows: 1, columns: 1, cells: [{ ...cell, name: `${colour}1` }], printed: [], lines: [], points: [],
  }
}
const SHEET = {
  id: GAMES[0],
  dice: DICE.map((colour) => ({ colour, letter: colour[0]! })),
  areas: [area('blue', 'cross', true), area('orange', 'value', false), area('purple', 'value', false)],
} as Sheet

const thrown: GameEvent = { event: 'thrown', dice: DICE, faces: FACES, roll: 1, reroll: 0 }
function entered(die: string, value: number, area: string, manner: 'pool' | 'tray' = 'pool'): GameEvent[] {
  return [
    { event: 'taken', seat: 0, die, value, manner },
    { event: 'marked', seat: 0, area, cell: `${area}1`, mark: value, value },
  ]
}
async function said(language: Language, events: GameEvent[], faces = FACES): Promise<string[]> {
  await speak(language)
  return narrate(SHEET, SEATS, events, faces).map((part) => part.text)
}

describe('the log', () => {
  it('names a die by its face, and the sum where two dice count together', async () => {
    expect(await said('en', entered('blue', 7, 'blue'))).toEqual([
      'Ana takes the blue 1 and marks the 7 in blue (1 + 6).',
    ])
    expect(await said('en', entered('white', 7, 'blue', 'tray'))).toEqual([
      'Ana takes the white 6 from the platter and marks the 7 in blue (6 + 1).',
    ])
    expect(await said('en', entered('blue', 7, 'purple'))).toEqual([
      'Ana takes the blue 1 and writes 7 (1 + 6) in space 1 in purple.',
    ])
    expect(await said('en', entered('orange', 5, 'orange'))).toEqual([
      'Ana takes the orange 5 and writes 5 in space 1 in orange.',
    ])
  })

  it.each([
    ['de', 'Ana nimmt die blaue 1 und markiert die 7 im blauen Bereich (1 + 6).'],
    ['nl', 'Ana neemt de blauwe 1 voor de 7 in de blauwe categorie (1 + 6).'],
    ['sr', 'Ana uzima plavu 1 i obeležava broj 7 u plavoj oblasti (1 + 6).'],
  ] as const)('says so in %s', async (language, sentence) => {
    expect(await said(language, entered('blue', 7, 'blue'))).toEqual([sentence])
  })

  it.each([
    ['en', 'Ana gets an additional die.', 'Ana spends a re-roll.'],
    ['de', 'Ana bekommt einen Zusatzwürfel.', 'Ana setzt eine Nachwürfel-Aktion ein.'],
    ['nl', 'Ana krijgt een extra dobbelsteen.', 'Ana zet de actie ‘nogmaals dobbelen’ in.'],
    ['sr', 'Ana dobija dodatnu kockicu.', 'Ana troši ponovno bacanje.'],
  ] as const)('says what was got and spent in %s', async (language, got, spent) => {
    const events: GameEvent[] = [
      { event: 'bonus_earned', seat: 0, bonus: 'extra', source: 'cell', where: '' },
      { event: 'action_spent', seat: 0, track: 'reroll', count: 0 },
    ]
    expect(await said(language, events)).toEqual([got, spent])
  })

  it('names the colour alone where a game has no other form of it', async () => {
    await speak('en')
    const sheet = { ...SHEET, id: 'unknown' }
    expect(narrate(sheet, SEATS, entered('blue', 7, 'blue'), FACES).map((part) => part.text)).toEqual([
      'Ana takes blue 1 and marks the 7 blue (1 + 6).',
    ])
  })

  it('goes by the last throw, and names no face that it does not know', async () => {
    const [, taken] = await said('en', [thrown, ...entered('blue', 7, 'blue')], [1, 1, 5, 1, 1, 1])
    expect(taken).toBe('Ana takes the blue 1 and marks the 7 in blue (1 + 6).')
    expect(await said('en', entered('blue', 7, 'blue'), [])).toEqual(['Ana takes Blue and marks the 7 in blue.'])
    const entries = [[thrown], [], [{ ...thrown, faces: [1, 1, 1, 1, 1, 1] }]].map(
      (events, seq) => ({ seq, at: 0, what: 'threw', events }) as Entry,
    )
    expect([0, 1, 2, 3].map((i) => facesBefore(entries, i)[2])).toEqual([undefined, 1, 1, 1])
    expect(facesBefore(entries, 2)).toEqual(FACES)
  })

  it('tells what goes to the platter after the taking that sends it there', async () => {
    const [taken, marked] = entered('orange', 5, 'orange')
    const moved: GameEvent = { event: 'moved', die: 'blue', origin: 'pool', place: 'tray', reason: 'lower' }
    expect(await said('en', [taken!, moved, marked!])).toEqual([
      'Ana takes the orange 5 and writes 5 in space 1 in orange.',
      'To the silver platter: Blue.',
    ])
  })

  it('tells what happened at the table besides the game', async () => {
    await speak('en')
    const texts = (['undid', 'left', 'resumed', 'took_over'] as const).flatMap((what) =>
      tell(SHEET, SEATS, { seq: 1, at: 0, what, seat: 0, bot: 'greedy' }, []).map((part) => part.text),
    )
    expect(texts).toEqual([
      'Ana undoes the last step.', 'Ana leaves the table.', 'Ana is back.', 'Greedy takes over for Ana.',
    ])
  })
})

describe('what is asked', () => {
  it('names only dice that have a place', async () => {
    await speak('en')
    const place = { action: 'g>sg4', die: 'g', area: null, cell: 'sg4', mark: 1 }
    const game = {
      over: false, rolling: [], awaiting: [0], faces: FACES,
      seats: [{ open: {}, crosses: ['y', 'g'], legal: [place], stage: 'follow' }],
    } as unknown as GameView
    const sheet = { ...SHEET, areas: [...SHEET.areas, { ...area('yellow', 'cross', true), row_dice: DICE }] }
    expect(promptFor(sheet, game, SEATS, 0)).toBe('You may also cross off the green 4 in yellow.')
  })

  it.each([
    ['en', '+1 point', '−2 points'],
    ['de', '+1 Punkt', '−2 Punkte'],
    ['nl', '+1 punt', '−2 punten'],
    ['sr', '+1 poen', '−2 poena'],
  ] as const)('counts points in %s', async (language, one, two) => {
    await speak(language)
    expect(t('preview.points', { points: '+1', n: 1 })).toBe(one)
    expect(t('preview.points', { points: '−2', n: 2 })).toBe(two)
  })
})
