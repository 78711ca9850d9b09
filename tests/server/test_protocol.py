"""The protocol matches its documentation."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec
import pytest

import foxtray
from foxtray import errors, geometry
from foxtray.core import codes
from foxtray.games import model
from foxtray.server.http.endpoints import ENDPOINTS
from foxtray.server.http.openapi import document
from foxtray.server.protocol import inputs, messages, typescript
from foxtray.server.protocol.reference import renewed
from server import declared
from server.harness import TIMEOUT, Client, Refused, Server

ROOT = Path(__file__).parent.parent.parent
SOURCE = Path(foxtray.__file__).parent


def test_the_protocol_document_is_up_to_date() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert text == renewed(text), (
        "run: python -m foxtray.server.protocol.reference docs/protocol.md"
    )


def test_the_types_of_the_page_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    wire = str(ROOT / "web" / "src" / "lib" / "wire.ts")
    assert typescript.main(["--check", wire]) == 0, capsys.readouterr().err


def test_types_of_the_page_that_are_stale_are_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = tmp_path / "wire.ts"
    told = f"{wire} is stale; run: python -m foxtray.server.protocol.typescript {wire}\n"
    assert typescript.main(["--check", str(wire)]) == 1
    assert typescript.main([str(wire)]) == 0
    assert typescript.main(["--check", str(wire)]) == 0
    wire.write_text(wire.read_text().replace("seq: number", "seq: string", 1))
    assert typescript.main(["--check", str(wire)]) == 1
    assert capsys.readouterr().err == 2 * told


def test_python_types_in_typescript() -> None:
    class Sent(msgspec.Struct, omit_defaults=True):
        """Left out where it says nothing."""

        always: dict[int, list[int | None]]
        seldom: str | None = None
        """Only now and then."""

    class Read(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="read"):
        pair: tuple[int, float]
        rolls: tuple[bool, ...]
        kind: Literal["a", "b"] = "a"

    assert list(typescript.interface(Sent, None)) == [
        "/** Left out where it says nothing. */",
        "export interface Sent {",
        "  always: Record<string, (number | null)[]>",
        "  /** Only now and then. */",
        "  seldom?: string | null",
        "}",
    ]
    assert list(typescript.interface(Read, ("type", "read"))) == [
        "export interface Read {",
        "  type: 'read'",
        "  pair: [number, number]",
        "  rolls: boolean[]",
        "  kind?: 'a' | 'b'",
        "}",
    ]
    with pytest.raises(TypeError, match="bytes"):
        typescript.kind(bytes)


def test_closed_sets_are_those_of_the_rules_and_of_the_log() -> None:
    tags = [str(one.__struct_config__.tag) for one in get_args(inputs.AnyInput)]
    assert set(get_args(messages.EntryKind)) == set(tags)
    assert get_args(model.Entry) == codes.ENTRY_NAMES
    assert get_args(model.Scores) == codes.SCORE_NAMES
    told = get_args(get_type_hints(geometry.AreaView)["scores"])
    assert told == tuple("groups" if name == "lines" else name for name in codes.SCORE_NAMES)


def test_what_travels_is_what_is_declared(compiled: None, server: Server) -> None:
    """The page's types are complete: every field that is sent is declared, and the reverse."""

    async def live(token: str) -> list[dict[str, Any]]:
        made = server.table(token, "clever", "mb", hints=True)
        client = Client(server.port, made["id"], token)
        client.keep_heard = True
        async with client:
            await client.sit(0)
            await client.command("start")
            with pytest.raises(Refused):
                await client.command("takeover", seat=1)
            for _ in range(30):
                move = client.my_move()
                await (client.command(**move) if move else client.wait())
                await client.command("preview")
            await client.command("say", phrase="hello")
            while 0 not in client.game["awaiting"]:  # type: ignore[index]
                move = client.my_move()
                await (client.command(**move) if move else client.wait())
            await client.command("hint", again=TIMEOUT)
            await client.send({"type": "ping"})
            while not any('"pong"' in text for text in client.heard):
                await client.wait()
        return [json.loads(text) for text in client.heard]

    _, token = server.player()
    heard = asyncio.run(live(token))
    for message in heard:
        declared.check(message, messages.Outgoing, message["type"])
    told = {one.__struct_config__.tag for one in get_args(messages.Outgoing)}
    assert {message["type"] for message in heard} == told - {"notice"}
    greeting = heard[0]
    assert greeting["absence"] == 0.5, "as the harness sets FOXTRAY_ABSENCE"
    declared.check(server.http("GET", "/api/me", token=token)[1], messages.Me)
    for game in messages.GAMES:
        declared.check(server.http("GET", f"/api/sheets/{game}")[1], geometry.SheetView)


def test_what_nobody_draws_does_not_travel(server: Server) -> None:
    _, token = server.player()
    assert "pause" not in server.table(token)["table"]
    assert "actions" not in server.http("GET", "/api/sheets/twice")[1]


def test_every_close_code_is_sent_and_told() -> None:
    live = (SOURCE / "server" / "http" / "live.py").read_text()
    told = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    known = {name: value for name, value in vars(messages).items() if name.startswith("CLOSE_")}
    assert known
    for name, value in known.items():
        assert f"{name}," in live
        assert f"with {value}" in told


def test_every_address_is_in_the_document() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    for endpoint in ENDPOINTS:
        path = re.sub("{(table|device|passkey|player|exercise)}", "ID", endpoint.path)
        path = path.replace("{game}", "GAME").replace("{other}", "OTHER")
        assert f"`{endpoint.method} {path}" in text
        assert endpoint.method.lower() in document()["paths"][endpoint.path]


def test_every_code_of_a_refusal_is_listed() -> None:
    rules = set(re.findall(r'return "([a-z_]+)", ', (SOURCE / "refusal.py").read_text()))
    rules |= set(re.findall(r'IllegalAction\("([a-z_]+)"', (SOURCE / "game.py").read_text()))
    assert rules
    assert rules <= set(messages.RULE_CODES)
    assert errors.NothingToUndo.code in messages.RULE_CODES
    for path in (SOURCE / "server").rglob("*.py"):
        for code in re.findall(r'Refusal\(\s*"([a-z_]+)"', path.read_text()):
            assert code in messages.REFUSAL_CODES, f"{path.name}: {code}"
    assert len(set(messages.REFUSAL_CODES)) == len(messages.REFUSAL_CODES)


def test_every_listed_code_is_given_somewhere() -> None:
    protocol = SOURCE / "server" / "protocol"
    lists = (protocol / "messages.py", protocol / "refusals.py")
    given = "".join(p.read_text() for p in SOURCE.rglob("*.py") if p not in lists)
    assert [code for code in messages.REFUSAL_CODES if f'"{code}"' not in given] == []


def test_the_server_never_loads_the_compiled_rules() -> None:
    program = (
        "import sys, foxtray.server.run;"
        "print(*(sys.modules.keys() & {'numpy', 'numba', 'llvmlite'}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""
