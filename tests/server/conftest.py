"""A real server process on a real file, and what tests ask of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.harness import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A running server."""
    with Server(tmp_path / "store.db") as running:
        yield running
