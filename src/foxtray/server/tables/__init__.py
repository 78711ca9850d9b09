"""The tables of a server: their games, players, bots and clocks."""
