"""What a device is called in the list of its owner: "Chrome on Android", from its User-Agent."""

from __future__ import annotations

import re

# The first that fits: most browsers also claim to be the ones below them.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Vivaldi/": "Vivaldi",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
PROGRAM = re.compile(r"([A-Za-z][A-Za-z .-]{1,23})(/|$)")


def device_name(agent: str) -> str:
    """A short name without versions; empty if the User-Agent tells nothing."""
    browser = first(BROWSERS, agent)
    system = first(SYSTEMS, agent)
    if browser and system:
        return f"{browser} on {system}"
    program = PROGRAM.match(agent)
    return browser or system or (program[1] if program and program[1] != "Mozilla" else "")


def first(names: dict[str, str], agent: str) -> str:
    return next((name for mark, name in names.items() if mark in agent), "")
