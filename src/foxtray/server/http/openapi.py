"""The OpenAPI document, generated from the endpoints and message types."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from foxtray import __version__
from foxtray.games.registry import SHEETS
from foxtray.server.http.api import KEY, KEY_HEADER, Endpoint, Parameter
from foxtray.server.http.endpoints import ENDPOINTS
from foxtray.server.protocol.messages import Problem, Refused

TEMPLATE = "#/components/schemas/{name}"
KEY_IN_HEADER = {
    "name": KEY_HEADER,
    "in": "header",
    "description": "the key of the link, for visitors without a seat",
    "schema": {"type": "string", "maxLength": 64, "pattern": "^[ -~]*$"},
}
TEXT = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]*$"}


def parameter(known: Parameter) -> dict[str, Any]:
    if known.high:
        schema: dict[str, Any] = {
            "type": "integer",
            "minimum": known.low,
            "maximum": known.high,
            "default": known.default,
        }
    else:
        schema = {"type": "string", "maxLength": known.longest, "pattern": "^[ -~]*$"}
        if known.choices:
            schema = {"type": "string", "enum": list(known.choices)}
        schema["default"] = known.default
    return {"name": known.name, "in": "query", "description": known.text, "schema": schema}


def operation(endpoint: Endpoint, schemas: dict[Any, Any]) -> dict[str, Any]:
    """One operation; every refusal has the same shape, whatever its status."""
    names = re.findall(r"{(\w+)}", endpoint.path)
    binary = endpoint.answer is str
    answer = {"type": "string"} if binary else schemas[endpoint.answer]
    command = endpoint.path.endswith("/commands")
    refusal: Any = schemas[Problem]
    if command:
        refusal = {"anyOf": [schemas[Problem], schemas[Refused]]}
    made: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": endpoint.handler.__name__,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": TEXT} for name in names
        ]
        + [parameter(known) for known in endpoint.query]
        + ([KEY_IN_HEADER] if KEY in endpoint.query else []),
        "responses": {
            "200": {"description": "Done", "content": {endpoint.media: {"schema": answer}}},
            "default": {
                "description": "Refused: a code and a sentence",
                "content": {"application/json": {"schema": refusal}},
            },
        },
    }
    if endpoint.body is not None:
        made["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[endpoint.body]}},
        }
    return made


@cache
def document() -> dict[str, Any]:
    """The whole document."""
    types: list[Any] = [Problem, Refused]
    for endpoint in ENDPOINTS:
        types += [t for t in (endpoint.answer, endpoint.body) if t not in (None, str)]
    types = list(dict.fromkeys(types))
    found, components = msgspec.json.schema_components(types, ref_template=TEMPLATE)
    schemas = dict(zip(types, found, strict=True))
    paths: dict[str, Any] = {}
    for endpoint in ENDPOINTS:
        method = endpoint.method.lower()
        paths.setdefault(endpoint.path, {})[method] = operation(endpoint, schemas)
    titles = " and ".join(sheet.title for sheet in SHEETS.values())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foxtray",
            "version": __version__,
            "description": f"Live tables of {titles}. See docs/protocol.md.",
        },
        "security": [{"bearer": []}, {"cookie": []}, {}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "foxtray"},
            },
        },
    }
