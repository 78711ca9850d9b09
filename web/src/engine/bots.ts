// The bots of the page as the page sees them: one worker per game, which is asked and answers.

import { source } from '../lib/site'
import type { Seed, State, Tables } from './engine'
import type { Answered, Asked } from './messages'

/** How much of the nets has arrived: bytes, and how many there will be (0 if that is unknown). */
export type Progress = (loaded: number, total: number) => void

/** The decision is no longer wanted. */
export class Cancelled extends Error {}

interface Waiting {
  resolve(action: number): void
  reject(error: Error): void
}

/** Fetch the nets of a game; they are kept by the browser like the page's own files. */
export async function fetchNets(game: string, progress: Progress = () => {}): Promise<ArrayBuffer> {
  const response = await fetch(source(`nets/${game}`)!)
  if (!response.ok || !response.body) throw new Error(`the nets of ${game} did not arrive`)
  const total = Number(response.headers.get('content-length') ?? 0)
  const parts: Uint8Array[] = []
  let loaded = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    loaded += value.length
    progress(loaded, total)
  }
  const whole = new Uint8Array(loaded)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole.buffer
}

/** The bots of one game. */
export class Bots {
  readonly #tables: Tables
  readonly #nets: ArrayBuffer
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #last = 0

  constructor(tables: Tables, nets: ArrayBuffer) {
    this.#tables = tables
    this.#nets = nets
  }

  /** Load the nets of a game and prepare its bots. */
  static async load(game: string, tables: Tables, progress?: Progress): Promise<Bots> {
    return new Bots(tables, await fetchNets(game, progress))
  }

  /** The action of a level; the same seed and state give the same action as in Python. */
  decide(s: State, seat: number, level: string, seed: Seed): Promise<number> {
    const id = ++this.#last
    const { low, high } = seed
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#tell({ type: 'decide', id, numbers: s.numbers.slice(), seat, level, low, high })
    })
  }

  /** Stop thinking: every decision under way fails with `Cancelled`. */
  cancel(): void {
    this.#end(new Cancelled('the decision is no longer wanted'))
  }

  #tell(message: Asked): void {
    if (!this.#worker) {
      this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
      this.#worker.onmessage = ({ data }: MessageEvent<Answered>) => this.#hear(data)
      this.#worker.onerror = (event) => this.#end(new Error(event.message || 'the bots failed'))
      const load: Asked = { type: 'load', tables: this.#tables, nets: this.#nets }
      this.#worker.postMessage(load)
    }
    this.#worker.postMessage(message)
  }

  #hear(message: Answered): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'decided') waiting?.resolve(message.action)
    else waiting?.reject(new Error(message.message))
  }

  /** A worker cannot be interrupted, only ended; the next decision starts another one. */
  #end(error: Error): void {
    this.#worker?.terminate()
    this.#worker = null
    const left = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of left) reject(error)
  }
}
