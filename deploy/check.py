#!/usr/bin/env python3
"""Checks the files of this folder as far as that is possible without Docker and systemd.

python deploy/check.py          reads them and compares them with each other and the program
python deploy/check.py --build  also does in a scratch folder what the Dockerfile does, and starts
                                the server that comes out
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from foxtray.cli import build_parser
from foxtray.errors import FoxtrayError
from foxtray.server.settings import PREFIX, Settings, from_environment

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"FOXTRAY_DATA", "FOXTRAY_CACHE"}
KNOWN = {PREFIX + field.name.upper() for field in fields(Settings)} | FOLDERS
INSTRUCTIONS = {
    "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
    "HEALTHCHECK", "ENTRYPOINT", "CMD",
}  # fmt: skip
Problems = Iterator[str]


# --- the image -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instruction:
    """A line of a Dockerfile: which stage it belongs to, its word, its flags, the rest."""

    stage: int
    word: str
    flags: dict[str, str]
    rest: str

    @property
    def words(self) -> list[str]:
        """The rest as words, in either form."""
        return list(json.loads(self.rest)) if self.rest.startswith("[") else shlex.split(self.rest)


class Dockerfile:
    """The instructions of a Dockerfile."""

    def __init__(self, text: str) -> None:
        self.lines: list[Instruction] = []
        stage = -1
        kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        for line in kept.replace("\\\n", " ").splitlines():
            if line.strip():
                word, _, rest = line.strip().partition(" ")
                stage += word == "FROM"
                flags: dict[str, str] = {}
                while found := re.match(r"--([a-z-]+)=(\S+)\s+", rest.lstrip()):
                    flags[found[1]] = found[2]
                    rest = rest.lstrip()[found.end() :]
                self.lines.append(Instruction(stage, word, flags, rest.strip()))

    def all(self, word: str, stage: int | None = None) -> list[Instruction]:
        wanted = self.last if stage == -1 else stage
        return [i for i in self.lines if i.word == word and wanted in (None, i.stage)]

    def only(self, word: str) -> Instruction:
        """The one instruction of that kind in the image itself."""
        found = self.all(word, -1)
        if len(found) != 1:
            raise ValueError(f"the Dockerfile needs one {word} in its last stage, not {len(found)}")
        return found[0]

    @property
    def last(self) -> int:
        return self.lines[-1].stage

    @property
    def stages(self) -> dict[str, int]:
        return {i.words[-1]: i.stage for i in self.all("FROM") if "AS" in i.words}

    @property
    def environment(self) -> dict[str, str]:
        pairs = [word.partition("=") for i in self.all("ENV", -1) for word in i.words]
        return {name: value for name, _, value in pairs}


def ignored(path: str, patterns: list[str]) -> bool:
    """Whether a path of the context is left out, as the last pattern that matches says."""
    left_out = False
    parts = path.split("/")
    above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    for pattern in patterns:
        wanted = pattern.removeprefix("!")
        anywhere = wanted.removeprefix("**/")
        names = above if anywhere == wanted else [*above, *parts]
        if any(fnmatch.fnmatchcase(name, anywhere) for name in names):
            left_out = not pattern.startswith("!")
    return left_out


def ignore_patterns(folder: Path) -> list[str]:
    lines = (folder / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_dockerfile(folder: Path) -> Dockerfile:
    return Dockerfile((folder / "Dockerfile").read_text(encoding="utf-8"))


def check_stages(folder: Path, root: Path) -> Problems:
    """What the image is made from."""
    file = read_dockerfile(folder)
    for line in file.lines:
        if line.word not in INSTRUCTIONS:
            yield f"the Dockerfile has an instruction that is not checked: {line.word}"
    bases = {i.words[0] for i in file.all("FROM")}
    if len(bases) > 1:
        yield f"a venv needs the Python it was made with, but the stages differ: {sorted(bases)}"
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r"python:(3\.\d+)", min(bases))
    if version is None or f">={version[1]}" != project["requires-python"]:
        yield f"the image does not use the oldest Python that the project supports: {min(bases)}"
    installs = [i.rest for i in file.all("RUN") if "pip install" in i.rest]
    if not installs or not all("--constraint constraints.txt" in rest for rest in installs):
        yield "the Dockerfile installs without --constraint constraints.txt"


def check_copies(folder: Path, root: Path) -> Problems:
    """What is copied is there, and what should stay outside does."""
    file = read_dockerfile(folder)
    patterns = ignore_patterns(folder)
    for copy in file.all("COPY"):
        *sources, _ = copy.words
        if "from" in copy.flags:
            stage = file.stages.get(copy.flags["from"])
            made = [w for i in file.all("RUN", stage) for w in i.words] if stage is not None else []
            for source in sources:
                if source not in made:
                    yield f"stage {copy.flags['from']} does not make {source}"
            continue
        for source in sources:
            if not (root / source).exists():
                yield f"the Dockerfile copies {source}, which does not exist"
            elif ignored(source, patterns):
                yield f"Dockerfile.dockerignore leaves out {source}, which is copied"
    for unwanted in ("src/foxtray/client", "web/node_modules", "src/foxtray/core/__pycache__"):
        if not ignored(unwanted, patterns):
            yield f"Dockerfile.dockerignore lets {unwanted} into the image"


def check_image(folder: Path, root: Path) -> Problems:
    """How the image runs."""
    file = read_dockerfile(folder)
    environment = file.environment
    yield from check_environment("the Dockerfile", environment)
    volumes = set(file.only("VOLUME").words)
    made = [w for i in file.all("RUN", -1) if i.words[0] == "install" for w in i.words]
    for volume in volumes:
        if volume not in made:
            yield f"the Dockerfile does not make {volume}, which would belong to root"
    for name in FOLDERS:
        if environment.get(name) not in volumes:
            yield f"{name} of the Dockerfile is not a volume: it would be lost with the container"
    if file.only("EXPOSE").rest != environment.get("FOXTRAY_PORT"):
        yield "the Dockerfile exposes another port than FOXTRAY_PORT"
    user = file.only("USER").rest
    if user not in [i.words[-1] for i in file.all("RUN", -1) if i.words[0] == "useradd"]:
        yield f"the Dockerfile runs as {user}, which it does not make"
    check, *command = file.only("HEALTHCHECK").rest.split(" ", 1)
    if check != "CMD" or "/healthz" not in command[0]:
        yield "the health check of the Dockerfile does not ask /healthz"
    else:
        ast.parse(json.loads(command[0])[2])
    program, *words = [*file.only("ENTRYPOINT").words, *file.only("CMD").words]
    yield from check_command("the Dockerfile", program, words)


def check_environment(where: str, environment: dict[str, str]) -> Problems:
    """Settings that nobody reads, or that the server refuses."""
    for name in environment:
        if name.startswith(PREFIX) and name not in KNOWN:
            yield f"{where} sets {name}, which nobody reads"
    try:
        Settings(**from_environment(environment))  # type: ignore[arg-type]
    except FoxtrayError as error:
        yield f"{where} has settings that the server refuses: {error}"


def check_command(where: str, program: str, words: list[str]) -> Problems:
    if Path(program).name != "foxtray":
        yield f"{where} starts {program}, not foxtray"
    try:
        build_parser().parse_args(words)
    except (SystemExit, FoxtrayError):
        yield f"{where} starts foxtray with arguments that it refuses: {words}"


# --- the compose file ----------------------------------------------------------------------------


def substituted(text: str, values: dict[str, str]) -> str:
    """A text of a compose file with its variables filled in."""
    return re.sub(r"\$\{([A-Z_]+)(:\?[^}]*)?\}", lambda found: values[found[1]], text)


def read_compose(folder: Path, name: str = "compose.yaml") -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
    return found


def check_references(folder: Path, root: Path) -> Problems:
    """What the services of the compose files name exists."""
    for file in ("compose.yaml", "cluster.yaml"):
        yield from check_file(folder, file)


def check_file(folder: Path, file: str) -> Problems:
    compose = read_compose(folder, file)
    services: dict[str, Any] = compose["services"]
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source, *_ = volume.split(":")
            if source.startswith("."):
                if not (folder / source).is_file():
                    yield f"{file} mounts {source}, which does not exist"
            elif source not in compose["volumes"]:
                yield f"{file} does not declare the volume {source}"
        for network in service.get("networks", []):
            if network not in compose["networks"]:
                yield f"{file} does not declare the network {network}"
        for other in service.get("depends_on", []):
            if other not in services:
                yield f"{name} in {file} depends on {other}, which does not exist"
        shared = service.get("network_mode", "").removeprefix("service:")
        if shared and shared not in services:
            yield f"{name} in {file} shares the network of {shared}, which does not exist"


def check_compose(folder: Path, root: Path) -> Problems:
    """Server, image, proxy and network fit."""
    compose, image = read_compose(folder), read_dockerfile(folder)
    server, proxy = compose["services"]["foxtray"], compose["services"]["proxy"]
    build = server["build"]
    dockerfile = folder / build["context"] / build["dockerfile"]
    if dockerfile.resolve() != (folder / "Dockerfile").resolve():
        yield f"compose.yaml builds {dockerfile}, not the Dockerfile beside it"
    if server.get("ports"):
        yield "compose.yaml publishes the server itself, without TLS"
    published = {str(entry).split(":")[0] for entry in proxy["ports"]}
    if published != {"80", "443"}:
        yield f"the proxy in compose.yaml is not reached by 80 and 443, but by {sorted(published)}"
    mounted = {volume.split(":")[1] for volume in server["volumes"]}
    if missing := set(image.only("VOLUME").words) - mounted:
        yield f"compose.yaml does not keep {sorted(missing)} of the image"
    environment = {
        name: substituted(str(value), {"DOMAIN": "games.example"})
        for name, value in server["environment"].items()
    }
    yield from check_environment("compose.yaml", {**image.environment, **environment})
    if environment.get("FOXTRAY_BACKUP_DIR") not in mounted:
        yield "the backups of compose.yaml are not on a volume"
    front = compose["networks"][server["networks"][0]]
    if environment["FOXTRAY_TRUSTED_PROXIES"] != front["ipam"]["config"][0]["subnet"]:
        yield "compose.yaml trusts other proxies than those of its network"
    if server["networks"] != proxy["networks"]:
        yield "the proxy in compose.yaml does not reach the server"
    caddy = (folder / "Caddyfile").read_text(encoding="utf-8")
    upstream = f"foxtray:{image.environment.get('FOXTRAY_PORT')}"
    if f"reverse_proxy {upstream} " not in caddy:
        yield f"the Caddyfile does not lead to {upstream}"
    wanted = set(re.findall(r"\{\$([A-Z_]+)\}", caddy))
    if wanted != set(proxy["environment"]):
        yield f"the Caddyfile needs {sorted(wanted)}, which compose.yaml does not give it"


def check_cluster(folder: Path, root: Path) -> Problems:
    """The servers of the cluster fit their image, their proxy and their network."""
    compose, image = read_compose(folder, "cluster.yaml"), read_dockerfile(folder)
    services = compose["services"]
    haproxy = (folder / "haproxy.cfg").read_text(encoding="utf-8")
    port = image.environment.get("FOXTRAY_PORT")
    named = re.findall(r"^    server (\w+) (\S+)$", haproxy, re.MULTILINE)
    servers = [name for name, service in services.items() if service["image"] == "foxtray"]
    if sorted(named) != sorted((name, f"{name}:{port}") for name in servers * 2):
        yield f"haproxy.cfg leads to {named}, not twice to {servers} of cluster.yaml"
    if f"bind :{port}" not in haproxy:
        yield f"haproxy.cfg does not stand in for a server at port {port}"
    if "bots,postgres" not in (folder / "Dockerfile").read_text(encoding="utf-8"):
        yield "the image cannot use PostgreSQL"
    front = compose["networks"]["front"]["ipam"]["config"][0]["subnet"]
    known = {"DOMAIN": "games.example", "POSTGRES_PASSWORD": "secret"}
    for name in servers:
        values = services[name]["environment"]
        environment = {key: substituted(str(value), known) for key, value in values.items()}
        yield from check_environment("cluster.yaml", {**image.environment, **environment})
        if environment["FOXTRAY_TRUSTED_PROXIES"] != front:
            yield "cluster.yaml trusts other proxies than those of its network"
        if services[name].get("ports"):
            yield "cluster.yaml publishes a server itself, without TLS"


# --- systemd, nginx, Prometheus ------------------------------------------------------------------


def read_unit(path: Path) -> dict[str, list[str]]:
    """The values of a unit by their names; one may be given several times."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def check_units(folder: Path, root: Path) -> Problems:
    service = read_unit(folder / "foxtray.service")
    listening = read_unit(folder / "foxtray.socket")
    program, *words = shlex.split(service["ExecStart"][0])
    yield from check_command("foxtray.service", program, words)
    environment = dict(pair.split("=", 1) for pair in service["Environment"])
    yield from check_environment("foxtray.service", environment)
    state = {f"/var/lib/{name}" for value in service["StateDirectory"] for name in value.split()}
    places = {
        "FOXTRAY_DATA": state,
        "FOXTRAY_BACKUP_DIR": state,
        "FOXTRAY_CACHE": {f"/var/cache/{name}" for name in service["CacheDirectory"]},
    }
    for name, made in places.items():
        if environment.get(name) not in made:
            yield f"systemd does not make {name}={environment.get(name)} of foxtray.service"
    if service["Requires"] != ["foxtray.socket"] or "foxtray.socket" not in service["After"][0]:
        yield "foxtray.service does not wait for its socket"
    if "root" in service.get("User", ["root"]):
        yield "foxtray.service runs as root"

    (address,) = listening["ListenStream"]
    usual = Settings()
    if address != f"{usual.host}:{usual.port}":
        yield f"foxtray.socket listens on {address}, not where the manual says"
    nginx = (folder / "nginx.conf").read_text(encoding="utf-8")
    if re.findall(r"proxy_pass http://(.*);", nginx) != [address]:
        yield f"nginx.conf does not lead to {address}"
    if environment["FOXTRAY_TRUSTED_PROXIES"] != address.partition(":")[0]:
        yield "foxtray.service does not trust the proxy of nginx.conf"
    prometheus = yaml.safe_load((folder / "prometheus.yaml").read_text(encoding="utf-8"))
    (job,) = prometheus["scrape_configs"]
    if job["static_configs"][0]["targets"] != [address]:
        yield f"prometheus.yaml does not ask {address}"
    for rules in prometheus["rule_files"]:
        if not (folder / rules).is_file():
            yield f"prometheus.yaml names {rules}, which does not exist"
    verify = shutil.which("systemd-analyze")
    if verify:
        units = [str(folder / "foxtray.service"), str(folder / "foxtray.socket")]
        run = subprocess.run(
            [verify, "verify", *units], capture_output=True, text=True, check=False
        )
        for line in run.stderr.splitlines():
            if "foxtray" in line and "is not executable" not in line:
                yield f"systemd-analyze: {line}"


