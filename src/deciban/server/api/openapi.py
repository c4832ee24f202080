"""The OpenAPI 3.1 document of the interface, made from the table of operations and the definitions.

>>> document = openapi_document()
>>> document["openapi"], "/v1/spaces/{space}/classify" in document["paths"]
('3.1.0', True)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from deciban import __version__
from deciban.server.api.api_definitions import HealthAnswer, ProblemAnswer
from deciban.server.api.operation import JSON, MAIL, NDJSON, Operation
from deciban.server.api.operations import ALL_OPERATIONS
from deciban.server.http.problem import PROBLEM_JSON, STATUSES
from deciban.spaces.rights import OPERATIONS

REFERENCE = "#/components/schemas/{name}"
# What any operation may answer with instead.
ALWAYS = (400, 401, 403, 404, 408, 409, 413, 415, 421, 429, 431, 500, 503, 507)
SPACE_PARAMETER = {
    "name": "space", "in": "path", "required": True, "description": "the name of the space",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}  # fmt: skip
KEY_PARAMETER = {
    "name": "id", "in": "path", "required": True, "description": "the id of the key",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
}  # fmt: skip


@cache
def openapi_document() -> dict[str, Any]:
    """The whole document."""
    kinds = {kind for each in ALL_OPERATIONS for kind in (each.body, each.answer) if kind is not None}
    kinds |= {ProblemAnswer, HealthAnswer}
    ordered = sorted(kinds, key=lambda kind: kind.__name__)
    references, components = msgspec.json.schema_components(ordered, ref_template=REFERENCE)
    schemas = dict(zip(ordered, references, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in ALL_OPERATIONS:
        described = _described(operation, schemas)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    for path, summary in (
        ("/healthz", "Whether the process answers"),
        ("/readyz", "Whether all can be done"),
    ):
        paths[path] = {"get": _page(path, summary, schemas[HealthAnswer])}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "deciban",
            "version": __version__,
            "description": "A Bayesian classifier that learns from examples, explains itself and can forget.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(operation: Operation, schemas: dict[type[Any], Any]) -> dict[str, Any]:
    parameters = []
    if "{space}" in operation.path:
        parameters.append(SPACE_PARAMETER)
    if "{id}" in operation.path:
        parameters.append(KEY_PARAMETER)
    record: dict[str, Any] = {
        "operationId": f"{operation.method.lower()}{operation.path}".replace("/", "_")
        .replace("{", "")
        .replace("}", ""),
        "summary": operation.summary,
        "description": f"Needs a key with the right {OPERATIONS[operation.name]}.",
        "parameters": parameters + _parameters(operation.query),
        "responses": _responses(operation, schemas),
    }
    if operation.takes:
        body = schemas[operation.body] if operation.body is not None else {}
        contents = {kind: {"schema": _content_schema(kind, body)} for kind in operation.takes}
        record["requestBody"] = {"required": True, "content": contents}
    return record


def _content_schema(kind: str, body: Any) -> Any:
    if kind == JSON:
        return body
    what = "a mail as it came" if kind == MAIL else "one JSON object on each line"
    return {"type": "string", "description": what}


def _responses(operation: Operation, schemas: dict[type[Any], Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": operation.summary}
    if operation.answer is not None:
        answer["content"] = {JSON: {"schema": schemas[operation.answer]}}
    if operation.streams or operation.gives == NDJSON:
        answer.setdefault("content", {})[NDJSON] = {"schema": {"type": "string"}}
    problem = {PROBLEM_JSON: {"schema": schemas[ProblemAnswer]}}
    titles = dict(STATUSES.values())
    others = {
        str(status): {"description": titles.get(status, "The server cannot do this"), "content": problem}
        for status in (*ALWAYS, 405)
    }
    return {str(operation.status): answer, **others}


def _page(path: str, summary: str, schema: Any) -> dict[str, Any]:
    answer = {"description": summary, "content": {JSON: {"schema": schema}}}
    return {
        "operationId": f"get_{path.strip('/')}",
        "summary": summary,
        "security": [],
        "responses": {"200": answer, "503": answer},
    }


def _parameters(query: type[Any]) -> list[dict[str, Any]]:
    """The parameters of an address, from the definition that checks them."""
    found = msgspec.json.schema(query)
    schema = found["$defs"][query.__name__]
    described = []
    for name, field in schema["properties"].items():
        field = dict(field)
        text = field.pop("description", "")
        described.append({"name": name, "in": "query", "description": text, "schema": field})
    return described
