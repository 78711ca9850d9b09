"""Whole games in the browser, alone and together, on bad connections too."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import WebSocketRoute, expect
from server.harness import Server

from e2e.conftest import Invite
from e2e.driver import DESKTOP, PATIENCE, PHONE, Guest


@pytest.mark.parametrize(("game", "size"), [("clever", PHONE), ("twice", DESKTOP)])
def test_solo_by_clicks(guest: Invite, game: str, size: tuple[int, int]) -> None:
    ana = guest(size, seed=5)
    ana.begin(game)
    ana.settled()
    ana.play(measure=True)
    end = ana.snapshot()
    total = end["game"]["seats"][0]["score"]["total"]
    expect(ana.page.locator("h1")).to_contain_text(f"{total} points")
    expect(ana.page.locator("tfoot td strong")).to_have_text(str(total))
    expect(ana.page.locator("[data-fair=yes]")).to_be_visible()
    # Sheets are drawn when there is time.
    expect(ana.page.locator("main.end [data-cell]").first).to_be_attached()
    assert ana.marks() == end["game"]["seats"][0]["marks"]


HIDDEN_BY_A_LESSON = """() => {
  const {bottom} = [...document.querySelectorAll('.middle .area')].at(-1).getBoundingClientRect();
  const {top} = document.querySelector('.dock').getBoundingClientRect();
  const {scrollHeight, clientHeight} = document.querySelector('.lesson');
  return Math.max(0, Math.round(bottom - top), scrollHeight - clientHeight);
}"""
"""How many pixels of the sheet are under the dice, or of the text below the edge of its box."""


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_the_guided_game(guest: Invite, game: str) -> None:
    ana = guest((360, 640))
    ana.begin(game, "learn")
    ana.settled()
    first = ana.page.locator(".lesson").inner_text()
    for _ in range(400):
        ana.answered()
        expect(ana.page.locator(".lesson")).to_be_in_viewport(ratio=1)
        assert ana.page.evaluate(HIDDEN_BY_A_LESSON) == 0
        if ana.page.locator(".act a").count():
            break
        reroll = ana.page.locator("[data-act=reroll]")
        if reroll.count():
            reroll.click()
        elif not ana.step():
            ana.page.wait_for_timeout(40)
    expect(ana.page.locator(".lesson")).to_contain_text("That's all you need to know!")
    steps = {"clever": 21, "twice": 25}
    assert f"Step 1 of {steps[game]}" in first
    ana.play(6)
    expect(ana.page.locator(".lesson")).to_have_count(0)


def seat_friends(guest: Invite, game: str, count: int) -> list[Guest]:
    host = guest(DESKTOP, seed=1)
    host.open()
    host.page.fill("#name", "Host <b>&amp;</b>")
    host.page.click(f"[data-start={game}-friends]")
    host.page.click(f"[aria-label=Players] button:has-text('{count}')")
    host.page.click(f"[data-go={game}]")
    link = host.page.locator("#invite").input_value()
    expect(host.page.locator("img.qr")).to_be_visible()
    friends = [host]
    for i in range(1, count):
        friend = guest(PHONE, seed=i + 1)
        friend.page.goto(link)
        friend.page.fill("#name", f"Friend {i}")
        friend.page.keyboard.press("Enter")
        expect(friend.page.locator("[data-leave]")).to_be_visible()
        friends.append(friend)
    host.page.click("text=Start game")
    for friend in friends:
        friend.settled()
    return friends


@pytest.mark.parametrize(("game", "count"), [("clever", 2), ("twice", 4)])
def test_friends_at_one_table(guest: Invite, long_run: bool, game: str, count: int) -> None:
    friends = seat_friends(guest, game, count)
    together = acts = idle = 0
    over = False
    while not over and (long_run or acts < 60 or not together):
        found = [one.hurry() for one in friends]
        over = all(one.get("over") for one in found)
        together += sum(one.get("choosing", False) for one in found) > 1
        acted = sum(one.get("acted", False) for one in found)
        acts, idle = acts + acted, 0 if acted or over else idle + 1
        assert idle < 1_000, "nobody has anything to do"
        friends[idle % count].page.wait_for_timeout(20)
    assert together, "two seats had a choice at the same time"
    for one in friends:
        one.answered()
    views = [one.snapshot() for one in friends]
    assert all(view["game"] == views[0]["game"] for view in views)
    for one, view in zip(friends, views, strict=True):
        if not one.over:
            one.shows(view["game"]["seats"][view["you"]["seat"]]["marks"])
    # A hostile name is text.
    body = friends[1].page.locator("body")
    expect(body).to_contain_text("Host <b>&amp;</b>")


def test_leaving_before_and_after_the_start(guest: Invite) -> None:
    """Whoever gives up a seat is gone: it is open again, or a bot plays on for the others."""
    ana, ben = guest(), guest(seed=2)
    ana.introduce("Ana")
    ana.begin("clever", "friends")
    link = ana.page.locator("#invite").input_value()
    ben.introduce("Ben")
    for last in (False, True):
        ben.page.goto(link)
        ben.page.locator("[data-sit]").click()
        expect(ana.page.locator("main.lobby")).to_contain_text("Ben")
        if not last:
            ben.page.click("[data-leave]")
            expect(ben.page.locator("[data-start]").first).to_be_visible()
            expect(ana.page.locator("main.lobby")).to_contain_text("1 seat is still open.")
    ana.page.click("text=Start game")
    ben.settled()
    ben.menu("Leave table")
    ben.axe()
    ben.page.click("text=Give up my seat")
    expect(ben.page.locator("[data-start]").first).to_be_visible()
    assert ben.page.url == f"{ben.server.url}/"
    expect(ana.page.locator(".others")).to_contain_text("Solid is playing")
    assert ana.snapshot()["table"]["seats"][1]["stand_in"] == "solid"
    # A game alone leaves the list.
    ben.begin("clever")
    ben.settled()
    ben.open()
    expect(ben.page.locator("[data-continue]")).to_have_count(1)
    ben.page.click("[data-continue]")
    ben.menu("Leave table")
    ben.page.click("text=Give up this game")
    expect(ben.page.locator("[data-start]").first).to_be_visible()
    expect(ben.page.locator("[data-continue]")).to_have_count(0)


def test_a_bot_for_somebody_who_is_away(guest: Invite) -> None:
    """It is offered when the server's time for it has passed, whatever the clock here shows."""
    ana, ben = seat_friends(guest, "clever", 2)
    slow = "const now = Date.now.bind(Date); Date.now = () => now() - 3_600_000;"
    ana.page.add_init_script(slow)
    ana.page.reload()
    ana.settled()
    offer = ana.page.locator(".others button", has_text="Let a bot play")
    expect(offer).to_have_count(0)
    ben.open("/about")
    offer.click()
    expect(ana.page.locator(".others")).to_contain_text("Solid is playing")


