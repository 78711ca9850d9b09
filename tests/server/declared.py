"""Checks that messages have exactly the fields that their types declare, at every depth."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from foxtray import events
from foxtray.server.protocol import typescript

PLAIN: dict[Any, Any] = {
    str: str,
    bool: bool,
    int: int,
    float: (int, float),
    type(None): type(None),
}
EVENTS = {name: event for event, name in events.NAMES.items()}


def fits(value: Any, hint: Any) -> bool:
    """Whether a JSON value is of a type; for an object: at least by its tag."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, arguments[0])
    if origin is Literal:
        return value in arguments
    if origin in (list, tuple):
        return isinstance(value, list)
    if origin is dict:
        return isinstance(value, dict)
    if hint in PLAIN:
        return isinstance(value, PLAIN[hint])
    if not isinstance(value, dict):
        return False
    config = getattr(hint, "__struct_config__", None)
    return config is None or not config.tag or value.get(config.tag_field) == config.tag


def check(value: Any, hint: Any, where: str = "") -> None:
    """Fail with the path of a value that does not match its declared type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return
    if origin is Annotated and events.Event in arguments:
        check_fields(value, EVENTS[value["event"]], where, tag="event")
    elif origin is Annotated:
        check(value, arguments[0], where)
    elif origin in (Union, UnionType):
        check(value, next((one for one in arguments if fits(value, one)), arguments[0]), where)
    else:
        assert fits(value, hint), f"{where}: {value!r} is no {hint}"
        if origin is dict:
            for key, item in value.items():
                check(item, arguments[1], f"{where}[{key}]")
        elif isinstance(value, list):
            inner = arguments if origin is tuple and arguments[-1] is not ... else None
            for i, item in enumerate(value):
                check(item, inner[i] if inner else arguments[0], f"{where}[{i}]")
        elif isinstance(value, dict):
            config = getattr(hint, "__struct_config__", None)
            check_fields(value, hint, where, tag=config.tag_field if config else None)


def check_fields(value: dict[str, Any], owner: Any, where: str, *, tag: str | None) -> None:
    declared = get_type_hints(owner, include_extras=True)
    known = {**declared, tag: str} if tag else declared
    assert value.keys() <= known.keys(), f"{where}: undeclared {value.keys() - known.keys()}"
    missing = known.keys() - typescript.may_be_missing(owner) - value.keys()
    assert not missing, f"{where}: without {missing}"
    for name, item in value.items():
        check(item, known[name], f"{where}.{name}")
