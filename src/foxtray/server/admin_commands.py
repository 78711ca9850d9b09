"""The commands of a server's host: `foxtray admin ...`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foxtray.errors import FoxtrayError
from foxtray.server.database import database
from foxtray.server.settings import REGISTRATION

if TYPE_CHECKING:
    from foxtray.server.admin_client import Host

Adder = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]
Json = dict[str, Any]
Work = Callable[["Host", argparse.Namespace], Awaitable[Json]]
Tell = Callable[[Json], list[str]]
TABLE_LINK = "/t/"


class BadAnswer(FoxtrayError):
    """What was asked for cannot be done."""

    code = "bad_answer"


def add(command: Adder) -> None:
    """Add `admin` and its actions to a parser."""
    admin = command(
        "admin",
        "look after the players and tables of a server, running or not",
        ["find ana", "ban ana --reason spam", "registration invitation", "log"],
    )
    actions = admin.add_subparsers(title="actions", metavar="ACTION", required=True)

    def action(
        name: str, text: str, work: Work, tell: Tell, examples: Sequence[str]
    ) -> argparse.ArgumentParser:
        parser = actions.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog="examples:\n" + "\n".join(f"  foxtray admin {name} {e}" for e in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--db", type=database, metavar="FILE", help="database file, or postgresql://..."
        )
        parser.set_defaults(run=run, work=work, tell=tell)
        return parser

    def player(
        name: str, text: str, work: Work, tell: Tell, examples: Sequence[str]
    ) -> argparse.ArgumentParser:
        parser = action(name, text, work, tell, examples)
        parser.add_argument("player", metavar="PLAYER", help="an id, or a name that only one has")
        return parser

    found = action("find", "find players by a part of their name", find, players, ["ana"])
    found.add_argument("text", metavar="TEXT", help="an id, or a part of a name")
    player("show", "show a player", show, details, ["ana", "ana --json"])
    renamed = player("rename", "give a player another name", rename, details, ["ana Anna"])
    renamed.add_argument("name", metavar="NAME", help="the new name, also a reserved one")
    banned = player(
        "ban",
        "ban a player: refused everywhere at once, bots play on",
        ban,
        details,
        ["ana", "ana --reason spam"],
    )
    banned.add_argument("--reason", metavar="TEXT", default="", help="why, for the audit log")
    player("unban", "lift a ban", unban, details, ["ana"])
    deleted = player("delete", "delete a player and all their data", delete, gone, ["ana --yes"])
    deleted.add_argument("--yes", action="store_true", help="do not ask whether this is meant")
    player("link", "make a link that signs a player in, once, for a day", link, links, ["ana"])
    exported = player(
        "export", "write all data about a player as JSON", export, as_json, ["ana --out ana.json"]
    )
    exported.add_argument("--out", type=Path, metavar="FILE", help="a new file")
    player("grant", "make a player an admin, who finds these actions at /admin", grant, details,
           ["ana"])  # fmt: skip
    player("revoke", "make an admin a player like others", revoke, details, ["ana"])
    closed = action("close", "close a table: it is deleted", close, gone, ["Xy12ab34cd56"])
    closed.add_argument("table", metavar="TABLE", help="the id of a table, or a link to it")
    mode = action(
        "registration",
        "show or change who may become a player",
        registration,
        registrations,
        ["", "open", "invitation", "closed"],
    )
    mode.add_argument("mode", nargs="?", choices=REGISTRATION, help="who from now on")
    invited = action(
        "invite",
        "make an invitation for new players",
        invite,
        links,
        ["", "--uses 30 --days 14"],
    )
    invited.add_argument("--uses", type=int, default=1, metavar="N", help="players (default: 1)")
    invited.add_argument("--days", type=int, default=7, metavar="N", help="days (default: 7)")
    log = action("log", "show what was done as host, newest last", audit, lines, ["", "--count 5"])
    log.add_argument("--count", type=int, default=50, metavar="N", help="lines (default: 50)")


def run(args: argparse.Namespace) -> int:
    import asyncio

    answer = asyncio.run(carry_out(args))
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print("\n".join(args.tell(answer)))
    return 0


async def carry_out(args: argparse.Namespace) -> Json:
    from foxtray.server import logs
    from foxtray.server.admin_client import reach
    from foxtray.server.settings import Settings, from_environment

    logs.configure("error")
    chosen = from_environment()
    if args.db:
        chosen["db"] = args.db
    async with reach(Settings(**chosen)) as host:  # type: ignore[arg-type]
        answer: Json = await args.work(host, args)
        return answer


# --- actions ------------------------------------------------------------------------------------


async def search(host: Host, text: str, exact: bool) -> Json:
    """The players with a text in their names, or with exactly this id or name."""
    if not text:
        raise BadAnswer("an empty text finds nobody; say a name, a part of one or an id")
    answer: Json = await host.ask("POST", "find", {"text": text[:64], "exact": exact})
    return answer


async def player_of(host: Host, text: str) -> Json:
    """The player with an id or a name."""
    answer = await search(host, text, exact=True)
    found: list[Json] = answer["players"]
    by_id = [player for player in found if player["id"] == text]
    if len(by_id or found) == 1:
        return (by_id or found)[0]
    if not found:
        raise BadAnswer(f"unknown player {text!r}; foxtray admin find lists players")
    ids = ", ".join(player["id"] for player in found)
    raise BadAnswer(f"several players are called {text!r}; choose one by id: {ids}")


def path_of(player: Json, rest: str = "") -> str:
    return f"players/{player['id']}{rest}"


async def about(
    host: Host, args: argparse.Namespace, method: str, rest: str = "", body: object = None
) -> Json:
    """Ask something about the player that was named."""
    player = await player_of(host, args.player)
    answer: Json = await host.ask(method, path_of(player, rest), body)
    return answer


async def find(host: Host, args: argparse.Namespace) -> Json:
    return await search(host, args.text, exact=False)


async def show(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "GET")


async def rename(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "PUT", "/name", {"name": args.name})


async def ban(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "PUT", "/ban", {"reason": args.reason})


async def unban(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "DELETE", "/ban")


async def delete(host: Host, args: argparse.Namespace) -> Json:
    player = await player_of(host, args.player)
    called = f"{player['name']} ({player['id']})"
    if not args.yes:
        if not sys.stdin.isatty():
            raise BadAnswer(f"{called} would be deleted for good; say --yes if this is meant")
        if input(f"Delete {called} and all their data? [y/N] ").strip().lower() not in ("y", "yes"):
            raise BadAnswer("nothing was deleted")
    await host.ask("DELETE", path_of(player))
    return {"deleted": player["id"], "name": player["name"]}


async def link(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "POST", "/link")


async def export(host: Host, args: argparse.Namespace) -> Json:
    if args.out and args.out.exists():
        raise BadAnswer(f"{args.out} exists already: name another file")
    answer = await about(host, args, "GET", "/export")
    if not args.out:
        return answer
    handle = os.open(args.out, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(as_json(answer)) + "\n")
    return {"written": str(args.out)}


async def grant(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "PUT", "/admin")


async def revoke(host: Host, args: argparse.Namespace) -> Json:
    return await about(host, args, "DELETE", "/admin")


async def close(host: Host, args: argparse.Namespace) -> Json:
    name = args.table.rpartition(TABLE_LINK)[2]
    table = name.partition("?")[0].partition("#")[0].strip("/")
    if not table or not all(c.isascii() and (c.isalnum() or c in "-_") for c in table):
        raise BadAnswer(f"{args.table!r} is neither the id of a table nor a link to one")
    answer: Json = await host.ask("DELETE", f"tables/{table}")
    return {"closed": answer["id"]}


async def registration(host: Host, args: argparse.Namespace) -> Json:
    answer: Json
    if args.mode:
        answer = await host.ask("PUT", "registration", {"mode": args.mode})
    else:
        answer = await host.ask("GET", "registration")
    return answer


async def invite(host: Host, args: argparse.Namespace) -> Json:
    check("players", args.uses, 1000)
    check("days", args.days, 365)
    answer: Json = await host.ask("POST", "invitations", {"uses": args.uses, "days": args.days})
    return answer


def check(what: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise BadAnswer(f"{number} {what} are not possible; choose 1 to {most}")


async def audit(host: Host, args: argparse.Namespace) -> Json:
    check("lines", args.count, 1000)
    answer: Json = await host.ask("GET", f"log?count={args.count}")
    return answer


# --- in words -----------------------------------------------------------------------------------


def moment(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M}"


def day(ms: int) -> str:
    return moment(ms)[:10]


def players(answer: Json) -> list[str]:
    found = [
        f"{p['id']:<13} {p['name']:<24} seen {day(p['seen'])}, games: {p['finished']}{marks(p)}"
        for p in answer["players"]
    ]
    return found or ["No player was found."]


def marks(player: Json) -> str:
    return (", admin" if player["admin"] else "") + (", banned" if player["banned"] else "")


def details(player: Json) -> list[str]:
    since = moment(player["banned"]) if player["banned"] else "no"
    code = moment(player["recovery"]) if player["recovery"] else "none"
    return [
        f"{player['name']} ({player['id']})",
        f"  player since    {moment(player['created'])} UTC",
        f"  last seen       {day(player['seen'])}",
        f"  games           {player['finished']} finished, {player['unfinished']} unfinished",
        f"  signs in with   {player['devices']} devices, {player['passkeys']} passkeys",
        f"  recovery code   {code}",
        f"  admin           {'yes' if player['admin'] else 'no'}",
        f"  banned          {since}",
    ]


def gone(answer: Json) -> list[str]:
    if "closed" in answer:
        return [f"Closed table {answer['closed']}."]
    return [f"Deleted {answer['name']} ({answer['deleted']})."]


def links(answer: Json) -> list[str]:
    uses = answer.get("uses", 1)
    often = "once" if uses == 1 else f"{uses} times"
    return [answer["url"], f"Works {often}, until {moment(answer['expires'])} UTC."]


def registrations(answer: Json) -> list[str]:
    fixed = " (by the option --registration)" if answer["fixed"] else ""
    return [f"Registration: {answer['mode']}{fixed}."]


def lines(answer: Json) -> list[str]:
    told = []
    for entry in reversed(answer["entries"]):
        who = entry["operator_name"] or "somebody"
        by = f"host {who}" if entry["operator"] is None else f"admin {who}"
        what = [entry["action"], entry["player"] or "", entry["detail"]]
        told.append(f"{moment(entry['at'])}  {by:<20} {' '.join(filter(None, what))}")
    return told or ["Nothing was done as host yet."]


def as_json(answer: Json) -> list[str]:
    if "written" in answer:
        return [f"Written to {answer['written']}."]
    return [json.dumps(answer, indent=2, ensure_ascii=False)]
