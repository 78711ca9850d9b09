"""Completion scripts and the manual page contain everything that the parser knows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from foxtray import __version__, cli, completion

BASH = shutil.which("bash")


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pl", {"play"}),
        ("play ", {"clever", "twice", "--seats", "--own-dice"}),
        ("play clever --se", {"--seats", "--seed"}),
        ("play clever --option fox", {"fox_floor=on", "fox_floor=off"}),
        ("play clever --save ", set()),  # files, which bash completes by itself
        ("simulate twice --bot stro", {"strong"}),
        ("admin ", {"find", "invite", "export"}),
        ("admin invite --u", {"--uses"}),
        ("export --", {"--db", "--help"}),
        ("completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_bash_offers_what_may_follow(
    typed: str, offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert BASH
    path = tmp_path / "foxtray.bash"
    path.write_text(script("bash", capsys))
    words = " ".join(f"'{word}'" for word in ["foxtray", *typed.split(" ")])
    program = f"source {path}; COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); "
    program += '_foxtray; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run([BASH, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    found = set(done.stdout.split())
    assert offered <= found
    assert bool(offered) == bool(found)
    assert all(word.startswith(typed.split(" ")[-1]) for word in found)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_command_and_option_is_in_the_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, capsys)
    for command in completion.commands(cli.build_parser(), {}):
        for word in command.path:
            assert re.search(rf"\b{word}\b", text)
        for option in command.options:
            for name in option.names:
                shown = {"fish": f" -{'l' if name[1] == '-' else 's'} {name.lstrip('-')} "}
                assert shown.get(shell, name) in text


def test_the_manual_page_has_every_command_and_option() -> None:
    parser = cli.build_parser()
    page = cli.man_page(parser)
    assert page.startswith(f'.TH FOXTRAY 1 "" "foxtray {__version__}"')
    for command in completion.commands(parser, {}):
        if command.path:
            assert f".SS {' '.join(['foxtray', *command.path])}" in page.replace("\\-", "-")
        for option in command.options:
            assert f"\\fB{completion.roff(option.names[-1])}\\fR" in page
    # Lines that begin with a dot or an apostrophe are requests; only ours may be.
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".EX", ".EE"}
