"""The scripted dice of the tutorial tables, so that a first game shows what it should."""

from __future__ import annotations

from foxtray.dice import SeededDice, Throw

# Six faces in sheet order for each throw, in the order they are thrown.
SCRIPTS: dict[str, tuple[str, ...]] = {
    "clever": (
        "356124",
        "142125",
        "111111",
        "161115",
        "425361",
        "233456",
        "111152",
        "111161",
    ),
    "twice": ("235146", "112153", "111151", "162534", "541613", "654612", "411111"),
}
AFTERWARDS = SeededDice(2018)


def throw(game: str, number: int, address: tuple[int, int, int]) -> Throw:
    """The throw of that number, from 0; once the script has ended, ordinary dice."""
    script = SCRIPTS[game]
    if number < len(script):
        return Throw(tuple(map(int, script[number])))
    return AFTERWARDS.throw(*address)
