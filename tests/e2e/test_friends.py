"""Real dice, one phone for several people, phrases, invitations, and the way back."""

from __future__ import annotations

from playwright.sync_api import WebSocket, expect

from e2e.conftest import Invite
from e2e.driver import DESKTOP, Guest

SMALL = (360, 640)


def choose_real_dice(one: Guest) -> None:
    one.page.locator("summary", has_text="House rules").click()
    one.page.check("[data-real-dice]")


def enter(one: Guest, faces: str) -> None:
    """Open the keys by the main button, and tap these faces."""
    one.page.click(".act button.primary")
    for face in faces:
        one.page.click(f"dialog [data-face='{face}']")


def shown_faces(one: Guest) -> list[int]:
    faces: list[int] = one.snapshot()["game"]["faces"]
    return faces


def test_a_solo_game_with_real_dice(guest: Invite) -> None:
    ana = guest(SMALL)
    ana.open()
    choose_real_dice(ana)
    ana.page.click("[data-start=clever-solo]")
    ana.settled()
    expect(ana.page.locator(".act button.primary")).to_have_text("Enter roll")
    enter(ana, "315264")
    ana.axe()
    small = ana.page.evaluate(
        "() => [...document.querySelectorAll('dialog button')].map(b => b.getBoundingClientRect())"
        ".filter(b => b.width < 44 || b.height < 44).length"
    )
    assert small == 0
    ana.page.click("[data-faces-done]")
    expect(ana.page.locator("dialog")).to_have_count(0)
    expect(ana.page.locator(".act button.primary")).not_to_have_text("Enter roll")
    assert shown_faces(ana) == [3, 1, 5, 2, 6, 4]
    # Mistyped: back to the dice, as long as nothing was done with them.
    ana.page.click(".act .undo")
    expect(ana.page.locator(".act button.primary")).to_have_text("Enter roll")
    # The keyboard is as good; Back closes the keys, and nothing else.
    ana.page.click(".act button.primary")
    expect(ana.page.locator("dialog")).to_be_visible()
    ana.page.go_back()
    expect(ana.page.locator("dialog")).to_have_count(0)
    ana.settled()
    ana.page.click(".act button.primary")
    expect(ana.page.locator("dialog")).to_be_visible()
    ana.page.keyboard.type("666655")
    ana.page.keyboard.press("Enter")
    expect(ana.page.locator("dialog")).to_have_count(0)
    expect(ana.page.locator(".act button.primary")).not_to_have_text("Enter roll")
    assert shown_faces(ana) == [6, 6, 6, 6, 5, 5]


def test_equal_dice_are_asked_for(guest: Invite) -> None:
    """Alone, the lowest three of the passive roll go to the platter; equal ones are chosen."""
    ana = guest(SMALL, seed=3)
    ana.open()
    choose_real_dice(ana)
    ana.page.click("[data-start=twice-solo]")
    ana.settled()
    game = ana.snapshot()["game"]
    while not (game["solo_serving"] and game["rolling"]):
        if game["rolling"]:
            letters = "wsybgp"
            faces = [ana.random.randint(1, 6) if d in game["rolling"] else 0 for d in letters]
            ana.command(type="enter_faces", faces=faces)
        else:
            legal = game["seats"][0]["legal"]
            ana.command(type="play", action=ana.random.choice(legal)["action"])
        game = ana.snapshot()["game"]
    expect(ana.page.locator(".act button.primary")).to_have_text("Enter roll")
    enter(ana, "144642")
    expect(ana.page.locator("[data-faces-done]")).to_be_disabled()
    expect(ana.page.locator("[data-platter]")).to_have_count(3)
    ana.page.click("[data-platter='4']")
    ana.axe()
    ana.page.click("[data-faces-done]")
    expect(ana.page.locator("dialog")).to_have_count(0)
    places = ana.snapshot()["game"]["places"]
    assert [die for die, place in enumerate(places) if place == "tray"] == [0, 4, 5]


