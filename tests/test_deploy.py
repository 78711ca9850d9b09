"""The files of deploy/ fit each other and the program."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cluster import Server, free_port, start_again
from server.harness import until

ROOT = Path(__file__).parents[1]


def load() -> Any:
    """The script that checks them, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("check", ROOT / "deploy" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check"] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


check = load()


def test_nothing_is_wrong() -> None:
    assert check.problems() == []


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("Dockerfile", "README.md LICENSE", "README.md NOTICE", "copies NOTICE"),
        ("Dockerfile", "COPY web web", "COPY docs docs", "leaves out docs"),
        ("Dockerfile", "FOXTRAY_HOST", "FOXTRAY_BIND", "FOXTRAY_BIND, which nobody reads"),
        ("Dockerfile", "FOXTRAY_PORT=8750", "FOXTRAY_PORT=99999", "port 99999"),
        ("Dockerfile", "EXPOSE 8750", "EXPOSE 8080", "another port"),
        ("Dockerfile", "USER foxtray", "USER root", "runs as root"),
        ("Dockerfile", "USER foxtray\n", "", "needs one USER"),
        ("Dockerfile", "0700 /data /cache", "0700 /data", "does not make /cache"),
        ("Dockerfile", '"/data", ', "", "FOXTRAY_DATA of the Dockerfile is not a volume"),
        ("Dockerfile", " --constraint constraints.txt", "", "without --constraint"),
        ("Dockerfile", "/healthz", "/health", "does not ask /healthz"),
        ("Dockerfile", '"import os, ', '"import os; from ', "cannot go on"),
        ("Dockerfile", 'CMD ["serve"]', 'CMD ["serve", "--fast"]', "arguments that it refuses"),
        ("Dockerfile", "--from=build /opt/foxtray", "--from=build /opt/fox", "build does not make"),
        ("Dockerfile", "bookworm\nRUN", "trixie\nRUN", "the stages differ"),
        ("Dockerfile", "python:3.11", "python:3.10", "the oldest Python"),
        ("Dockerfile", "STOPSIGNAL SIGTERM", "ONBUILD RUN true", "not checked: ONBUILD"),
        ("Dockerfile.dockerignore", "!src\n", "", "leaves out src"),
        ("Dockerfile.dockerignore", "web/node_modules\n", "", "lets web/node_modules into"),
        ("compose.yaml", "FOXTRAY_PUBLIC_URL: https:", "FOXTRAY_PUBLIC_URL: ftp:", "refuses"),
        ("compose.yaml", "FOXTRAY_BACKUP_DIR", "FOXTRAY_BACKUPS", "which nobody reads"),
        ("compose.yaml", "_DIR: /backups", "_DIR: /tmp", "not on a volume"),
        ("compose.yaml", "- subnet: 172.28", "- subnet: 172.29", "other proxies than those"),
        ("compose.yaml", "- cache:/cache\n", "- data:/cash\n", "does not keep ['/cache']"),
        ("compose.yaml", "  certificates:\n", "", "not declare the volume certificates"),
        ("compose.yaml", "./Caddyfile:", "./Caddy:", "mounts ./Caddy,"),
        ("compose.yaml", "      - 443:443\n      - 443:443/udp\n", "", "not reached by 80 and 443"),
        ("compose.yaml", "    init: true", "    ports: ['8750:8750']", "without TLS"),
        ("compose.yaml", "deploy/Dockerfile", "Dockerfile", "not the Dockerfile beside it"),
        ("compose.yaml", "depends_on: [foxtray]", "depends_on: [server]", "depends on server"),
        ("compose.yaml", "service:foxtray", "service:server", "the network of server"),
        ("compose.yaml", "    networks: [front]\n    depends", "    depends", "cannot go on"),
        ("cluster.yaml", "FOXTRAY_DRAIN", "FOXTRAY_PATIENT", "which nobody reads"),
        ("cluster.yaml", "- subnet: 172.28", "- subnet: 172.29", "other proxies than those"),
        ("cluster.yaml", "./haproxy.cfg:", "./haproxy.conf:", "mounts ./haproxy.conf,"),
        ("cluster.yaml", "  two:\n    <<", "  three:\n    <<", "haproxy.cfg leads to"),
        ("haproxy.cfg", "server one one:8750", "server one one:8751", "haproxy.cfg leads to"),
        ("haproxy.cfg", "bind :8750", "bind :80", "does not stand in for a server"),
        ("Dockerfile", "[bots,postgres]", "[bots]", "cannot use PostgreSQL"),
        ("Caddyfile", "foxtray:8750", "foxtray:8751", "does not lead to foxtray:8750"),
        ("Caddyfile", "{$DOMAIN}", "{$NAME}", "needs ['NAME']"),
        ("foxtray.service", "foxtray serve", "foxtray server", "arguments that it refuses"),
        ("foxtray.service", "FOXTRAY_DATA", "FOXTRAY_DATEN", "which nobody reads"),
        ("foxtray.service", "=127.0.0.1", "=local", "refuses: invalid proxy address 'local'"),
        ("foxtray.service", "=foxtray foxtray/backups", "=foxtray", "does not make FOXTRAY_BACKUP"),
        ("foxtray.service", "CacheDirectory=foxtray", "CacheDirectory=fox", "not make FOXTRAY_CAC"),
        ("foxtray.service", "User=foxtray\n", "", "runs as root"),
        ("foxtray.service", "Requires=foxtray.socket", "Wants=foxtray.socket", "cannot go on"),
        ("foxtray.socket", "127.0.0.1:8750", "127.0.0.1:8751", "nginx.conf does not lead to"),
        ("nginx.conf", "127.0.0.1:8750", "127.0.0.1:8751", "nginx.conf does not lead to"),
        ("prometheus.yaml", "127.0.0.1:8750", "127.0.0.1:8751", "does not ask 127.0.0.1:8750"),
        ("prometheus.yaml", "- alerts.yaml", "- rules.yaml", "names rules.yaml"),
    ],
)
def test_a_slip_is_noticed(tmp_path: Path, name: str, old: str, new: str, problem: str) -> None:
    folder = tmp_path / "deploy"
    shutil.copytree(ROOT / "deploy", folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = check.problems(folder)
    assert any(problem in line for line in found), found


def test_the_commands_of_the_image_work(tmp_path: Path, long_run: bool) -> None:
    """Builds the wheel, installs it and starts it: all of the image but the system under it."""
    steps = check.Dockerfile((ROOT / "deploy" / "Dockerfile").read_text()).all("RUN")
    assert steps
    for step in steps:
        subprocess.run(["/bin/sh", "-n", "-c", step.rest], check=True)
    if long_run:
        environment = check.build(tmp_path)
        check.start_built(tmp_path, environment, free_port())


def test_a_server_waits_until_postgresql_is_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"postgresql://foxtray@127.0.0.1:{free_port()}/postgres"
    server = Server(tmp_path / "log", url)
    start_again("the server", server)
    assert not server.running
    assert (
        "Could not start the server, trying again: foxtray: PostgreSQL" in capsys.readouterr().out
    )


def has_restarted(told: Path, name: str) -> bool:
    return f"Started again: {name}" in told.read_text()


def test_a_part_of_the_cluster_that_is_killed_is_started_again(
    long_run: bool, tmp_path: Path
) -> None:
    if not long_run:
        return  # `tests/server/test_cluster.py` kills every part of one in every run
    told = tmp_path / "told"
    with told.open("wb") as out:
        running = subprocess.Popen([sys.executable, ROOT / "deploy" / "cluster.py"], stdout=out)
    try:
        until(lambda: "Stop with Ctrl+C." in told.read_text())
        found = re.findall(r"(PostgreSQL|the server at \d+) \((\d+)\)", told.read_text())
        assert len(found) == 3
        for _, pid in reversed(found):
            os.kill(int(pid), signal.SIGKILL)
        for name, _ in found:
            until(partial(has_restarted, told, name))
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
