"""Engines at a live table: they play, fail without stopping the game, and end with the server."""

import json
import sys
from pathlib import Path

import pytest

from server.harness import Client, Server, until
from server.test_tables import run

ROOT = Path(__file__).parent.parent.parent
HOSTILE = ROOT / "tests" / "hostile_engine.py"


def alive(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def engine(tmp_path: Path, mode: str) -> dict[str, object]:
    command = [sys.executable, str(HOSTILE), mode, str(tmp_path / mode)]
    return {"command": command, "folder": "/", "games": ["clever"]}


@pytest.mark.parametrize("stop", ["stop", "kill"])
def test_engines_play_fail_and_end_with_the_server(stop: str, tmp_path: Path) -> None:
    """The server runs under uvloop here, as it does for its users."""
    config = tmp_path / "config"
    config.mkdir()
    listed = {"mine": engine(tmp_path, "children"), "broken": engine(tmp_path, "die")}
    (config / "bots.json").write_text(json.dumps({"version": 1, "bots": listed}))

    async def main(server: Server) -> None:
        assert {"mine", "broken"} <= set(server.http("GET", "/api/me")[1]["bots"])
        games = {
            game["id"]: game for game in server.http("GET", "/api/games?language=en")[1]["games"]
        }
        assert "mine" in games["clever"]["bots"]
        assert "mine" not in games["twice"]["bots"]
        _, token = server.player()
        seats = [{"kind": "me"}, *({"kind": "bot", "bot": name} for name in listed)]
        wish = {"game": "clever", "seats": seats, "pause": False}
        status, made = server.http("POST", "/api/tables", wish, token)
        assert status == 200, made
        async with Client(server.port, made["id"], token) as host:
            await host.sit(0)
            await host.command("start")

            def played(name: str) -> int:
                acts = host.entries.values()
                return sum(e["what"] == "played" and e.get("bot") == name for e in acts)

            while min(map(played, listed)) < 3:
                move = host.my_move()
                await (host.command(**move) if move else host.wait())

    options = ("--no-limits", "--bot-pause", "0", "--workers", "1")
    environment = {"FOXTRAY_CONFIG": str(config), "FOXTRAY_CACHE": str(tmp_path / "cache")}
    with Server(tmp_path / "store.db", *options, environment=environment) as server:
        run(main(server))
        pids = [int(pid) for pid in (tmp_path / "children").read_text().split()]
        assert len(pids) == 3
        assert all(map(alive, pids))
        if stop == "stop":
            assert server.stop() == 0
        else:
            server.kill()
        until(lambda: not any(map(alive, pids)))
    assert "broken: bot broken ended with status 1: Segmentation fault" in server.log.read_text()
    assert "failed: ended with status 1" in (tmp_path / "cache/engines/broken.log").read_text()
