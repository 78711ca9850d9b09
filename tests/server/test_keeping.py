"""What is stored and for how long: export, backup, old tables, old rules."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from foxtray.game import RULES_VERSION
from foxtray.server.store.sqlite import backup
from foxtray.server.wall_clock import now
from server.harness import Json, Server
from server.test_tables import play_over_http, post, run, snapshot, solo

DAY = 86_400_000
OTHER_RULES = RULES_VERSION + 77


class Played(NamedTuple):
    """A store with a finished table, a started one and a lobby, all of one player."""

    db: Path
    token: str
    finished: str
    begun: str
    lobby: str
    keys: dict[str, str]
    record: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """While the server that played them runs."""
    db = tmp_path_factory.mktemp("played") / "store.db"
    with Server(db) as server:
        first, token = solo(server)
        play_over_http(server, first["id"], token)
        second = server.table(token, "twice", "m")
        post(server, second["id"], token, "sit", seat=0, entropy="0" * 32)
        for kind in ("start", "roll"):
            assert post(server, second["id"], token, kind)["type"] == "ack"
        third = server.table(token, "clever", "mo")
        record = server.http("GET", f"/api/tables/{first['id']}/record", token=token)[1]
        keys = {made["id"]: made["you"]["key"] for made in (first, second, third)}
        yield Played(db, token, first["id"], second["id"], third["id"], keys, record)


def foxtray(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "foxtray", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def altered(played: Played, target: Path, *statements: str) -> Path:
    """A copy of the store, with something changed in it."""
    backup(played.db, target)
    connection = sqlite3.connect(target)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return target


def test_export_writes_what_can_be_downloaded_and_verified(played: Played, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    done = foxtray("export", folder, "--db", played.db)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 record written")
    (path,) = folder.iterdir()
    assert path.name == f"{played.finished}.fox"
    assert path.read_text() == played.record
    shown = foxtray("replay", path)
    assert shown.returncode == 0
    assert "Verified" in shown.stdout
    # Once more over the same folder: the same again. Without data: a sentence.
    assert foxtray("export", folder, "--db", played.db).returncode == 0
    assert path.read_text() == played.record
    missing = foxtray("export", folder, "--db", tmp_path / "none.db")
    assert missing.returncode != 0
    assert missing.stderr.startswith("foxtray: there is no data at")
    blocked = foxtray("export", path, "--db", played.db)
    assert blocked.returncode != 0
    assert "Traceback" not in blocked.stderr


def test_export_goes_on_past_a_damaged_table_and_names_it(played: Played, tmp_path: Path) -> None:
    twin = "damaged-twin"
    db = altered(
        played,
        tmp_path / "store.db",
        f"INSERT INTO tables SELECT '{twin}', rules, setup, secret, host, invite, watch, created,"
        f" finished-1 FROM tables WHERE id='{played.finished}'",
        f"INSERT INTO inputs SELECT '{twin}', seq, at, CASE seq WHEN 5 THEN x'7b7d' ELSE data END,"
        f" command FROM inputs WHERE \"table\"='{played.finished}'",
    )
    done = foxtray("export", tmp_path / "records", "--db", db)
    assert done.returncode == 1
    assert done.stdout.startswith("1 record written")
    assert f"table {twin} is damaged and was skipped: " in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.stem for path in (tmp_path / "records").iterdir()] == [played.finished]


def gone(server: Server, played: Played, table: str) -> bool:
    return server.http("GET", f"/api/tables/{table}", token=played.token)[0] == 404


async def until(holds: Callable[[], bool]) -> None:
    while not await asyncio.to_thread(holds):
        await asyncio.sleep(0.05)


def test_tables_are_kept_as_long_as_the_host_says(played: Played, tmp_path: Path) -> None:
    age = 10 * DAY
    db = altered(
        played,
        tmp_path / "store.db",
        f"UPDATE tables SET created=created-{age}, finished=finished-{age}",
        f"UPDATE inputs SET at=at-{age}",
        f"INSERT OR REPLACE INTO marks VALUES ('clock', {now()})",
    )
    with Server(db, "--no-limits", "--keep-finished", "9", "--keep-unfinished", "11") as server:
        run(until(lambda: gone(server, played, played.finished)))
        assert not gone(server, played, played.begun)
        assert not gone(server, played, played.lobby)
        # The statistics stay.
        figures = server.http("GET", "/api/me/statistics", token=played.token)[1]
        assert figures["games"]["clever"]["games"] == 1
        # What somebody still plays at is not abandoned.
        assert snapshot(server, played.begun, played.token)["game"]["seats"][0]["legal"]
        legal = snapshot(server, played.begun, played.token)["game"]["seats"][0]["legal"]
        action = legal[0]["action"]
        assert post(server, played.begun, played.token, "play", action=action)["type"] == "ack"
    with Server(db, "--no-limits", "--keep-finished", "1", "--keep-unfinished", "9") as server:
        run(until(lambda: gone(server, played, played.lobby)))
        assert not gone(server, played, played.begun)
        assert foxtray("export", tmp_path / "none", "--db", db).stdout.startswith("0 records")


@pytest.fixture(scope="module")
def outdated(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on tables that were played by other rules."""
    db = tmp_path_factory.mktemp("outdated") / "store.db"
    altered(played, db, f"UPDATE tables SET rules={OTHER_RULES}")
    with Server(db) as server:
        yield server


