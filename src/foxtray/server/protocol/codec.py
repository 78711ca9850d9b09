"""Messages as JSON. An invalid message is refused with the reason."""

from __future__ import annotations

import msgspec

from foxtray.server.protocol.messages import Incoming
from foxtray.server.protocol.refusals import Refusal

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Incoming).decode


class Identified(msgspec.Struct):
    """Only the id of a message that cannot be decoded otherwise."""

    id: str | None = None


def decode_refusal(error: msgspec.DecodeError | UnicodeError) -> Refusal:
    """Why a message could not be decoded."""
    if isinstance(error, UnicodeError):
        return Refusal("malformed")
    if "$.type" in str(error):
        return Refusal("unknown_command")
    return Refusal("malformed", f"the message cannot be read: {error}")


def id_of(data: bytes | str) -> str | None:
    """The id of a message, if it has one, so that a refusal can name it."""
    try:
        found = msgspec.json.decode(data, type=Identified).id
    except (msgspec.DecodeError, UnicodeError):
        return None
    return found[:64] if found else None
