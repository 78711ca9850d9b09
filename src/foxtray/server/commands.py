"""The commands of the server: serve, backup, restore, export, move-store, site, admin.

A heavy module is imported only by the command that needs it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from foxtray.arguments import AddCommand
from foxtray.server import admin_commands
from foxtray.server.database import Database, NotAFile, a_file, database, told

if TYPE_CHECKING:
    from foxtray.server.settings import Settings


def add(command: AddCommand) -> None:
    """Add the commands to a parser."""
    serve = command(
        "serve",
        "run a game server for this machine, the home network or the internet",
        ["--open", "--lan", "--public-url https://games.example --trusted-proxies 127.0.0.1"],
    )
    serve.add_argument("--host", metavar="NAME", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, metavar="N", help="port to listen on (default: 8750)")
    serve.add_argument(
        "--lan", action="store_true", default=None, help="let phones in the same network join"
    )
    serve.add_argument("--public-url", metavar="URL", help="public address, used in links")
    serve.add_argument(
        "--db", type=database, metavar="FILE", help="database file, or postgresql://..."
    )
    serve.add_argument(
        "--open", action="store_true", default=None, help="open the page in a browser"
    )
    serve.add_argument(
        "--trusted-proxies",
        metavar="LIST",
        help="addresses of reverse proxies, separated by commas",
    )
    serve.add_argument(
        "--keep-finished",
        type=int,
        metavar="DAYS",
        help="days to keep finished tables (default: 365)",
    )
    serve.add_argument(
        "--keep-unfinished",
        type=int,
        metavar="DAYS",
        help="days to keep abandoned tables (default: 90)",
    )
    serve.add_argument(
        "--backup-dir", type=Path, metavar="DIR", help="make copies of the data in this folder"
    )
    serve.add_argument(
        "--backup-every", type=float, metavar="HOURS", help="time between copies (default: 24)"
    )
    serve.add_argument(
        "--backup-keep", type=int, metavar="N", help="how many copies to keep (default: 7)"
    )
    serve.add_argument("--workers", type=int, metavar="N", help="processes for bots")
    serve.add_argument(
        "--bot-pause", type=float, metavar="SECONDS", help="how long bots pause (default: 1)"
    )
    serve.add_argument(
        "--people-per-address",
        type=int,
        metavar="N",
        help="people who may share one address, such as a club's (default: 20)",
    )
    serve.add_argument(
        "--tables-per-player",
        type=int,
        metavar="N",
        help="unfinished tables a player may have (default: 60)",
    )
    serve.add_argument(
        "--limit", metavar="LIST", help="individual limits, such as command.player=120/30"
    )
    serve.add_argument(
        "--no-limits",
        dest="limits",
        action="store_false",
        default=None,
        help="disable all rate limits, for tests and benchmarks",
    )
    serve.add_argument(
        "--registration",
        metavar="WHO",
        help="who may become a player: open, invitation or closed",
    )
    serve.add_argument(
        "--refused-names", metavar="FILE", help="names that nobody may take, one on each line"
    )
    serve.add_argument(
        "--drain",
        type=float,
        metavar="SECONDS",
        help="keep sockets for so long after a signal to stop (default: 0)",
    )
    serve.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")
    serve.set_defaults(run=run_serve)

    copy = command("backup", "copy the data of a server, running or not", ["monday.db"])
    copy.add_argument("file", type=Path, metavar="FILE", help="the copy; must not exist yet")
    copy.add_argument("--db", type=database, metavar="FILE", help="database file")
    copy.set_defaults(run=run_backup)

    back = command("restore", "replace a server's data with a backup", ["monday.db"])
    back.add_argument("file", type=Path, metavar="FILE", help="a file written by backup")
    back.add_argument("--db", type=database, metavar="FILE", help="database file")
    back.set_defaults(run=run_restore)

    export = command("export", "write all finished games as records", ["records/"])
    export.add_argument("folder", type=Path, metavar="DIR", help="folder for the .fox files")
    export.add_argument(
        "--db", type=database, metavar="FILE", help="database file, or postgresql://..."
    )
    export.set_defaults(run=run_export)

    move = command(
        "move-store",
        "carry a server's data from a file to PostgreSQL",
        ["foxtray.db postgresql://foxtray@db.example/foxtray"],
    )
    move.add_argument("source", type=Path, metavar="FROM", help="database file of a stopped server")
    move.add_argument("target", metavar="TO", help="postgresql://..., an empty database")
    move.set_defaults(run=run_move)

    site = command(
        "site",
        "write a folder that any web host can serve: everything that needs no server",
        ["public/", "public/ --open"],
    )
    site.add_argument(
        "folder", type=Path, metavar="DIR", help="a new or empty folder, or an older site"
    )
    site.add_argument(
        "--open", action="store_true", help="serve it on this machine and open it, until Ctrl-C"
    )
    site.set_defaults(run=run_site)
    admin_commands.add(command)


NAMES = (
    "host", "port", "lan", "public_url", "db", "open", "trusted_proxies", "keep_finished",
    "keep_unfinished", "backup_dir", "backup_every", "backup_keep", "workers", "bot_pause",
    "people_per_address", "tables_per_player", "limit", "limits", "registration", "refused_names",
    "log_level", "drain",
)  # fmt: skip


def run_serve(args: argparse.Namespace) -> int:
    from foxtray.server.run import run

    return run(settings_of(args))


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings from the flags; the environment provides the others."""
    from foxtray.server.settings import Settings, from_environment

    chosen = from_environment()
    given = {name: getattr(args, name) for name in NAMES}
    chosen.update({name: value for name, value in given.items() if value is not None})
    return Settings(**chosen)  # type: ignore[arg-type]


