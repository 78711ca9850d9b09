"""A server can be reached at the addresses that it prints."""

import http.client
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from foxtray.server.http.hosts import lan_address
from foxtray.server.run import announce
from foxtray.server.settings import BadSetting, Settings
from server.harness import Server

READY = "Foxtray is ready: "
PHONES = "Phones in the same network: "
LONELY = "No network was found"
ALONE = "Only this machine can connect"
LAN = "192.168.7.5"
PUBLIC = "https://games.example"


def told(
    capsys: pytest.CaptureFixture[str], network: str | None, **wanted: object
) -> tuple[list[str], str]:
    """The printed lines, and the address that is opened."""
    address = announce(Settings(**wanted), 8750, lambda: network)  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines(), address


@pytest.mark.parametrize(
    ("wanted", "ready", "second", "opened"),
    [
        ({}, "http://127.0.0.1:8750/", ALONE, "http://127.0.0.1:8750/"),
        ({"host": "localhost"}, "http://localhost:8750/", ALONE, "http://localhost:8750/"),
        ({"host": "::1"}, "http://[::1]:8750/", ALONE, "http://[::1]:8750/"),
        (
            {"lan": True},
            "http://127.0.0.1:8750/",
            f"{PHONES}http://{LAN}:8750/",
            f"http://{LAN}:8750/",
        ),
        (
            {"host": "::"},
            "http://[::1]:8750/",
            f"{PHONES}http://{LAN}:8750/",
            f"http://{LAN}:8750/",
        ),
        (
            {"host": "fd00::7"},
            "http://[fd00::7]:8750/",
            f"{PHONES}http://[fd00::7]:8750/",
            "http://[fd00::7]:8750/",
        ),
        ({"lan": True, "public_url": PUBLIC}, PUBLIC, PHONES + PUBLIC, PUBLIC),
        ({"public_url": PUBLIC}, PUBLIC, "Stop with", PUBLIC),
    ],
)
def test_people_are_told_an_address_that_works_for_them(
    capsys: pytest.CaptureFixture[str],
    wanted: dict[str, object],
    ready: str,
    second: str,
    opened: str,
) -> None:
    lines, address = told(capsys, LAN, **wanted)
    assert lines[0] == READY + ready
    assert lines[1].startswith(second)
    assert address == opened


def test_without_a_network_this_machine_is_opened(capsys: pytest.CaptureFixture[str]) -> None:
    lines, address = told(capsys, None, lan=True)
    assert lines[1].startswith(LONELY)
    assert address == "http://127.0.0.1:8750/"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"workers": -1}, "workers"),
        ({"bot_pause": -3.0}, "0 seconds or more"),
        ({"bot_pause": math.nan}, "0 seconds or more"),
        ({"absence": -5.0}, "0 seconds or more"),
        ({"public_url": "https://games.example/sub"}, "has a path"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSetting, match=why):
        Settings(**wrong)


def test_all_interfaces_and_one_exclude_each_other(tmp_path: Path) -> None:
    assert Settings(lan=True).listen == "0.0.0.0"
    assert Settings(lan=True, host="::").listen == "::"
    for host in ("localhost", "::1", LAN):
        with pytest.raises(BadSetting, match=f"--host {host}"):
            Settings(lan=True, host=host)
    words = ["serve", "--lan", "--host", "localhost", "--db", str(tmp_path / "store.db")]
    command = [sys.executable, "-m", "foxtray", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("foxtray: --lan listens on all interfaces")


def test_a_server_for_phones_opens_the_address_that_it_prints(tmp_path: Path) -> None:
    address = lan_address()
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    options = ("--lan", "--open", "--no-limits", "--workers", "1")
    environment = {"BROWSER": f"{browser} %s"}
    with Server(tmp_path / "store.db", *options, environment=environment) as server:
        here = f"http://{address or '127.0.0.1'}:{server.port}/"
        lines = server.log.read_text().splitlines()
        assert PHONES + here in lines if address else any(x.startswith(LONELY) for x in lines)
        deadline = time.monotonic() + 20
        while not opened.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert opened.read_text().strip() == here
        line = http.client.HTTPConnection(address or "127.0.0.1", server.port, 10)
        line.request("GET", "/healthz")
        assert line.getresponse().status == 200
        line.close()


def test_an_address_of_version_6_works_as_it_is_printed(tmp_path: Path) -> None:
    words = ["serve", "--host", "::1", "--port", "0", "--db", str(tmp_path / "store.db")]
    with subprocess.Popen(
        [sys.executable, "-m", "foxtray", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FOXTRAY_WARM": "off"},
    ) as process:
        assert process.stdout
        assert process.stderr
        first = process.stdout.readline()
        if not first:  # a machine without such addresses is told so
            assert "http://[::1]:0/ cannot be used" in process.stderr.read()
            assert process.wait(20) == 2
            return
        try:
            found = re.fullmatch(rf"{READY}http://\[::1\]:(\d+)/\n", first)
            assert found, first
            line = http.client.HTTPConnection("::1", int(found[1]), 20)
            line.request("GET", "/healthz")
            assert line.getresponse().status == 200
            line.close()
        finally:
            process.terminate()
            process.communicate(timeout=20)