def problems(folder: Path = ROOT / "deploy", root: Path = ROOT) -> list[str]:
    """All that is wrong with a folder of these files."""
    found: list[str] = []
    checks = (
        check_stages, check_copies, check_image, check_references, check_compose, check_cluster,
        check_units,
    )  # fmt: skip
    for check in checks:
        try:
            found += check(folder, root)
        except (ValueError, KeyError, TypeError, SyntaxError, OSError, yaml.YAMLError) as error:
            found.append(f"{check.__name__} cannot go on: {error!r}")
    return found


# --- the build -----------------------------------------------------------------------------------


def copy_context(file: Dockerfile, root: Path, folder: Path, target: Path) -> None:
    """What the first stage copies, without what is left out."""
    patterns = ignore_patterns(folder)

    def leave_out(where: str, names: list[str]) -> set[str]:
        here = Path(where).relative_to(root)
        return {name for name in names if ignored((here / name).as_posix(), patterns)}

    for source in (name for copy in file.all("COPY", 0) for name in copy.words[:-1]):
        if (root / source).is_dir():
            shutil.copytree(root / source, target / source, ignore=leave_out)
        else:
            shutil.copy2(root / source, target / source)


def build(scratch: Path, folder: Path = ROOT / "deploy", root: Path = ROOT) -> dict[str, str]:
    """Run the first stage of the Dockerfile in a scratch folder; returns the image's environment.

    Its absolute paths lie in the scratch folder. Nothing but the base image is missing.
    """
    file = read_dockerfile(folder)
    here = scratch / "build"
    here.mkdir()
    copy_context(file, root, folder, here)
    python = Path(sys.executable).resolve()
    places = ["/wheels", *(copy.words[0] for copy in file.all("COPY", -1))]
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    for step in file.all("RUN", 0):
        command = re.sub(r"^python ", f"{python} ", step.rest)
        for place in places:
            command = re.sub(rf"(?<!\S){place}\b", f"{scratch}{place}", command)
        subprocess.run(["/bin/sh", "-c", command], cwd=here, env=inherited, check=True)
    environment = dict(file.environment)
    for name in FOLDERS:
        environment[name] = f"{scratch}{environment[name]}"
        Path(environment[name]).mkdir()
    environment["PATH"] = f"{scratch}{environment['PATH']}"
    return environment


