"""Servers as processes and clients as coroutines, for tests and benchmarks alike."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from foxtray.server.protocol.messages import TableWish
from foxtray.server.store import PlayerRow
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.tables.table import Table

Json = dict[str, Any]
LoopFactory = Callable[[], asyncio.AbstractEventLoop]
TIMEOUT = 30.0
LATE = 60.0
"""When a test gives up what must happen; a busy machine may need most of it."""
DICE_LETTERS = {"clever": "wybgop", "twice": "wsybgp"}
PASSING = ("storage_failing", "moved")
STALE = ("dice_wanted", "not_awaited", "no_throw", "nothing_to_undo", "game_over")


async def created(registry: TableRegistry, player: PlayerRow, wish: TableWish) -> Table:
    """A new table, owned by the server that made it."""
    return await registry.table((await registry.create(player, wish)).id)


def until(holds: Callable[[], object]) -> None:
    """Wait until a condition holds, with a timeout for slow machines."""
    deadline = time.monotonic() + LATE
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


async def until_async(holds: Callable[[], object]) -> None:
    """The same, while others go on."""
    async with asyncio.timeout(LATE):
        while not holds():
            await asyncio.sleep(0.01)


class Server:
    """A server process that can be killed and started again on the same port and file."""

    def __init__(
        self,
        db: Path | str,
        *options: str,
        log: Path | None = None,
        command: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> None:
        self.database = str(db)
        self.pass_fds = pass_fds
        self.environment = environment or {}
        self.port = 0
        """Chosen by the first start: a port that was free a moment ago may be taken by now."""
        self.command = command or (sys.executable, "-m", "foxtray")
        self.options = options or ("--no-limits", "--bot-pause", "0", "--workers", "1")
        self.process: subprocess.Popen[bytes] | None = None
        self.log = log or Path(db).with_suffix(".log")
        self._begun = 0

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            if self.process:
                self.kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def launch(self) -> None:
        """Start the process without waiting for it."""
        arguments = ["serve", "--port", str(self.port), "--db", self.database, *self.options]
        with self.log.open("ab") as log:
            self._begun = log.tell()
            self.process = subprocess.Popen(
                [*self.command, *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=self.pass_fds,
                env={
                    "FOXTRAY_WARM": "off",
                    "FOXTRAY_ABSENCE": "0.5",
                    **os.environ,
                    **self.environment,
                },
            )

    def start(self) -> None:
        self.launch()
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            assert self.process
            assert self.process.poll() is None, self.log.read_text()
            try:
                self.port = self.port or self._announced()
                if self.port:
                    self.http("GET", "/healthz")
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"the server did not start: {self.log.read_text()}")

    def _announced(self) -> int:
        told = self.log.read_bytes()[self._begun :].decode()
        found = re.search(r"^Foxtray is ready: http://[^:]+:(\d+)/$", told, re.M)
        return int(found[1]) if found else 0

    def kill(self) -> None:
        """Kill the process, like a power cut."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stop the process gracefully; returns the exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(f"the server did not stop: {self.log.read_text()}") from None

    @property
    def db(self) -> Path:
        """The file of an SQLite database."""
        return Path(self.database)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def http(
        self,
        method: str,
        path: str,
        body: object = None,
        token: str = "",
        headers: dict[str, str] | None = None,
        source: str | None = None,
    ) -> tuple[int, Any]:
        """Send one request; returns the status and the body, decoded if it is JSON."""
        sent = None if body is None else json.dumps(body).encode()
        status, data, told = self.exchange(method, path, sent, token, headers, source)
        return status, json.loads(data) if told[
            "Content-Type"
        ] == "application/json" else data.decode()

    def raw(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        token: str = "",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, bytes, str]:
        status, answer, told = self.exchange(method, path, data, token, headers)
        return status, answer, told["Content-Type"]

    def exchange(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        token: str = "",
        headers: dict[str, str] | None = None,
        source: str | None = None,
    ) -> tuple[int, bytes, Message]:
        """One request from an address of this machine; status, body and headers of the answer."""
        sent = {"Content-Type": "application/json"} if data is not None else {}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        line = http.client.HTTPConnection(
            "127.0.0.1", self.port, TIMEOUT, source_address=(source, 0) if source else None
        )
        try:
            line.request(method, path, data, {**sent, **(headers or {})})
            answer = line.getresponse()
            return answer.status, answer.read(), answer.headers
        except http.client.HTTPException as error:
            raise ConnectionError(f"the answer was cut short: {error!r}") from error
        finally:
            line.close()

    def figure(self, name: str) -> float:
        """One line of /metrics; 0 if it is not there."""
        text = self.raw("GET", "/metrics")[1].decode()
        lines = [line for line in text.splitlines() if line.startswith(name + " ")]
        return float(lines[0].split()[1]) if lines else 0.0

    def player(self, name: str = "Ana") -> tuple[str, str]:
        """A new player: id and token."""
        status, me = self.http("PUT", "/api/me", {"name": name, "bearer": True})
        self.expect(status, me)
        return me["id"], me["token"]

    def table(self, token: str, game: str = "clever", seats: str = "m", **more: object) -> Json:
        """A new table; seats by letter: m(e), o(pen), b(ot)."""
        kinds = {"m": "me", "o": "open", "b": "bot"}
        wish = {"game": game, "seats": [{"kind": kinds[letter]} for letter in seats], **more}
        status, made = self.http("POST", "/api/tables", wish, token)
        self.expect(status, made)
        return dict(made)

    def expect(self, status: int, answer: Json) -> None:
        """Treat a server whose disk fails, or a proxy that finds none, as unreachable."""
        if status >= 502:
            raise ConnectionError(f"{status}: {answer}")
        assert status == 200, answer


