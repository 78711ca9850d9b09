// The bots in the page: the levels of Python, translated, with nets in a byte per weight.

import * as loops from './generated/loops.js'
import * as planner from './generated/planner.js'
import { Net, State, Work, Workspace, type Tables } from './generated/records.js'
import * as rules from './generated/rules.js'
import { CANDIDATES, MARGIN } from './generated/search.js'
import * as thinking from './generated/thinking.js'
import type { Seed } from './engine.js'

/** The settings of a level; a level without a bound plays without a net. */
interface Level {
  bound: number
  last_bound: number
  noise: number
  throws: number
  effort: number
  reply_bound: number
}

interface Header {
  format: number
  game: string
  inputs: Record<string, number | number[]>
  levels: Record<string, Level>
  /** The net for 1 to 4 seats until the last round, and in it. */
  serves: number[]
  late: number[]
  nets: number
  /** The parts of a net in the order of its weights: name, rows, weights in a row. */
  parts: [name: keyof Net, rows: number, length: number][]
}

export { State }

const FORMAT = 3
const MAGIC = 0x4e584f46 // FOXN

function read(data: ArrayBuffer): { header: Header; nets: Net[] } {
  const [magic, length] = new Uint32Array(data, 0, 2)
  if (magic !== MAGIC || length === undefined) throw new Error('this is not a file of nets')
  const text = new TextDecoder().decode(new Uint8Array(data, 8, length))
  const header = JSON.parse(text) as Header
  if (header.format !== FORMAT) throw new Error('these nets are for another version of the page')
  // A size of a step for each row of each net, then all weights as whole numbers of steps.
  const rows = header.nets * header.parts.reduce((sum, [, each]) => sum + each, 0)
  const sizes = new Float32Array(data, 8 + length, rows)
  const steps = new Int8Array(data, 8 + length + sizes.byteLength)
  let [row, at] = [0, 0]
  const nets = Array.from({ length: header.nets }, () => {
    const net = new Net()
    for (const [name, count, wide] of header.parts) {
      const part = net[name]
      for (let k = 0; k < count; k++) {
        const weights = Array.isArray(part) ? part[k]! : part
        const size = sizes[row++]!
        for (let j = 0; j < wide; j++) weights[j] = size * steps[at++]!
      }
    }
    return net
  })
  return { header, nets }
}

function workspace(inputs: Header['inputs']): Workspace {
  const made = new Workspace()
  const target = made.inputs as unknown as Record<string, number | Int32Array>
  for (const [name, value] of Object.entries(inputs)) {
    if (typeof value === 'number') target[name] = value
    else (target[name] as Int32Array).set(value)
  }
  made.work.log.size = -1
  return made
}

/** Decides for a game; keeps nothing between decisions but memory. */
export class Brain {
  readonly #tables: Tables[]
  readonly #work = new Work()
  readonly #scratch: State[] = []
  readonly #header: Header
  readonly #nets: Net[]
  readonly #workspace: Workspace
  readonly #inner: Workspace

  constructor(tables: Tables, data: ArrayBuffer) {
    this.#tables = [tables]
    this.#work.log.size = -1
    const { header, nets } = read(data)
    this.#header = header
    this.#nets = nets
    this.#workspace = workspace(header.inputs)
    this.#inner = workspace(header.inputs)
  }

  /** The levels that can play, weakest first. */
  get levels(): string[] {
    return Object.keys(this.#header.levels)
  }

  /** The action of a level; the same seed and state give the same action as in Python. */
  decide(s: State, seat: number, level: string, seed: Seed): number {
    const t = this.#tables[0]!
    const work = this.#work
    const n = rules.legal_actions(t, s, seat, work.out)
    if (n === 0) throw new Error('this seat has nothing to decide')
    const settings = this.#header.levels[level]
    if (!settings) throw new Error(`there is no level ${level} for this game`)
    if (!settings.bound) return this.#simple(s, seat, level, seed, n)
    if (n === 1) return work.out[0]!
    const { serves, late } = this.#header
    const nets = [serves, late].map((which) => this.#nets[which[s.seats - 1]!]!)
    const actions = new Int32Array(1)
    const [states, which, seats] = [[s], [0], [seat]]
    const [lows, highs] = [[seed.low], [seed.high]]
    const { bound, last_bound, noise, throws, effort, reply_bound } = settings
    if (throws) {
      thinking.search_all(
        this.#tables, states, which, seats, lows, highs, bound, last_bound, reply_bound, throws,
        effort, MARGIN, CANDIDATES, nets, [this.#workspace], [this.#inner], actions,
      ) // prettier-ignore
    } else {
      thinking.choose(
        this.#tables, states, which, seats, lows, highs, bound, last_bound, noise, nets,
        [this.#workspace], actions,
      ) // prettier-ignore
    }
    return actions[0]!
  }

  #simple(s: State, seat: number, level: string, seed: Seed, n: number): number {
    const { low, high } = seed
    const where = planner.fingerprint(this.#tables[0]!, s, seat) % 2 ** 32
    if (level === 'random') return loops.random_action(low, high, where, n, this.#work)
    const t = this.#tables[0]!
    return loops.greedy_action(t, s, seat, low, high, where, n, this.#scratch, this.#work)
  }
}