def start_built(scratch: Path, environment: dict[str, str], port: int) -> None:
    """Start the server that was built, and ask it what the image's health check asks."""
    file = read_dockerfile(ROOT / "deploy")
    environment = {**environment, "FOXTRAY_PORT": str(port), "FOXTRAY_HOST": "127.0.0.1"}
    command = [*file.only("ENTRYPOINT").words, *file.only("CMD").words]
    program = shutil.which(command[0], path=environment["PATH"])
    assert program, f"{command[0]} was not installed"
    health = json.loads(file.only("HEALTHCHECK").rest.removeprefix("CMD"))
    asking = [str(Path(program).with_name("python")), *health[1:]]
    with subprocess.Popen([program, *command[1:]], env=environment, cwd=scratch) as server:
        try:
            deadline = time.monotonic() + 60
            while subprocess.run(
                asking, env=environment, check=False, stderr=subprocess.DEVNULL
            ).returncode:
                assert server.poll() is None, "the server did not start"
                assert time.monotonic() < deadline, "the server did not become healthy"
                time.sleep(0.5)
            page = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"
            fetched = subprocess.run(
                [asking[0], "-c", page, f"http://127.0.0.1:{port}/"],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            )
            assert "/assets/" in fetched.stdout, "the wheel was built without the page"
        finally:
            server.terminate()
            server.wait(20)


def main() -> int:
    parser = argparse.ArgumentParser(description="check the files of deploy/")
    parser.add_argument("--build", action="store_true", help="also do what the Dockerfile does")
    parser.add_argument("--port", type=int, default=18750, help="where the built server listens")
    args = parser.parse_args()
    found = problems()
    for problem in found:
        print(problem, file=sys.stderr)
    if args.build and not found:
        with tempfile.TemporaryDirectory() as scratch:
            environment = build(Path(scratch))
            start_built(Path(scratch), environment, args.port)
        print("The image's commands work.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