def says_why(answer: Json) -> bool:
    told = str(answer["message"])
    versions = f"version {OTHER_RULES} of the rules", f"version {RULES_VERSION};"
    return answer["code"] == "rules_changed" and all(v in told for v in versions)


def test_a_table_of_other_rules_says_why(outdated: Server, played: Played) -> None:
    for table in (played.finished, played.begun):
        for path in ("", "/updates", "/steps", "/course", "/qr.svg"):
            address = f"/api/tables/{table}{path}"
            status, answer = outdated.http("GET", address, token=played.token)
            assert status == 409
            assert says_why(answer)
            status, answer = outdated.http("GET", f"{address}?key={played.keys[table]}")
            assert says_why(answer)
            # Somebody who may not see it learns nothing.
            assert outdated.http("GET", address)[1]["code"] == "no_table"
        assert says_why(post(outdated, table, played.token, "roll"))
    lines = outdated.http("GET", "/api/me", token=played.token)[1]["tables"]
    assert {line["id"]: line["game"] for line in lines} == {
        played.begun: "twice",
        played.lobby: "clever",
    }
    assert all(f"version {OTHER_RULES}" in line["unplayable"] for line in lines)
    assert all(line["names"][0] == "Ana" for line in lines)

    async def main() -> None:
        url = f"ws://127.0.0.1:{outdated.port}/api/tables/{played.begun}/live"
        headers = {"Authorization": f"Bearer {played.token}"}
        async with connect(url, additional_headers=headers) as live:
            await live.recv()
            await live.send('{"type":"hello"}')
            assert says_why(json.loads(await live.recv()))
            with pytest.raises(ConnectionClosed) as closed:
                await live.recv()
            assert closed.value.rcvd
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4004, "rules_changed")

    run(main())


def test_a_table_of_other_rules_offers_its_record(
    outdated: Server, played: Played, tmp_path: Path
) -> None:
    def body(text: str) -> list[str]:
        return [x for x in text.splitlines() if not x.startswith(("rules ", "sha256 "))]

    address = f"/api/tables/{played.finished}/record"
    status, text = outdated.http("GET", address, token=played.token)
    assert status == 200
    assert text.splitlines()[1] == f"rules {OTHER_RULES}"
    assert body(text) == body(played.record)
    assert outdated.http("GET", f"{address}?key={played.keys[played.finished]}")[1] == text
    assert outdated.http("GET", address)[1]["code"] == "no_table"
    # It can be read where these rules are played, and is refused clearly where they are not.
    path = tmp_path / "old.fox"
    path.write_text(text)
    shown = foxtray("replay", path)
    assert shown.returncode != 0
    assert (
        f"rules version {OTHER_RULES} cannot be replayed; it must be {RULES_VERSION}"
        in shown.stderr
    )
    # Of a game that has not ended the secret stays one.
    address = f"/api/tables/{played.begun}/record"
    status, text = outdated.http("GET", address, token=played.token)
    assert status == 200
    assert "\nthrow " in text
    assert "\ndice secret " in text
    assert "\nsecret " not in text
    done = foxtray("export", tmp_path / "all", "--db", outdated.db)
    assert done.returncode == 0
    assert done.stderr.startswith("1 of them")
    (path,) = (tmp_path / "all").iterdir()
    assert body(path.read_text()) == body(played.record)
