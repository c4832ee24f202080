"""Requests made from the OpenAPI document (schemathesis): no answer is a 5xx, and none is undocumented."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from deciban.server.api.openapi import openapi_document
from deciban.server.api.operations import ALL_OPERATIONS
from tests.effort import effort
from tests.server.running_server import RunningServer, teach

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(openapi_document())
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


@schemathesis.serializer("application/x-ndjson", "message/rfc822")
def as_it_is(_: object, value: object) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("schema"), spaces=("mail", "scratch")) as started:
        teach(started)
        yield started


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.label)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_is_answered_by_a_fault_or_undocumented(
    served: RunningServer, operation: schemathesis.schemas.APIOperation, mode: GenerationMode
) -> None:
    if mode is GenerationMode.NEGATIVE and not (
        operation.body or operation.query or operation.path_parameters
    ):
        pytest.skip("an address without parameters cannot be asked wrongly")
    cases = operation.as_strategy(generation_mode=mode)

    @seed(1)
    @settings(
        max_examples=effort(8, 400),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases, st.sampled_from(["mail", "mail", "mail", "scratch", None]))
    def ask(case: schemathesis.Case, space: str | None) -> None:
        if "space" in (case.path_parameters or {}) and space is not None and case.method != "DELETE":
            case.path_parameters["space"] = space
        response = case.call(
            base_url=f"http://127.0.0.1:{served.port}", headers={"Authorization": f"Bearer {served.key}"}
        )
        case.validate_response(response, checks=CHECKS)

    ask()


def test_the_document_is_one_of_openapi_and_has_every_operation(tmp_path: Path) -> None:
    document = json.loads(json.dumps(openapi_document()))
    described = {
        (method.upper(), path)
        for path, methods in document["paths"].items()
        for method in methods
        if path.startswith("/v1")
    }
    assert described == {(operation.method, operation.path) for operation in ALL_OPERATIONS}
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
