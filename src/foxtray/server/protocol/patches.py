"""What changed between two views, as data (docs/protocol.md, "Patches")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foxtray.errors import FoxtrayError

MISSING = object()


class NoPatch(FoxtrayError):
    """No patch can say this change, so the whole view is told."""


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The patch that leads from one object to another."""
    patch: dict[str, Any] = {}
    for name, now in after.items():
        then = before.get(name, MISSING)
        if now is then or now == then:
            continue
        if now is None:
            raise NoPatch  # in a patch, null removes a member
        patch[name] = change(then, now)
    if not before.keys() <= after.keys():
        patch |= {name: None for name in before if name not in after}
    return patch


def change(then: Any, now: Any) -> Any:
    """How a value becomes another one: objects and lists of objects are patched."""
    if isinstance(now, dict):
        if not isinstance(then, dict):
            raise NoPatch
        return difference(then, now)
    if isinstance(now, list) and are_objects(now) and are_objects(then) and len(now) == len(then):
        pairs = enumerate(zip(then, now, strict=True))
        return {str(i): difference(a, b) for i, (a, b) in pairs if a is not b and a != b}
    return now


def are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
