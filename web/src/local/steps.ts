// A finished game of this device, step by step.

import type { Course, CourseRoll, Step, Steps } from '../lib/wire'
import { Game } from './game'
import { step, type History, type Input } from './history'
import { inputLine } from './record'
import { gameView } from './views'

interface Moment {
  input: Input | null
  events: Step['events']
  game: Game
  /** The game before the input. */
  before: Game
}

function* moments(history: History): Generator<Moment> {
  const { layout, seats, options } = history
  let { game, events } = Game.begin(layout, seats, options)
  yield { input: null, events, game, before: game }
  for (const input of history.inputs) {
    const before = game
    ;({ game, events } = step(before, input))
    yield { input, events, game, before }
  }
}

export function steps(history: History, first: number, count: number): Steps {
  const found: Step[] = []
  let number = 0
  for (const { input, events, game } of moments(history)) {
    if (number >= first + count) break
    if (number >= first) {
      const line = input && inputLine(history.layout, input)
      const seat = input && 'seat' in input ? input.seat : null
      found.push({ number, input: line, seat, events, game: gameView(game) })
    }
    number++
  }
  return { count: history.inputs.length + 1, steps: found }
}

/** The points of every seat after each step, the turn of each step, and all rolls. */
export function course(history: History): Course {
  const totals: number[][] = []
  const turns: number[] = []
  const rolls: CourseRoll[] = []
  for (const { input, game, before } of moments(history)) {
    totals.push(game.scores().map((score) => score.total))
    turns.push(game.state.turn)
    const address = before.address()
    if (input && 'throw' in input && address) {
      const [turn, roll, reroll] = address
      rolls.push({ turn, roll, reroll, faces: input.throw.faces })
    }
  }
  return { totals, turns, rolls }
}
