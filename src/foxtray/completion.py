"""Completion scripts for shells and the manual page, made from the parser of the command line."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
Values = Mapping[str, Sequence[str]]
"""What may follow an option, if its parser does not say so itself."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its names, what it does, and what may follow it."""

    names: tuple[str, ...]
    help: str
    takes: str
    """What follows it, as in `FILE`; empty if nothing does."""
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A command or action: how it is reached, and what may follow it."""

    path: tuple[str, ...]
    help: str
    options: tuple[Option, ...]
    words: Mapping[str, str]
    """What may stand where it is not an option, such as a game or an action, with its help."""
    arguments: tuple[str, ...]
    examples: str


def commands(
    parser: argparse.ArgumentParser, values: Values, path: tuple[str, ...] = ()
) -> Iterator[Command]:
    """The command of a parser, then those below it."""
    options: list[Option] = []
    words: dict[str, str] = {}
    arguments: list[str] = []
    below: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {each.dest: each.help or "" for each in action._choices_actions}
            words |= told
            below |= {name: action.choices[name] for name in told}
            arguments.append(str(action.metavar))
        elif action.option_strings:
            known = tuple(map(str, action.choices or values.get(action.option_strings[-1], ())))
            takes = "" if action.nargs == 0 else str(action.metavar or "|".join(known))
            names = tuple(action.option_strings)
            options.append(Option(names, action.help or "", takes, known))
        else:
            words |= {str(choice): "" for choice in action.choices or ()}
            arguments.append(str(action.metavar or "|".join(action.choices or (action.dest,))))
    told_help = parser.description or ""
    epilog = parser.epilog or ""
    yield Command(path, told_help, tuple(options), words, tuple(arguments), epilog)
    for name, inner in below.items():
        yield from commands(inner, values, (*path, name))


def script(shell: str, parser: argparse.ArgumentParser, values: Values) -> str:
    """The completion script of a shell."""
    every = list(commands(parser, values))
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell](parser.prog, every)


def quoted(text: str) -> str:
    return shlex.quote(text)


def walk(every: Sequence[Command]) -> Iterator[str]:
    """The lines that follow the words already typed to the command they name."""
    for command in every[1:]:
        *before, last = command.path
        typed, at = " ".join([*before, "/", last]), " ".join(command.path)
        yield f"      {quoted(typed)}) at={quoted(at)} ;;"


def offers(every: Sequence[Command]) -> Iterator[tuple[str, str, list[str]]]:
    """Cases of `command / previous word` and what they offer; a bare command comes last."""
    for command in every:
        at = " ".join(command.path)
        for option in command.options:
            if option.takes:
                for name in option.names:
                    yield at, name, list(option.values)
        named = [name for option in command.options for name in option.names]
        yield at, "*", [*command.words, *named]


def bash(prog: str, every: Sequence[Command]) -> str:
    """For bash; where nothing is offered, it completes files."""
    cases = "\n".join(
        f"    {quoted(f'{at} / {name}') if name != '*' else quoted(f'{at} / ') + '*'})"
        f" offered={quoted(' '.join(found))} ;;"
        for at, name, found in offers(every)
    )
    steps = "\n".join(walk(every))
    return f"""# Completion of {prog} for bash: eval "$({prog} completion bash)"
