"""A real server process on a real file, and what tests ask of it."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Postgres

from foxtray.server.run import fastest_loop
from server.harness import LoopFactory, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server, shared by the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("server")
    with Server(folder / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


@pytest.fixture(params=[asyncio.new_event_loop, fastest_loop()], ids=["asyncio", "as served"])
def loop_factory(request: pytest.FixtureRequest) -> LoopFactory:
    """Python's own loop, and the one that a server runs on."""
    factory: LoopFactory = request.param
    return factory


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile what reviews and hints need: a client does not wait so long for an answer."""
    code = (
        "from foxtray.review import hint, review;"
        "from foxtray.server.coach.exercises import bot_game, game_at;"
        "played = bot_game('clever', 'random', 1);"
        "review(played, 'quick');"
        "hint(game_at(played, 1), 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL for tests that do not kill it; what it writes need not survive."""
    with Postgres(fsync="off", synchronous_commit="off", full_page_writes="off") as running:
        yield running


@pytest.fixture
def database(postgres: Postgres) -> str:
    """The URL of an empty database."""
    import psycopg

    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres.url
