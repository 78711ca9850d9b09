"""The proxies of deploy/ in front of a real server."""

import asyncio
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from cluster import free_port
from websockets.asyncio.client import connect

from server.harness import LATE, Json, Server
from server.proxies import Caddy, Nginx, Proxy
from server.test_activation import activated

HSTS = "Strict-Transport-Security"
LIMITS = ("--workers", "1", "--limit", "name.address=3/0")


def options(secure: int) -> tuple[str, ...]:
    public = f"https://localhost:{secure}"
    return (*LIMITS, "--public-url", public, "--trusted-proxies", "127.0.0.1")


class Front:
    """A proxy, and the server behind it."""

    def __init__(self, proxy: Proxy, server: Server) -> None:
        self.proxy = proxy
        self.server = server

    def call(self, method: str, path: str, body: object, token: str = "") -> Json:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        data = json.dumps(body).encode()
        status, answer, _ = self.proxy.visit(method, path, data, headers)
        assert status == 200, answer
        return dict(json.loads(answer))


@pytest.fixture(scope="module", params=[Nginx, Caddy], ids=["nginx", "caddy"])
def front(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    kind: type[Proxy] = request.param
    folder = tmp_path_factory.mktemp(kind.name)
    plain, secure = free_port(), free_port()
    # As deployed: behind nginx systemd holds the socket, behind Caddy nobody does.
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener:
        db = folder / "store.db"
        server = activated(db, listener) if kind is Nginx else Server(db)
        server.options = options(secure)
        if kind is Caddy:
            listener.close()
            server.port = free_port()
        with server, kind(folder, server.port, plain, secure) as proxy:
            yield Front(proxy, server)


def test_http_leads_to_https(front: Front) -> None:
    status, _, told = front.proxy.visit_plain("/t/abc?x=1")
    assert status == 308
    host, _, path = told["Location"].removeprefix("https://").partition("/")
    assert host in ("localhost", f"localhost:{front.proxy.secure}")
    assert path == "t/abc?x=1"


def test_browsers_are_told_to_stay_with_https(front: Front) -> None:
    for path, status in (("/healthz", 200), ("/api/none", 404), ("/metrics", 404)):
        found, _, told = front.proxy.visit("GET", path)
        assert found == status
        assert told.get_all(HSTS) == ["max-age=31536000"]


def test_the_figures_are_closed(front: Front) -> None:
    for path in ("/metrics", "/metrics?", "/metrics?a=b", "//metrics", "/./metrics", "/metrics/"):
        spoofed = {"X-Forwarded-For": "127.0.0.1"}
        status, body, _ = front.proxy.visit("GET", path, headers=spoofed)
        assert b"foxtray_" not in body, path
        assert status in (404, 200)  # whatever is not this page is a page of the client
    assert front.server.figure("foxtray_healthy") == 1


def test_a_table_is_played_through_it(front: Front) -> None:
    me = front.call("PUT", "/api/me", {"name": "Ana", "bearer": True})
    wish = {"game": "clever", "seats": [{"kind": "me"}]}
    made = front.call("POST", "/api/tables", wish, me["token"])
    public = f"https://localhost:{front.proxy.secure}"
    assert made["you"]["invite"].startswith(f"{public}/t/")

    async def main() -> None:
        url = f"wss://localhost:{front.proxy.secure}/api/tables/{made['id']}/live"
        headers = {"Authorization": f"Bearer {me['token']}", "Origin": public}
        async with asyncio.timeout(LATE):
            async with connect(url, additional_headers=headers, ssl=front.proxy.trust()) as live:
                await live.recv()
                await live.send('{"type":"hello"}')
                assert json.loads(await live.recv())["you"]["seat"] == 0
                await live.send('{"type":"ping"}')
                while json.loads(await live.recv())["type"] != "pong":
                    pass

    asyncio.run(main())


def test_limits_count_visitors_and_believe_no_header_of_theirs(front: Front) -> None:
    def introduce(source: str, claim: str) -> int:
        body = json.dumps({"name": "Bo", "bearer": True}).encode()
        headers = {"X-Forwarded-For": claim, "X-Real-IP": claim, "Forwarded": f"for={claim}"}
        return front.proxy.visit("PUT", "/api/me", body, headers, source)[0]

    for source in ("127.0.0.5", "127.0.0.6"):
        answers = [introduce(source, f"203.0.113.{number}") for number in range(4)]
        assert answers == [200, 200, 200, 429]


def test_a_restart_turns_no_visitor_away(front: Front) -> None:
    def visit(times: int) -> list[int]:
        return [front.proxy.visit("GET", "/healthz")[0] for _ in range(times)]

    with ThreadPoolExecutor(8) as threads:
        before = [threads.submit(visit, 30) for _ in range(4)]
        assert front.server.stop() == 0
        meanwhile = [threads.submit(visit, 1) for _ in range(4)]
        front.server.start()
        assert {status for answers in before for status in answers.result()} == {200}
        assert [answers.result() for answers in meanwhile] == [[200]] * 4


def test_keys_in_queries_stay_out_of_the_log(front: Front) -> None:
    front.proxy.visit("GET", "/t/abc?key=secret-key")
    front.proxy.visit_plain("/t/abc?key=secret-key")
    logs = [path for path in front.proxy.folder.iterdir() if path.suffix == ".log"]
    assert logs
    for path in logs:
        assert "secret-key" not in path.read_text(), path
