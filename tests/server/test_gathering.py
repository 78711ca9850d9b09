"""When commits wait for company."""

import time

import pytest

from foxtray.server.store.gathering import GATHER, GROUP, LATELY, TABLES, Gathering, Inbox


def test_one_table_never_waits_however_fast_it_is() -> None:
    gathering = Gathering()
    for moment in range(1_000):
        gathering.note(["t"], moment * 0.001)
        assert gathering.wait(moment * 0.001) == 0.0


def test_commits_wait_while_several_tables_write() -> None:
    gathering = Gathering()
    for number in range(TABLES):
        assert gathering.wait(1.0) == 0.0
        gathering.note([f"t{number}"], 1.0)
    assert gathering.wait(1.0) == GATHER
    gathering.note(["t0"], 1.0 + LATELY / 2)
    assert gathering.wait(1.0 + LATELY * 0.99) == GATHER
    assert gathering.wait(1.0 + LATELY * 1.01) == 0.0


def test_the_busier_the_shorter() -> None:
    gathering = Gathering()
    gathering.note([f"t{number}" for number in range(200)], 1.0)
    assert 0 < gathering.wait(1.0) < GATHER / 3


def test_what_is_remembered_does_not_grow() -> None:
    gathering = Gathering()
    for number in range(1_000):
        gathering.note([f"t{number}"], float(number))
        gathering.wait(float(number))
    assert len(gathering._wrote) <= 2


def test_what_comes_first_never_waits() -> None:
    inbox: Inbox[str] = Inbox(lambda job: job)
    groups = inbox.groups()
    crowd = [f"t{number}" for number in range(TABLES)]
    for job in crowd:
        inbox.put(job)
    pauses: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", pauses.append)
        assert next(groups) == crowd
        assert pauses == [], "nobody had written before"
        inbox.put("t0")
        assert next(groups) == ["t0"]
        assert pauses == [GATHER], "once after a commit, however little comes"


def test_what_waits_is_taken_in_groups_and_to_the_end() -> None:
    inbox: Inbox[str] = Inbox(lambda job: None)
    jobs = [f"j{number}" for number in range(GROUP + 3)]
    for job in jobs:
        inbox.put(job)
    inbox.close()
    assert list(inbox.groups()) == [jobs[:GROUP], jobs[GROUP:]]
