"""A hook of the documentation site: links that leave docs/ lead to the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
LINK = re.compile(r"\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite relative links to files outside of docs/."""
    folder = posixpath.dirname(posixpath.join("docs", page.file.src_uri))

    def rewritten(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found[1]))
        if target.startswith("docs/") and not target.startswith("docs/rules"):
            return found[0]
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"]({config['repo_url']}/{kind}/main/{target}{found[2] or ''})"

    return LINK.sub(rewritten, markdown)