def test_one_phone_for_two(guest: Invite) -> None:
    """The phone goes from hand to hand: whose turn it is stands above what is asked."""
    ana = guest(SMALL)
    ana.introduce("Ana")
    choose_real_dice(ana)
    ana.page.click("[data-start=clever-friends]")
    ana.page.click("[data-go=clever]")
    ana.page.click("[data-guest='1']")
    ana.page.keyboard.type("Mia")
    ana.axe()
    ana.page.click("[data-guest-go]")
    expect(ana.page.locator("main.lobby")).to_contain_text("Mia")
    ana.page.click("text=Start game")
    ana.settled()
    enter(ana, "654321")
    ana.page.click("[data-faces-done]")
    expect(ana.page.locator("dialog")).to_have_count(0)
    turns = set()
    for _ in range(40):
        ana.answered()  # or the server is asked before it has written what was pressed
        state = ana.snapshot()
        game = state["game"]
        turns.add(game["active"])
        if len(turns) == 2:
            break
        if game["rolling"]:
            enter(ana, "".join(str(ana.random.randint(1, 6)) for _ in game["rolling"]))
            ana.page.click("[data-faces-done]")
            expect(ana.page.locator("dialog")).to_have_count(0)
        else:
            ana.play(1)
    assert turns == {0, 1}
    expect(ana.page.locator(".act")).to_contain_text("Mia")


COVERED = """() => {
  const boxes = (selector) =>
    [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
  const meet = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const cells = boxes('.middle rect.cell');
  return boxes('.said p').flatMap((said) => cells.filter((cell) => meet(said, cell)));
}"""


def test_phrases(guest: Invite) -> None:
    ana, ben = guest(SMALL), guest(SMALL, seed=2, locale="de")
    ana.introduce("Ana")
    ana.begin("clever", "friends")
    link = ana.page.locator("#invite").input_value()
    ben.page.goto(link)
    expect(ben.page.locator("main.lobby h2").first).to_contain_text("Ana lädt dich zu")
    ben.axe()
    ben.page.fill("#name", "Ben")
    ben.page.click("[data-join]")
    expect(ana.page.locator("main.lobby")).to_contain_text("Ben")
    lines: list[WebSocket] = []
    ana.page.on("websocket", lambda line: lines.append(line))
    ana.page.click("[data-phrases]")
    ana.axe()
    ana.page.click("[data-say=good_luck]")
    expect(ben.page.locator(".said")).to_contain_text("Ana Viel Glück!")
    # Muted, nothing is shown any more, at once.
    ben.page.click("[data-phrases]")
    ben.page.locator(".mute input").first.check()
    ben.page.keyboard.press("Escape")
    expect(ben.page.locator(".said p")).to_have_count(0)
    ana.page.click("[data-phrases]")
    ana.page.click("[data-say=fox]")
    # Drawn: not every device has a font with such signs.
    expect(ana.page.locator(".said").get_by_role("img", name="Fox")).to_be_visible()
    assert not lines, "a dialog that closes does not cut the line"
    assert ben.page.locator(".said p").count() == 0
    # The phrases are at hand during the game, too.
    ana.page.click("text=Start game")
    ana.settled()
    for width, height in (SMALL, (844, 390), (1440, 900)):
        ana.page.set_viewport_size({"width": width, "height": height})
        ana.page.click("[data-phrases]")
        ana.page.click("[data-say=moment]")
        expect(ana.page.locator(".said p")).to_be_visible()
        covered = ana.page.evaluate(COVERED)
        assert not covered, (width, height, covered)


def test_a_link_that_leads_nowhere_says_so_at_once(guest: Invite) -> None:
    ana = guest()
    ana.open("/t/AAAAAAAAAAAA#key=nothing")
    expect(ana.page.locator("main")).to_contain_text("does not exist")
    assert ana.page.locator("#name").count() == 0


