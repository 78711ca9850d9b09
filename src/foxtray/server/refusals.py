"""Refusing in one way everywhere: a stable code and a sentence."""

from __future__ import annotations

from foxtray.errors import FoxtrayError
from foxtray.server.messages import SERVER_CODES


class Refusal(FoxtrayError):
    """Something that is not carried out; the code is one of messages.SERVER_CODES."""

    def __init__(self, code: str, sentence: str | None = None) -> None:
        super().__init__(sentence or SERVER_CODES[code])
        self.code = code


STATUS = {
    "stranger": 401,
    "no_table": 404,
    "not_found": 404,
    "unknown_game": 404,
    "method_not_allowed": 405,
    "malformed": 400,
    "unknown_command": 400,
    "malformed_action": 400,
    "too_large": 413,
    "too_many": 429,
    "too_many_tables": 429,
    "bad_host": 421,
    "bad_origin": 403,
    "not_host": 403,
    "invite_needed": 403,
    "not_seated": 403,
    "storage_failing": 503,
    "internal": 500,
}


def status(code: str) -> int:
    """The HTTP status of a refusal; what the state of things forbids is a conflict."""
    return STATUS.get(code, 409)