def test_a_rematch_brings_both_to_one_table(guest: Invite) -> None:
    ana, ben = seat_friends(guest, "clever", 2)
    for one in (ana, ben):
        one.command(type="leave")  # bots come to the end in a moment
    for one in (ana, ben):
        expect(one.page.locator("main.end")).to_be_visible()
    ana.page.click("text=Play again")
    expect(ana.page.locator("main.lobby")).to_contain_text("Waiting for Friend 1.")
    ana.axe()
    host = ana.snapshot()["table"]["seats"][0]["name"]
    expect(ben.page.locator("main.end .waiting")).to_contain_text(f"{host} is waiting")
    ben.axe()
    ben.page.click("text=Go to the next table")  # and everybody is there: it begins
    for one in (ana, ben):
        one.settled()
    assert ana.table == ben.table


def reach_bonus(ana: Guest) -> None:
    """Over HTTP to an open bonus: at the latest the one of round 4."""
    for _ in range(500):
        game = ana.snapshot()["game"]
        if game["seats"][0]["open"]:
            return
        if game["rolling"]:
            ana.command(type="roll")
        else:
            legal = [place["action"] for place in game["seats"][0]["legal"]]
            ana.command(type="play", action=ana.random.choice(legal))
    raise AssertionError("no bonus came")


