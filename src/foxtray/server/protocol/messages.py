"""Every message between server and clients. docs/protocol.md is generated from these types.

Commands are the same over the socket and over HTTP; so are refusals.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from foxtray.bots import NAME_PATTERN, SUBSTITUTE, USUAL
from foxtray.events import EventView
from foxtray.games.registry import SHEETS
from foxtray.server.settings import Registration
from foxtray.views import GameView, PreviewView

PROTOCOL = 1
"""Increases with every incompatible change; a page made for another version reloads itself."""

MAX_FRAME = 16_384
NAME_LENGTH = 24
"""The maximum number of characters in a player's name."""

Identifier = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]*$")]
"""Random text chosen by the client; a command sent twice with the same id runs once."""
Key = Annotated[str, Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
"""The secret part of an invitation link or a watch link."""
Entropy = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
"""16 random bytes chosen by the client, in hexadecimal."""
Commitment = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""The SHA-256, in hexadecimal, by which a seat commits to its entropy (docs/fair-dice.md)."""
SeatNumber = Annotated[int, Meta(ge=0, le=3)]
Face = Annotated[int, Meta(ge=0, le=6)]
DieNumber = Annotated[int, Meta(ge=0, le=5)]
Phrase = Literal[
    "hello", "good_luck", "well_played", "wow", "thanks", "sorry", "moment", "your_turn",
    "good_game", "again", "bye", "clap", "laugh", "surprised", "sad", "fox",
]  # fmt: skip
"""What people can say at a table; there is no free text. The last five are reactions."""
PHRASES: tuple[str, ...] = get_args(Phrase)
PaceName = Literal["calm", "quick", "instant"]
"""How long bots pause: as people would, briefly, or not at all."""
BotName = Annotated[str, Meta(pattern=NAME_PATTERN)]
ActionText = Annotated[str, Meta(min_length=1, max_length=16)]
GameName = Annotated[str, Meta(min_length=1, max_length=16, pattern="^[a-z]*$")]
LanguageName = Annotated[str, Meta(max_length=8, pattern="^[a-z]*$")]
Seq = Annotated[int, Meta(ge=0, le=1 << 40)]
LegalOf = Literal["all", "mine", "none"]
"""Whose legal actions a client is told: those of every seat, of the seats it plays, or of none."""


# --- refusals -----------------------------------------------------------------------------------

RULE_CODES = (
    "malformed_action", "no_such_seat", "other_game", "game_over", "dice_wanted", "not_awaited",
    "bonus_open", "must_take", "not_now", "no_reroll", "not_on_tray", "no_bonus", "not_in_pool",
    "not_moved", "used_already", "wrong_area", "tray_first", "cell_taken", "wrong_number",
    "area_full", "too_low", "not_rising", "not_falling", "nothing_to_undo", "no_throw",
    "unknown_game", "bad_setup",
)  # fmt: skip
"""Codes from the rules: those of foxtray.refusal and foxtray.errors."""

SERVER_CODES = {
    "malformed": "the message cannot be read",
    "unknown_command": "unknown command",
    "hello_first": "send hello first",
    "stranger": "choose a name first",
    "no_table": "this table does not exist, or the link is incomplete",
    "rules_changed": "this table uses an older version of the rules and cannot be continued",
    "not_seated": "you have no seat at this table",
    "seat_taken": "this seat is taken",
    "seated_already": "you already have a seat at this table",
    "invite_needed": "use the invitation link to take a seat",
    "not_host": "only the host of the table can do this",
    "already_started": "the game has already started",
    "not_started": "the game has not started yet",
    "seats_open": "a seat is still open",
    "seat_not_ready": "a player has not sat down yet",
    "not_starting": "reveal your entropy when the game starts, not before",
    "wrong_entropy": "this is not the entropy that your seat committed to",
    "given_up": "every player gave this game up, so it cannot be continued",
    "not_active": "only the active player rolls the dice",
    "not_your_seat": "this seat is not played on your device",
    "real_dice": "the dice of this table are rolled by hand; enter their faces",
    "not_real_dice": "the server rolls the dice of this table",
    "wrong_faces": "enter a face from 1 to 6 for each die to roll",
    "tie_open": "equal dice decide what lies on the platter; say which of them do",
    "not_absent": "this player has not been away long enough",
    "not_stood_in": "no bot is playing for this seat",
    "not_over": "the game is not over yet",
    "too_many_undos": "undo limit reached; choose now",
    "too_long": "this table's log is full; finish the game or create another table",
    "table_damaged": "this table's log is damaged; the error was logged",
    "unknown_bot": "unknown bot",
    "bot_cannot_play": "this bot cannot play this game because it has no trained weights for it",
    "no_lesson": "this game has no guided game",
    "stand_in_too_weak": f"choose {USUAL} or a stronger level to play for absent players",
    "stale": "the table has changed, perhaps in another window; look again",
    "id_used": "this id was already used for another command; use a new one",
    "name_empty": "a name needs at least one character",
    "name_too_long": f"a name can have at most {NAME_LENGTH} characters",
    "name_unprintable": "a name cannot contain control or invisible characters",
    "bad_link": "this link has expired or was already used",
    "name_refused": "this name cannot be used here; choose another one",
    "bad_code": "this recovery code is wrong, or was replaced by a newer one",
    "bad_passkey": "this passkey is not known here, or took too long; try again",
    "no_passkeys": "passkeys need an address with https, or localhost",
    "no_device": "this device or passkey is not in your list",
    "registration_closed": "this server accepts no new players",
    "registration_fixed": "registration is set by the option --registration; change it there",
    "invitation_needed": "new players need a valid invitation from the host",
    "banned": "the host has banned you from this server",
    "not_admin": "only admins of this server can do this",
    "host_only": "only the host can do this, with foxtray admin",
    "no_player": "there is no such player",
    "seed_not_solo": "you can choose the dice only in solo practice",
    "same_dice_unknown": "the dice of that game cannot be replayed",
    "daily_open": "others still play these dice today; this is shown when the day is closed",
    "daily_seat": "the seat of a daily game is yours alone and cannot be changed",
    "daily_tomorrow": "new players can play the daily dice from tomorrow on",
    "daily_seen": "another player has already played today's dice from here",
    "daily_gone": "you have had your attempt at today's dice; its table was closed",
    "one_seat_each": "you can take only one seat",
    "too_many_tables": "you have too many unfinished tables; finish or leave one",
    "too_many": "too many requests; wait a moment",
    "no_hints": "hints are not allowed at this table",
    "no_hint_now": "there is nothing to decide for you now",
    "hint_late": "the coach is busy; ask again",
    "no_review": "this game has no review yet; ask for one",
    "review_waiting": "several reviews that you asked for are still waiting; try again later",
    "cannot_review": "games of this kind cannot be reviewed because no trained weights exist",
    "no_exercise": "there is no such exercise",
    "no_such_moment": "the game cannot be continued from this moment",
    "bad_record": "this is not the record of a game, or it was changed",
    "not_offline": "this is the record of a game at a server; hand over games of your device only",
    "moved": "another server has this table now; try again",
    "storage_failing": "moves cannot be saved at the moment; nothing is lost, try again",
    "bad_host": "this server does not accept requests for this host name",
    "bad_origin": "this request comes from another website",
    "not_found": "there is nothing at this address",
    "method_not_allowed": "this address does not accept this method",
    "too_large": "the message is too large",
    "internal": "something went wrong; the error was logged",
}
"""Codes from the server, each with its sentence."""

REFUSAL_CODES = (*RULE_CODES, *SERVER_CODES)
RefusalCode = Annotated[
    str, Meta(extra_json_schema={"title": "RefusalCode", "enum": list(REFUSAL_CODES)})
]


# --- from the client ----------------------------------------------------------------------------


class Command(Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    """The fields of every command."""

    id: Identifier


class Sit(Command, tag="sit"):
    """Take a seat. An open seat needs the key of the invitation; a seat reserved for me does not.
    `commitment` commits to my entropy, which `reveal` reveals when the game starts. Older clients
    send their `entropy` instead, which reveals it at once."""

    seat: SeatNumber
    commitment: Commitment | None = None
    entropy: Entropy | None = None


class Leave(Command, tag="leave"):
    """Give up my seat. Before the start it becomes open. Afterwards a bot plays for it, even while
    I watch, until I act or send `resume`."""


class Reseat(Command, tag="reseat"):
    """Put a bot on a seat, or a guest who plays on my device, or open the seat (null). Only for the
    host, before the start. A guest needs a host with a seat."""

    seat: SeatNumber
    bot: BotName | None
    guest: Annotated[str, Meta(max_length=200)] | None = None
    """The name of the guest."""


class Start(Command, tag="start"):
    """Start the game. Only for the host, when every seat is taken. Seats that committed to their
    entropy reveal it first; meanwhile the table is `starting`."""


class Answer(Command, kw_only=True):
    """A command that answers what the client has seen. `seen` is the last `seq` it had received.
    If my seat has been asked for something else since, the command is refused as `stale`. Without
    `seen` there is no such check."""

    seen: Seq | None = None
    seat: SeatNumber | None = None
    """Which of my seats acts, if I have guests; my own by default."""


class Reveal(Command, tag="reveal"):
    """Reveal the entropy that my seat committed to, while the table is `starting`. When all seats
    have revealed theirs, or the time is up, the game starts."""

    entropy: Entropy


class Roll(Answer, tag="roll"):
    """Roll the dice. Only for the active seat."""


class EnterFaces(Answer, tag="enter_faces"):
    """Enter the faces of real dice, in the order of the sheet's dice; 0 for a die that is not
    rolled. Only at a table with real dice, and only for the active seat; any seated player enters
    the faces of a bot. `order` matters in solo serving: of equal dice, those that come first in it
    go to the platter. Without it, a roll that needs it is refused as `tie_open`."""

    faces: tuple[Face, Face, Face, Face, Face, Face]
    order: tuple[DieNumber, DieNumber, DieNumber, DieNumber, DieNumber, DieNumber] | None = None


class Play(Answer, tag="play"):
    """Play a legal action, given as text. With `roll`, also roll the dice in the same step if it is
    then my turn to roll, for example after a re-roll."""

    action: ActionText
    roll: bool = False


class Undo(Answer, tag="undo"):
    """Undo my last action. Only actions since the last roll or the start of the round can be
    undone. At a table with real dice, faces that I entered can be taken back until somebody acts on
    them."""


class Takeover(Command, tag="takeover"):
    """Let the table's `stand_in` bot play for a seat that has been absent for a while. `bot` exists
    for older clients and is ignored."""

    seat: SeatNumber
    bot: BotName = SUBSTITUTE


class Resume(Command, tag="resume"):
    """Take my seat back from the bot that plays for me. Acting does the same."""


class Pause(Command, tag="pause"):
    """Set whether bots pause before they act, as people do. Only for the host."""

    on: bool


class Rematch(Command, tag="rematch"):
    """Create a new table for the same players after the game is over. Every further request returns
    the same table."""


class Preview(Command, tag="preview"):
    """Ask for the effects of each of my legal actions, or those of a guest's `seat`."""

    seat: SeatNumber | None = None


class Say(Command, tag="say"):
    """Say a phrase to everybody at the table, who get `said`. Only for seated players. It is not
    kept, so its `ack` only says that it was told."""

    phrase: Phrase


class Hint(Command, tag="hint"):
    """Ask for the best line of my seat, or of a guest's `seat`, where `table.hints` allows it. The
    answer is `hinted`. The log tells everybody that I asked, and the game does not count in my
    statistics."""

    seat: SeatNumber | None = None
    language: LanguageName = "en"


class Pace(Command, tag="pace"):
    """Say how fast bots should be, where a table lets them pause. The calmest wish of the players
    present counts; a player who says nothing wants them calm. With `skip`, bots do not pause
    until a person is asked for something, but only if I am the only person at the table. It is not
    kept, so say it again on every connection."""

    pace: PaceName
    skip: bool = False


TableCommand = (
    Sit | Leave | Reseat | Start | Reveal | Roll | EnterFaces | Play | Undo | Takeover | Resume
    | Pause | Rematch | Hint
)  # fmt: skip
"""Commands that change a table; each is acknowledged or refused."""


class Hello(Struct, tag_field="type", tag="hello", forbid_unknown_fields=True, frozen=True):
    """The client's first message on a socket: the last `seq` I have seen, the key of my link, if
    any, and what I want to be told."""

    since: Seq | None = None
    key: Key = ""
    patches: bool = False
    """Whether updates may have a `patch` instead of the whole `game`."""
    legal: LegalOf = "all"
    """Whose legal actions I want in `game`. For all other seats, `legal` is empty."""


class Ping(Struct, tag_field="type", tag="ping", forbid_unknown_fields=True, frozen=True):
    """Keeps the connection open. Send one at least every 15 seconds; a client that is silent for 40
    seconds is dropped."""


Incoming = TableCommand | Preview | Say | Pace | Hello | Ping
Posted = TableCommand | Preview | Say | Pace


# --- what a table looks like --------------------------------------------------------------------


class SeatInfo(Struct, frozen=True):
    """A seat. `ready`: the player has sat down. `stand_in`: the bot that plays for the
    owner. `hints`: how many hints its player asked for."""

    kind: Literal["human", "bot", "open"]
    name: str = ""
    bot: str | None = None
    ready: bool = False
    stand_in: str | None = None
    guest: bool = False
    """Whether it is played on the device of the player who was the host at the start."""
    hints: int = 0


class DiceInfo(Struct, frozen=True):
    """Where the dice come from. `secret` is revealed when the game is over or given up, never
    before. `real`: people roll them by hand and send `enter_faces`; nothing is proven."""

    kind: Literal["secret", "seed", "script", "real"]
    commitment: str | None = None
    commitments: list[str] = []
    """The commitment of every seat, in seat order. Empty for bots and older clients."""
    entropies: list[str] = []
    """The entropy of every seat, in seat order, as far as it is revealed, from `starting` on. Empty
    for bots."""
    left_out: list[int] = []
    """The seats that did not reveal their entropy in time, so that the dice do not use it."""
    secret: str | None = None
    seed: int | None = None
    again: bool = False
    """Whether the dice are those of an earlier game, so that players may know them."""


class DailyInfo(Struct, frozen=True):
    """The day whose dice a game has, as YYYY-MM-DD. From `closes` on, others may watch the game,
    its record is available, and it no longer counts if it is not over."""

    day: str
    closes: int


class TableInfo(Struct, frozen=True):
    """Everything about a table except the game itself."""

    id: str
    game: str
    status: Literal["lobby", "playing", "over"]
    seats: list[SeatInfo]
    host: int | None
    """The seat of the host, if they have one."""
    options: dict[str, bool]
    dice: DiceInfo
    clock: int
    """Seconds per decision; 0 means no clock."""
    created: int
    """Milliseconds since 1970, like all times."""
    tutorial: bool = False
    first: int | None = None
    rematch: str | None = None
    """The id of the table of the rematch."""
    rematch_key: str | None = None
    """The key to watch the rematch with, for those who watched this game."""
    rematch_of: str | None = None
    """The id of the table that this one is the rematch of."""
    stand_in: str = SUBSTITUTE
    """The level that plays for an absent player."""
    starting: bool = False
    """The host has started the game and the seats reveal their entropy. Until they have, the status
    is `lobby`."""
    given_up: bool = False
    """Every player gave up: nobody can resume, and the secret of the dice is revealed."""
    daily: DailyInfo | None = None
    """Set if these are the dice of a day. `dice.secret` is then never told here; see the record."""
    hints: bool = False
    """Whether players may ask for hints: in solo games, and where the table was made so, which
    everybody can see before they sit down."""
    copied: int = 0
    """How many inputs were copied from an earlier game, which is played on from there."""
    offline: bool = False
    """Played on a device without the server: its record was handed over when it was finished."""


class You(Struct, frozen=True):
    """What only I am told: my seat, if any, those of my guests, and the links I can share."""

    seat: int | None
    host: bool
    guests: list[int] = []
    """The seats that are played on my device besides my own."""
    may_sit: bool = False
    """Whether a seat is open and my link invites me to take it."""
    invite: str | None = None
    """Only for seated players, while the table can be joined."""
    watch: str | None = None
    key: str | None = None
    """The key to watch with."""
    loopback: bool = False
    """My address works only on the server's own machine; to invite others, start the server with
    --lan."""


# --- what happened ------------------------------------------------------------------------------


EntryKind = Literal[
    "sat", "left", "reseated", "starting", "revealed", "started", "threw", "played", "undid",
    "undid_throw", "took_over", "resumed", "paused", "rematched", "hinted",
]  # fmt: skip


class Entry(Struct, omit_defaults=True, frozen=True):
    """One input of the log and its events."""

    seq: int
    at: int
    what: EntryKind
    seat: int | None = None
    action: str | None = None
    """The action that was played or undone."""
    bot: str | None = None
    """The bot that acted, or that sat down."""
    events: list[EventView] = []
    left_out: list[int] = []
    """At the start: the seats that did not reveal their entropy in time."""


# --- from the server ----------------------------------------------------------------------------


class Message(Struct, tag_field="type"):
    """The fields of every message from the server."""


class Greeting(Message, tag="greeting"):
    """The server's first message on a socket. A page made for another protocol reloads itself."""

    protocol: int
    version: str
    time: int
    absence: float
    """How many seconds a seat must have been away before `takeover` is accepted."""


class Snapshot(Message, tag="snapshot"):
    """The whole table at `seq`."""

    seq: int
    you: You
    table: TableInfo
    game: GameView | None
    undo: list[int]
    """The seats that can undo an action."""
    deadlines: dict[int, int]
    """With a clock: the time by which each seat has to act."""
    present: list[bool]
    """Whether each seat is connected; bots always are."""
    absent: list[int | None]
    """The time at which each seat went away."""
    watching: int
    thinking: bool = False
    """Whether bots are still warming up."""
    entries: list[Entry] = []
    """The last entries of the log, for the event list beside the table."""


class Update(Message, tag="update"):
    """What happened since the previous message: the entries in order, and the state after them."""

    seq: int
    """The number of the last entry."""
    previous: int
    """The number before the first entry. If it is larger than the last `seq` you have seen, send
    `hello` again."""
    entries: list[Entry]
    undo: list[int]
    deadlines: dict[int, int]
    table: TableInfo | UnsetType = UNSET
    """Only if it changed."""
    game: GameView | UnsetType = UNSET
    """Only if it changed."""
    patch: dict[str, Any] | UnsetType = UNSET
    """Instead of `game`, for clients that asked for patches: what changed since `previous`."""


class Presence(Message, tag="presence"):
    """Who is connected. `absent`: the time at which each seat went away."""

    present: list[bool]
    absent: list[int | None]
    watching: int
    names: list[str]
    thinking: bool = False


class Ack(Message, tag="ack"):
    """A command was executed and is on disk. `seq` is the number of its entry."""

    id: str
    seq: int
    table: str | UnsetType = UNSET
    """The new table of a rematch."""


class Refused(Message, tag="refused"):
    """A command was not executed. It has a stable code and an English sentence."""

    id: str | None
    code: RefusalCode
    message: str


class Previews(Message, tag="previews"):
    """The effects of each of my legal actions at `seq`."""

    id: str
    seq: int
    actions: list[PreviewView]


class Said(Message, tag="said"):
    """Somebody at the table said a phrase."""

    seat: int
    phrase: Phrase
    at: int


class Hinted(Message, tag="hinted"):
    """The answer to `hint`: the best line now, and the value of all alternatives
    (docs/review.md)."""

    id: str
    seq: int
    hint: dict[str, Any]
    advice: str
    """The hint in a sentence."""


class Pong(Message, tag="pong"):
    """The answer to a ping."""

    time: int


class Notice(Message, tag="notice"):
    """News about the server: moves cannot be saved, or can be saved again."""

    code: Literal["storage_failing", "storage_back"]
    message: str


Outgoing = (
    Greeting | Snapshot | Update | Presence | Ack | Refused | Previews | Hinted | Said | Pong
    | Notice
)  # fmt: skip

CLOSE_MALFORMED = 4000
"""The close code after too many messages that cannot be read."""
CLOSE_GONE = 4004
"""The close code when the client may not see the table; reconnecting does not help."""


# --- HTTP bodies --------------------------------------------------------------------------------


class Problem(Struct, frozen=True):
    """Why a request was refused."""

    code: RefusalCode
    message: str


class NameBody(Struct, forbid_unknown_fields=True, frozen=True):
    """My name. The first request creates a player and sets the cookie."""

    name: Annotated[str, Meta(max_length=12_000)]
    bearer: bool = False
    """Return my token as well, for scripts; only for a new player."""
    invitation: Key = ""
    """The code of an invitation to this server, where new players need one."""


class PlayerInfo(Struct, omit_defaults=True, frozen=True):
    """A player. The token is returned once, and only to its owner."""

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
    """Whether the game waits for me or a guest of mine."""
    touched: int
    totals: list[int] = []
    winners: list[int] = []
    waiting: list[int] = []
    """The seats that the game waits for."""
    since: int | None = None
    """Since when it waits for the first of them."""
    daily: str | None = None
    """The day whose dice it has."""
    unplayable: str | None = None
    """Why this version cannot continue the game. Its record can still be downloaded if the reason
    is an older version of the rules."""


class Me(Struct, frozen=True):
    """Who I am and what I am playing; `player` is null until I have chosen a name."""

    player: PlayerInfo | None
    tables: list[TableLine]
    best: dict[str, int]
    protocol: int
    version: str
    bots: list[str]
    loopback: bool
    admin: bool = False
    """Whether the host has named me as an admin."""
    registration: Registration = "open"
    """Who may become a player here."""


class SeatWish(Struct, forbid_unknown_fields=True, frozen=True):
    """A seat of a new table."""

    kind: Literal["me", "open", "bot"]
    bot: BotName = SUBSTITUTE


class SameDice(Struct, forbid_unknown_fields=True, frozen=True):
    """A finished solo game whose dice are to be used again, and the key of its link."""

    table: Identifier
    key: Key


class PlayOn(Struct, forbid_unknown_fields=True, frozen=True):
    """A finished game to be played on from one of its moments, for practice."""

    table: Identifier
    key: Key
    at: Annotated[int, Meta(ge=0, le=10_000)]
    """How many steps of the game have been made."""
    seat: SeatNumber
    """The seat that I play; bots play the others."""
    same_dice: bool = True
    """Whether the dice go on as they did."""


class TableWish(Struct, forbid_unknown_fields=True, frozen=True):
    """A new table."""

    game: GameName
    seats: Annotated[list[SeatWish], Meta(min_length=1, max_length=4)]
    solo_fallback: bool = False
    fox_floor: bool = False
    seed: Annotated[int, Meta(ge=0, le=(1 << 53) - 1)] | None = None
    """Solo practice with repeatable dice."""
    same_dice: SameDice | None = None
    clock: Annotated[int, Meta(ge=0, le=86_400)] = 0
    pause: bool = True
    stand_in: BotName | None = None
    """The level that plays for an absent player: the `level` of the game, or a stronger one."""
    tutorial: bool = False
    """A solo game with scripted dice. All other fields except `game` are ignored."""
    real_dice: bool = False
    """People roll real dice and enter the faces. The first seat begins."""
    hints: bool = False
    """Whether players may ask for hints at a table with others, whose game then stands apart in
    statistics. Alone they always may."""
    play_on: PlayOn | None = None
    """Continue an earlier game. All other fields except `game` and `stand_in` are ignored."""


class TableMade(Struct, frozen=True):
    """A new table. Send `sit` (which adds entropy), then `start`."""

    id: str
    you: You
    table: TableInfo


class LinkMade(Struct, frozen=True):
    """A one-time link that signs a player in on another device."""

    code: str
    url: str
    expires: int


class LinkUse(Struct, forbid_unknown_fields=True, frozen=True):
    """The code of a one-time link."""

    code: Key
    bearer: bool = False
    """Return my new token as well, for scripts."""


class Device(Struct, frozen=True):
    """Where I am signed in; `seen` is the day of the last use, `here` the device that asks."""

    id: str
    name: str
    created: int
    seen: int
    here: bool


class Passkey(Struct, frozen=True):
    """A passkey of mine."""

    id: str
    name: str
    created: int
    used: int | None


class SignIns(Struct, frozen=True):
    """Where I am signed in, and how I can come back. `recovery`: when my code was made.
    `passkeys_work`: this address can have passkeys."""

    devices: list[Device]
    recovery: int | None
    passkeys: list[Passkey]
    passkeys_work: bool


class RecoveryMade(Struct, frozen=True):
    """A recovery code to write down; it is told only now, and replaces the one before."""

    code: str
    made: int


class RecoveryUse(Struct, forbid_unknown_fields=True, frozen=True):
    """A recovery code, as it was written down."""

    code: Annotated[str, Meta(max_length=64)]
    bearer: bool = False


class PasskeyOptions(Struct, frozen=True):
    """What the browser needs to make or use a passkey, as WebAuthn has it in JSON."""

    options: dict[str, Any]


class PasskeyMade(Struct, forbid_unknown_fields=True, frozen=True):
    """A new passkey: a RegistrationResponseJSON of WebAuthn."""

    credential: dict[str, Any]


class PasskeyUse(Struct, forbid_unknown_fields=True, frozen=True):
    """The answer of a passkey: an AuthenticationResponseJSON of WebAuthn."""

    credential: dict[str, Any]
    bearer: bool = False


OFFLINE = "offline-"
"""The beginning of the ids of games that were handed over."""


class OfflineSeat(Struct, forbid_unknown_fields=True, frozen=True):
    """Who played a seat of a game on my device: I, a guest who is named in the record, or a bot."""

    kind: Literal["me", "guest", "bot"]
    bot: BotName = SUBSTITUTE


class OfflineGame(Struct, forbid_unknown_fields=True, frozen=True):
    """A finished game that was played on my device without the server."""

    record: Annotated[str, Meta(max_length=MAX_FRAME)]
    """The text of its `.fox` file (docs/notation.md)."""
    seats: Annotated[list[OfflineSeat], Meta(min_length=1, max_length=4)]
    finished: Annotated[int, Meta(ge=0, le=1 << 53)]
    """When it ended, by the clock of the device."""


class GameKept(Struct, frozen=True):
    """The table that keeps a game which was handed over."""

    id: str


class DiceSecret(Struct, frozen=True):
    """The secret of the dice of a game that is over, was given up or has expired."""

    commitment: str
    secret: str


class Step(Struct, frozen=True):
    """A step of a finished game; number 0 is the start."""

    number: int
    input: str | None
    """As in the record: `throw 315-26 wybgop`, or the seat from 1 and its action."""
    seat: int | None
    events: list[EventView]
    game: GameView


class Steps(Struct, frozen=True):
    """The steps of a finished game, `count` in all."""

    count: int
    steps: list[Step]


class CourseRoll(Struct, frozen=True):
    """A roll: its address (docs/fair-dice.md), and the faces in sheet order; 0 if not rolled."""

    turn: int
    roll: int
    reroll: int
    faces: list[int]


class Course(Struct, frozen=True):
    """The points of every seat after each step, the turn of each step, and all rolls."""

    totals: list[list[int]]
    turns: list[int]
    rolls: list[CourseRoll] = []


class Decided(Struct, frozen=True):
    """What decided a game: the part of the score with the largest difference.

    `winner`: between the winner and the next best seat, in the winner's favour; `tie`: the totals
    were equal, and the best area decided. `above` and `below`: a solo game against my average.
    """

    how: Literal["winner", "tie", "above", "below"]
    area: str | None
    """The colour of an area; null for the foxes."""
    points: int
    seat: int | None = None
    """The winner's."""
    other: int | None = None
    """The next best seat."""


ExclusionKind = Literal[
    "practice", "played_on", "same_dice", "late", "stand_in", "hints",
    "hints_allowed", "real_dice", "guests", "offline",
]  # fmt: skip
"""Why a game does not count in my statistics (up to `hints`), or stands apart there."""


class Summary(Struct, frozen=True):
    """How a finished game compares with my earlier ones: solo games with solo games, games with
    others with games with others. Games that do not count or stand apart are left out, and this
    one. If it does not count itself or stands apart, `excluded` says why and nothing is compared:
    practice, played on from an earlier game (`played_on`), dice that were played before
    (`same_dice`), the day was closed before the end (`late`), a stand-in made most of my moves
    (`stand_in`), I asked for hints (`hints`), hints were allowed at the table (`hints_allowed`),
    real dice, guests, or no server (`offline`)."""

    games: int
    best: int | None
    mean: float | None
    decided: Decided | None
    excluded: list[ExclusionKind]


class MatchGame(Struct, frozen=True):
    """One of the games played with the same dice. The first of them is the challenge."""

    table: str
    name: str
    """Empty if the player has been deleted."""
    state: Literal["playing", "finished", "given_up", "gone"]
    total: int | None
    at: int
    """When it ended; while it is played, when it was created."""
    mine: bool
    kept: bool
    """Whether its moves are still stored, so that it can be compared."""
    hints: int = 0
    """How many hints its player asked for."""


class Match(Struct, frozen=True):
    """All games with the dice of a table, which is one of them."""

    game: str
    games: list[MatchGame]


class MatchSide(Struct, frozen=True):
    """What a player did after a roll."""

    dice: list[str]
    """The dice that were rolled, by colour; empty if this roll did not happen in their game."""
    actions: list[str]
    """As in the record."""
    events: list[EventView]
    total: int


class MatchRoll(Struct, frozen=True):
    """The same roll in both games. `faces` are those of all six dice, in sheet order; 0 if neither
    player rolled the die."""

    round: int
    """From 0."""
    turn: int
    roll: int
    reroll: int
    faces: list[int]
    same: bool
    """Whether both did the same up to here and after this roll."""
    sides: list[MatchSide]


class Comparison(Struct, frozen=True):
    """Two finished games with the same dice, roll by roll."""

    game: str
    games: list[MatchGame]
    """The two, in the order of `sides`."""
    parted: int | None
    """The index of the first roll after which they did different things."""
    rolls: list[MatchRoll]


class GameLine(Struct, frozen=True):
    """One of my finished games."""

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
    apart: bool
    """Whether real dice were used, guests took part, all were allowed hints, or it was played
    offline: it counts in `apart` only."""
    hints: int
    """How many hints I asked for."""
    kept: bool
    """Whether its moves are still stored, so that it can be replayed."""
    daily: str | None = None
    """The day whose dice it had."""
    match: list[MatchGame] = []
    """If others played the same dice: all games with them, mine too."""
    offline: bool = False
    """Whether it was played on a device without the server, and handed over afterwards."""
    excluded: list[ExclusionKind] = []
    """Why it does not count in statistics, or stands apart: all that is known of it."""


class GivenUpLine(Struct, frozen=True):
    """A game that I gave up."""

    table: str
    game: str
    seats: int
    at: int
    daily: str | None
    kept: bool


class History(Struct, frozen=True):
    """My finished games, newest first; `next` continues the list. The first part also has the last
    games that I gave up."""

    games: list[GameLine]
    next: int | None
    given_up: list[GivenUpLine] = []


class AreaStatistics(Struct, frozen=True):
    """One area across all my games."""

    mean: float
    best: int


class GameStatistics(Struct, frozen=True):
    """My results in one game. Solo and multiplayer games count. Practice games do not, nor do games
    in which I asked for hints or those that a stand-in mostly played. Games with real dice, guests
    or hints for all, and those played offline, are counted in `apart`."""

    games: int
    solo: int
    won: int
    mean: float
    best: int
    areas: dict[str, AreaStatistics]
    fox_mean: float
    ratings: list[int]
    """How many solo games ended in each rating, best first."""
    totals: list[int]
    """All totals in ascending order, for a score distribution."""


class Opponent(Struct, frozen=True):
    """Head to head against one opponent across all games: which of us placed higher."""

    name: str
    bot: str | None
    games: int
    won: int
    lost: int
    shared: int


class SoloStatistics(Struct, frozen=True):
    """My solo games of one kind that I started and did not finish, without practice games."""

    abandoned: int
    """Given up, left to a bot, or deleted after a long time."""
    unfinished: int
    """Still waiting for me."""


class Statistics(Struct, frozen=True):
    """My statistics for each game, and head to head against each opponent."""

    games: dict[str, GameStatistics]
    opponents: list[Opponent]
    solo: dict[str, SoloStatistics]
    apart: dict[str, GameStatistics]
    """My games with real dice, with guests on one device, or played offline."""


# --- the dice of the day ------------------------------------------------------------------------


class DailyGame(Struct, frozen=True):
    """Today's dice of one game. `state`: `open` if I can begin, `tomorrow` if I am too new."""

    game: str
    state: Literal["open", "tomorrow", "playing", "finished", "given_up", "unfinished"]
    commitment: str
    committed: int
    """When the server fixed these dice."""
    next_commitment: str | None
    """Tomorrow's."""
    players: int
    """How many have begun."""
    table: str | None = None
    """Of my attempt."""
    total: int | None = None
    place: int | None = None
    """Among all players so far; once I have finished."""
    streak: int = 0
    """On how many days in a row I finished; one missed day in seven does not end it."""


class DailyToday(Struct, frozen=True):
    """The day of this server, and its dice."""

    day: str
    ends: int
    closes: int
    """Until then, a game that was begun in time can be finished."""
    zone: str
    """The time zone of the day."""
    games: list[DailyGame]


class DailyPlace(Struct, frozen=True):
    """A line of a ranking; who has equal points shares a place."""

    place: int
    name: str
    points: int
    days: int
    """On how many days they were scored; for the week, the five best count."""
    mine: bool


class DailyBin(Struct, frozen=True):
    """How many totals are from `low` up to the next bin."""

    low: int
    count: int
    mine: bool


class DailyRanking(Struct, frozen=True):
    """The ranking of a day or of the week around it. Until I have played the day or it is closed,
    `hidden` is true and the results of that day are left out."""

    day: str
    game: str
    span: Literal["day", "week"]
    among: Literal["all", "friends"]
    closed: bool
    hidden: bool
    players: int
    """In this ranking."""
    places: list[DailyPlace]
    """The first ones, and those around me."""
    bins: list[DailyBin]
    """The distribution of the day's totals."""
    commitment: str | None
    """Null if this server had no dice that day."""
    committed: int | None
    secret: str | None
    """Once the day is closed."""


# --- the coach ----------------------------------------------------------------------------------


class ReviewState(Struct, frozen=True):
    """How far the review of a game is. When it is `done`, it can be read."""

    state: Literal["none", "waiting", "working", "done", "failed"]
    progress: float = 0.0
    """From 0 to 1."""
    ahead: int = 0
    """How many reviews are made before this one."""
    problem: str = ""
    """Why it failed."""


class ReviewWords(Struct, frozen=True):
    """A review in words: a sentence about each reviewed seat, and why each of its costly decisions
    was one, by the number of the decision's first input."""

    summaries: list[str]
    decisions: list[dict[str, list[str]]]


class ReviewedGame(Struct, frozen=True):
    """One of my reviewed games: result = expected + luck + influence - price + correction."""

    table: str
    seats: int
    finished: int
    result: float
    expected: float
    luck: float
    influence: float
    price: float
    correction: float
    hints: int
    apart: bool
    """Whether it stands apart in statistics, as in [GameLine](#gameline)."""


class Strength(Struct, frozen=True):
    """An estimate of my mean, with the luck taken out, and its standard error."""

    games: int
    mean: float
    error: float
    plain_mean: float
    plain_error: float


class CoachReport(Struct, frozen=True):
    """What all my reviewed games of one kind say. Games with hints and those that stand apart in
    statistics are listed, but do not count."""

    games: list[ReviewedGame]
    """The oldest first."""
    solo: Strength | None
    tables: Strength | None
    """In games with others."""
    luck: float
    """The mean luck of a game; it centres on zero."""
    luck_error: float
    kinds: dict[str, float]
    """What decisions cost in a game, by what I was asked (`pick`, `bonus` ...), or by the action
    that I used too early (`extra_early`) or should have used (`extra_late`): `reroll`, `return` and
    `extra`."""
    areas: list[float]
    """What decisions cost in a game, by area."""
    foxes: float
    """What they cost in foxes."""


class Coach(Struct, frozen=True):
    """My reviewed games of each kind, and how many exercises are due."""

    games: dict[str, CoachReport]
    due: int


class ExerciseView(Struct, frozen=True):
    """A position to be solved: what is my best action? `answers` is told once I have answered."""

    id: str
    game: str
    seat: int
    view: GameView
    day: int | None = None
    """For the exercise of a day: the start of that day."""
    answered: str | None = None
    """My answer to the exercise of the day."""
    answers: list[ExerciseAnswer] = []
    """Every answer, the best one first."""
    solved: int = 0
    """How many people found the answer to the exercise of the day,"""
    tried: int = 0
    """of how many who tried."""


class ExerciseAnswer(Struct, frozen=True):
    """A possible answer: the best line that begins with it, and its expected points."""

    action: str
    line: list[str]
    points: float
    error: float


class DailyExercise(Struct, frozen=True):
    """The exercise of today; null while it is being made: ask again in a moment."""

    exercise: ExerciseView | None


class ExerciseList(Struct, frozen=True):
    """My exercises that are due now, and the number of all that are."""

    exercises: list[ExerciseView]
    due: int


class ExerciseTry(Struct, forbid_unknown_fields=True, frozen=True):
    """My answer to an exercise."""

    action: ActionText


class ExerciseResult(Struct, frozen=True):
    """What my answer was worth."""

    right: bool
    cost: float
    """The points it gives away."""
    exercise: ExerciseView
    days: int = 0
    """When it comes back; 0: never, because I know it now."""


class GameInfo(Struct, frozen=True):
    """A game that can be played here, and its texts in the requested language."""

    id: str
    languages: list[str]
    """The languages of its texts; English is used for all others."""
    bots: list[str]
    """The bots that can play it at this server."""
    device: list[str]
    """The bots that can play it in the page itself, whatever the server can run."""
    usual: dict[str, int]
    """What a bot usually scores alone, as far as it was measured."""
    level: str
    """The bot to offer first. No weaker one plays for somebody absent."""
    lesson: bool
    """Whether there is a guided game."""
    text: dict[str, str]
    """`title`, `line`, `colour.<colour>` and `letter.<colour>` of each die, `help.<colour>` of each
    area, and `rating.<n>` from 0. An optional `credit` says who designed the game."""


class GameList(Struct, frozen=True):
    """The games that can be played here."""

    games: list[GameInfo]


# --- the host of the server ---------------------------------------------------------------------


class AccountSearch(Struct, forbid_unknown_fields=True, frozen=True):
    """Players by id or by a part of their name; `exact`: by their whole name."""

    text: Annotated[str, Meta(min_length=1, max_length=64)]
    exact: bool = False


class AccountInfo(Struct, frozen=True):
    """A player as an admin sees them. `banned`, `recovery`: since when; `seen`: the last day."""

    id: str
    name: str
    created: int
    admin: bool
    banned: int | None
    recovery: int | None
    devices: int
    passkeys: int
    seen: int
    unfinished: int
    finished: int


class AccountList(Struct, frozen=True):
    """Players that were found, the newest first."""

    players: list[AccountInfo]


class AccountName(Struct, forbid_unknown_fields=True, frozen=True):
    """Another name for a player, also one that is reserved."""

    name: Annotated[str, Meta(max_length=12_000)]


class Ban(Struct, forbid_unknown_fields=True, frozen=True):
    """Why a player is banned, for the audit log."""

    reason: Annotated[str, Meta(max_length=200)] = ""


AuditKind = Literal[
    "rename", "ban", "unban", "delete", "link", "export", "grant", "revoke", "close",
    "registration", "invite",
]  # fmt: skip


class AuditLine(Struct, frozen=True):
    """What somebody did as host. `operator` is an admin, or null for the host at the machine."""

    number: int
    at: int
    operator: str | None
    operator_name: str
    action: AuditKind
    player: str | None
    detail: str


class AuditLog(Struct, frozen=True):
    """What was done as host, newest first; `next` continues the list."""

    entries: list[AuditLine]
    next: int | None


class TableData(Struct, frozen=True):
    """A table in an export. `record` of a finished game; `log` of one that is not."""

    id: str
    game: str
    created: int
    host: bool
    record: str | None = None
    log: list[Any] = []
    damaged: str | None = None


class AccountData(Struct, frozen=True):
    """All data about one player."""

    player: AccountInfo
    devices: list[Device]
    passkeys: list[Passkey]
    games: list[GameLine]
    tables: list[TableData]
    audit: list[AuditLine]


class RegistrationInfo(Struct, frozen=True):
    """Who may become a player; `fixed`: by an option of the server."""

    mode: Registration
    fixed: bool


class RegistrationWish(Struct, forbid_unknown_fields=True, frozen=True):
    """Who may become a player from now on."""

    mode: Registration


class InvitationWish(Struct, forbid_unknown_fields=True, frozen=True):
    """An invitation to this server, for so many new players and days."""

    uses: Annotated[int, Meta(ge=1, le=1000)] = 1
    days: Annotated[int, Meta(ge=1, le=365)] = 7


class InvitationMade(Struct, frozen=True):
    """An invitation; its code is told only now."""

    code: str
    url: str
    uses: int
    expires: int


class TableClosed(Struct, frozen=True):
    """A table that is gone."""

    id: str


class LessonText(Struct, frozen=True):
    """The guided game of a game."""

    inputs: list[str]
    """What to do, in order: `roll`, or an action."""
    text: list[str]
    """What is said before each of them, and at the end."""


class RulesText(Struct, frozen=True):
    """The rulebook of a game: the whole text as Markdown, and its numbered clauses."""

    game: str
    language: str
    text: str
    clauses: dict[str, str]


class Health(Struct, frozen=True):
    """Whether moves are saved and every background task runs. Bots may still be warming up."""

    status: Literal["ok", "storage_failing", "task_died", "stopping"]
    message: str
    version: str
    bots: Literal["ready", "warming", "failing"]


GAMES = tuple(SHEETS)