_{prog}() {{
  local at="" word offered=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{at:+$at }}/ $word" in
{steps}
    esac
  done
  case "$at / ${{COMP_WORDS[COMP_CWORD-1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _{prog} {prog}
"""


def zsh(prog: str, every: Sequence[Command]) -> str:
    """For zsh; where nothing is offered, it completes files."""
    helps = {
        (" ".join(command.path), word): text
        for command in every
        for word, text in [
            *command.words.items(),
            *((name, option.help) for option in command.options for name in option.names),
        ]
    }

    def described(at: str, word: str) -> str:
        told = helps.get((at, word), "").replace(":", ",")
        return quoted(word.replace(":", r"\:") + (f":{told}" if told else ""))

    cases = "\n".join(
        f"    {quoted(f'{at} / {name}') if name != '*' else quoted(f'{at} / ') + '*'})"
        f" offered=({' '.join(described(at, word) for word in found)}) ;;"
        for at, name, found in offers(every)
    )
    steps = "\n".join(walk(every))
    return f"""#compdef {prog}
# Completion of {prog} for zsh: {prog} completion zsh > "${{fpath[1]}}/_{prog}"
_{prog}() {{
  local at="" word
  local -a offered
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "${{at:+$at }}/ $word" in
{steps}
    esac
  done
  case "$at / ${{words[CURRENT-1]}}" in
{cases}
  esac
  if (( $#offered )); then _describe {prog} offered; else _files; fi
}}
if [ "$funcstack[1]" = "_{prog}" ]; then _{prog} "$@"; else compdef _{prog} {prog}; fi
"""


def fish(prog: str, every: Sequence[Command]) -> str:
    """For fish."""
    lines = [
        f"# Completion of {prog} for fish: {prog} completion fish | source",
        f"function __{prog}_at",
        "    set -l typed (commandline -opc)",
        "    set -l wanted (count $argv)",
        "    test (count $typed) -gt $wanted; or return 1",
        "    test $wanted -eq 0; and return 0",
        "    set -l last (math $wanted + 1)",
        '    test "$typed[2..$last]" = "$argv"',
        "end",
    ]
    for command in every:
        here = f"__{prog}_at {' '.join(command.path)}".strip()
        next_word = f"{here}; and test (count (commandline -opc)) -eq {len(command.path) + 1}"
        for word, text in command.words.items():
            told = f" -d {fish_quoted(text)}" if text else ""
            lines.append(f"complete -c {prog} -f -n {fish_quoted(next_word)} -a {word}{told}")
        for option in command.options:
            only = next_word if not command.path else here
            line = f"complete -c {prog} -n {fish_quoted(only)}"
            for name in option.names:
                line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}"
            if option.values:
                line += f" -x -a {fish_quoted(' '.join(option.values))}"
            elif option.takes:
                line += " -r"
            lines.append(f"{line} -d {fish_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# --- the manual page ----------------------------------------------------------------------------


def roff(text: str) -> str:
    """A text that troff shows as it is."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def manual(
    parser: argparse.ArgumentParser,
    version: str,
    variables: Mapping[str, str],
    folders: Mapping[str, Path],
) -> str:
    """The manual page of the command line, in the language of `man`."""
    first, *rest = commands(parser, {})
    prog = parser.prog
    lines = [
        f'.TH {prog.upper()} 1 "" "{prog} {version}" "User Commands"',
        ".SH NAME",
        f"{prog} \\- {roff(first.help.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {prog}",
        "[\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]]",
        ".SH DESCRIPTION",
        roff(first.help),
        f"Without a command, it does the same as {roff(f'{prog} serve --open')}.",
        ".SH OPTIONS",
        *option_lines(first),
        ".SH COMMANDS",
    ]
    for command in rest:
        name = " ".join([prog, *command.path])
        arguments = "".join(f" \\fI{roff(each)}\\fR" for each in command.arguments)
        lines += [f".SS {roff(name)}{arguments}", roff(command.help), *option_lines(command)]
        if command.examples:
            _, _, examples = command.examples.partition("\n")
            lines += [".PP", "Examples:", ".EX", *map(roff, examples.splitlines()), ".EE"]
    lines += [".SH EXIT STATUS"]
    for status, meaning in (
        ("0", "Everything went well."),
        ("1", "The reader of the output went away, or a part of the work failed."),
        ("2", "Bad input: one sentence says what is wrong and what to do."),
        ("130", "Interrupted with Ctrl-C."),
    ):
        lines += [".TP", status, roff(meaning)]
    lines += [".SH ENVIRONMENT"]
    for name, meaning in variables.items():
        lines += [".TP", f".B {roff(name)}", roff(meaning)]
    lines += [".SH FILES"]
    for meaning, path in folders.items():
        lines += [".TP", f".I {roff(str(path))}", roff(meaning)]
    return "\n".join(lines) + "\n"


def option_lines(command: Command) -> Iterator[str]:
    """The options of a command."""
    for option in command.options:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
        takes = f" \\fI{roff(option.takes)}\\fR" if option.takes else ""
        yield from (".TP", f"{names}{takes}", roff(option.help[:1].upper() + option.help[1:] + "."))
