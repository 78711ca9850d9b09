"""Options and fixtures shared by all tests."""

import os
import signal
import tempfile
from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2_000)

# Commands in the background of a shell ignore Ctrl-C; tests need it as at a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="play many more games")
    parser.addoption("--seeds", type=int, help="how many seeds the simulated server runs")


def pytest_configure(config: pytest.Config) -> None:
    # The bots that a developer has added must not play in tests.
    os.environ["FOXTRAY_CONFIG"] = os.path.join(tempfile.gettempdir(), "foxtray-tests-no-config")
    settings.load_profile("long" if config.getoption("--long") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files of few tests: these take longest, and the last one is nobody else's work."""
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: tests[item.path])


@pytest.fixture(scope="session")
def long_run(pytestconfig: pytest.Config) -> bool:
    """Whether this is `make test-long`."""
    return bool(pytestconfig.getoption("--long"))