def test_watchers_are_not_asked_to_sit(guest: Invite) -> None:
    ana, eva = guest(), guest()
    ana.begin("clever", "friends")
    watch = ana.page.locator("a[href*='#key=']").get_attribute("href") or ""
    eva.page.goto(watch)
    expect(eva.page.locator("main.lobby")).to_contain_text("You are watching")
    assert eva.page.locator("[data-sit], [data-join]").count() == 0


def test_newcomers_find_what_this_is_and_how_to_learn_it(guest: Invite) -> None:
    ana = guest(SMALL)
    ana.open()
    expect(ana.page.locator(".first")).to_contain_text("alone, with friends or against bots")
    first = ana.page.evaluate("() => document.querySelector('main button').textContent")
    assert first == "Learn in three minutes"
    ana.axe()
    ana.page.click("[data-start=learn]")
    expect(ana.page.locator(".lesson")).to_be_visible()
    ana.open()
    expect(ana.page.locator("[data-start=clever-solo]")).to_be_visible()
    assert ana.page.locator(".first").count() == 0


def test_a_button_stays_under_the_press_that_leaves_the_name(guest: Invite) -> None:
    ana = guest(DESKTOP)
    ana.open()
    expect(ana.page.locator(".first")).to_be_visible()
    ana.page.fill("#name", "Ana")
    ana.page.locator("[data-start=clever-friends]").hover()
    # Whoever presses slowly is known to the server before the button is released.
    with ana.page.expect_response(lambda one: one.request.method == "PUT") as named:
        ana.page.mouse.down()
    named.value.finished()
    ana.page.wait_for_load_state("networkidle")
    ana.page.mouse.up()
    expect(ana.page.locator("[data-go=clever]")).to_be_visible()


def test_four_people_at_the_end(guest: Invite) -> None:
    """Their points stand apart, and the question about notices comes before the sheets."""
    ana = guest(SMALL)
    ana.introduce("Ana")
    ana.page.click("[data-start=clever-friends]")
    ana.page.click("main .card button:text-is('4')")
    ana.page.click("[data-go=clever]")
    link = ana.page.locator("#invite").input_value()
    people = [ana, *(guest(SMALL, seed=seed) for seed in (1, 2, 3))]
    for one, name in zip(people[1:], ("Greta", "Cleo", "Gerhard"), strict=True):
        one.page.goto(link)
        one.page.fill("#name", name)
        one.page.click("[data-join]")
        expect(ana.page.locator("main.lobby")).to_contain_text(name)
    ana.page.click("text=Start game")
    for one in people:
        one.settled()
    over: list[bool] = []
    while not over or not all(over):
        over = [one.hurry().get("over", False) for one in people]
        ana.page.wait_for_timeout(10)
    for one in people:
        expect(one.page.locator("[data-fair=yes]")).to_be_visible()
    touching = ana.page.evaluate(
        """() => [...document.querySelectorAll('main.end table tr')].flatMap((row) => {
          const boxes = [...row.querySelectorAll('td')].map((cell) => {
            const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            const found = [];
            while (walker.nextNode()) {
              const words = document.createRange();
              words.selectNodeContents(walker.currentNode);
              found.push(...words.getClientRects());
            }
            return {left: Math.min(...found.map((box) => box.left)),
              right: Math.max(...found.map((box) => box.right))};
          });
          return boxes.slice(1).map((box, i) => box.left - boxes[i].right).filter((gap) => gap < 4);
        })"""
    )
    assert not touching
    for width, height in (SMALL, (844, 390), (768, 1024)):
        ana.page.set_viewport_size({"width": width, "height": height})
        broken = ana.page.eval_on_selector_all(
            "main.end thead .name",
            """all => all.filter((one) => {
              const name = document.createRange();
              name.selectNodeContents(one.firstChild);
              return name.getClientRects().length > 1;
            }).map((one) => one.textContent)""",
        )
        assert not broken, (width, broken)
    asked = ana.page.locator("[data-notify=yes]").bounding_box()
    sheet = ana.page.locator("main.end .sheet").first.bounding_box()
    assert asked
    assert sheet
    assert asked["y"] < sheet["y"]
