"""A review as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from foxtray.game import Game
from foxtray.games.registry import folder_of
from foxtray.review import chart, words
from foxtray.review.model import Decision, Review, SeatReview, Step
from foxtray.review.words import ENGLISH, decimal, texts

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; overflow-wrap: anywhere; }
svg { width: 100%; max-width: 44rem; height: auto; }
article p { margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ddd; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
article { border-top: 2px solid #ddd; margin-top: 1rem; padding-top: .6rem; }
article > :first-child { margin: 0; font-size: 1rem; }
summary { cursor: pointer; }
@media (max-width: 30rem) { svg, svg text { font-size: 17px; } }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1a1a1a; }
  svg { background: #fff; } }
""".strip()
COUNT = 8
"""The decisions that are shown."""
LEAST_DOUBT = 0.05
"""Smaller errors are not worth a word."""


def html(review: Review, games: Sequence[Game], heading: str, language: str = ENGLISH) -> str:
    """The whole page; `games` has the game before each input."""
    label = texts(language)
    title = f"{label['page.title']}: {heading}"
    parts = [
        "<!doctype html>",
        f'<html lang="{language}">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style></head>",
        f"<body><main><h1>{escape(title)}</h1>",
        f"<p>{escape(folder_of(review.game).text(language)['title'])}</p>",
    ]
    for player in review.players:
        parts += section(review, games, player, heading, language)
    return "\n".join([*parts, "</main></body></html>"]) + "\n"


def section(
    review: Review, games: Sequence[Game], player: SeatReview, heading: str, language: str
) -> list[str]:
    """One player's game."""
    label = texts(language)
    name = player.name or heading
    if review.seats > 1:  # several seats may have the same name
        name = f"{player.seat + 1}. {player.name}".rstrip()
    told = words.summary(player, language, review.finished, own=review.seats == 1)
    parts = [f"<section><h2>{escape(name)}</h2>" if review.seats > 1 else "<section>"]
    parts += [f"<p>{escape(told)}</p>", chart.svg(player, name, language)]
    parts.append("<table>")
    expected, luck, others, price, correction = words.tenths(player)
    figures = [
        ("value", decimal(language, expected)),
        ("luck", signed(language, luck)),
        *([("others", signed(language, others))] if review.seats > 1 else []),
        ("price", f"{signed(language, price)} ± {decimal(language, player.price_error)}"),
        ("correction", signed(language, correction)),
        ("points", points(player, review.finished, language)),
    ]
    for key, value in figures:
        word = escape(label[f"page.{key}"])
        parts.append(f'<tr><th scope="row">{word}</th><td class="n">{value}</td></tr>')
    level = 3 if review.seats > 1 else 2  # below the name of the player
    parts.append(f"</table><h{level}>{escape(label['page.costliest'])}</h{level}>")
    costly = player.costliest(COUNT)
    if not costly:
        parts.append(f"<p>{escape(label['page.none'])}</p>")
    for decision in costly:
        parts += article(review, games[decision.at], player.seat, decision, language, level + 1)
    return [*parts, "</section>"]


def article(
    review: Review, before: Game, seat: int, decision: Decision, language: str, level: int
) -> list[str]:
    """One decision: what was chosen, what was better, and why."""
    label = texts(language)
    doubt = f" (±{decimal(language, decision.error)})" if decision.error >= LEAST_DOUBT else ""
    price = decimal(language, decision.price)
    title = words.say(language, "told.decision", round=decision.round + 1, points=price)
    parts = [f"<article><h{level}>{escape(title)}{doubt}</h{level}>"]
    if dice := words.dice(before, language):
        parts.append(f"<p>{escape(dice)}</p>")
    for key, told in (("chosen", decision.chosen), ("better", decision.best)):
        moves = ""
        if language == ENGLISH:
            moves = f"<br>{escape(words.in_english(before, seat, told.actions))}"
        label_of = escape(label[f"page.{key}"])
        points = decimal(language, told.points)
        parts.append(f"<p>{label_of}: {line(told.actions)} ({points}){moves}</p>")
    why = words.sentences(review.game, decision, language)
    costliest = max(decision.steps, key=lambda step: step.price)
    if len(decision.steps) > 1:
        why.append(words.costliest_step(decision, language))
    if why:
        parts.append(f"<p>{escape(' '.join(why))}</p>")
    return [*parts, *alternatives(costliest, review.seats > 1, language), "</article>"]


def alternatives(step: Step, shared: bool, language: str) -> list[str]:
    """Every alternative to the step that gave the points away."""
    label = texts(language)
    if not step.alternatives:
        return []
    heads = f"<th>{escape(label['page.action'])}</th><th class=n>{escape(label['page.value'])}</th>"
    if shared:
        heads += f"<th class=n>{escape(label['page.win'])}</th>"
    parts = [
        f"<details><summary>{escape(label['page.alternatives'])}</summary>",
        f"<table><tr>{heads}</tr>",
    ]
    for each in step.alternatives:
        own = " *" if each.action == step.action else ""
        about = "" if each.searched or each.error == 0 else "≈ "
        points = decimal(language, each.points)
        row = f'<td>{line(each.line)}{own}</td><td class="n">{about}{points}</td>'
        if shared:
            chance = "" if each.win_chance is None else f"{each.win_chance:.0%}"
            row += f'<td class="n">{chance}</td>'
        parts.append(f"<tr>{row}</tr>")
    return [*parts, "</table></details>"]


def points(player: SeatReview, finished: bool, language: str) -> str:
    """The points of a game that is over, or the expected ones."""
    return f"{player.result:.0f}" if finished else decimal(language, player.result)


def line(actions: tuple[str, ...]) -> str:
    return " ".join(f"<code>{escape(action)}</code>" for action in actions)


def signed(language: str, number: float) -> str:
    """A number with its sign; 0.0 has none."""
    text = decimal(language, abs(number))
    if text == decimal(language, 0.0):
        return text
    return ("+" if number > 0 else "−") + text
