"""The server keeps what its OpenAPI document promises, whatever is asked."""

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from foxtray.server.http.openapi import document
from server.harness import Server

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def known(server: Server) -> dict[str, str]:
    """A finished table and its player, so that not every answer is a refusal."""
    from server.test_tables import play_over_http, solo

    made, token = solo(server)
    play_over_http(server, made["id"], token)
    return {"table": made["id"], "token": token}


# A wrong body may be too large as well, which is refused as such.
config = SchemathesisConfig.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}}}
)
schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document())), config=config)


@schema.parametrize()
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_document_is_kept(case: Any, server: Server, known: dict[str, str]) -> None:
    if case.method == "DELETE":
        return  # would end the player that the others need; see test_tables
    if "table" in (case.path_parameters or {}) and len(case.path_parameters["table"]) > 5:
        case.path_parameters["table"] = known["table"]
    if "wait" in (case.query or {}):
        case.query["wait"] = 0
    headers = {"Authorization": f"Bearer {known['token']}"}
    case.call_and_validate(base_url=server.url, headers=headers, checks=CHECKS)
