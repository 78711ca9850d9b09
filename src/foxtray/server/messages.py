"""Every message between server and clients. docs/protocol.md is generated from these types.

Commands are the same over the socket and over HTTP; so are refusals.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from foxtray.bots import SUBSTITUTE
from foxtray.sheets import SHEETS
from foxtray.views import GameView, PreviewView

PROTOCOL = 1
"""Grows whenever an older page would misunderstand: such a page reloads itself."""

MAX_FRAME = 16_384
NAME_LENGTH = 24

Identifier = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]*$")]
"""Random text made by the client: sent twice, a command is executed once."""
Key = Annotated[str, Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
"""The secret part of an invitation or of a link to watch."""
Entropy = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
"""16 random bytes of the client's own, in hexadecimal."""
SeatNumber = Annotated[int, Meta(ge=0, le=3)]
BotName = Annotated[str, Meta(min_length=1, max_length=16, pattern="^[a-z]*$")]
ActionText = Annotated[str, Meta(min_length=1, max_length=16)]
GameName = Annotated[str, Meta(min_length=1, max_length=16, pattern="^[a-z]*$")]
Seq = Annotated[int, Meta(ge=0, le=1 << 40)]


# --- from the client ----------------------------------------------------------------------------


class Command(Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    """What every command carries."""

    id: Identifier


class Sit(Command, tag="sit"):
    """Take a seat: an open one with the invitation's key, or the one kept for me. Adds entropy."""

    seat: SeatNumber
    entropy: Entropy


class Leave(Command, tag="leave"):
    """Give up my seat: it becomes open before the start; afterwards a bot plays on until `resume`
    or an action of mine, though I look on."""


class Reseat(Command, tag="reseat"):
    """The host, before the start: put a bot on a seat, or open it (null)."""

    seat: SeatNumber
    bot: BotName | None


class Start(Command, tag="start"):
    """The host: begin. Every seat must be taken."""


class Roll(Command, tag="roll"):
    """The active seat throws the dice."""


class Play(Command, tag="play"):
    """My seat acts; the text of a legal action."""

    action: ActionText


class Undo(Command, tag="undo"):
    """Take back my last action since the last throw or the start of the round."""


class Takeover(Command, tag="takeover"):
    """Ask a bot to play for a seat that has been absent for a while."""

    seat: SeatNumber
    bot: BotName = SUBSTITUTE


class Resume(Command, tag="resume"):
    """Take my seat back from the bot that plays for me. Acting does the same."""


class Pause(Command, tag="pause"):
    """The host: whether bots pause like people before they act."""

    on: bool


class Rematch(Command, tag="rematch"):
    """After the end: a new table for the same people. Asking again names the same table."""


class Preview(Command, tag="preview"):
    """Ask what each of my legal actions would set off."""


TableCommand = (
    Sit | Leave | Reseat | Start | Roll | Play | Undo | Takeover | Resume | Pause | Rematch
)
"""Commands that change a table; each is acknowledged or refused."""


class Hello(Struct, tag_field="type", tag="hello", forbid_unknown_fields=True, frozen=True):
    """The first message on a socket: what I have seen so far, and the key of my link if any."""

    since: Seq | None = None
    key: Key = ""


class Ping(Struct, tag_field="type", tag="ping", forbid_unknown_fields=True, frozen=True):
    """Are you there? Send one at least every 15 seconds; a silent client is dropped after 40."""


Incoming = TableCommand | Preview | Hello | Ping
Posted = TableCommand | Preview


# --- what a table looks like --------------------------------------------------------------------


class SeatInfo(Struct, frozen=True):
    """Who sits where. `ready`: entropy was given. `stand_in`: the bot playing for an owner."""

    kind: Literal["human", "bot", "open"]
    name: str = ""
    bot: str | None = None
    ready: bool = False
    stand_in: str | None = None


class DiceInfo(Struct, frozen=True):
    """Where the dice come from. `secret` is told when the game is over, never before."""

    kind: Literal["secret", "seed", "script"]
    commitment: str | None = None
    entropies: list[str] = []
    """What every seat added, in seat order; from the start on. Empty for bots."""
    secret: str | None = None
    seed: int | None = None
    again: bool = False
    """The dice of an earlier game, which some may know."""


class TableInfo(Struct, frozen=True):
    """Everything about a table but the game itself."""

    id: str
    game: str
    status: Literal["lobby", "playing", "over"]
    seats: list[SeatInfo]
    host: int | None
    """The seat of the host, if he has one."""
    options: dict[str, bool]
    dice: DiceInfo
    clock: int
    """Seconds for a decision; 0: no clock."""
    pause: bool
    """Whether bots pause like people."""
    created: int
    """Milliseconds since 1970, like all times."""
    tutorial: bool = False
    first: int | None = None
    rematch: str | None = None
    """The id of the table of the rematch."""


class You(Struct, frozen=True):
    """What is personal: my seat, if any, and the links I may hand on."""

    seat: int | None
    host: bool
    invite: str | None = None
    """For seated players, while the table is open to join."""
    watch: str | None = None
    key: str | None = None
    """The key to watch with."""
    loopback: bool = False
    """I came by an address that only this machine knows: start the server with --lan to invite."""


# --- what happened ------------------------------------------------------------------------------


class Entry(Struct, omit_defaults=True, frozen=True):
    """One input of the log and what followed from it."""

    seq: int
    at: int
    what: Literal[
        "sat", "left", "reseated", "started", "threw", "played", "undid", "took_over", "resumed",
        "paused", "rematched",
    ]  # fmt: skip
    seat: int | None = None
    action: str | None = None
    """What was played, or taken back."""
    bot: str | None = None
    """The bot that acted, or that sat down."""
    events: list[dict[str, Any]] = []
    """Events of the rules; foxtray.events lists them."""


# --- from the server ----------------------------------------------------------------------------


class Message(Struct, tag_field="type"):
    """What every message from the server carries."""


class Greeting(Message, tag="greeting"):
    """The first message on a socket. A page made for another protocol reloads itself."""

    protocol: int
    version: str
    time: int


class Snapshot(Message, tag="snapshot"):
    """The whole table at `seq`."""

    seq: int
    you: You
    table: TableInfo
    game: GameView | None
    undo: list[int]
    """The seats that could take something back."""
    deadlines: dict[int, int]
    """With a clock: until when a seat has to act."""
    present: list[bool]
    """Which seats are there: bots always."""
    absent: list[int | None]
    """Since when a seat has been away."""
    watching: int
    thinking: bool = False
    """Bots are still warming up."""
    entries: list[Entry] = []
    """The last entries of the log, for the story beside the table."""


class Update(Message, tag="update"):
    """What happened since the message before: entries in order, and how things stand after."""

    seq: int
    """The number of the last entry."""
    previous: int
    """The number before the first entry; another one than you have seen: say hello again."""
    entries: list[Entry]
    undo: list[int]
    deadlines: dict[int, int]
    table: TableInfo | UnsetType = UNSET
    """Only if it changed."""
    game: GameView | UnsetType = UNSET
    """Only if it changed."""


class Presence(Message, tag="presence"):
    """Who is there. `absent`: since when a seat has been away."""

    present: list[bool]
    absent: list[int | None]
    watching: int
    names: list[str]
    thinking: bool = False


class Ack(Message, tag="ack"):
    """A command was carried out and is on disk; its entry has this number."""

    id: str
    seq: int
    table: str | UnsetType = UNSET
    """The new table of a rematch."""


class Refused(Message, tag="refused"):
    """A command was not carried out: a stable code, and a sentence in English."""

    id: str | None
    code: str
    message: str


class Previews(Message, tag="previews"):
    """What each of my legal actions would set off, at `seq`."""

    id: str
    seq: int
    actions: list[PreviewView]


class Pong(Message, tag="pong"):
    """The answer to a ping."""

    time: int


class Notice(Message, tag="notice"):
    """Something about the server: moves cannot be written, or can be again."""

    code: Literal["storage_failing", "storage_back"]
    message: str


Outgoing = (
    Greeting | Snapshot | Update | Presence | Ack | Refused | Previews | Pong | Notice
)  # fmt: skip

CLOSE_MALFORMED = 4000
CLOSE_GONE = 4004


# --- HTTP bodies --------------------------------------------------------------------------------


class Problem(Struct, frozen=True):
    """Why a request was refused."""

    code: str
    message: str


class NameBody(Struct, forbid_unknown_fields=True, frozen=True):
    """Who I am. The first time this makes me a player and sets the cookie."""

    name: Annotated[str, Meta(max_length=12_000)]
    bearer: bool = False
    """Tell me my token as well, for scripts; only when the player is new."""


class PlayerInfo(Struct, omit_defaults=True, frozen=True):
    """A player. The token is told once, to its owner only."""

    id: str
    name: str
    token: str | None = None


class TableLine(Struct, frozen=True):
    """One of my tables in a list."""

    id: str
    game: str
    status: Literal["lobby", "playing", "over"]
    names: list[str]
    seat: int
    my_turn: bool
    touched: int
    totals: list[int] = []
    winners: list[int] = []
    unplayable: str | None = None
    """Why this version cannot go on with it; of rules gone by there is still the record."""


class Me(Struct, frozen=True):
    """Who I am here and what I am playing; player is null for a stranger."""

    player: PlayerInfo | None
    tables: list[TableLine]
    best: dict[str, int]
    protocol: int
    version: str
    bots: list[str]
    loopback: bool


class SeatWish(Struct, forbid_unknown_fields=True, frozen=True):
    """A seat of a new table."""

    kind: Literal["me", "open", "bot"]
    bot: BotName = "greedy"


class SameDice(Struct, forbid_unknown_fields=True, frozen=True):
    """A finished solo game whose dice are wanted again, and the key of the link to it."""

    table: Identifier
    key: Key


class TableWish(Struct, forbid_unknown_fields=True, frozen=True):
    """A new table."""

    game: GameName
    seats: Annotated[list[SeatWish], Meta(min_length=1, max_length=4)]
    solo_fallback: bool = False
    fox_floor: bool = False
    seed: Annotated[int, Meta(ge=0, le=(1 << 53) - 1)] | None = None
    """Solo practice with dice that can be had again."""
    same_dice: SameDice | None = None
    clock: Annotated[int, Meta(ge=0, le=86_400)] = 0
    pause: bool = True
    tutorial: bool = False
    """Solo with scripted dice; only `game` matters then."""


class TableMade(Struct, frozen=True):
    """A new table: sit down (adding entropy), then start."""

    id: str
    you: You
    table: TableInfo


class LinkMade(Struct, frozen=True):
    """A one-time link that moves me to another device; this one is then a stranger."""

    code: str
    url: str
    expires: int


class LinkUse(Struct, forbid_unknown_fields=True, frozen=True):
    """The code of a one-time link."""

    code: Key
    bearer: bool = False
    """Tell me my new token as well, for scripts."""


class Step(Struct, frozen=True):
    """A step of a finished game; number 0 is the start."""

    number: int
    input: str | None
    """As in the record: `throw 315-26 wybgop`, or the seat from 1 and its action."""
    seat: int | None
    events: list[dict[str, Any]]
    game: GameView


class Steps(Struct, frozen=True):
    """The steps of a finished game, `count` in all."""

    count: int
    steps: list[Step]


class Course(Struct, frozen=True):
    """The points of every seat after each step."""

    totals: list[list[int]]
    turns: list[int]


class GameLine(Struct, frozen=True):
    """A finished game of mine."""

    table: str
    game: str
    seats: int
    seat: int
    finished: int
    total: int
    areas: list[int]
    foxes: int
    won: bool
    names: list[str]
    totals: list[int]
    practice: bool
    kept: bool
    """Whether its course is still kept, so that it can be replayed."""


class History(Struct, frozen=True):
    """My finished games, newest first; `next` continues the list."""

    games: list[GameLine]
    next: int | None


class AreaStatistics(Struct, frozen=True):
    """One area over all my games."""

    mean: float
    best: int


class GameStatistics(Struct, frozen=True):
    """My games of one kind. Solo and shared games count; practice does not, nor does what
    stand-ins played for the most part."""

    games: int
    solo: int
    won: int
    mean: float
    best: int
    areas: dict[str, AreaStatistics]
    fox_mean: float
    ratings: list[int]
    """How many solo games ended in each band, best band first."""
    totals: list[int]
    """All totals, ascending, for a distribution."""


class Opponent(Struct, frozen=True):
    """Head to head against one other, over both games: who ended before whom."""

    name: str
    bot: str | None
    games: int
    won: int
    lost: int
    shared: int


class Statistics(Struct, frozen=True):
    """My statistics by game, and against whom."""

    games: dict[str, GameStatistics]
    opponents: list[Opponent]


class RulesText(Struct, frozen=True):
    """The rulebook of a game: whole as Markdown, and its numbered clauses."""

    game: str
    language: str
    text: str
    clauses: dict[str, str]


class Health(Struct, frozen=True):
    """Whether moves are being written; bots may still be warming up."""

    status: Literal["ok", "storage_failing"]
    message: str
    version: str
    bots: Literal["ready", "warming", "failing"]


GAMES = tuple(SHEETS)

# --- refusals -----------------------------------------------------------------------------------

RULE_CODES = (
    "malformed_action", "no_such_seat", "other_game", "game_over", "dice_wanted", "not_awaited",
    "bonus_open", "must_take", "not_now", "no_reroll", "not_on_tray", "no_bonus", "not_in_pool",
    "not_moved", "used_already", "wrong_area", "tray_first", "cell_taken", "wrong_number",
    "area_full", "too_low", "not_rising", "not_falling", "nothing_to_undo", "no_throw",
    "unknown_game", "bad_setup",
)  # fmt: skip
"""Codes of the rules, as foxtray.refusal and foxtray.errors give them."""

SERVER_CODES = {
    "malformed": "the message cannot be read",
    "unknown_command": "there is no such command",
    "hello_first": "say hello first",
    "stranger": "say who you are first: give a name",
    "no_table": "there is no such table, or the link is not complete",
    "rules_changed": "this table was played by rules this version no longer plays",
    "not_seated": "you have no seat at this table",
    "seat_taken": "this seat is taken",
    "seated_already": "you already have a seat at this table",
    "invite_needed": "a seat is taken with the invitation's link",
    "not_host": "only the host of the table may do this",
    "already_started": "the game has begun",
    "not_started": "the game has not begun yet",
    "seats_open": "a seat is still open",
    "seat_not_ready": "somebody has not sat down yet",
    "not_active": "the dice are thrown by the active seat",
    "not_absent": "this seat has not been away for long enough",
    "not_stood_in": "no bot is playing for this seat",
    "not_over": "the game is not over yet",
    "too_many_undos": "enough was taken back since the last throw: decide",
    "too_long": "this table has seen too much: finish the game, or make another table",
    "table_damaged": "the log of this table is damaged; it has been written down",
    "unknown_bot": "there is no such bot",
    "name_empty": "a name needs at least one letter",
    "name_too_long": f"a name has at most {NAME_LENGTH} characters",
    "name_unprintable": "a name must not contain control characters",
    "bad_link": "this link was used already or is too old",
    "seed_not_solo": "chosen dice are for solo practice only",
    "same_dice_unknown": "the dice of that game cannot be played again",
    "one_seat_each": "one seat can be yours, not more",
    "too_many_tables": "you have too many unfinished tables: finish one, or leave one",
    "too_many": "that was too much in too short a time: wait a moment",
    "storage_failing": "moves cannot be written to disk at the moment: nothing is lost, try again",
    "bad_host": "this server does not answer to that name",
    "bad_origin": "this page comes from another place",
    "not_found": "there is nothing at this address",
    "method_not_allowed": "this address does not accept that",
    "too_large": "the message is too large",
    "internal": "something went wrong here; it has been written down",
}
"""Codes of the server, each with its sentence."""

CODES = (*RULE_CODES, *SERVER_CODES)
