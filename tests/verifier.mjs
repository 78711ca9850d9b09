// Checks the dice of a record, written from docs/fair-dice.md alone.
//
//   node verifier.mjs FILE [COMMITMENT [SEAT ENTROPY]]
//
// COMMITMENT, SEAT and ENTROPY are what a player kept from before the start of the game.

import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

const sha256 = (data) => createHash('sha256').update(data).digest('hex')
const hmac = (key, data) => createHmac('sha256', key).update(data).digest()

function fail(cause) {
  console.log(`WRONG: ${cause}`)
  process.exit(1)
}

const [file, keptCommitment, keptSeat, keptEntropy] = process.argv.slice(2)
const data = readFileSync(file)
const lines = data.toString('utf8').split('\n')
if (lines.pop() !== '') fail('the last line is cut short')

const values = (word) =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
const only = (word) => (values(word).length === 1 ? values(word)[0] : fail(`one '${word}' is needed`))
const perSeat = (word) =>
  values(word).map((text, i) => {
    const [seat, value] = text.split(' ')
    return seat === String(i + 1) ? value : fail(`'${word}' of seat ${i + 1} is expected`)
  })

// 1. The sum.
const sum = Buffer.byteLength(`sha256 ${only('sha256')}\n`)
if (!lines.at(-1).startsWith('sha256 ')) fail('something follows the sum')
if (sha256(data.subarray(0, data.length - sum)) !== only('sha256')) fail('the file was changed')

// 2. The secret.
const [kind, commitment] = only('dice').split(' ')
if (kind !== 'secret') fail('these dice have no secret')
const secret = Buffer.from(only('secret'), 'hex')
if (secret.toString('hex') !== only('secret') || sha256(secret) !== commitment) {
  fail('the secret is not the one that was committed to')
}

// 3. The seats.
const seats = Number(only('seats'))
const commits = perSeat('commit')
const entropies = perSeat('entropy')
if (![0, seats].includes(commits.length) || ![0, seats].includes(entropies.length)) {
  fail('some seats have no line of their own')
}
const notes = []
commits.forEach((hash, i) => {
  const seat = i + 1
  if (hash === '-') {
    if (entropies[i]) notes.push(`seat ${seat} gave its entropy in clear`)
  } else if (!entropies[i]) notes.push(`seat ${seat} was left out`)
  else if (sha256(`foxtray entropy ${commitment} ${seat} ${entropies[i]}`) !== hash) {
    fail(`seat ${seat} committed to other entropy`)
  }
})

// 4. The seed, and who begins.
const message = entropies.map((text) => {
  const bytes = Buffer.from(text, 'hex')
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
})
const seed = hmac(secret, Buffer.concat(message))

function* stream(text) {
  for (let block = 0; ; block++) yield* hmac(seed, `${text} ${block}`)
}
function below(count, bytes) {
  const share = Math.floor(256 / count)
  for (;;) {
    const byte = bytes.next().value
    if (byte < count * share) return Math.floor(byte / share)
  }
}
if (only('foxtray') !== '1' && 1 + below(seats, stream('first')) !== Number(only('first'))) {
  fail('another seat should have begun')
}

// 5. The rolls. `ways` are the addresses that the last roll can have had.
const letters = { clever: 'wybgop', twice: 'wsybgp' }[only('game')] ?? fail('unknown game')

function agrees(address, faces, order) {
  const bytes = stream(`throw ${address.join(' ')}`)
  const drawn = Array.from({ length: 6 }, () => 1 + below(6, bytes))
  const places = [...letters]
  for (const place of [6, 5, 4, 3, 2]) {
    const other = below(place, bytes)
    ;[places[place - 1], places[other]] = [places[other], places[place - 1]]
  }
  return places.join('') === order && drawn.every((n, i) => faces[i] === '-' || faces[i] === String(n))
}
const opening = (turn) => [turn, seats === 1 && turn % 2 ? 0 : 1, 0]
function following([turn, roll, reroll], rerolled) {
  if (rerolled) return [[turn, roll, reroll + 1]]
  const next = [opening(turn + 1)]
  return roll === 1 || roll === 2 ? [[turn, roll + 1, 0], ...next] : next
}

let ways = [[-1, 3, 0]]
let rolls = 0
let rerolled = false
for (const [i, line] of lines.entries()) {
  const [word, faces, order] = line.split(' ')
  if (/^[1-4]$/.test(word) && faces === 'reroll') rerolled = true
  if (word !== 'throw') continue
  ways = ways.flatMap((way) => following(way, rerolled)).filter((way) => agrees(way, faces, order))
  if (!ways.length) fail(`line ${i + 1} is not what the dice give`)
  rolls++
  rerolled = false
}

// 6. The end.
const turns = [12, 12, 15, 16][seats - 1]
if (values('end').length) {
  if (!ways.some(([turn]) => turn + 1 === turns)) fail('the game ended before its last turn')
} else if (only('given') === 'up') notes.push('the game was given up')

// 7. What the player kept.
if (!keptCommitment) notes.push('without what you kept, the record only agrees with itself')
else if (keptCommitment !== commitment) fail('you were shown another commitment before the start')
if (keptSeat && entropies[keptSeat - 1] !== keptEntropy) fail('your entropy was not used')

console.log(`right: all ${rolls} rolls follow from the secret and the entropy of the seats`)
for (const note of notes) console.log(`note: ${note}`)
