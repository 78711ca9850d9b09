"""What decisions cost, by their kind: also what was used too early, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from reviewed import played, reviewed

from foxtray.game import Game
from foxtray.history import step
from foxtray.review import Alternative
from foxtray.review import Step as Choice
from foxtray.server.coach.reviewer import kind_of, lost_by_kind


def games(name: str) -> Iterator[Game]:
    """A game of a bot, before each of its actions."""
    record = played(name, ("casual",))
    game = record.setup.start()
    for entry in record.inputs:
        if game.awaiting():
            yield game
        game = step(game, entry)[0]


def chosen(game: Game, taken: str, better: str) -> str:
    """The kind of a choice between two actions."""
    assert {taken, better} <= {str(action) for action in game.legal(0)}
    best = Alternative(better, (better,), 5.0, 0.1, None, searched=True)
    return kind_of(game, 0, Choice(0, taken, 3.0, (best,)))


def actions(game: Game) -> list[str]:
    return [str(action) for action in game.legal(0)]


@pytest.mark.parametrize("name", ["clever", "twice"])
def test_an_action_is_used_too_early_or_not_at_all(name: str) -> None:
    extra = next(g for g in games(name) if g.stage(0) == "extra" and len(g.legal(0)) > 2)
    _, one, other = actions(extra)[:3]
    assert chosen(extra, one, "pass") == "extra_early"
    assert chosen(extra, "pass", one) == "extra_late"
    assert chosen(extra, one, other) == "extra"

    pick = next(g for g in games(name) if "reroll" in actions(g))
    one, other = actions(pick)[-2:]
    assert chosen(pick, "reroll", one) == "reroll_early"
    assert chosen(pick, one, "reroll") == "reroll_late"
    assert chosen(pick, one, other) == "pick"


def test_a_die_is_returned_too_early_or_not_at_all() -> None:
    window = next(g for g in games("twice") if g.stage(0) == "window")
    back = actions(window)[-1]
    assert back.startswith("return:")
    assert chosen(window, back, "pass") == "return_early"
    assert chosen(window, "pass", back) == "return_late"


def test_kinds_add_up_to_the_price() -> None:
    found = reviewed("clever", ("casual",)).player(0)
    kinds = lost_by_kind(played("clever", ("casual",)), found)
    assert sum(kinds.values()) == pytest.approx(found.price)
    assert kinds.keys() <= {
        *("pick", "bonus", "window", "follow", "served", "extra"),
        *(f"{track}_{when}" for track in ("reroll", "extra") for when in ("early", "late")),
    }