def key_of(link: str) -> str:
    return link.partition("key=")[2]


class Refused(Exception):
    """A refusal, as a client sees it."""

    def __init__(self, message: Json) -> None:
        super().__init__(message["code"], message["message"])
        self.code = message["code"]


class Client:
    """A client of one table: keeps its view up to date and sends again what got no answer.

    `trouble` is how often a message comes late, twice, or after one that was sent later.
    """

    def __init__(
        self,
        port: int,
        table: str,
        token: str = "",
        key: str = "",
        rng: random.Random | None = None,
        trouble: float = 0.0,
    ) -> None:
        self.port = port
        self.table_id = table
        self.token = token
        self.key = key
        self.rng = rng or random.Random(table)
        self.trouble = trouble
        # Dice of their own, so that what goes wrong in sending does not hang on what is heard.
        self._sending = random.Random(self.rng.random())
        self._reading = random.Random(self.rng.random())
        self.seq = 0
        self.seen = False
        self.you: Json = {}
        self.table: Json = {}
        self.game: Json | None = None
        self.deadlines: Json = {}
        self.undo: list[int] = []
        self.entries: dict[int, Json] = {}
        self.acked: dict[str, int] = {}
        self.done: list[Json] = []
        """The commands that were acknowledged, as they were sent."""
        self.answers: defaultdict[str, list[Json]] = defaultdict(list)
        """All that was answered to a command, by its name."""
        self.refusals: list[str] = []
        self.put_off: list[str] = []
        """Refusals after which the same command was sent again."""
        self.heard: list[str] = []
        self.keep_heard = False
        self.changed = asyncio.Event()
        self.waiting: dict[str, asyncio.Future[Json]] = {}
        self.unanswered: dict[str, Json] = {}
        self.socket: ClientConnection | None = None
        self.resyncs = 0
        self._names = itertools.count()
        self._prefix = secrets.token_hex(4)
        self._task: asyncio.Task[None] | None = None
        self.closed = False

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._stay())
        async with asyncio.timeout(TIMEOUT):
            while not self.seen:
                await self.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed = True
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _stay(self) -> None:
        """Connect, listen, and reconnect after any failure."""
        url = f"ws://127.0.0.1:{self.port}/api/tables/{self.table_id}/live"
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        while not self.closed:
            pause = 0.02 + self.rng.random() * 0.03
            try:
                async with connect(
                    url,
                    additional_headers=headers,
                    compression=None,
                    max_size=None,
                    ping_interval=None,
                    close_timeout=0.5,
                    open_timeout=5,
                ) as self.socket:
                    await self.hello()
                    for message in list(self.unanswered.values()):
                        await self.send(message)
                    async for text in self.socket:
                        assert isinstance(text, str)
                        await self._dawdle(self._reading)
                        if self.keep_heard:
                            self.heard.append(text)
                        self._take(json.loads(text))
            except ConnectionRefusedError:
                pause *= 5  # many clients must not keep a server from starting
            except (OSError, ConnectionClosed, TimeoutError, EOFError):
                pass
            except Exception as error:
                if "InvalidStatus" in type(error).__name__:
                    pause *= 5  # a proxy that found no server
                elif "InvalidMessage" not in type(error).__name__:
                    raise
            self.socket = None
            await asyncio.sleep(pause)

    async def hello(self) -> None:
        hello: Json = {"type": "hello", "key": self.key}
        if self.seen:
            hello["since"] = self.seq
        await self.send(hello)

    def _take(self, message: Json) -> None:
        kind = message["type"]
        if kind == "snapshot":
            self.you, self.table = message["you"], message["table"]
            self._note(message)
            self.game = message["game"]
            self.seen = True
        elif kind == "update":
            if message["previous"] > self.seq:
                self.resyncs += 1
                task = asyncio.ensure_future(self.hello())
                task.add_done_callback(lambda done: done.exception())
            elif message["seq"] > self.seq:
                self.table = message.get("table", self.table)
                self.game = message.get("game", self.game)
                self._note(message)
        elif kind in ("ack", "refused", "previews", "hinted"):
            self.answers[message["id"]].append(message)
            future = self.waiting.get(message["id"])
            if future and not future.done():
                future.set_result(message)
        self.changed.set()

    def _note(self, message: Json) -> None:
        self.seq, self.undo = message["seq"], message["undo"]
        self.deadlines = message["deadlines"]
        for entry in message["entries"]:
            self.entries[entry["seq"]] = entry

    async def wait(self, seconds: float = 0.5) -> None:
        """Wait until something happens, but not for long."""
        try:
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        except TimeoutError:
            pass
        self.changed.clear()

    async def send(self, message: Json) -> None:
        if self.socket:
            with suppress(ConnectionClosed):
                await self.socket.send(json.dumps(message))

    async def _dawdle(self, rng: random.Random) -> None:
        """Wait sometimes, to be late."""
        if self.trouble and rng.random() < self.trouble:
            await asyncio.sleep(rng.random() * 0.03)

    def _flurry(self, message: Json) -> list[Json]:
        """Send a message as a bad connection would: twice, and out of order."""
        company: list[Json] = [message, {"type": "ping"}]
        company += self._sending.choices(self.done, k=2) if self.done else []
        company = [other for other in company if self._sending.random() < self.trouble]
        sent = [message, *company]
        self._sending.shuffle(sent)
        return sent

    async def _send_badly(self, message: Json) -> None:
        for part in self._flurry(message) if self.trouble else [message]:
            await self._dawdle(self._sending)
            await self.send(part)

    async def repeat(self) -> None:
        """Send every acknowledged command again, in any order, and expect the same answers."""
        before = {name: len(answers) for name, answers in self.answers.items()}
        left = self._sending.sample(self.done, len(self.done))
        async with asyncio.timeout(TIMEOUT):
            while left:
                for message in left:
                    await self.send(message)
                await asyncio.sleep(0.5)
                left = [m for m in left if len(self.answers[m["id"]]) == before[m["id"]]]

    async def drop(self) -> None:
        """Drop the connection without a closing handshake."""
        if self.socket:
            self.socket.transport.abort()

    async def command(self, kind: str, *, again: float = 0.4, **what: object) -> Json:
        """Send a command until it is answered; raises Refused."""
        name = f"{self._prefix}-{next(self._names)}"
        message: Json = {"type": kind, "id": name, **what}
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.waiting[name] = future
        self.unanswered[name] = message
        try:
            async with asyncio.timeout(LATE):  # servers that are killed need a while to start
                while True:
                    await self._send_badly(message)
                    try:
                        # Not wait_for: before Python 3.12 it may swallow a cancellation.
                        async with asyncio.timeout(again):
                            answer = await asyncio.shield(future)
                    except TimeoutError:
                        continue
                    if answer.get("code") in PASSING:
                        self.put_off.append(str(answer["code"]))
                        future = asyncio.get_running_loop().create_future()
                        self.waiting[name] = future
                        await asyncio.sleep(0.2)
                        continue
                    break
        finally:
            del self.waiting[name], self.unanswered[name]
        if answer["type"] == "refused":
            self.refusals.append(answer["code"])
            raise Refused(answer)
        if answer["type"] == "ack":
            self.acked[name] = answer["seq"]
            self.done.append(message)
        return answer

    async def sit(self, seat: int) -> None:
        await self.command("sit", seat=seat, entropy=secrets.token_hex(16))
        self.you["seat"] = seat

    @property
    def seat(self) -> int:
        return int(self.you["seat"])

    @property
    def held(self) -> list[int]:
        """My seat and those of my guests."""
        return [self.seat, *self.you.get("guests", ())]

    def my_move(self) -> Json | None:
        """A random legal command of mine, or of a guest."""
        game = self.game
        if game is None or game["over"]:
            return None
        if game["rolling"]:
            return self.my_roll(game)
        for seat in self.held:
            if seat in game["awaiting"]:
                legal = game["seats"][seat]["legal"]
                action = self.rng.choice(legal)["action"]
                return {"kind": "play", "action": action, **self.named(seat)}
        return None

    def my_roll(self, game: Json) -> Json | None:
        active = game["active"]
        if self.table["dice"]["kind"] == "real":
            owner = self.table["seats"][active]
            if active in self.held or owner["bot"] or owner["stand_in"]:
                return {"kind": "enter_faces", **self.roll_by_hand(game)}
            return None
        return {"kind": "roll", **self.named(active)} if active in self.held else None

    def roll_by_hand(self, game: Json) -> Json:
        """Faces for the dice that are wanted, and an order in which equal ones are moved."""
        letters = DICE_LETTERS[game["game"]]
        faces = [self.rng.randint(1, 6) if d in game["rolling"] else 0 for d in letters]
        return {"faces": faces, "order": self.rng.sample(range(6), 6)}

    def named(self, seat: int) -> Json:
        """Only a guest's seat has to be named."""
        return {} if seat == self.seat else {"seat": seat}

    async def play(self, *, drops: float = 0.0, undos: float = 0.0) -> None:
        """Play at random to the end, sometimes losing the connection or undoing an action."""
        while not (self.game and self.game["over"]):
            if drops and self.rng.random() < drops:
                await self.drop()
            seen = self.seq
            try:
                back = [seat for seat in self.held if seat in self.undo]
                if back and self.rng.random() < undos:
                    await self.command("undo", **self.named(back[0]))
                elif move := self.my_move():
                    await self.command(**move)
                else:
                    await self.wait()
            except Refused as refusal:
                # A copy may be carried out yet. Answers come in order: hear of it first.
                await self.command("preview")
                # What one saw may be a moment old; everything else is a mistake.
                if refusal.code not in STALE and self.seq == seen:
                    raise
