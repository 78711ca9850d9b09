"""Dashboard and alerts ask for what a running server tells."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql
import pytest
import yaml  # type: ignore[import-untyped]
from promql import BadExpression, Selector
from websockets.asyncio.client import connect

from server.harness import LATE, Server, until
from server.test_tables import solo

ROOT = Path(__file__).parents[2]
ADDED = {"up": {"job"}}
"""What Prometheus adds by itself: `up`, and the name of the job to everything."""
Labels = dict[str, set[str]]


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())["groups"]
    return list(group["rules"])


def panels() -> list[dict[str, Any]]:
    return list(json.loads((ROOT / "deploy" / "dashboard.json").read_text())["panels"])


def expressions() -> dict[str, str]:
    """All that dashboard and alerts ask, by where they do."""
    asked = {rule["alert"]: rule["expr"] for rule in rules()}
    for panel in panels():
        for target in panel["targets"]:
            asked[f"{panel['title']} {target['refId']}"] = target["expr"]
    return asked


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Labels]]:
    """All figures of a server at which something happened: their labels with their values."""
    folder = tmp_path_factory.mktemp("monitored")
    with Server(folder / "store.db", environment={"FOXTRAY_SILENCE": "0.5"}) as server:
        fresh = figures(server)
        assert fresh["foxtray_refusals_total"]["code"] == {"internal", "too_many"}
        made, _ = solo(server)

        async def fall_silent() -> None:
            url = f"ws://127.0.0.1:{server.port}/api/tables/{made['id']}/live"
            async with asyncio.timeout(LATE), connect(url, ping_interval=None) as live:
                await live.wait_closed()

        asyncio.run(fall_silent())
        until(lambda: "reason" in figures(server).get("foxtray_dropped_total", {}))
        yield figures(server)


def figures(server: Server) -> dict[str, Labels]:
    found: dict[str, Labels] = {}
    for line in server.raw("GET", "/metrics")[1].decode().splitlines():
        if not line.startswith("#"):
            name, labels = re.fullmatch(r"([\w:]+)(\{.*\})? \S+", line).groups()  # type: ignore[union-attr]
            values = found.setdefault(name, {})
            for label, value in re.findall(r'(\w+)="([^"]*)"', labels or ""):
                values.setdefault(label, set()).add(value)
    return found


@pytest.mark.parametrize("where", expressions())
def test_every_figure_asked_for_is_told(told: dict[str, Labels], where: str) -> None:
    selectors = promql.read(expressions()[where])
    assert selectors
    for asked in selectors:
        labels = ADDED.get(asked.name) or told[asked.name]
        assert set(asked.groups) <= set(labels), asked
        for label, value in asked.labels.items():
            if label != "job":
                assert value in told[asked.name][label], asked
            else:
                assert value == job(), asked


def job() -> str:
    (config,) = yaml.safe_load((ROOT / "deploy" / "prometheus.yaml").read_text())["scrape_configs"]
    return str(config["job_name"])


def test_every_figure_of_the_server_is_shown(told: dict[str, Labels]) -> None:
    asked = {selector.name for text in expressions().values() for selector in promql.read(text)}
    ours = {name for name in told if name.startswith("foxtray_")}
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked}
    hidden = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in ours} - shown
    assert {name for name in hidden if f"{name}_total" not in shown} == set()


def test_alerts_say_what_is_wrong_and_the_manual_what_to_do() -> None:
    manual = (ROOT / "docs" / "hosting.md").read_text()
    explained = re.findall(r"^### (Foxtray\w+)$", manual, re.MULTILINE)
    names = [rule["alert"] for rule in rules()]
    assert sorted(explained) == sorted(names)
    for rule in rules():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[sm]", rule.get("for", "0s"))
        assert rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})
        assert rule["annotations"]["summary"].endswith(".")


def test_the_panels_have_their_places() -> None:
    board = json.loads((ROOT / "deploy" / "dashboard.json").read_text())
    (variable,) = board["templating"]["list"]
    assert (variable["name"], variable["query"]) == ("datasource", "prometheus")
    taken: set[tuple[int, int]] = set()
    assert len({panel["id"] for panel in panels()}) == len(panels())
    for panel in panels():
        assert panel["datasource"]["uid"] == "${datasource}"
        place = panel["gridPos"]
        columns = range(place["x"], place["x"] + place["w"])
        assert columns.stop <= 24
        for row in range(place["y"], place["y"] + place["h"]):
            fields = {(column, row) for column in columns}
            assert not fields & taken, panel["title"]
            taken |= fields


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("up == 0", [Selector("up", {}, ())]),
        ('rate(a_total{b="c",d="e"}[5m])', [Selector("a_total", {"b": "c", "d": "e"}, ())]),
        ("sum by (x, y) (a) / b", [Selector("a", {}, ("x", "y")), Selector("b", {}, ())]),
        ("time() - a > 2 * (b + 1e9)", [Selector("a", {}, ()), Selector("b", {}, ())]),
        ("histogram_quantile(0.9, a_bucket)", [Selector("a_bucket", {}, ())]),
    ],
)
def test_expressions_are_read(text: str, found: list[Selector]) -> None:
    assert promql.read(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "up ==", "up == == 0", "rate(a)", "rate(a[5m]", "rate(a[5 m])", "a[5m]", "sum by x (a)",
        'a{b=c}', 'a{b="c"', "irate(a[5m])", "a b", "(a", "a)", "time(1)", "1.5.2", "a & b",
        "histogram_quantile(a)",
    ],
)  # fmt: skip
def test_what_prometheus_would_refuse_is_refused(text: str) -> None:
    with pytest.raises(BadExpression):
        promql.read(text)
