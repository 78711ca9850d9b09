"""Sheets filled at random late in a game, where bonuses meet in ways that play seldom reaches."""

from random import Random

from oracle import Oracle, Player


def scribble(oracle: Oracle, chance: Random) -> None:
    """Go to the first throw of a late turn, with random marks on every sheet."""
    turns = oracle.rounds * oracle.turns_in_round
    oracle.turn = turns - chance.randint(1, min(turns, 2 * oracle.turns_in_round + 2))
    oracle._want_first_throw()
    for player in oracle.players:
        player.marks = {}
        for area in oracle.sheet.areas:
            if oracle.sheet.is_grid(area):
                mark_grid(oracle, player, area, chance)
            else:
                mark_row(oracle, player, area, chance)
        earn_again(oracle, player)
        for track, circled in player.circled.items():
            player.spent[track] = chance.randint(0, circled)


def mark_grid(oracle: Oracle, player: Player, area: str, chance: Random) -> None:
    share = chance.random() ** 0.5  # rather full than empty
    for cell in oracle.sheet.cells[area]:
        if chance.random() < share:
            crossed = (oracle.game, area) == ("twice", "yellow") and chance.random() < share
            player.marks[cell] = 2 if crossed else 1


def mark_row(oracle: Oracle, player: Player, area: str, chance: Random) -> None:
    fields = len(oracle.sheet.cells[area])
    values = range(2, 13) if area == "blue" else range(1, 7)
    for _ in range(chance.randint(0, fields) if chance.random() < 0.6 else fields - 1):
        fitting = [value for value in values if oracle._places_for(player, area, value)]
        if area == "blue":
            fitting = fitting[-3:]  # fall slowly
        oracle._write(player, area, chance.choice(fitting))


def earn_again(oracle: Oracle, player: Player) -> None:
    """Count what the rounds so far and all marks have given; marks they gave are made already."""
    player.foxes = 0
    player.circled = dict.fromkeys(player.circled, 0)
    for bonus in oracle.sheet.printed["round_bonus"][: oracle.round + 1]:
        if bonus is not None:
            oracle._receive(player, bonus)
    for line in oracle._full_lines(player):
        oracle._receive(player, oracle.sheet.lines[line][1])
    for cell, bonus in oracle.sheet.field_bonus.items():
        minimum = 0
        if cell.startswith("p") and oracle.game == "twice":
            minimum = oracle.sheet.printed["pink"]["minimum"][int(cell[1:]) - 1]
        if cell in player.marks and player.marks[cell] >= minimum:
            oracle._receive(player, bonus)
    player.open = []


def position(oracle: Oracle) -> str:
    """The package's text for this moment: a first throw is wanted, or the game is over."""
    dice = ",".join(f"{die}{oracle.face[die]}p" for die in oracle.sheet.dice)
    words = [oracle.game, f"seats={oracle.seats}", f"first={oracle.first + 1}"]
    words += [f"{flag}=on" for flag in ("solo_fallback", "fox_floor") if getattr(oracle, flag)]
    words += [f"turn={oracle.turn}", f"phase={oracle.phase}", f"roll={oracle.number_of_roll}"]
    words += ["reroll=0", f"dice={dice}"]
    for player in oracle.players:
        words.append("|")
        words += [f"{area[0]}={marks(oracle, player, area)}" for area in oracle.sheet.areas]
        words += [f"{track}={had}/{player.spent[track]}" for track, had in player.circled.items()]
        words += [f"foxes={player.foxes}", "stage=idle"]
    return " ".join(words)


def marks(oracle: Oracle, player: Player, area: str) -> str:
    cells = oracle.sheet.cells[area]
    if oracle.sheet.is_grid(area):
        signs = ".ox" if (oracle.game, area) == ("twice", "yellow") else ".x"
        return "".join(signs[player.marks.get(cell, 0)] for cell in cells)
    values = [player.marks[cell] for cell in cells if cell in player.marks]
    if (oracle.game, area) == ("clever", "green"):
        return "x" * len(values) or "-"
    return ",".join(map(str, values)) or "-"
