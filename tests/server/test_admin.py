"""The host's tools: `foxtray admin` on a server that runs and on its data alone, and admins."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from server.harness import TIMEOUT, Client, Server, key_of
from server.test_accounts import by_link, live, sign_in, who
from server.test_tables import play_over_http, seated, snapshot, solo


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("admin") / "store.db") as running:
        yield running


def admin(db: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "foxtray", "admin", *words, "--db", str(db)]
    environment = {**os.environ, "LOGNAME": "root"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def told(db: Path, *words: str) -> Any:
    """The answer of a command that works."""
    done = admin(db, *words, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done
    return json.loads(done.stdout)


def complaint(db: Path, *words: str) -> str:
    """The sentence of a command that does not."""
    done = admin(db, *words)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


def code(server: Server, method: str, path: str, body: object = None, token: str = "") -> str:
    """The code of a refusal."""
    status, answer = server.http(method, f"/api/admin/{path}", body, token)
    assert status >= 400
    return str(answer["code"])


# --- at the machine -----------------------------------------------------------------------------


def test_players_are_found_and_renamed_while_the_server_runs(server: Server) -> None:
    player, token = server.player("Žarko")
    made = server.table(token)
    found = told(server.db, "find", "žAR")["players"]
    assert [(p["id"], p["name"], p["devices"], p["unfinished"]) for p in found] == [
        (player, "Žarko", 1, 1)
    ]
    assert "Žarko" in admin(server.db, "find", player).stdout
    assert told(server.db, "rename", "žarko", "Host")["name"] == "Host", "the host may"
    assert who(server, token) == {"id": player, "name": "Host"}
    assert snapshot(server, made["id"], token)["table"]["seats"][0]["name"] == "Host"
    assert admin(server.db, "show", player).stdout.startswith(f"Host ({player})\n")
    assert admin(server.db, "find", "nobody at all").stdout == "No player was found.\n"
    for command in ("find", "show"):
        assert "an empty text finds nobody" in complaint(server.db, command, "")


def test_a_player_is_named_by_id_when_several_have_the_name(server: Server) -> None:
    ids = {server.player("Twin")[0] for _ in range(2)}
    sentence = complaint(server.db, "ban", "twin")
    assert "several players are called 'twin'" in sentence
    assert all(one in sentence for one in ids)
    assert "unknown player 'Nemo'" in complaint(server.db, "ban", "Nemo")
    assert "at most 24" in complaint(server.db, "rename", min(ids), "x" * 25)


def test_the_banned_are_refused_everywhere_at_once(server: Server) -> None:
    player, phone = server.player("Rowdy")
    laptop = by_link(server, phone)
    _, made = server.http("POST", "/api/me/recovery", token=phone)
    _, link = server.http("POST", "/api/me/link", token=phone)

    async def main() -> None:
        table, (host, guest) = await seated(server, "mo", pause=False)
        await host.command("start")
        path = f"/api/tables/{table['id']}"
        async with live(server, table["id"], guest.token) as socket:
            await socket.recv()
            waiting = asyncio.create_task(
                asyncio.to_thread(
                    server.http, "GET", f"{path}/updates?since={host.seq}", token=guest.token
                )
            )
            await asyncio.sleep(0.3)
            me = await asyncio.to_thread(who, server, guest.token)
            assert me
            await asyncio.to_thread(told, server.db, "ban", me["id"], "--reason", "spam")
            async with asyncio.timeout(TIMEOUT):
                with suppress(ConnectionClosed):
                    while True:
                        await socket.recv()
        assert (await waiting)[1]["code"] == "banned"
        async with live(server, table["id"], guest.token) as socket:
            with suppress(ConnectionClosed):
                await socket.recv()
            assert (socket.close_code, socket.close_reason) == (4004, "banned")
        # A bot plays on, so that nobody waits.
        async with asyncio.timeout(TIMEOUT):
            while not host.table["seats"][1]["stand_in"]:
                await host.wait()
        await host.__aexit__()
        await guest.__aexit__()

    asyncio.run(main())
    assert told(server.db, "ban", player)["banned"]
    requests: list[tuple[str, str, object]] = [
        ("GET", "/api/me", None),
        ("PUT", "/api/me", {"name": "Other"}),
        ("DELETE", "/api/me", None),
        ("POST", "/api/tables", {"game": "clever", "seats": [{"kind": "me"}]}),
        ("POST", "/api/me/recovery", None),
    ]
    for token in (phone, laptop):
        for method, path, body in requests:
            status, answer = server.http(method, path, body, token)
            assert (status, answer["code"]) == (403, "banned")
    assert server.http("POST", "/api/recover", {"code": made["code"]})[1]["code"] == "banned"
    assert server.http("POST", "/api/link", {"code": link["code"]})[1]["code"] == "banned"
    assert told(server.db, "unban", player)["banned"] is None
    assert who(server, phone) == {"id": player, "name": "Rowdy"}
    assert sign_in(server, "/api/recover", made["code"])


def test_a_player_is_deleted_and_leaves_no_id_in_the_log(server: Server) -> None:
    player, token = server.player("Gone")
    told(server.db, "ban", player, "--reason", "called Gone")
    told(server.db, "unban", player)
    assert "say --yes" in complaint(server.db, "delete", player)
    done = admin(server.db, "delete", player, "--yes")
    assert done.stdout == f"Deleted Gone ({player}).\n"
    assert who(server, token) is None
    entries = told(server.db, "log")["entries"]
    assert [(e["action"], e["player"], e["detail"]) for e in entries[:3]] == [
        ("delete", None, ""),
        ("unban", None, ""),
        ("ban", None, ""),
    ]


def test_a_link_from_the_host_brings_a_player_back(server: Server) -> None:
    player, _ = server.player("Lost")
    made = told(server.db, "link", "Lost")
    assert made["url"] == f"{server.url}/link/{made['code']}"
    assert who(server, sign_in(server, "/api/link", made["code"])) == {
        "id": player,
        "name": "Lost",
    }
    assert admin(server.db, "link", "Lost").stdout.startswith(f"{server.url}/link/")


def test_a_closed_table_is_gone_for_everybody(server: Server) -> None:
    _, token = server.player("Maker")
    made = server.table(token, "clever", "mo")

    async def main() -> None:
        async with Client(server.port, made["id"], token) as client:
            link = f"{server.url}/t/{made['id']}#key=abc"
            assert await asyncio.to_thread(told, server.db, "close", link) == {"closed": made["id"]}
            async with asyncio.timeout(TIMEOUT):
                while client.socket:
                    await client.wait(0.05)

    asyncio.run(main())
    assert server.http("GET", f"/api/tables/{made['id']}", token=token)[1]["code"] == "no_table"
    assert server.http("GET", "/api/me", token=token)[1]["tables"] == []
    assert "this table does not exist" in complaint(server.db, "close", made["id"])
    assert "neither the id of a table" in complaint(server.db, "close", "a b")
    assert told(server.db, "log")["entries"][0]["detail"] == made["id"]


def test_an_export_holds_all_about_one_player(server: Server, tmp_path: Path) -> None:
    made, token = solo(server)
    server.http("PUT", "/api/me", {"name": "Nina"}, token)
    player = str((who(server, token) or {})["id"])
    play_over_http(server, made["id"], token)
    running = server.table(token, "twice", "mb")
    data = told(server.db, "export", player)
    assert data["player"]["name"] == "Nina"
    assert len(data["devices"]) == 1
    assert [game["table"] for game in data["games"]] == [made["id"]]
    tables = {table["id"]: table for table in data["tables"]}
    assert set(tables) == {made["id"], running["id"]}
    assert tables[made["id"]]["record"].startswith("foxtray")
    assert "Nina" in tables[made["id"]]["record"]
    assert (tables[running["id"]]["game"], tables[running["id"]]["host"]) == ("twice", True)
    assert [entry["action"] for entry in data["audit"]] == ["export"]
    # No secret of dice to come, no token.
    connection = sqlite3.connect(server.db)
    query = "SELECT secret FROM tables WHERE id=?"
    (secret,) = connection.execute(query, (running["id"],)).fetchone()
    connection.close()
    assert secret.hex() not in json.dumps(data)
    assert token not in json.dumps(data)
    out = tmp_path / "nina.json"
    assert admin(server.db, "export", player, "--out", str(out)).returncode == 0
    assert json.loads(out.read_text())["player"]["id"] == player
    assert out.stat().st_mode & 0o077 == 0
    assert "exists already" in complaint(server.db, "export", player, "--out", str(out))


def test_registration_by_invitation_and_closed(server: Server) -> None:
    _, token = server.player("Early")
    assert told(server.db, "registration") == {"mode": "open", "fixed": False}
    try:
        assert told(server.db, "registration", "closed")["mode"] == "closed"
        status, answer = server.http("PUT", "/api/me", {"name": "Late"})
        assert (status, answer["code"]) == (403, "registration_closed")
        assert server.http("PUT", "/api/me", {"name": "Earlier"}, token)[0] == 200
        told(server.db, "registration", "invitation")
        assert server.http("GET", "/api/me")[1]["registration"] == "invitation"
        assert server.http("PUT", "/api/me", {"name": "Late"})[1]["code"] == "invitation_needed"
        made = told(server.db, "invite", "--uses", "2")
        assert made["url"] == f"{server.url}/invited/{made['code']}"
        body = {"name": "Late", "invitation": made["code"]}
        wrong = {"name": "Late", "invitation": "wrong"}
        assert server.http("PUT", "/api/me", wrong)[1]["code"] == "invitation_needed"
        assert server.http("PUT", "/api/me", {**body, "name": ""})[1]["code"] == "name_empty"
        answers = [server.http("PUT", "/api/me", body)[0] for _ in range(3)]
        assert answers == [200, 200, 403]
        assert "choose 1 to 1000" in complaint(server.db, "invite", "--uses", "0")
        # The choice is kept.
        server.stop()
        server.start()
        assert server.http("PUT", "/api/me", {"name": "Late"})[1]["code"] == "invitation_needed"
    finally:
        assert admin(server.db, "registration", "open").stdout == "Registration: open.\n"


def test_an_option_of_the_server_decides_about_registration(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Voldemort\n", encoding="utf-8")
    options = ("--no-limits", "--workers", "1", "--registration", "closed")
    with Server(tmp_path / "store.db", *options, "--refused-names", str(names)) as server:
        assert server.http("PUT", "/api/me", {"name": "Ana"})[1]["code"] == "registration_closed"
        assert told(server.db, "registration") == {"mode": "closed", "fixed": True}
        assert "--registration" in complaint(server.db, "registration", "open")
    with Server(tmp_path / "store.db", "--workers", "1", "--refused-names", str(names)) as server:
        assert server.http("PUT", "/api/me", {"name": "V0ldemort"})[1]["code"] == "name_refused"
        assert server.http("PUT", "/api/me", {"name": "Ana"})[0] == 200


def test_a_wrong_option_is_one_sentence(tmp_path: Path) -> None:
    for option, sentence in (
        (["--registration", "banana"], "not one of open, invitation, closed"),
        (["--refused-names", str(tmp_path / "none.txt")], "cannot be read"),
    ):
        command = [sys.executable, "-m", "foxtray", "serve", "--port", "0", *option]
        command += ["--db", str(tmp_path / "store.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_everything_works_without_a_server_too(tmp_path: Path) -> None:
    db = tmp_path / "store.db"
    assert "there is no data" in complaint(db, "log")
    with Server(db) as server:
        ana, token = server.player("Ana")
        _, bo = server.player("Bo")
        made = server.table(token, "clever", "mo")
        invite = key_of(made["you"]["invite"])
        other = server.table(token)
        path = f"/api/tables/{made['id']}/commands"
        for seat, (who_, key) in enumerate([(token, ""), (bo, invite)]):
            sit = {"type": "sit", "id": f"s{seat}", "seat": seat, "entropy": f"{seat:032x}"}
            assert server.http("POST", f"{path}?key={key}", sit, who_)[0] == 200
        assert server.http("POST", path, {"type": "start", "id": "go"}, token)[0] == 200
        server.kill()  # its key stays behind
    assert db.with_name("store.db.admin").exists()
    assert told(db, "find", "an")["players"][0]["id"] == ana
    assert told(db, "ban", "Ana", "--reason", "no")["banned"]
    assert told(db, "rename", "Ana", "Anna")["name"] == "Anna"
    assert told(db, "close", other["id"]) == {"closed": other["id"]}
    assert told(db, "registration", "closed")["mode"] == "closed"
    assert told(db, "link", "Bo")["url"].startswith("http://localhost:8750/link/")
    assert told(db, "grant", "Bo")["admin"]
    assert len(told(db, "export", ana)["tables"]) == 1
    assert told(db, "delete", ana, "--yes")["deleted"] == ana
    told_so_far = [entry["action"] for entry in told(db, "log")["entries"]]
    assert told_so_far == [
        "delete", "export", "grant", "link", "registration", "close", "rename", "ban",
    ]  # fmt: skip
    with Server(db) as server:
        assert who(server, token) is None
        assert server.http("GET", "/api/me", token=bo)[1]["admin"] is True
        seats = snapshot(server, made["id"], bo)["table"]["seats"]
        assert seats[0]["name"] != "Ana"
        assert server.http("PUT", "/api/me", {"name": "C"})[1]["code"] == "registration_closed"


def test_the_key_is_for_the_owner_only_and_goes_with_the_server(tmp_path: Path) -> None:
    key = tmp_path / "store.db.admin"
    with Server(tmp_path / "store.db") as server:
        assert key.stat().st_mode & 0o077 == 0
        first = json.loads(key.read_text())
        assert first["url"] == f"{server.url}/"
        headers = {"Authorization": f"Bearer {first['token']}"}
        assert server.http("GET", "/api/admin/log", headers=headers)[0] == 200
        server.stop()
        assert not key.exists()
        server.start()
        assert json.loads(key.read_text())["token"] != first["token"]
        assert server.http("GET", "/api/admin/log", headers=headers)[0] == 403


def test_the_log_tells_who_did_what(server: Server) -> None:
    player, _ = server.player("Olga")
    told(server.db, "ban", "Olga", "--reason", "cheated at dice")
    (entry, *_) = told(server.db, "log", "--count", "1")["entries"]
    assert {name: entry[name] for name in ("action", "player", "detail", "operator")} == {
        "action": "ban",
        "player": player,
        "detail": "cheated at dice",
        "operator": None,
    }
    assert entry["operator_name"] == "root"
    shown = admin(server.db, "log").stdout.splitlines()[-1]
    assert shown.endswith(f"host root            ban {player} cheated at dice")
    assert "choose 1 to 1000" in complaint(server.db, "log", "--count", "0")


# --- admins -------------------------------------------------------------------------------------


def test_an_admin_may_do_what_the_host_allows(server: Server) -> None:
    boss, token = server.player("Boss")
    player, other = server.player("Player")
    colleague, _ = server.player("Colleague")
    paths: list[tuple[str, str, object]] = [
        ("POST", "find", {"text": "x"}),
        ("GET", f"players/{player}", None),
        ("DELETE", f"players/{player}", None),
        ("PUT", f"players/{player}/name", {"name": "X"}),
        ("PUT", f"players/{player}/ban", {}),
        ("DELETE", f"players/{player}/ban", None),
        ("PUT", f"players/{player}/admin", None),
        ("POST", f"players/{player}/link", None),
        ("GET", f"players/{player}/export", None),
        ("DELETE", "tables/abc", None),
        ("GET", "registration", None),
        ("PUT", "registration", {"mode": "closed"}),
        ("POST", "invitations", {}),
        ("GET", "log", None),
    ]
    for method, path, body in paths:
        for who_ in ("", token, "x" * 22):
            assert code(server, method, path, body, who_) == "not_admin"
    assert told(server.db, "grant", "Boss")["admin"]
    assert told(server.db, "grant", "Colleague")["admin"]
    assert server.http("GET", "/api/me", token=token)[1]["admin"] is True

    def ask(method: str, path: str, body: object, token: str) -> tuple[int, Any]:
        return server.http(method, f"/api/admin/{path}", body, token)

    status, found = ask("POST", "find", {"text": "playe"}, token)
    assert (status, [p["id"] for p in found["players"]]) == (200, [player])
    assert ask("PUT", f"players/{player}/name", {"name": "Renamed"}, token)[0] == 200
    assert ask("PUT", f"players/{player}/ban", {"reason": "spam"}, token)[0] == 200
    assert server.http("GET", "/api/me", token=other)[1]["code"] == "banned"
    (entry, *_) = ask("GET", "log?count=1", None, token)[1]["entries"]
    assert (entry["operator"], entry["operator_name"]) == (boss, "Boss")
    assert ask("DELETE", f"players/{player}/ban", None, token)[0] == 200
    assert ask("GET", f"players/{player}/export", None, token)[0] == 200
    assert ask("GET", "players/nobody", None, token)[1]["code"] == "no_player"
    # Admins are the host's business.
    for method, path, body in [
        ("PUT", f"players/{player}/admin", None),
        ("DELETE", f"players/{boss}/admin", None),
        ("PUT", f"players/{colleague}/ban", {}),
        ("POST", f"players/{colleague}/link", None),
        ("DELETE", f"players/{colleague}", None),
    ]:
        assert code(server, method, path, body, token) == "host_only"
    assert ask("DELETE", f"players/{player}", None, token)[0] == 200
    assert who(server, other) is None
    assert told(server.db, "revoke", "Boss")["admin"] is False
    assert code(server, "GET", "log", None, token) == "not_admin"


def test_a_banned_admin_is_no_admin(server: Server) -> None:
    _, token = server.player("Fallen")
    told(server.db, "grant", "Fallen")
    told(server.db, "ban", "Fallen")
    assert code(server, "GET", "log", None, token) == "banned"


def test_the_help_shows_examples() -> None:
    for words in (["admin"], ["admin", "ban"]):
        command = [sys.executable, "-m", "foxtray", *words, "--help"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert "examples:\n  foxtray admin" in shown
