"""Writes the message types into docs/protocol.md.

Run it as `python -m foxtray.server.protocol.reference docs/protocol.md`.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from foxtray.events import EVENTS
from foxtray.server.protocol import messages

MARK = (
    "<!-- Below this line: made by python -m foxtray.server.protocol.reference docs/protocol.md -->"
)


def kind(schema: dict[str, Any]) -> str:
    """A JSON schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if schema.get("title") == "RefusalCode":
        return "[code](#codes-of-refusals)"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join("null" if v is None else f"`{v}`" for v in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(kind(item) for item in schema["prefixItems"]) + "]"
        low, high = schema.get("minItems"), schema.get("maxItems")
        count = f"{low} to {high} " if low and high else ""
        return f"list of {count}{kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and "additionalProperties" in schema:
        return f"object of {kind(schema['additionalProperties'])}"
    words = [str(schema.get("type", "anything"))]
    limits = {"minimum": "from", "maximum": "to", "minLength": "at least", "maxLength": "at most"}
    words += [f"{word} {schema[name]}" for name, word in limits.items() if name in schema]
    if "pattern" in schema:
        words.append(f"like `{schema['pattern']}`")
    return " ".join(words)


def section(name: str, schema: dict[str, Any]) -> list[str]:
    """One type: what it is, and a table of its fields."""
    lines = [f"### {name}", ""]
    if about := schema.get("description"):
        lines += [" ".join(about.split()), ""]
    fields = schema.get("properties", {})
    if not fields:
        return lines
    required = schema.get("required", [])
    lines += ["| field | is | |", "|---|---|---|"]
    for field, what in fields.items():
        note = "" if field in required else "optional"
        if "default" in what and what["default"] not in (None, "", [], {}):
            note = f"otherwise `{what['default']}`".replace("True", "true").replace(
                "False", "false"
            )
        lines.append(f"| `{field}` | {kind(what)} | {note} |")
    return [*lines, ""]


def bodies() -> list[Any]:
    """The types that only HTTP uses."""
    told = {*get_args(messages.Incoming), *get_args(messages.Outgoing)}
    return [
        value
        for value in vars(messages).values()
        if inspect.isclass(value)
        and issubclass(value, msgspec.Struct)
        and value.__module__ == messages.__name__
        and value not in told
        and value not in (messages.Command, messages.Message)
    ]


def reference() -> str:
    """Every message, body, event and code."""
    groups = (
        ("From the client", list(get_args(messages.Incoming))),
        ("From the server", list(get_args(messages.Outgoing))),
        ("Views and HTTP bodies", bodies()),
    )
    every = [t for _, types in groups for t in types]
    _, schemas = msgspec.json.schema_components(every, ref_template="#/$defs/{name}")
    left = dict(schemas)
    lines = [MARK, ""]
    for title, types in groups:
        lines += [f"## {title}", ""]
        names = [t.__name__ for t in types]
        if title.startswith("Views"):
            names += [name for name in left if name not in {t.__name__ for t in every}]
        for name in names:
            lines += section(name, left.pop(name))
    lines += ["## Events of the rules", "", "They appear in `events`; `event` is their name.", ""]
    lines += ["| event | fields | |", "|---|---|---|"]
    for event in EVENTS:
        fields = ", ".join(f"`{name}`" for name in event.__dataclass_fields__)
        about = (event.__doc__ or "").split("\n")[0]
        about = "" if about.startswith(event.__name__ + "(") else about
        name = "".join("_" + c.lower() if c.isupper() else c for c in event.__name__).lstrip("_")
        lines.append(f"| `{name}` | {fields} | {about} |")
    lines += ["", "## Codes of refusals", "", "From the rules, with a sentence for each case:"]
    lines += [", ".join(f"`{code}`" for code in messages.RULE_CODES) + ".", ""]
    lines += ["| code from the server | sentence |", "|---|---|"]
    lines += [f"| `{code}` | {sentence} |" for code, sentence in messages.SERVER_CODES.items()]
    return "\n".join(lines) + "\n"


def renewed(text: str) -> str:
    """A document with its reference regenerated."""
    return text.partition(MARK)[0].rstrip() + "\n\n" + reference()


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
