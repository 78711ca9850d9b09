"""Passkeys, with an authenticator made of nothing but a key; the browser's is in tests/e2e."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import cbor2
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from foxtray.server.passkeys import CHALLENGES, LIFETIME, NOBODY, PASSKEYS, Challenges, works_at
from foxtray.server.protocol.refusals import Refusal
from server.harness import Json, Server
from server.test_accounts import who

PRESENT, ATTESTED = 0x01, 0x40


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("passkeys") / "store.db") as running:
        yield running


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Authenticator:
    """A key that is kept for one player of one site."""

    def __init__(self, origin: str, site: str = "localhost") -> None:
        self.origin = origin
        self.site = site
        self.id = secrets.token_bytes(32)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.count = 0
        self.user = b""

    def _client_data(self, kind: str, challenge: str) -> bytes:
        told = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(told).encode()

    def _data(self, flags: int) -> bytes:
        self.count += 1
        site = hashlib.sha256(self.site.encode()).digest()
        return site + bytes([flags]) + self.count.to_bytes(4, "big")

    def make(self, options: Json) -> Json:
        """A RegistrationResponseJSON."""
        self.user = base64.urlsafe_b64decode(options["user"]["id"] + "==")
        numbers = self.key.public_key().public_numbers()
        x, y = (n.to_bytes(32, "big") for n in (numbers.x, numbers.y))
        cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cose
        data = self._data(PRESENT | ATTESTED) + attested
        whole = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client_data("webauthn.create", options["challenge"])
        response = {"clientDataJSON": text(client), "attestationObject": text(whole)}
        return self._credential(response)

    def answer(self, options: Json) -> Json:
        """An AuthenticationResponseJSON."""
        client = self._client_data("webauthn.get", options["challenge"])
        data = self._data(PRESENT)
        signed = data + hashlib.sha256(client).digest()
        signature = self.key.sign(signed, ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": text(client),
            "authenticatorData": text(data),
            "signature": text(signature),
            "userHandle": text(self.user),
        }
        return self._credential(response)

    def _credential(self, response: Json) -> Json:
        name = text(self.id)
        return {"id": name, "rawId": name, "type": "public-key", "response": response}


class Browser:
    """Somebody at http://localhost."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.origin = f"http://localhost:{server.port}"

    def ask(self, method: str, path: str, body: object = None, token: str = "") -> tuple[int, Json]:
        headers = {"Host": f"localhost:{self.server.port}", "Origin": self.origin}
        return self.server.http(method, path, body, token, headers)

    def options(self, path: str, token: str = "") -> Json:
        status, answer = self.ask("POST", path, token=token)
        assert status == 200, answer
        return dict(answer["options"])

    def register(self, token: str) -> Authenticator:
        made = Authenticator(self.origin)
        credential = made.make(self.options("/api/me/passkeys/options", token))
        status, answer = self.ask("POST", "/api/me/passkeys", {"credential": credential}, token)
        assert status == 200, answer
        return made

    def sign_in(self, credential: Json) -> tuple[int, Json]:
        return self.ask("POST", "/api/passkey", {"credential": credential, "bearer": True})


@pytest.fixture
def browser(server: Server) -> Browser:
    return Browser(server)


def test_a_passkey_brings_a_player_back(server: Server, browser: Browser) -> None:
    player, token = server.player("Ana")
    options = browser.options("/api/me/passkeys/options", token)
    assert options["rp"] == {"name": "Foxtray", "id": "localhost"}
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["user"]["name"] == "Ana"
    key = browser.register(token)
    (listed,) = browser.ask("GET", "/api/me/devices", token=token)[1]["passkeys"]
    assert listed["used"] is None
    # A browser that has it already is asked for another one.
    (known,) = browser.options("/api/me/passkeys/options", token)["excludeCredentials"]
    assert known["id"] == text(key.id)
    for _ in range(2):
        status, me = browser.sign_in(key.answer(browser.options("/api/passkey/options")))
        assert status == 200, me
        assert who(server, me["token"]) == {"id": player, "name": "Ana"}
    answer = browser.ask("GET", "/api/me/devices", token=token)[1]
    assert answer["passkeys_work"]
    assert answer["passkeys"][0]["used"]
    assert len(answer["devices"]) == 3


def test_a_passkey_can_be_removed_by_its_owner_only(server: Server, browser: Browser) -> None:
    _, token = server.player("Bo")
    _, eve = server.player("Eve")
    key = browser.register(token)
    (listed,) = browser.ask("GET", "/api/me/devices", token=token)[1]["passkeys"]
    path = f"/api/me/passkeys/{listed['id']}"
    assert browser.ask("DELETE", path, token=eve)[1]["code"] == "no_device"
    assert browser.ask("DELETE", path, token=token)[1]["passkeys"] == []
    refused = browser.sign_in(key.answer(browser.options("/api/passkey/options")))
    assert (refused[0], refused[1]["code"]) == (403, "bad_passkey")


def test_a_deleted_players_passkey_is_unknown(server: Server, browser: Browser) -> None:
    _, token = server.player("Cleo")
    key = browser.register(token)
    assert browser.ask("DELETE", "/api/me", token=token)[0] == 200
    refused = browser.sign_in(key.answer(browser.options("/api/passkey/options")))
    assert refused[1]["code"] == "bad_passkey"


