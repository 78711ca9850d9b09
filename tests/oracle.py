"""A naive second opinion on the rules: slow, plain, made from the printed sheets alone.

It shares no line of code with the package. Wherever there was a choice between clear and fast,
it is clear: marks are a dictionary from cell names to numbers, and everything else (full lines,
points, what is allowed) is worked out from them again each time it is asked for.
"""

import copy
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# A bonus is what the printed sheet says: {"action": ...}, {"mark": ..., "value": ...},
# {"fox": 1} or {"choice": [...]}.
Bonus = dict[str, Any]

PRINTED = Path(__file__).parent / "printed"


class Sheet:
    """A printed sheet: names for its cells, and the lines they form."""

    def __init__(self, game: str) -> None:
        self.printed: dict[str, Any] = json.loads((PRINTED / f"{game}.json").read_text())
        self.game = game
        self.dice = [colour[0] for colour in self.printed["dice"]]
        self.areas: list[str] = [colour for colour in self.printed["dice"] if colour != "white"]
        self.cells: dict[str, list[str]] = {}  # area -> its cells in reading order
        self.number: dict[str, int] = {}  # grid cell -> the number printed in it
        self.lines: list[tuple[list[str], Bonus]] = []  # cells -> what they give when full
        self.columns: list[tuple[list[str], int]] = []  # Clever's yellow columns and their points
        self.field_bonus: dict[str, Bonus] = {}  # row cell -> what it gives
        for area in self.areas:
            if area == "silver":
                self._read_silver()
            elif "grid" in self.printed[area]:
                self._read_grid(area)
            else:
                self._read_row(area)

    def _read_silver(self) -> None:
        silver = self.printed["silver"]
        self.cells["silver"] = []
        for row in silver["rows"]:
            for number in silver["columns"]:
                cell = f"s{row[0]}{number}"
                self.cells["silver"].append(cell)
                self.number[cell] = number
        for number, bonus in zip(silver["columns"], silver["column_bonus"], strict=True):
            self.lines.append(([f"s{row[0]}{number}" for row in silver["rows"]], bonus))

    def _read_grid(self, area: str) -> None:
        grid = self.printed[area]["grid"]
        numbers = [entry for row in grid for entry in row if isinstance(entry, int)]
        seen: list[int] = []
        at: dict[tuple[int, int], str] = {}  # (row, column) -> cell; nothing where print has none
        for r, row in enumerate(grid):
            for c, entry in enumerate(row):
                if isinstance(entry, int):
                    twin = "ab"[seen.count(entry)] if numbers.count(entry) > 1 else ""
                    seen.append(entry)
                    at[r, c] = f"{area[0]}{entry}{twin}"
                    self.number[at[r, c]] = entry
        self.cells[area] = list(at.values())
        rows = [[cell for (r, _), cell in at.items() if r == row] for row in range(len(grid))]
        columns = [[cell for (_, c), cell in at.items() if c == col] for col in range(len(grid[0]))]
        self.lines += zip(rows, self.printed[area]["row_bonus"], strict=True)
        if "column_bonus" in self.printed[area]:
            self.lines += zip(columns, self.printed[area]["column_bonus"], strict=True)
        if "column_points" in self.printed[area]:
            self.columns += zip(columns, self.printed[area]["column_points"], strict=True)
        if "diagonal" in self.printed[area]:
            diagonal = self.printed[area]["diagonal"]
            self.lines.append(([at[r, c] for r, c in diagonal["cells"]], diagonal["bonus"]))

    def _read_row(self, area: str) -> None:
        bonuses = self.printed[area]["bonus"]
        self.cells[area] = [f"{area[0]}{field + 1}" for field in range(len(bonuses))]
        for cell, bonus in zip(self.cells[area], bonuses, strict=True):
            if bonus is not None:
                self.field_bonus[cell] = bonus

    def is_grid(self, area: str) -> bool:
        return self.cells[area][0] in self.number

    def places(self, area: str) -> list[str]:
        """How actions name the targets of an area: each cell of a grid, one letter for a row."""
        return self.cells[area] if self.is_grid(area) else [area[0]]

    def area_of(self, place: str) -> str:
        return next(area for area in self.areas if area[0] == place[0])

    def printed_bonuses(self, value: Any = None) -> Iterator[Bonus]:
        """Every bonus printed anywhere on the sheet, the options of a choice one by one."""
        value = self.printed if value is None else value
        if isinstance(value, dict):
            if {"action", "mark", "fox"} & value.keys():
                yield value
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                if part is not None:
                    yield from self.printed_bonuses(part)

    def bonus_values(self, area: str) -> list[int]:
        """The numbers that a bonus can bring to a row area; none where it brings a plain cross."""
        if self.game == "clever":
            found = {
                b["value"] for b in self.printed_bonuses() if b.get("mark") == area if "value" in b
            }
            return sorted(found)
        return list(range(2, 13)) if area == "blue" else list(range(1, 7))

    def bonus_name(self, bonus: Bonus) -> str:
        """What the notation calls a bonus that can be open."""
        if "choice" in bonus:
            return "choice"
        return f"{bonus['mark']}={bonus['value']}" if "value" in bonus else str(bonus["mark"])

    def all_actions(self) -> list[str]:
        """The text of every action there is, in the order of the ids."""
        actions = ["pass", "reroll"]
        if "return" in self.printed["tracks"]:
            actions += [f"return:{die}" for die in self.dice]
        for die in self.dice:
            for area in self.areas:
                for place in self.places(area):
                    own_row = area == "silver" and place[1] == die
                    if die in ("w", area[0]) or own_row:
                        actions.append(f"{die}>{place}")
        for area in self.areas:
            if self.is_grid(area):
                actions += [f"+{cell}" for cell in self.cells[area]]
            elif self.bonus_values(area):
                actions += [f"+{area[0]}={value}" for value in self.bonus_values(area)]
            else:
                actions.append(f"+{area[0]}")
        return actions


