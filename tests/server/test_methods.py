"""The methods that an address accepts, where a key may be given, and the headers of answers."""

from pathlib import Path

import pytest

from foxtray.server.http.static import CLIENT
from server.harness import Server, key_of
from server.test_tables import solo


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/me", {"GET", "HEAD", "PUT", "DELETE"}),
        ("PUT", "/api/tables", {"POST"}),
        ("DELETE", "/api/tables/x", {"GET", "HEAD"}),
        ("PUT", "/healthz", {"GET", "HEAD"}),
        ("POST", "/rules/clever", {"GET", "HEAD"}),
    ],
)
def test_a_wrong_method_is_told_all_right_ones(
    server: Server, method: str, path: str, allowed: set[str]
) -> None:
    status, _, headers = server.exchange(method, path, b"{}")
    assert status == 405
    assert set(headers["Allow"].split(", ")) == allowed


def test_a_key_stands_in_a_fragment_and_a_header(server: Server) -> None:
    """Proxies log the query of an address."""
    made, _ = solo(server)
    link = made["you"]["watch"]
    assert f"/t/{made['id']}#key=" in link
    path, key = f"/api/tables/{made['id']}", key_of(link)
    assert server.http("GET", path)[0] == 404
    assert server.http("GET", path, headers={"Foxtray-Key": key})[0] == 200
    assert server.http("GET", f"{path}?key={key}")[0] == 200, "as older clients do"
    assert server.http("GET", path, headers={"Foxtray-Key": "x" * 65})[0] == 400


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/", True),
        ("/icon.svg", True),
        ("/sw.js", True),
        ("/api/me", False),
        ("/nope.css", False),
        ("/assets/worker-*.js", True),
        ("/assets/index-*.js", False),
    ],
)
def test_every_answer_is_protected_as_its_kind_needs(
    server: Server, path: str, document: bool
) -> None:
    """Scripts, styles and JSON are never documents: a policy for these would only cost bytes."""
    if "*" in path:
        path = f"/assets/{next((CLIENT / 'assets').glob(Path(path).name)).name}"
    _, _, headers = server.exchange("GET", path, b"")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert ("Content-Security-Policy" in headers) is document
    assert ("Referrer-Policy" in headers) is document
