"""A real server process on a real file, and what tests ask of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.harness import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server, shared by the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("server")
    with Server(folder / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()