def test_reload_in_a_chain_of_bonuses(guest: Invite) -> None:
    ana = guest(DESKTOP, seed=3)
    ana.begin("clever")
    ana.settled()
    reach_bonus(ana)
    expect(ana.page.locator("[data-place]").first).to_be_visible()
    before = ana.snapshot()
    ana.page.reload()
    ana.settled()
    expect(ana.page.locator("[data-place]").first).to_be_visible()
    assert ana.snapshot()["game"] == before["game"]
    names = "all => all.map(one => one.dataset.place)"
    offered = ana.page.eval_on_selector_all("[data-place]", names)
    assert set(offered) == {place["cell"] for place in before["game"]["seats"][0]["legal"]}
    # Two tabs on one seat.
    other = ana.context.new_page()
    other.goto(ana.page.url)
    expect(other.locator("[data-place]").first).to_be_visible()
    cell = offered[0]
    other.locator(f"[data-place={cell}]").click(force=True)
    other.locator(".act button.primary:not(:disabled)").click()
    expect(ana.page.locator(f"[data-cell={cell}]:not([data-mark='0'])")).to_be_visible()


def test_the_server_dies_in_the_middle_of_a_turn(guest: Invite, server: Server) -> None:
    ana = guest(seed=4)
    ana.begin("clever")
    ana.settled()
    ana.page.click(".act button.primary")
    ana.page.locator("[data-die=o].usable").click()
    expect(ana.page.locator(".act button.primary")).to_be_enabled()
    ana.down = True
    server.kill()
    ana.page.click(".act button.primary")
    expect(ana.page.locator("[data-line=lost]")).to_contain_text("Your choice is saved")
    server.start()
    expect(ana.page.locator("[data-cell=o1]:not([data-mark='0'])")).to_be_visible()
    expect(ana.page.locator("[data-line]")).to_have_count(0)
    ana.down = False
    ana.play(5)
    played = [e for e in ana.snapshot()["entries"] if e.get("action") == "o>o"]
    assert len(played) == 1, "what was chosen is executed once"


def test_undo_and_a_refused_move(guest: Invite) -> None:
    ana = guest(DESKTOP)
    ana.begin("clever")
    ana.settled()
    ana.page.click(".act button.primary")
    ana.page.locator("[data-die=o].usable").click()
    expect(ana.page.locator(".act .points")).to_be_visible()
    ana.page.locator(".act button.primary").click()
    expect(ana.page.locator("[data-cell=o1]:not([data-mark='0'])")).to_be_visible()
    ana.page.click(".undo")
    expect(ana.page.locator("[data-cell=o1][data-mark='0']")).to_be_visible()
    expect(ana.page.locator(".story").first).to_contain_text("undoes the last step")
    expect(ana.page.locator("[data-live]")).to_contain_text("undoes the last step")
    told = " ".join(ana.page.locator(".story p").all_inner_texts())
    assert re.search(r"Round 1 .*Roll 1: .*takes the orange \d .*undoes the last step\.$", told)
    # The same choice, but somebody else at this seat was faster.
    ana.page.locator("[data-die=o].usable").click()
    ana.page.evaluate("() => 0")
    answer = ana.command(type="play", action="o>o")
    assert answer["type"] == "ack"
    refusal = ana.command(type="play", action="o>o")
    assert refusal["code"] == "dice_wanted"


