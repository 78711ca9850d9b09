// The other end of a line to a table in the page: what a server does with a socket.

import type { SocketLike } from '../lib/connection'
import { CLOSE_GONE, type FromClient, type FromServer } from '../lib/wire'
import { LocalTable, refusedBy, type Surroundings } from './table'

export { browser } from './surroundings'

/** Opens a table and lets it answer what is sent, until the line is closed. */
export async function connect(line: SocketLike, id: string, around: Surroundings): Promise<void> {
  let closed = false
  let stop: (() => void) | undefined
  line.close = () => {
    closed = true
    stop?.()
  }
  const tell = (message: FromServer) => {
    if (!closed) line.onmessage?.({ data: JSON.stringify(message) })
  }
  try {
    const table = await LocalTable.open(id, around)
    if (closed) return
    line.send = (text) => {
      const message = JSON.parse(text) as FromClient
      if (message.type === 'hello') {
        tell(table.greeting())
        tell(table.snapshot())
        stop ??= table.listen(tell)
      } else void answered(table, message).then((answer) => answer && tell(answer))
    }
    line.onopen?.(undefined as never)
  } catch (error) {
    tell(refusedBy(null, error))
    if (!closed) line.onclose?.({ code: CLOSE_GONE })
  }
}

async function answered(
  table: LocalTable,
  message: Exclude<FromClient, { type: 'hello' }>,
): Promise<FromServer | null> {
  switch (message.type) {
    case 'ping':
      return { type: 'pong', time: table.now() }
    case 'preview':
      return { type: 'previews', id: message.id, seq: table.seq, actions: table.previews(message.seat) }
    case 'pace':
      table.setPace(message.pace, message.skip ?? false)
      return null
    case 'say':
      return null // nobody else is here
    default:
      return table.execute(message)
  }
}