def chosen_database(args: argparse.Namespace) -> Database:
    from foxtray.server.settings import default_file, from_environment

    chosen = args.db or from_environment().get("db") or default_file()
    assert isinstance(chosen, Path | str)
    return chosen


def run_backup(args: argparse.Namespace) -> int:
    from foxtray.server.store.sqlite import backup

    source = a_file(chosen_database(args), "back PostgreSQL up with pg_dump")
    backup(source, args.file)
    print(f"Copied to {args.file}.")
    return 0


def run_restore(args: argparse.Namespace) -> int:
    from foxtray.server.store.sqlite import restore

    target = a_file(chosen_database(args), "restore PostgreSQL with pg_restore")
    kept = restore(args.file, target)
    print(f"Restored {target} from {args.file}.")
    if kept:
        print(f"The previous data was saved as {kept}.")
    return 0


def run_move(args: argparse.Namespace) -> int:
    from foxtray.extras import need

    if isinstance(database(args.target), Path):
        raise NotAFile(f"{args.target!r} is not a URL like postgresql://user@host/name")
    need("postgres", "a database in PostgreSQL")
    from foxtray.server.store.moving import move

    count = move(args.source, args.target, lambda table, rows: print(f"{table}: {rows}"))
    print(f"{count} rows were copied to {told(args.target)} and compared.")
    return 0


def run_site(args: argparse.Namespace) -> int:
    from foxtray.server.site import serve, write

    site = write(args.folder)
    print(f"{site.files} files, {site.size / 1e6:.1f} MB, written to {args.folder}.")
    print(
        "Players play alone, against bots or several people on one device, and keep their games in "
        "their browser. Friends at a distance, daily dice, rankings, reviews and hints need a "
        "server: foxtray serve."
    )
    if args.open:
        serve(args.folder)
    return 0


def run_export(args: argparse.Namespace) -> int:
    import asyncio

    from foxtray.server.export import export

    done = asyncio.run(export(chosen_database(args), args.folder))
    print(
        f"{done.records} {'record' if done.records == 1 else 'records'} written to {args.folder}."
    )
    if done.outdated:
        print(
            f"{done.outdated} of them played under older rules that this version cannot replay.",
            file=sys.stderr,
        )
    for table, cause in done.damaged.items():
        print(f"foxtray: table {table} is damaged and was skipped: {cause}", file=sys.stderr)
    return 1 if done.damaged else 0
