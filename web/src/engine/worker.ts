// The bots of one game, beside the page: a decision may take a second or two.

import { Brain, State } from './brain'
import type { Answered, Asked } from './messages'

let brain: Brain | null = null

function answer(message: Answered): void {
  postMessage(message)
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  if (data.type === 'load') {
    brain = new Brain(data.tables, data.nets)
    return
  }
  const { id, numbers, seat, level, low, high } = data
  try {
    const s = new State()
    s.numbers.set(numbers)
    const before = performance.now()
    const action = brain!.decide(s, seat, level, { low, high })
    answer({ type: 'decided', id, action, milliseconds: performance.now() - before })
  } catch (error) {
    answer({ type: 'failed', id, message: String(error) })
  }
})
