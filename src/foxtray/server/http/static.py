"""Serves the browser client from memory, compressed once.

Browsers may keep files with a hash in their name for ever.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from foxtray.bots.compact import origin
from foxtray.games.registry import SHEETS
from foxtray.server.facts import facts, levels_of
from foxtray.server.offline import WORKER, is_kept, worker
from foxtray.server.protocol.refusals import Refusal

CLIENT = Path(__file__).parents[2] / "client"
COMPRESSED = {".br": "br", ".gz": "gzip"}
TYPES = {
    ".webmanifest": "application/manifest+json",
    ".js": "text/javascript",
    ".ico": "image/x-icon",
}
SMALL = 1_000
FOREVER = "public, max-age=31536000, immutable"
DAY = "public, max-age=86400"
MISSING = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Foxtray</title>
<h1>The server is running</h1>
<p>The browser client has not been built. In a clone of the project, build it with
<code>make web</code>; an installed package includes it.</p>
<p>Scripts can already play: see <a href="/api/openapi.json">the API</a>.</p></html>
"""


@dataclass(frozen=True, slots=True)
class File:
    """A file in each available encoding."""

    media: str
    etag: str
    bodies: dict[str, bytes]


def load(folder: Path) -> dict[str, File]:
    """All files of the client by their path."""
    found: dict[str, File] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if not path.is_file() or path.suffix in COMPRESSED:
            continue
        data = path.read_bytes()
        bodies = {"": data}
        for suffix, encoding in COMPRESSED.items():
            beside = path.with_name(path.name + suffix)
            if beside.is_file():
                bodies[encoding] = beside.read_bytes()
        media = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        media = media or "application/octet-stream"
        found["/" + path.relative_to(folder).as_posix()] = file_of(media, bodies)
    return found


def file_of(media: str, bodies: dict[str, bytes]) -> File:
    """A file from its plain body and those that are compressed already."""
    data = bodies[""]
    textual = media.startswith("text/") or media.endswith(("json", "xml", "javascript"))
    if "gzip" not in bodies and textual and len(data) > SMALL:
        bodies["gzip"] = gzip.compress(data, 9, mtime=0)
    return File(media, f'"{hashlib.sha256(data).hexdigest()[:20]}"', bodies)


@lru_cache(64)
def json_file(data: bytes) -> File:
    """JSON that is the same for everybody: compressed once, and kept by browsers."""
    return file_of("application/json", {"": data})


@lru_cache(16)
def bytes_file(data: bytes) -> File:
    """Bytes that are the same for everybody; they are dense already."""
    return file_of("application/octet-stream", {"": data})


class Client:
    """The endpoint for everything that is not the API."""

    def __init__(self, folder: Path = CLIENT) -> None:
        self.files = load(folder)
        script = self.files.get(f"/{WORKER}")
        if script is not None:
            self.files[f"/{WORKER}"] = file_of(script.media, {"": with_copy(script, self.files)})

    async def page(self, request: Request) -> Response:
        path = request.url.path
        if path == "/api" or path.startswith("/api/"):
            raise Refusal("not_found")
        file = self.files.get(path)
        if file is None:
            # The client itself handles every address that does not look like a file.
            if "." in path.rpartition("/")[2] or path.startswith("/assets/"):
                raise Refusal("not_found")
            file = self.files.get("/index.html")
        if file is None:
            return Response(MISSING, media_type="text/html", headers={"Cache-Control": "no-store"})
        return send(request, file, cache_of(path))


def with_copy(script: File, files: dict[str, File]) -> bytes:
    """The service worker with what it keeps: the files of the client, and the facts of the API."""
    copied = {name[1:]: file.bodies[""] for name, file in files.items() if is_kept(name[1:])}
    copied["./"] = copied.pop("index.html")
    for name, language, data in facts(levels_of):
        copied[f"api/{name}{f'?language={language}' if language else ''}"] = data
    for game in SHEETS:
        copied[f"api/nets/{game}"] = origin(game)
    return worker(script.bodies[""], copied)


def cache_of(path: str) -> str:
    """How long browsers may keep a file without asking again."""
    if path.startswith("/assets/"):
        return FOREVER
    return DAY if path.startswith("/icon") else "no-cache"


def send(request: Request, file: File, cache: str) -> Response:
    """A file in the best encoding that the visitor accepts."""
    headers = {"ETag": file.etag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    accepted = request.headers.get("accept-encoding", "")
    for encoding in ("br", "gzip"):
        if encoding in file.bodies and encoding in accepted:
            headers["Content-Encoding"] = encoding
            return Response(file.bodies[encoding], headers=headers, media_type=file.media)
    return Response(file.bodies[""], headers=headers, media_type=file.media)
