// A small engine in JavaScript: takes the most points now. Needs nothing but Node.js.
//
//     foxtray bots add mine -- node greedy.mjs

import { createInterface } from 'node:readline'

const say = (message) => console.log(JSON.stringify(message))

/** The action that gains most; the first of several. */
function decide({ legal, gains }) {
  return legal[gains.indexOf(Math.max(...gains))]
}

function opinions({ legal, gains }) {
  const found = legal.map((action, i) => ({ action, points: gains[i] }))
  return found.sort((a, b) => b.points - a.points)
}

let position

const answers = {
  hello: () =>
    say({ type: 'hello', protocol: 1, name: 'Greedy in JavaScript', wants: ['gains'], opinions: true }),
  position: (message) => {
    position = message
  },
  go: ({ id, opinions: wanted }) => {
    const answer = { type: 'bestaction', id, action: decide(position) }
    say(wanted ? { ...answer, opinions: opinions(position) } : answer)
  },
  quit: () => process.exit(0),
}

// newgame: nothing to forget. stop: every question is answered before the next line is read.
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  answers[message.type]?.(message)
}
