"""The bots of the page decide in their worker, in a real browser, as they do in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from decided import compact_weights, positions
from playwright.sync_api import Route

from e2e.conftest import Invite
from e2e.page_bots import ask, use
from e2e.test_device import begin
from foxtray.bots import bot
from foxtray.bots.compact import compact
from foxtray.bots.levels import LEVELS
from foxtray.core.layout import layout

COUNTS = {"random": 5, "greedy": 5, "casual": 5, "solid": 5, "strong": 10, "expert": 2}
SEED = 3 + (5 << 32)


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_the_worker_decides_as_python_does(game: str, guest: Invite, tmp_path: Path) -> None:
    one = guest()
    one.open()
    found = positions(game, 2, sum(COUNTS.values()), seed=50)
    levels = [level for level, count in COUNTS.items() for _ in range(count)]
    cases = [(now, seat, level, SEED) for (now, seat), level in zip(found, levels, strict=True)]
    weights = compact_weights(game, tmp_path)
    answers = ask(one.page, game, cases)
    for (now, seat, level, seed), answer in zip(cases, answers, strict=True):
        assert answer["type"] == "decided", answer
        own = bot(level, seed, None if LEVELS[level].simple else weights).choose(now, seat)
        assert layout(game).actions[answer["action"]] == own, (level, now.position())


def test_a_decision_can_be_cancelled_and_another_asked_for(guest: Invite, tmp_path: Path) -> None:
    one = guest()
    one.open()
    now, seat = positions("twice", 2, 1, seed=70)[0]
    found = use(one.page, "twice", (now, seat, "", SEED), tmp_path)
    sizes = [loaded for loaded, _ in found["seen"]]
    assert sizes == sorted(sizes)
    assert found["seen"][-1] == [len(compact("twice"))] * 2
    assert found["dropped"] is True
    assert "there is no level wizard" in found["wrong"]
    weights = compact_weights("twice", tmp_path)
    own = [bot("strong", SEED, weights), bot("greedy", SEED)]
    assert found["actions"] == [one.choose(now, seat).id for one in own]


def test_a_question_that_makes_no_sense_is_answered_by_an_error(guest: Invite) -> None:
    one = guest()
    one.open()
    now, seat = positions("clever", 2, 1, seed=60)[0]
    idle = next(other for other in (0, 1, 3) if other not in now.awaiting())
    answers = ask(
        one.page,
        "clever",
        [(now, seat, "wizard", 1), (now, idle, "strong", 1), (now, seat, "greedy", 1)],
    )
    assert "there is no level wizard" in answers[0]["message"]
    assert "has nothing to decide" in answers[1]["message"]
    assert answers[2]["type"] == "decided"


def test_nets_that_arrive_damaged_are_fetched_again(guest: Invite) -> None:
    one = guest()
    answers = [b"not what it should be"]

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(body=answers.pop(), content_type="application/octet-stream")
        else:
            route.continue_()

    one.page.route("**/api/nets/twice", answer)
    begin(one, "twice", "bots")
    one.dash(rounds=2)
    assert answers == []
    assert any("file of nets" in complaint for complaint in one.complaints)
    one.complaints.clear()
