"""A site without a server: a folder with the page and what the server would tell everybody."""

import json
import re
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from foxtray.bots import LEVELS
from foxtray.cli import main
from foxtray.errors import FoxtrayError
from foxtray.server import offline, site
from foxtray.server.facts import game_list
from foxtray.server.http.static import CLIENT
from foxtray.server.run import Parts, run
from foxtray.server.settings import Settings
from server.harness import Server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site") / "deep" / "down"
    site.write(made)
    return made


def copy_of(script: str) -> Any:
    found = re.search(r"^const COPY = (.*)$", script, re.MULTILINE)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ("games?language=de", "games.de.json"),
        ("lessons/clever?language=nl", "lessons/clever.nl.json"),
        ("sheets", "sheets.json"),
        ("layouts/twice", "layouts/twice.json"),
        ("rules/twice?language=sr", "rules/twice.sr.json"),
    ],
)
def test_its_files_say_what_a_server_says(
    server: Server, folder: Path, asked: str, file: str
) -> None:
    status, told = server.http("GET", f"/api/{asked}")
    assert status == 200
    assert json.loads((folder / "data" / file).read_text(encoding="utf-8")) == told


def test_it_has_the_nets_of_the_bots(server: Server, folder: Path) -> None:
    _, told, _ = server.exchange("GET", "/api/nets/clever", b"")
    assert (folder / "data" / "nets" / "clever.bin").read_bytes() == told


def test_it_holds_everything_that_its_worker_keeps(folder: Path) -> None:
    kept = copy_of((folder / "sw.js").read_text(encoding="utf-8"))["files"]
    files = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert {name if name != "./" else "index.html" for name in kept} == files - {"sw.js"}
    assert not [name for name in files if name.endswith((".br", ".gz"))]


def test_its_page_is_relative_and_protected(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:href|src)="/', page)
    assert 'data-site="static"' in page
    assert "Content-Security-Policy" in page


def test_the_worker_of_a_server_keeps_what_it_tells_everybody(server: Server) -> None:
    _, script, headers = server.exchange("GET", "/sw.js", b"")
    copy = copy_of(script.decode())
    assert {"./", "api/games?language=nl", "api/layouts/clever"} <= set(copy["files"])
    assert headers["Cache-Control"] == "no-cache"
    for name in copy["files"]:
        status, _, _ = server.exchange("GET", "/" + name.removeprefix("./"), b"")
        assert status == 200, name


def test_any_change_makes_a_new_version() -> None:
    script = (CLIENT / "sw.js").read_bytes()

    def version(files: dict[str, bytes]) -> str:
        return str(copy_of(offline.worker(script, files).decode())["version"])

    one = version({"./": b"page", "a.js": b"1"})
    assert one == version({"a.js": b"1", "./": b"page"})
    others = {version({"./": b"page", "a.js": b"2"}), version({"./": b"page", "b.js": b"1"})}
    assert len(others | {one}) == 3


def test_a_page_older_than_its_server_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Foxtray</title>", encoding="utf-8")
    (tmp_path / "sw.js").write_text("self.oninstall = null\n", encoding="utf-8")
    data = tmp_path / "foxtray.db"
    with pytest.raises(FoxtrayError, match="build it again with: make web"):
        run(Settings(db=data, port=0), Parts(client=tmp_path))
    assert not data.exists(), "the server has begun to start"


def test_an_older_site_is_replaced(tmp_path: Path) -> None:
    tmp_path = tmp_path / "data"  # however it is called
    site.write(tmp_path)
    domain = tmp_path / "CNAME"
    domain.write_text("games.example", encoding="utf-8")
    gone = tmp_path / "data" / "layouts" / "gone.json"
    gone.write_text("{}", encoding="utf-8")
    old = tmp_path / "assets" / "old-1234.js"
    old.write_text("", encoding="utf-8")
    site.write(tmp_path)
    assert not gone.exists(), "a game that is gone"
    assert domain.exists(), "a file of the host"
    assert old.exists(), "a page that is still open may need it"


def test_what_cannot_be_done_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    assert main(["site", str(tmp_path)]) == 2
    assert "holds other files; name a new folder, or an empty one" in capsys.readouterr().err
    assert main(["site", str(tmp_path / "letter.txt")]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err
    with pytest.raises(site.SiteRefused, match="run: make web"):
        site.write(tmp_path / "new", client=tmp_path)


def test_the_command_says_what_needs_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", str(tmp_path / "new")]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^\d+ files, \d+\.\d MB, written to ", told)
    assert "Friends at a distance, daily dice, rankings, reviews and hints need a server" in told


def test_it_is_served_and_opened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []
    opened = threading.Event()

    def look(address: str) -> None:
        def ask() -> None:
            with urllib.request.urlopen(address, timeout=10) as answer:
                seen.append(answer.status)
            opened.set()

        threading.Thread(target=ask, daemon=True).start()

    threading.Thread(target=site.serve, args=(folder, look), daemon=True).start()
    assert opened.wait(20)
    assert seen == [200]
    assert "until you press Ctrl-C" in capsys.readouterr().out


def test_the_page_plays_all_levels_whatever_the_server_can_run() -> None:
    """The nets are files: a server without a compiler has them too."""
    for game in game_list("en", lambda game: ["random", "greedy"]).games:
        assert game.bots == ["random", "greedy"]
        assert game.device == list(LEVELS)
        assert game.usual["expert"] > game.usual["greedy"]
