"""The service worker: which files it keeps for offline use, and under which version."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from foxtray.errors import FoxtrayError
from foxtray.server.protocol.codec import encode

WORKER = "sw.js"
_COPY = re.compile(rb"^const COPY = .*$", re.MULTILINE)
_UNKEPT = re.compile(r"sw\.js|build\.json|.*\.(br|gz)")


class OutdatedPage(FoxtrayError):
    """The page in this checkout is older than its server."""

    code = "outdated_page"


def is_kept(name: str) -> bool:
    """Whether a file of the page belongs to the copy."""
    return not _UNKEPT.fullmatch(name)


def worker(script: bytes, files: Mapping[str, bytes]) -> bytes:
    """The script of a worker that keeps these files; a change in any of them makes a new version.

    The page itself is called `./`.
    """
    digest = hashlib.sha256(script)
    for name, data in sorted(files.items()):
        digest.update(f"\n{name} {len(data)}\n".encode() + data)
    copy = {"version": digest.hexdigest()[:16], "files": list(files)}
    filled, found = _COPY.subn(lambda _: b"const COPY = " + encode(copy), script)
    if found != 1:
        raise OutdatedPage(
            "the page was built by another version of Foxtray; build it again with: make web"
        )
    return filled
