// What a command adds to the log of a local table, or why it is refused. Nothing here changes a table.

import { tieOf } from '../lib/real_dice'
import type { TableCommand } from '../lib/wire'
import { LocalRefusal } from './refusal'
import type { LogInput, TableState } from './state'

/** How much a seat may take back between two rolls, as at a server. */
export const UNDOS = 30
const IN_ORDER = [0, 1, 2, 3, 4, 5]

type Answer = Extract<TableCommand, { type: 'roll' | 'play' | 'undo' | 'enter_faces' }>
/** A command of a person, or of a bot that has no id for it. */
export type Wish = TableCommand extends infer C ? (C extends { id: string } ? Omit<C, 'id'> : never) : never

/** The inputs that a person's command adds. */
export function decide(state: TableState, command: Wish): LogInput[] {
  switch (command.type) {
    case 'roll':
    case 'play':
    case 'undo': {
      const seat = heldSeat(state, command.seat)
      checkPlaying(state)
      return act(state, seat, command)
    }
    case 'enter_faces':
      checkPlaying(state)
      return enterFaces(state, command)
    case 'leave':
      checkPlaying(state)
      return state.people.map((seat) => ({ t: 'took_over', seat, bot: state.info().stand_in, given_up: true }))
    case 'hint':
      throw new LocalRefusal('no_hints')
    case 'pause':
      return []
    case 'resume':
    case 'takeover':
      throw new LocalRefusal(state.isGivenUp ? 'given_up' : 'not_stood_in')
    case 'rematch':
      throw new LocalRefusal('not_over')
    default:
      throw new LocalRefusal('already_started')
  }
}

/** The seat that acts: the one that is named, or the owner's. */
function heldSeat(state: TableState, seat: number | null | undefined): number {
  const held = seat ?? state.people[0]
  if (held === undefined || !state.people.includes(held)) throw new LocalRefusal('not_your_seat')
  return held
}

function checkPlaying(state: TableState): void {
  if (state.over) throw new LocalRefusal('game_over')
  if (state.isGivenUp) throw new LocalRefusal('given_up')
}

/** What a seat does in the game, by its player or through a bot. */
export function act(
  state: TableState,
  seat: number,
  command: Pick<Answer, 'type'> & { action?: string; roll?: boolean },
  bot?: string,
): LogInput[] {
  const { game } = state.playing
  if (command.type === 'undo') return [undo(state, seat)]
  if (command.type === 'play') {
    const played = play(state, seat, command.action ?? '', bot)
    return [played, ...(command.roll ? rollAfter(state, played) : [])]
  }
  if (state.setup.real_dice) throw new LocalRefusal('real_dice')
  if (!game.rolling().length) throw new LocalRefusal('no_throw')
  if (game.active !== seat) throw new LocalRefusal('not_active')
  return [{ t: 'threw', ...state.throw() }]
}

function play(state: TableState, seat: number, action: string, bot?: string): LogInput & { t: 'played' } {
  // The page offers only what is legal, so whoever asks for anything else has looked away.
  if (!state.playing.game.legal(seat).includes(state.layout.action(action))) throw new LocalRefusal('stale')
  return bot ? { t: 'played', seat, action, bot } : { t: 'played', seat, action }
}

function undo(state: TableState, seat: number): LogInput {
  const faces = state.mayUndoFaces(seat)
  if ((faces ? state.facesUndone : state.undos[seat]!) >= UNDOS) throw new LocalRefusal('too_many_undos')
  if (faces) return { t: 'undid_throw', seat }
  if (!state.playing.mayUndo(seat)) throw new LocalRefusal('nothing_to_undo')
  return { t: 'undid', seat }
}

/** The throw that follows an action at once, if the same seat is then to roll. */
function rollAfter(state: TableState, played: LogInput & { t: 'played' }): LogInput[] {
  if (state.setup.real_dice) return []
  const after = state.copy()
  after.apply(played)
  const { game } = after.playing
  return game.rolling().length && game.active === played.seat ? [{ t: 'threw', ...after.throw() }] : []
}

function enterFaces(state: TableState, command: Omit<Extract<TableCommand, { type: 'enter_faces' }>, 'id'>): LogInput[] {
  if (!state.setup.real_dice) throw new LocalRefusal('not_real_dice')
  const own = heldSeat(state, command.seat)
  const { game } = state.playing
  const wanted = game.rolling()
  if (!wanted.length) throw new LocalRefusal('no_throw')
  const mine = state.people.includes(game.active) && command.seat == null
  const by = mine ? game.active : own
  if (by !== game.active && !state.bot(game.active)) throw new LocalRefusal('not_active')
  const { faces, order } = command
  if (faces.some((face, die) => (face >= 1 && face <= 6) !== wanted.includes(die))) {
    throw new LocalRefusal('wrong_faces')
  }
  if (order && [...order].sort().join() !== IN_ORDER.join()) throw new LocalRefusal('wrong_faces')
  const solo = game.address()![1] === 0
  if (!order && solo && tieOf(faces.map((face, die) => [die, face]))) throw new LocalRefusal('tie_open')
  return [{ t: 'threw', faces, order: order ?? IN_ORDER, by }]
}
