"""Refusals: a stable code and a sentence, the same everywhere."""

from __future__ import annotations

from foxtray.errors import FoxtrayError
from foxtray.server.protocol.messages import SERVER_CODES


class Refusal(FoxtrayError):
    """A request or command that is refused; the code is one of messages.SERVER_CODES."""

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
    "bad_record": 400,
    "too_large": 413,
    "too_many": 429,
    "too_many_tables": 429,
    "bad_host": 421,
    "bad_origin": 403,
    "not_host": 403,
    "banned": 403,
    "not_admin": 403,
    "host_only": 403,
    "registration_closed": 403,
    "invitation_needed": 403,
    "bad_code": 403,
    "bad_passkey": 403,
    "no_device": 404,
    "no_player": 404,
    "invite_needed": 403,
    "not_seated": 403,
    "no_hints": 403,
    "no_review": 404,
    "no_exercise": 404,
    "no_such_moment": 404,
    "review_waiting": 429,
    "hint_late": 503,
    "storage_failing": 503,
    "moved": 503,
    "internal": 500,
}


def status(code: str) -> int:
    """The HTTP status of a refusal; 409 if the current state does not allow the request."""
    return STATUS.get(code, 409)
