"""The commands of the server: serve, backup, export. Imports nothing heavy until one is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Adder = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]


def add(command: Adder) -> None:
    """Add the commands to a parser."""
    serve = command(
        "serve",
        "open live tables for this machine, the home network or the world",
        ["--open", "--lan", "--public-url https://games.example --trusted-proxies 127.0.0.1"],
    )
    serve.add_argument("--host", metavar="NAME", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, metavar="N", help="port to listen on (default: 8750)")
    serve.add_argument(
        "--lan", action="store_true", default=None, help="let phones in the same network join"
    )
    serve.add_argument("--public-url", metavar="URL", help="the address that links should use")
    serve.add_argument("--db", type=Path, metavar="FILE", help="where everything is kept")
    serve.add_argument(
        "--open", action="store_true", default=None, help="open the page in a browser"
    )
    serve.add_argument(
        "--trusted-proxies",
        metavar="LIST",
        help="addresses of reverse proxies, separated by commas",
    )
    serve.add_argument(
        "--keep-finished", type=int, metavar="DAYS", help="keep finished tables (default: 365)"
    )
    serve.add_argument(
        "--keep-unfinished", type=int, metavar="DAYS", help="keep abandoned tables (default: 90)"
    )
    serve.add_argument("--workers", type=int, metavar="N", help="processes for bots")
    serve.add_argument(
        "--bot-pause", type=float, metavar="SECONDS", help="how long bots pause (default: 1)"
    )
    serve.add_argument(
        "--no-limits",
        dest="limits",
        action="store_false",
        default=None,
        help="limit nobody: for tests and benchmarks",
    )
    serve.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")
    serve.set_defaults(run=run_serve)

    copy = command("backup", "copy the data of a server, running or not", ["monday.db"])
    copy.add_argument("file", type=Path, metavar="FILE", help="the copy; must not exist yet")
    copy.add_argument("--db", type=Path, metavar="FILE", help="where everything is kept")
    copy.set_defaults(run=run_backup)

    export = command("export", "write all finished games as records", ["records/"])
    export.add_argument("folder", type=Path, metavar="DIR", help="where the .fox files go")
    export.add_argument("--db", type=Path, metavar="FILE", help="where everything is kept")
    export.set_defaults(run=run_export)


NAMES = (
    "host", "port", "lan", "public_url", "db", "open", "trusted_proxies", "keep_finished",
    "keep_unfinished", "workers", "bot_pause", "limits", "log_level",
)  # fmt: skip


def run_serve(args: argparse.Namespace) -> int:
    from foxtray.server.run import run
    from foxtray.server.settings import Settings, from_environment

    chosen = from_environment()
    given = {name: getattr(args, name) for name in NAMES}
    chosen.update({name: value for name, value in given.items() if value is not None})
    return run(Settings(**chosen))  # type: ignore[arg-type]


def database(args: argparse.Namespace) -> Path:
    from foxtray.server.settings import default_file, from_environment

    chosen = args.db or from_environment().get("db") or default_file()
    assert isinstance(chosen, Path)
    return chosen


def run_backup(args: argparse.Namespace) -> int:
    from foxtray.server.store.sqlite import backup

    backup(database(args), args.file)
    print(f"Copied to {args.file}.")
    return 0


def run_export(args: argparse.Namespace) -> int:
    import asyncio

    from foxtray.server.export import export

    count, old = asyncio.run(export(database(args), args.folder))
    print(f"{count} {'record' if count == 1 else 'records'} written to {args.folder}.")
    if old:
        print(f"{old} of them by rules that this version no longer plays.", file=sys.stderr)
    return 0
