"""Everything in sight and nothing moves: whole games, measured at every decision."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import expect

from e2e.conftest import Invite
from e2e.driver import Guest
from e2e.geometry import SIZES, Watch, look_at_replay

GAMES = ("clever", "twice")
SEATS = (1, 2, 3, 4)
Size = tuple[int, int]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whole games in all sizes in the long run; else the tightest, and a look at the rest."""
    if "most" not in metafunc.fixturenames:
        return
    cases = [("twice", 1, (360, 640), 10_000), ("clever", 4, (390, 664), 10_000)]
    cases += [
        (game, seats, size, 12)
        for (game, seats), size in zip(itertools.product(GAMES, (4, 2)), SIZES[2:], strict=True)
    ]
    cases += [("twice", 4, (360, 640), 20)]
    if metafunc.config.getoption("--long"):
        cases = [(*case, 10_000) for case in itertools.product(GAMES, SEATS, SIZES)]
    metafunc.parametrize(
        ("game", "seats", "size", "most"),
        cases,
        ids=["-".join(map(str, (game, seats, *size))) for game, seats, size, _ in cases],
    )


def sit_down(guest: Invite, game: str, seats: int, size: Size) -> Guest:
    ana = guest(size, seed=seats + size[0], has_touch=True)
    ana.introduce("Ana Marija Stojanović")
    ana.page.click(f"[data-start={game}-{'bots' if seats > 1 else 'solo'}]")
    if seats > 1:
        ana.page.click(f"[aria-label='How many bots?'] button:text-is('{seats - 1}')")
        ana.level("Greedy")
        ana.page.click(f"[data-go={game}]")
    ana.settled()
    return ana


def test_everything_is_in_sight_and_nothing_moves(
    guest: Invite, game: str, seats: int, size: Size, most: int
) -> None:
    ana = sit_down(guest, game, seats, size)
    watch = Watch(ana)
    watch.play(most)
    assert ana.over or most < 1_000
    counts = watch.counts
    assert counts["die"] == 6 * watch.looks, "six dice at every moment"
    assert counts["area"] == 5 * watch.looks
    assert counts["rival"] == (seats - 1) * watch.looks
    assert counts["offered place"], "some places were offered"
    print(f"\n{game} {seats} {size}: {watch.looks} looks, {dict(counts)}, moved {watch.moved:.2f}")
    if ana.over:
        look_at_replay(ana)


@pytest.mark.parametrize("game", GAMES)
def test_a_rivals_sheet_fits_on_the_screen(guest: Invite, game: str) -> None:
    ana = sit_down(guest, game, 2, (360, 640))
    for width, height in SIZES:
        ana.page.set_viewport_size({"width": width, "height": height})
        ana.page.locator("[data-seat]").click()
        dialog = ana.page.locator("dialog")
        expect(dialog.locator(".area")).to_have_count(5)
        scrolled = "one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]"
        assert dialog.evaluate(scrolled) == [0, 0], (width, height)
        ana.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_the_speeds_of_bots_stand_side_by_side(guest: Invite) -> None:
    ana = sit_down(guest, "clever", 2, (360, 640))
    ana.page.click("[data-menu]")
    expect(ana.page.locator(".paces button")).to_have_count(3)
    tops = "all => new Set(all.map(one => one.getBoundingClientRect().top)).size"
    assert ana.page.eval_on_selector_all(".paces button", tops) == 1


def test_four_seats_fit_on_a_laptop(guest: Invite) -> None:
    """The small sheets of three others make no page longer than its screen."""
    ana = sit_down(guest, "twice", 4, (1280, 800))
    for width, height in ((1280, 800), (1366, 768), (1280, 720)):
        ana.page.set_viewport_size({"width": width, "height": height})
        ana.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        )
        Watch(ana).look()


def test_names_of_areas_are_whole(guest: Invite) -> None:
    """Also the longest of the four languages."""
    ana = guest((1440, 900), locale="sr")
    ana.open()
    ana.page.click("[data-start=clever-solo]")
    ana.settled()
    cut = ana.page.eval_on_selector_all(
        ".middle .title span:not(.hidden)",
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)",
    )
    assert not cut


def test_what_comes_up_moves_nothing(guest: Invite) -> None:
    """A lost line, a refusal and somebody who stands in are told without moving the sheet."""
    ana = sit_down(guest, "twice", 2, (360, 640))
    watch = Watch(ana)
    watch.look()
    ana.down = True
    ana.context.set_offline(True)
    ana.page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    expect(ana.page.locator("[role=status]").first).to_be_visible()
    watch.look()
    ana.context.set_offline(False)


def test_a_phone_that_is_turned_shows_everything(guest: Invite) -> None:
    """Also back again, and in the middle of a choice, which stays."""
    ana = sit_down(guest, "twice", 1, (390, 664))
    page = ana.page
    while not page.locator("[data-die=w].usable").count():
        ana.tap()
    page.locator("[data-die=w].usable").click()
    page.locator(".chip").first.click()
    for width, height in ((844, 390), (390, 664), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        Watch(ana).look()
        expect(page.locator(".chip[aria-pressed=true]")).to_have_count(1)


def test_a_long_press_is_a_lens(guest: Invite) -> None:
    """An area enlarged, in which a place can be chosen; a setting makes it the default."""
    ana = sit_down(guest, "clever", 1, (360, 640))
    page = ana.page
    page.click(".act button.primary")
    page.locator("[data-die=w].usable").click()
    box = page.locator("[data-area=yellow] svg.drawing").bounding_box()
    assert box
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] - 5)
    page.mouse.down()
    lens = page.locator("dialog .area")
    expect(lens).to_be_visible()
    page.mouse.up()
    expect(lens).to_be_visible()
    width = lens.locator("rect.cell").first.bounding_box()
    assert width
    assert width["width"] >= 44
    ana.axe()
    lens.locator("[data-place]").first.click()
    expect(lens).to_have_count(0)
    expect(page.locator(".chip[aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Escape")
    page.click("[data-menu]")
    page.get_by_label("Enlarge an area when I tap it").check()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.locator("[data-die=w].usable").click()
    page.locator(".middle [data-place]").first.click()
    expect(lens).to_be_visible()


def test_a_finger_beside_a_cell_means_it(guest: Invite) -> None:
    ana = sit_down(guest, "twice", 1, (360, 640))
    page = ana.page
    page.click(".act button.primary")
    page.locator("[data-die=w].usable").click()
    place = page.locator(".middle [data-area=pink] [data-place]")
    box = place.bounding_box()
    assert box
    assert box["width"] < 30
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + 20)
    name = place.get_attribute("data-place")
    expect(page.locator(f".middle [data-place={name}]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("dialog")).to_have_count(0)
