"""The interface described for people: one page, made from the OpenAPI document, that fetches nothing."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

from deciban.html_page import FRAME, html_page
from deciban.server.api.openapi import openapi_document
from deciban.server.api.operation import JSON, encode

STYLE = (
    FRAME
    + """
code, pre { font: .9rem/1.45 ui-monospace, monospace; }
pre { border: 1px solid var(--line); border-radius: 4px; padding: .6rem .8rem; overflow-x: auto; }
section { border-top: 1px solid var(--line); padding-bottom: .8rem; }
h2 code { font-size: 1rem; }
td, th { text-align: left; vertical-align: top; padding: .1rem .8rem .1rem 0; }
"""
)
# With the address of the server in the place of ADDRESS.
FIRST_STEPS = """\
curl -H "Authorization: Bearer $KEY" -H "Content-Type: message/rfc822" \\
     --data-binary @spam.eml "ADDRESS/v1/spaces/mail/learn?label=spam"
curl -H "Authorization: Bearer $KEY" -H "Content-Type: message/rfc822" \\
     --data-binary @new.eml "ADDRESS/v1/spaces/mail/classify"
curl -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
     --data '{"text": "Free money"}' "ADDRESS/v1/spaces/mail/classify"
"""


@lru_cache(maxsize=16)
def interface_page(address: str) -> str:
    """The page, for a server at an address."""
    document = openapi_document()
    schemas = document["components"]["schemas"]
    parts = [
        "<h1>deciban</h1>",
        f"<p>{escape(document['info']['description'])} This is the description of its interface; "
        '<a href="/openapi.json">openapi.json</a> has the same for programs.</p>',
        f"<pre>{escape(FIRST_STEPS.replace('ADDRESS', address))}</pre>",
        "<p>Problems come as <code>application/problem+json</code> with a <code>code</code>, a sentence in "
        "<code>detail</code>, and the <code>request_id</code> that the log has.</p>",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts.append(_section(method.upper(), path, operation, schemas))
    return html_page("deciban: the interface", STYLE, "\n".join(parts))


def _section(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    title = f"<section><h2><code>{method} {escape(path)}</code></h2>"
    text = f"<p>{escape(operation['summary'])}. {escape(operation.get('description', ''))}</p>"
    rows = "".join(
        _row(each["name"], each.get("description", ""), each["schema"])
        for each in operation.get("parameters", ())
    )
    content = operation.get("requestBody", {}).get("content", {})
    taken = ", ".join(f"<code>{escape(kind)}</code>" for kind in content)
    body = f"<p>Takes {taken}.</p>" if taken else ""
    name = content.get(JSON, {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    if name:
        fields = schemas[name].get("properties", {})
        told = "".join(_row(field, known.get("description", ""), known) for field, known in fields.items())
        body += f"<p>As JSON it has:</p><table>{told}</table>"
    return f"{title}{text}<table>{rows}</table>{body}</section>"


def _row(name: str, text: str, schema: dict[str, Any]) -> str:
    """A parameter or a field: its name, what it is, what it may be, and its default."""
    choices = f"one of {', '.join(map(str, schema['enum']))}" if "enum" in schema else ""
    default = schema.get("default")
    usual = f"default: {encode(default).decode()}" if default not in (None, "", []) else ""
    said = "; ".join(part for part in (text, choices, usual) if part)
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(said)}</td></tr>"
