"""A site without a server: the page and everything local, as files that any host can serve."""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from foxtray.bots.compact import compact
from foxtray.errors import FoxtrayError
from foxtray.files import replacing_bytes
from foxtray.games.registry import SHEETS
from foxtray.server.facts import facts, levels_of
from foxtray.server.http.static import CLIENT
from foxtray.server.offline import WORKER, is_kept, worker

PAGE = "index.html"
DATA = "data"
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'"
)
MARK = '<html lang="en" data-site="static">'


class SiteRefused(FoxtrayError):
    """A site cannot be written."""

    code = "site_refused"


@dataclass(frozen=True, slots=True)
class Site:
    """What was written."""

    files: int
    size: int


def write(folder: Path, client: Path = CLIENT) -> Site:
    """Write a site into a folder: a new or empty one, or one that holds an older site."""
    if not (client / PAGE).is_file():
        raise SiteRefused("the page has not been built; in a clone of the project, run: make web")
    if folder.exists() and not folder.is_dir():
        raise SiteRefused(f"{folder} is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not is_site(folder):
        raise SiteRefused(f"{folder} holds other files; name a new folder, or an empty one")
    files = {
        path.relative_to(client).as_posix(): path.read_bytes()
        for path in sorted(client.rglob("*"))
        if path.is_file() and is_kept(path.relative_to(client).as_posix())
    }
    files[PAGE] = page(files[PAGE].decode()).encode()
    for name, language, data in facts(levels_of):
        files[f"{DATA}/{name}{'.' * bool(language)}{language}.json"] = data
    for game in SHEETS:
        files[f"{DATA}/nets/{game}.bin"] = compact(game)
    copied = {"./" if name == PAGE else name: data for name, data in files.items()}
    files[WORKER] = worker((client / WORKER).read_bytes(), copied)
    before = {path for path in folder.rglob("*") if path.is_file()} if folder.exists() else set()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(path) as file:
            file.write(data)
        before.discard(path)
    # Old assets stay for pages that are still open, and other files are not ours.
    for path in before:
        if path.relative_to(folder).parts[0] == DATA:
            path.unlink()
    return Site(len(files), sum(map(len, files.values())))


def serve(folder: Path, open_page: Callable[[str], object] = webbrowser.open) -> None:
    """Serve a site on a free port of this machine and open it, until Ctrl-C."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_request(self, code: object = "-", size: object = "-") -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"Open at {address} until you press Ctrl-C.", flush=True)
        open_page(address)
        server.serve_forever()


def is_site(folder: Path) -> bool:
    page = folder / PAGE
    return page.is_file() and MARK in page.read_text(encoding="utf-8", errors="replace")


def page(text: str) -> str:
    """The page of a site: its addresses are relative, and it says that it has no server."""
    text = re.sub(r'\b(href|src)="/', r'\1="./', text)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
    return text.replace('<html lang="en">', MARK).replace("<head>", f"<head>\n    {policy}", 1)