class Player:
    """One seat: what is on its sheet, and what it still has to do."""

    def __init__(self, sheet: Sheet) -> None:
        self.marks: dict[str, int] = {}
        self.circled = dict.fromkeys(sheet.printed["tracks"], 0)
        self.spent = dict.fromkeys(sheet.printed["tracks"], 0)
        self.foxes = 0
        self.open: list[Bonus] = []  # mark bonuses that wait to be used
        self.crosses: list[str] = []  # dice that silver's additional crosses are still owed for
        self.serving = "done"  # "pick", then "extra", then "done"
        self.extra_dice: list[str] = []  # used as extra dice in this turn

    def left(self, track: str) -> int:
        return self.circled.get(track, 0) - self.spent.get(track, 0)

    def copy(self) -> "Player":
        twin = copy.copy(self)
        for name in ("marks", "circled", "spent", "open", "crosses", "extra_dice"):
            setattr(twin, name, copy.copy(getattr(self, name)))
        return twin


class Oracle:
    """A game in progress. `play` and `roll` change it in place."""

    def __init__(
        self,
        game: str,
        seats: int,
        first: int = 0,
        solo_fallback: bool = False,
        fox_floor: bool = False,
    ) -> None:
        self.sheet = Sheet(game)
        self.game = game
        self.seats = seats
        self.first = first
        self.solo_fallback = solo_fallback
        self.fox_floor = fox_floor
        self.actions = self.sheet.all_actions()
        self.rounds: int = self.sheet.printed["rounds_by_players"][str(seats)]
        self.players = [Player(self.sheet) for _ in range(seats)]
        self.face = dict.fromkeys(self.sheet.dice, 0)
        self.place = dict.fromkeys(self.sheet.dice, "pool")
        self.turn = 0
        self.number_of_roll = 0
        self.number_of_reroll = 0
        # "round" (its bonuses), "throw" (dice wanted), "pick" (from a roll), "after" (a roll is
        # dealt with, the next not yet made), "serving", "over".
        self.phase = "round"
        self._start_turn()
        self._go_on()

    def copy(self) -> "Oracle":
        twin = copy.copy(self)
        twin.players = [player.copy() for player in self.players]
        twin.face = dict(self.face)
        twin.place = dict(self.place)
        return twin

    # -- what can be asked of a game ------------------------------------------------------------

    def all_actions(self) -> list[str]:
        return list(self.actions)

    @property
    def over(self) -> bool:
        return self.phase == "over"

    @property
    def turns_in_round(self) -> int:
        return 2 if self.seats == 1 else self.seats

    @property
    def round(self) -> int:
        return self.turn // self.turns_in_round

    @property
    def active(self) -> int:
        return (self.first + self.turn) % self.seats

    @property
    def solo_serving(self) -> bool:
        """Whether this turn is the passive half of a solo round."""
        return self.seats == 1 and self.turn % 2 == 1

    def awaiting(self) -> list[int]:
        return [seat for seat in range(self.seats) if self.legal(seat)]

    def rolling(self) -> list[int]:
        if self.phase != "throw":
            return []
        return [index for index, die in enumerate(self.sheet.dice) if self.place[die] == "pool"]

    def address(self) -> tuple[int, int, int] | None:
        if self.phase != "throw":
            return None
        return self.turn, self.number_of_roll, self.number_of_reroll

    def faces(self) -> list[int]:
        return [self.face[die] for die in self.sheet.dice]

    def places(self) -> list[str]:
        return [self.place[die] for die in self.sheet.dice]

    def open_bonuses(self, seat: int) -> dict[str, int]:
        """The bonuses that wait to be used, by name, and how many of each."""
        names = [self.sheet.bonus_name(bonus) for bonus in self.players[seat].open]
        return {name: names.count(name) for name in names}

    def marks(self, seat: int) -> dict[str, int]:
        return dict(self.players[seat].marks)

    def tracks(self, seat: int) -> dict[str, tuple[int, int]]:
        player = self.players[seat]
        return {track: (player.circled[track], player.spent[track]) for track in player.circled}

    # -- legal actions --------------------------------------------------------------------------

    def legal(self, seat: int) -> list[str]:
        """What the seat may do now, in the order of the ids; nothing if it is not asked."""
        return sorted(set(self._choices(seat)), key=self.actions.index)

    def _choices(self, seat: int) -> list[str]:
        player = self.players[seat]
        if self.phase == "over":
            return []
        if player.open or player.crosses:
            choices = [text for bonus in player.open for text in self._bonus_uses(player, bonus)]
            choices += [text for die in player.crosses for text in self._cross_uses(player, die)]
            return choices if player.open else [*choices, "pass"]
        if self.phase == "pick" and seat == self.active:
            return self._pick_choices(player)
        if self.phase == "after" and seat == self.active:
            return self._return_choices(player)
        if self.phase == "serving" and player.serving == "pick":
            return self._serving_choices(player)
        if self.phase == "serving" and player.serving == "extra":
            return self._extra_choices(player)
        return []

    def _pick_choices(self, player: Player) -> list[str]:
        uses = self._uses_of(player, self._dice_in("pool"))
        choices = list(uses)
        if player.left("reroll"):
            choices.append("reroll")
        if self.game == "twice" or not uses:
            choices.append("pass")
        return choices

    def _return_choices(self, player: Player) -> list[str]:
        tray = self._dice_in("tray")
        if not player.left("return") or not tray:
            return []
        return [f"return:{die}" for die in tray] + ["pass"]

    def _serving_choices(self, player: Player) -> list[str]:
        from_tray = self._uses_of(player, self._dice_in("tray"))
        if from_tray:
            return from_tray + (["pass"] if self.game == "twice" else [])
        others = self._dice_in("field1", "field2", "field3")
        if self.solo_fallback:
            others += self._dice_in("aside")
        from_others = self._uses_of(player, others)
        return [*from_others, "pass"] if from_others else []

    def _extra_choices(self, player: Player) -> list[str]:
        if not player.left("extra"):
            return []
        fresh = [die for die in self.sheet.dice if die not in player.extra_dice]
        uses = self._uses_of(player, fresh)
        return [*uses, "pass"] if uses else []

    def _dice_in(self, *places: str) -> list[str]:
        return [die for die in self.sheet.dice if self.place[die] in places]

    def _uses_of(self, player: Player, dice: list[str]) -> list[str]:
        return [text for die in dice for text in self._die_uses(player, die)]

    def _die_uses(self, player: Player, die: str) -> list[str]:
        """Every way to enter this die on the sheet."""
        uses = []
        for area in self.sheet.areas:
            if die == area[0] or die == "w":
                value = self._die_value(die, area)
                uses += [f"{die}>{place}" for place in self._places_for(player, area, value)]
        return uses

    def _die_value(self, die: str, area: str) -> int:
        return self.face["w"] + self.face["b"] if area == "blue" else self.face[die]

    def _cross_uses(self, player: Player, die: str) -> list[str]:
        """Where silver's additional cross for this die can go."""
        places = self._places_for(player, "silver", self.face[die])
        any_row = die in ("w", "s")
        return [f"{die}>{place}" for place in places if any_row or place[1] == die]

    def _places_for(self, player: Player, area: str, value: int) -> list[str]:
        """Where a die that counts `value` can be entered in an area."""
        if self.sheet.is_grid(area):
            free = self._free_cells(player, area)
            return [cell for cell in free if self.sheet.number[cell] == value]
        field = self._next_field(player, area)
        if field is None:
            return []
        written = [player.marks[c] for c in self.sheet.cells[area] if c in player.marks]
        last = written[-1] if written else None
        allowed = True
        if (self.game, area) == ("clever", "green"):
            allowed = value >= self.sheet.printed["green"]["minimum"][field]
        if (self.game, area) == ("clever", "purple"):
            allowed = last is None or last == 6 or value > last
        if (self.game, area) == ("twice", "blue"):
            allowed = last is None or value <= last
        return [area[0]] if allowed else []

    def _free_cells(self, player: Player, area: str) -> list[str]:
        """The grid cells that can take a mark; Twice's yellow ones take two: circle, cross."""
        full = 2 if (self.game, area) == ("twice", "yellow") else 1
        return [cell for cell in self.sheet.cells[area] if player.marks.get(cell, 0) < full]

    def _next_field(self, player: Player, area: str) -> int | None:
        """The first empty field of a row area, counted from 0."""
        for field, cell in enumerate(self.sheet.cells[area]):
            if cell not in player.marks:
                return field
        return None

    def _bonus_uses(self, player: Player, bonus: Bonus) -> list[str]:
        """Every way to use an open bonus."""
        if "choice" in bonus:
            return [text for option in bonus["choice"] for text in self._bonus_uses(player, option)]
        area = bonus["mark"]
        if self.sheet.is_grid(area):
            return [f"+{cell}" for cell in self._free_cells(player, area)]
        if (self.game, area) == ("clever", "green"):  # a cross, whatever number is printed there
            return ["+g"] if self._next_field(player, area) is not None else []
        values = [bonus["value"]] if "value" in bonus else self.sheet.bonus_values(area)
        return [f"+{area[0]}={v}" for v in values if self._places_for(player, area, v)]

    # -- decisions ------------------------------------------------------------------------------

    def play(self, seat: int, text: str) -> None:
        if text not in self.legal(seat):
            raise ValueError(f"seat {seat} may not play {text}")
        player = self.players[seat]
        if player.open or player.crosses:
            self._play_open(player, text)
        elif self.phase == "pick":
            self._play_pick(player, text)
        elif self.phase == "after":
            self._play_return(player, text)
        elif player.serving == "pick":
            self._play_served(player, text)
        else:
            self._play_extra(player, text)
        self._go_on()

    def _play_open(self, player: Player, text: str) -> None:
        if text == "pass":
            player.crosses = []
        elif text.startswith("+"):
            self._use_bonus(player, text)
        else:
            die, cell = text.split(">")
            player.crosses.remove(die)
            self._enter(player, cell, self.face[die])

    def _use_bonus(self, player: Player, text: str) -> None:
        """Use the open bonus that allows this; the choice of round 4 only if no other does."""
        fitting = [bonus for bonus in player.open if text in self._bonus_uses(player, bonus)]
        fitting.sort(key=lambda bonus: "choice" in bonus)
        player.open.remove(fitting[0])
        place, _, value = text[1:].partition("=")
        self._enter(player, place, int(value or 0))

    def _play_pick(self, player: Player, text: str) -> None:
        if text == "reroll":
            player.spent["reroll"] += 1
            self.number_of_reroll += 1
            self.phase = "throw"
            return
        self.phase = "after"
        if text == "pass":
            return
        die, place = text.split(">")
        value = self._die_value(die, self.sheet.area_of(place))
        fields_in_use = len(self._dice_in("field1", "field2", "field3"))
        self.place[die] = f"field{fields_in_use + 1}"
        moved = [other for other in self._dice_in("pool") if self.face[other] < self.face[die]]
        for other in moved:
            self.place[other] = "tray"
        self._enter(player, place, value)
        if place[0] == "s":
            player.crosses = moved

    def _play_return(self, player: Player, text: str) -> None:
        if text == "pass":
            self._end_window()
        else:
            player.spent["return"] += 1
            self.place[text.removeprefix("return:")] = "pool"

    def _play_served(self, player: Player, text: str) -> None:
        player.serving = "extra"
        if text != "pass":
            die, place = text.split(">")
            self._enter(player, place, self._die_value(die, self.sheet.area_of(place)))

    def _play_extra(self, player: Player, text: str) -> None:
        if text == "pass":
            player.serving = "done"
            return
        die, place = text.split(">")
        player.spent["extra"] += 1
        player.extra_dice.append(die)
        self._enter(player, place, self._die_value(die, self.sheet.area_of(place)))

    # -- marks and what they give ---------------------------------------------------------------

    def _enter(self, player: Player, place: str, value: int) -> None:
        """Make one mark, and receive everything that it gives."""
        area = self.sheet.area_of(place)
        full_before = self._full_lines(player)
        if self.sheet.is_grid(area):
            player.marks[place] = player.marks.get(place, 0) + 1
        else:
            self._write(player, area, value)
        for line in self._full_lines(player):
            if line not in full_before:
                self._receive(player, self.sheet.lines[line][1])

    def _write(self, player: Player, area: str, value: int) -> None:
        """Write in the next field of a row area, and receive what is printed there."""
        field = self._next_field(player, area)
        assert field is not None
        cell = self.sheet.cells[area][field]
        print_ = self.sheet.printed[area]
        if "factor" in print_:
            player.marks[cell] = value * print_["factor"][field]
        elif (self.game, area) == ("clever", "green"):
            player.marks[cell] = 1
        else:
            player.marks[cell] = value
        if cell in self.sheet.field_bonus:
            if area != "pink" or value >= print_["minimum"][field]:
                self._receive(player, self.sheet.field_bonus[cell])

    def _full_lines(self, player: Player) -> list[int]:
        """Which rows, columns and diagonals have a mark in every cell."""
        lines = enumerate(self.sheet.lines)
        return [i for i, (cells, _) in lines if all(cell in player.marks for cell in cells)]

    def _receive(self, player: Player, bonus: Bonus) -> None:
        if "fox" in bonus:
            player.foxes += 1
        elif "action" in bonus:
            track = self.sheet.printed["tracks"][bonus["action"]]
            player.circled[bonus["action"]] += 1
            if player.circled[bonus["action"]] == track["fields"] and track["last"] is not None:
                self._receive(player, track["last"])
        else:
            player.open.append(bonus)

    def _settle(self, player: Player) -> None:
        """Do with open bonuses and crosses what needs no question."""
        while True:
            player.open = [bonus for bonus in player.open if self._bonus_uses(player, bonus)]
            player.crosses = [die for die in player.crosses if self._cross_uses(player, die)]
            if len(player.open) != 1 or player.crosses:
                return
            uses = set(self._bonus_uses(player, player.open[0]))
            if len(uses) != 1:
                return
            self._use_bonus(player, uses.pop())

    # -- the course of the game -----------------------------------------------------------------

    def roll(self, faces: Sequence[int], order: Sequence[int]) -> None:
        """Throw the dice that are wanted; `order` decides between equals in solo serving."""
        if self.phase != "throw":
            raise ValueError("no dice are wanted")
        for index in self.rolling():
            self.face[self.sheet.dice[index]] = faces[index]
        if self.solo_serving:
            indices = sorted(range(6), key=lambda index: (faces[index], order.index(index)))
            for rank, index in enumerate(indices):
                self.place[self.sheet.dice[index]] = "tray" if rank < 3 else "aside"
            self.players[0].serving = "pick"
            self.phase = "serving"
        else:
            self.phase = "pick"
        self._go_on()

    def _start_turn(self) -> None:
        for die in self.sheet.dice:
            self.place[die] = "pool"
        for player in self.players:
            player.extra_dice = []
        self.number_of_roll = 0
        self.number_of_reroll = 0
        if self.turn % self.turns_in_round == 0:
            self.phase = "round"
            bonus = self.sheet.printed["round_bonus"][self.round]
            if bonus is not None:
                for player in self.players:
                    self._receive(player, bonus)
        else:
            self._want_first_throw()

    def _want_first_throw(self) -> None:
        self.number_of_roll = 0 if self.solo_serving else 1
        self.phase = "throw"

    def _go_on(self) -> None:
        """Take every step that needs neither a decision nor a throw."""
        while True:
            for player in self.players:
                self._settle(player)
            if self.phase in ("throw", "over"):
                return
            before = (self.turn, self.phase)
            if self.phase == "round":
                if not self.awaiting():
                    self._want_first_throw()
            elif self.phase == "pick":
                if self.legal(self.active) == ["pass"]:
                    self.phase = "after"
            elif self.phase == "after":
                self._after_roll()
            else:
                self._serve()
            if (self.turn, self.phase) == before:
                return

    def _after_roll(self) -> None:
        can_return_later = self.game == "twice" and self.number_of_roll < 3
        if self.number_of_roll == 3 or not (self._dice_in("pool") or can_return_later):
            self._end_rolls()  # whatever is still open: serving waits for nobody
        elif not self.legal(self.active):
            self._end_window()

    def _end_window(self) -> None:
        """Nothing (more) is returned: make the next roll, if there is a die to roll."""
        if self._dice_in("pool"):
            self.number_of_roll += 1
            self.number_of_reroll = 0
            self.phase = "throw"
        else:
            self._end_rolls()

    def _end_rolls(self) -> None:
        for die in self._dice_in("pool"):
            self.place[die] = "tray"
        for seat, player in enumerate(self.players):
            player.serving = "extra" if seat == self.active else "pick"
        self.phase = "serving"

    def _serve(self) -> None:
        """Move seats on that are asked nothing; the turn ends when all are done."""
        for seat, player in enumerate(self.players):
            if player.serving == "pick" and not self.legal(seat):
                player.serving = "extra"
            if player.serving == "extra" and not self.legal(seat):
                player.serving = "done"
        if all(player.serving == "done" and not player.open for player in self.players):
            self.turn += 1
            if self.turn == self.rounds * self.turns_in_round:
                self.phase = "over"
            else:
                self._start_turn()

    # -- points ---------------------------------------------------------------------------------

    def areas(self, seat: int) -> list[int]:
        """The points of the five areas in sheet order."""
        return [self._area_points(self.players[seat], area) for area in self.sheet.areas]

    def _area_points(self, player: Player, area: str) -> int:
        print_ = self.sheet.printed[area]
        values = [player.marks[cell] for cell in self.sheet.cells[area] if cell in player.marks]
        match self.game, area:
            case "clever", "yellow":
                columns = self.sheet.columns
                return sum(pts for cells, pts in columns if all(c in player.marks for c in cells))
            case ("clever", "blue") | ("clever", "green"):
                return int(print_["points_by_crosses"][len(values)])
            case ("clever", "orange") | ("clever", "purple") | ("twice", "pink"):
                return sum(values)
            case "twice", "silver":
                points = 0
                for row in print_["rows"]:
                    crosses = [cell for cell in player.marks if cell.startswith(f"s{row[0]}")]
                    points += print_["row_points_by_crosses"][len(crosses)]
                return points
            case "twice", "yellow":
                return int(print_["points_by_crosses"][values.count(2)])
            case "twice", "blue":
                return int(print_["points_by_entries"][len(values)])
            case "twice", "green":
                pairs = zip(values[0::2], values[1::2], strict=False)
                return sum(first - second for first, second in pairs)
        raise ValueError(area)

    def foxes(self, seat: int) -> int:
        return self.players[seat].foxes

    def fox_value(self, seat: int) -> int:
        lowest = min(self.areas(seat))
        return max(lowest, 0) if self.fox_floor else lowest

    def total(self, seat: int) -> int:
        return sum(self.areas(seat)) + self.foxes(seat) * self.fox_value(seat)

    def scores(self) -> list[dict[str, Any]]:
        """Everything that counts, seat by seat."""
        return [
            {
                "areas": self.areas(seat),
                "foxes": self.foxes(seat),
                "fox_value": self.fox_value(seat),
                "total": self.total(seat),
            }
            for seat in range(self.seats)
        ]

    def winners(self) -> list[int]:
        """The best total wins, then the best single area; those still equal share the win."""
        rank = {seat: (self.total(seat), max(self.areas(seat))) for seat in range(self.seats)}
        return [seat for seat in range(self.seats) if rank[seat] == max(rank.values())]

    def outcome(self) -> tuple[list[int], list[int]] | None:
        """The totals and the winners, once the game is over."""
        if not self.over:
            return None
        return [self.total(seat) for seat in range(self.seats)], self.winners()
