"""Patches as docs/protocol.md explains them, for clients in tests."""

from __future__ import annotations

from typing import Any


def patched(value: Any, patch: Any) -> Any:
    """A value with its changes; the value itself does not change."""
    if not isinstance(patch, dict):
        return patch
    if isinstance(value, list):
        return [patched(v, patch[str(i)]) if str(i) in patch else v for i, v in enumerate(value)]
    result = dict(value or {})
    for name, change in patch.items():
        if change is None:
            del result[name]
        else:
            result[name] = patched(result.get(name), change)
    return result
