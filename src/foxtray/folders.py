"""The user's own folders, as each system names them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

APP = "foxtray"


def cache_folder() -> Path:
    """The folder for files that can be made again; FOXTRAY_CACHE overrides it."""
    return _folder("FOXTRAY_CACHE", "XDG_CACHE_HOME", ".cache", "Library/Caches")


def data_folder() -> Path:
    """The folder for games; FOXTRAY_DATA overrides it."""
    return _folder("FOXTRAY_DATA", "XDG_DATA_HOME", ".local/share", "Library/Application Support")


def config_folder() -> Path:
    """The folder for settings; FOXTRAY_CONFIG overrides it."""
    return _folder("FOXTRAY_CONFIG", "XDG_CONFIG_HOME", ".config", "Library/Application Support")


def _folder(own: str, xdg: str, unix: str, mac: str) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / APP
    if sys.platform == "darwin":
        return Path.home() / mac / APP
    return Path(os.environ.get(xdg) or Path.home() / unix) / APP