def test_two_taps_on_a_slow_line(guest: Invite) -> None:
    """What was pressed looks pressed until it is answered, after a reload too, and counts once."""
    ana = guest(seed=4)
    late: list[str | bytes] = []
    slow = True

    def line(page: WebSocketRoute) -> None:
        server = page.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if slow and json.loads(message)["type"] == "undo":
                late.append(message)
            else:
                server.send(message)

        page.on_message(pass_on)

    ana.page.route_web_socket(re.compile("/live$"), line)
    ana.begin("clever")
    ana.settled()
    ana.page.click(".act button.primary")
    ana.page.locator("[data-die=o].usable").click()
    ana.page.click(".act button.primary")
    expect(ana.page.locator("[data-cell=o1]:not([data-mark='0'])")).to_be_visible()
    ana.answered()
    ana.page.locator(".undo").dblclick()
    expect(ana.page.locator(".act .pressed")).to_have_class(re.compile("undo"))
    ana.page.reload()
    ana.settled()
    expect(ana.page.locator(".act[aria-busy=true] .pressed")).to_have_class(re.compile("undo"))
    slow = False  # the page sends again what is not answered
    expect(ana.page.locator("[data-cell=o1][data-mark='0']")).to_be_visible()
    ana.answered()
    assert len({json.loads(message)["id"] for message in late}) == 1
    assert [entry["what"] for entry in ana.snapshot()["entries"]].count("undid") == 1


def test_a_double_tap_enters_and_does_not_roll(guest: Invite) -> None:
    """What the button says changes between the two taps; a roll cannot be taken back."""
    ana = guest(seed=4)
    ana.begin("clever")
    ana.settled()
    button = ana.page.locator(".act button.primary")
    button.click()
    ana.page.locator("[data-die=o].usable").click()
    button.click()
    expect(button).to_have_text("Roll")
    ana.answered()
    ana.page.mouse.down(click_count=2)
    ana.page.mouse.up(click_count=2)
    ana.answered()
    assert [entry["what"] for entry in ana.snapshot()["entries"]].count("threw") == 1
    button.click()
    expect(ana.page.locator("[data-die=o].usable")).to_have_count(0)
    ana.answered()
    assert [entry["what"] for entry in ana.snapshot()["entries"]].count("threw") == 2