def test_wrong_answers_are_all_refused_alike(server: Server, browser: Browser) -> None:
    _, token = server.player("Dora")
    key = browser.register(token)

    def ask() -> Json:
        return browser.options("/api/passkey/options")

    used = key.answer(ask())
    assert browser.sign_in(used)[0] == 200
    stranger = Authenticator(browser.origin)
    elsewhere = Authenticator("https://evil.example")
    elsewhere.id, elsewhere.key, elsewhere.count = key.id, key.key, 100
    other_site = Authenticator(browser.origin, "evil.example")
    other_site.id, other_site.key, other_site.count = key.id, key.key, 100
    forged = Authenticator(browser.origin)
    forged.id, forged.count = key.id, 100
    cloned = Authenticator(browser.origin)
    cloned.id, cloned.key = key.id, key.key
    someone = Authenticator(browser.origin)
    someone.id, someone.key, someone.count, someone.user = key.id, key.key, 200, b"another"
    attempts: list[Json] = [
        used,  # once more
        key.answer({"challenge": text(secrets.token_bytes(64))}),
        key.answer(browser.options("/api/me/passkeys/options", token)),  # asked for another thing
        stranger.answer(ask()),
        elsewhere.answer(ask()),
        other_site.answer(ask()),
        forged.answer(ask()),
        cloned.answer(ask()),  # its count is behind
        someone.answer(ask()),
        {},
        {"id": "x", "rawId": "x", "type": "public-key", "response": {}},
        {"id": 5},
    ]
    for attempt in attempts:
        status, answer = browser.sign_in(attempt)
        assert (status, answer["code"]) == (403, "bad_passkey"), attempt
    assert browser.sign_in(key.answer(ask()))[0] == 200


def test_a_new_passkey_must_answer_what_this_player_was_asked(
    server: Server, browser: Browser
) -> None:
    _, ana = server.player("Ana")
    _, eve = server.player("Eve")

    def add(credential: Json, token: str) -> str:
        status, answer = browser.ask("POST", "/api/me/passkeys", {"credential": credential}, token)
        return "" if status == 200 else str(answer["code"])

    made = Authenticator(browser.origin)
    credential = made.make(browser.options("/api/me/passkeys/options", ana))
    assert add(credential, eve) == "bad_passkey"
    assert add(credential, ana) == "bad_passkey", "a challenge is used up by the first answer"
    assert add(made.make(browser.options("/api/me/passkeys/options", ana)), ana) == ""
    # The same key for somebody else would make it unclear who signs in.
    assert add(made.make(browser.options("/api/me/passkeys/options", eve)), eve) == "bad_passkey"
    assert add({}, ana) == "bad_passkey"
    signed_in = browser.options("/api/passkey/options")
    signed_in["user"] = {"id": text(b"x")}
    assert add(Authenticator(browser.origin).make(signed_in), ana) == "bad_passkey"
    assert browser.ask("POST", "/api/me/passkeys/options")[1]["code"] == "stranger"


def test_passkeys_need_a_name_and_a_safe_line(server: Server) -> None:
    _, token = server.player("Fay")
    assert server.http("GET", "/api/me/devices", token=token)[1]["passkeys_work"] is False
    for path in ("/api/me/passkeys/options", "/api/passkey/options"):
        status, answer = server.http("POST", path, token=token)
        assert (status, answer["code"]) == (409, "no_passkeys")
    assert [works_at(base) for base in (
        "https://games.example", "http://localhost:8750", "http://games.example",
        "https://192.0.2.1", "http://127.0.0.1:8750", "https://[::1]", "",
    )] == [True, True, False, False, False, False, False]  # fmt: skip


def test_the_banned_do_not_come_back_by_passkey(server: Server, browser: Browser) -> None:
    from server.test_admin import told

    player, token = server.player("Gus")
    key = browser.register(token)
    told(server.db, "ban", player)
    answer = browser.sign_in(key.answer(browser.options("/api/passkey/options")))[1]
    assert answer["code"] == "banned"


def test_there_are_not_too_many(server: Server, browser: Browser) -> None:
    _, token = server.player("Hana")
    for _ in range(PASSKEYS):
        browser.register(token)
    status, answer = browser.ask("POST", "/api/me/passkeys/options", token=token)
    assert (status, answer["code"]) == (429, "too_many")


def test_a_challenge_is_answered_once_and_soon() -> None:
    time = 0.0
    challenges = Challenges(lambda: time)

    def refused(challenge: bytes, player: str) -> bool:
        try:
            challenges.take(challenge, player)
        except Refusal as refusal:
            return refusal.code == "bad_passkey"
        return False

    challenges.add(b"a", "p")
    assert [refused(b"a", "p") for _ in range(2)] == [False, True]
    challenges.add(b"b", "p")
    assert [refused(b"b", player) for player in ("q", "p")] == [True, True]
    challenges.add(b"c", NOBODY)
    assert refused(b"c", "p")
    challenges.add(b"d", "p")
    time += LIFETIME + 1
    assert refused(b"d", "p")
    for number in range(CHALLENGES + 1):
        challenges.add(number.to_bytes(4, "big"), "p")
    assert [refused(n.to_bytes(4, "big"), "p") for n in (0, 1)] == [True, False]


def test_passkeys_survive_a_restart(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        player, token = server.player("Ida")
        key = Browser(server).register(token)
        server.kill()
        server.start()
        browser = Browser(server)
        _, me = browser.sign_in(key.answer(browser.options("/api/passkey/options")))
        assert me["id"] == player
