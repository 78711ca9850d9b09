"""The user's folders on each system."""

from pathlib import Path

import pytest

from foxtray.folders import cache_folder, config_folder, data_folder

NAMES = [
    "FOXTRAY_CACHE", "FOXTRAY_CONFIG", "FOXTRAY_DATA", "LOCALAPPDATA", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME",
]  # fmt: skip


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and nothing else said."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ana"))


@pytest.mark.parametrize(
    ("system", "cache", "data"),
    [
        ("linux", "/home/ana/.cache/foxtray", "/home/ana/.local/share/foxtray"),
        (
            "darwin",
            "/home/ana/Library/Caches/foxtray",
            "/home/ana/Library/Application Support/foxtray",
        ),
        ("win32", "/home/ana/foxtray", "/home/ana/foxtray"),
    ],
)
def test_the_usual_places(
    system: str, cache: str, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    assert (cache_folder(), data_folder()) == (Path(cache), Path(data))


@pytest.mark.parametrize(
    ("system", "name", "cache", "data"),
    [
        ("linux", "XDG_CACHE_HOME", "/else/foxtray", "/home/ana/.local/share/foxtray"),
        ("linux", "XDG_DATA_HOME", "/home/ana/.cache/foxtray", "/else/foxtray"),
        ("win32", "LOCALAPPDATA", "/else/foxtray", "/else/foxtray"),
        ("linux", "FOXTRAY_CACHE", "/else", "/home/ana/.local/share/foxtray"),
        ("win32", "FOXTRAY_DATA", "/home/ana/foxtray", "/else"),
    ],
)
def test_places_named_in_the_environment(
    system: str, name: str, cache: str, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setenv(name, "/else")
    assert (cache_folder(), data_folder()) == (Path(cache), Path(data))


def test_an_empty_name_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("FOXTRAY_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == Path("/home/ana/.cache/foxtray")


@pytest.mark.parametrize(
    ("system", "environment", "folder"),
    [
        ("linux", {}, "/home/ana/.config/foxtray"),
        ("linux", {"XDG_CONFIG_HOME": "/else"}, "/else/foxtray"),
        ("linux", {"FOXTRAY_CONFIG": "/else"}, "/else"),
        ("darwin", {}, "/home/ana/Library/Application Support/foxtray"),
        ("win32", {"LOCALAPPDATA": "/else"}, "/else/foxtray"),
    ],
)
def test_the_folder_for_settings(
    system: str, environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert config_folder() == Path(folder)