def test_what_is_no_news(guest: Invite) -> None:
    """A turn is announced once, a throw shown once, and a dialog closed without losing a choice."""
    ana = guest(DESKTOP)
    ana.page.add_init_script(
        """window.buzzed = 0;
        Object.defineProperty(navigator, 'vibrate', {value: () => ++window.buzzed});"""
    )
    ana.begin("clever", "bots")
    primary = ana.page.locator(".act button.primary")
    for _ in range(PATIENCE // 25):
        ana.answered()  # or the button is still that of the step before
        if primary.is_enabled() and primary.inner_text() == "Roll":
            break
        if not ana.step():
            ana.page.wait_for_timeout(25)
    buzzed = ana.page.evaluate("buzzed")
    primary.click()
    expect(ana.page.locator(".dice button").first).to_be_visible()
    assert ana.page.evaluate("buzzed") == buzzed
    expect(ana.page.locator(".tumble")).to_have_count(0)
    ana.page.evaluate(
        """() => {
          window.tumbled = 0;
          new MutationObserver(() => (tumbled += document.querySelectorAll('.tumble').length))
            .observe(document.querySelector('.dice'), {subtree: true, attributes: true});
        }"""
    )
    ana.page.select_option("header select", "de")
    expect(ana.page.locator(".act")).to_contain_text("Wähle einen Würfel.")
    assert ana.page.evaluate("tumbled") == 0
    ana.page.locator(".dice button").first.click()
    ana.menu("Hilfe")
    expect(ana.page.locator("dialog")).to_be_visible()
    ana.page.keyboard.press("Escape")
    expect(ana.page.locator("dialog")).to_have_count(0)
    expect(ana.page.locator(".dice button[aria-pressed=true]")).to_be_visible()
    ana.page.keyboard.press("Escape")
    expect(ana.page.locator(".dice button[aria-pressed=true]")).to_have_count(0)


class Keys:
    """Plays with Tab, Enter and Escape only."""

    def __init__(self, ana: Guest) -> None:
        self.ana = ana

    def reach(self, selector: str, most: int = 90) -> None:
        """Tab to an element that matches."""
        page = self.ana.page
        for _ in range(most):
            if page.evaluate(f"() => !!document.activeElement?.matches({selector!r})"):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    def step(self) -> bool:
        page = self.ana.page
        self.ana.answered()
        for selector in (
            ".act button.primary:not(:disabled)",
            ".choices button",
            "[data-place]",
            ".act .pass",
        ):
            if selector == "[data-place]" and page.locator(".dice button").count():
                if not page.locator(".dice button[aria-pressed=true]").count():
                    selector = ".dice button"
            if page.locator(selector).count():
                self.reach(selector)
                page.keyboard.press("Enter")
                return True
        return False


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_with_the_keyboard_alone(guest: Invite, long_run: bool, game: str) -> None:
    ana = guest(DESKTOP)
    ana.open()
    keys = Keys(ana)
    expect(ana.page.locator(f"[data-start={game}-solo]")).to_be_visible()
    keys.reach(f"[data-start={game}-solo]")
    ana.page.keyboard.press("Enter")
    ana.settled()
    heard: set[str] = set()
    whole = long_run or game == "clever"
    steps, idle = (10_000 if whole else 60), 0
    while steps and not ana.over:
        if keys.step():
            steps, idle = steps - 1, 0
            said = "() => document.querySelector('[data-live]')?.textContent ?? ''"
            heard.add(ana.page.evaluate(said))
        else:
            idle += 1
            assert idle < 400
            ana.page.wait_for_timeout(20)
    assert ana.over or not whole
    told = " ".join(heard)
    for words in (r"Roll 1: White \d", r"takes the \w+ \d", r"Choose a die\.", r"Roll the dice"):
        assert re.search(words, told), words


def test_a_game_by_shortcuts(guest: Invite) -> None:
    """A solo game takes at most 120 keys, and `?` tells which."""
    ana = guest(DESKTOP, seed=2)
    page = ana.page
    ana.begin("clever")
    ana.settled()
    page.keyboard.press("?")
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("Choose a die")
    ana.axe()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    keys = idle = 0
    while not ana.over:
        ana.answered()
        key = page.evaluate(
            """() => {
              const has = (selector) => document.querySelector(selector);
              if (has('.act button.primary:not(:disabled)')) return 'Enter';
              if (has('.chip')) return 'ArrowRight';
              const die = has('.spot > button');
              if (die) return die.dataset.die;
              return has('.act .pass') ? 'p' : null;
            }"""
        )
        if key is None:
            idle += 1
            assert idle < 400
            page.wait_for_timeout(20)
        else:
            page.keyboard.press(key)
            keys, idle = keys + 1, 0
    assert keys <= 120, keys
    print(f"\n{keys} keys")


def test_a_letter_means_every_die_that_begins_with_it(guest: Invite) -> None:
    """German has two dice with a G, and English passes and chooses pink with a P."""
    ana = guest(DESKTOP, locale="de")
    ana.begin("clever")
    ana.settled()
    page = ana.page
    page.keyboard.press("Enter")
    expect(page.locator("[data-die=w].usable")).to_be_visible()
    for letter, die in (("g", "y"), ("g", "g"), ("g", "y"), ("l", "p")):
        page.keyboard.press(letter)
        expect(page.locator(f"[data-die={die}][aria-pressed=true]")).to_have_count(1)
    ben = guest(DESKTOP)
    ben.begin("twice")
    ben.settled()
    page = ben.page
    page.keyboard.press("?")
    expect(page.locator("dt", has_text="⇧P")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("[data-die=p].usable")).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator("[data-die=p][aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Shift+P")
    expect(page.locator("[data-die].usable")).to_have_count(0)
