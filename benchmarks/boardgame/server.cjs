// A boardgame.io server with a trivial game, for comparison: PORT [FOLDER] (in memory without one).
const { Server, FlatFile, Origins } = require('boardgame.io/server')

const game = {
  name: 'count',
  setup: () => ({ count: 0, last: [0, 0, 0, 0] }),
  turn: { activePlayers: { all: null } }, // everybody may move at any time
  moves: {
    add({ G, playerID }, n) {
      G.count += n
      G.last[Number(playerID)] = n
    },
  },
}

const [port, folder] = process.argv.slice(2)
const storage = folder ? { db: new FlatFile({ dir: folder }) } : {}
Server({ games: [game], origins: [Origins.LOCALHOST], ...storage }).run(Number(port))
