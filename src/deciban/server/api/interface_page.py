"""The interface described for people: one page, made from the OpenAPI document, that fetches nothing."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

from deciban.html_page import FRAME, html_page
from deciban.server.api.openapi import openapi_document

STYLE = (
    FRAME
    + """
code, pre { font: .9rem/1.45 ui-monospace, monospace; }
pre { border: 1px solid var(--line); border-radius: 4px; padding: .6rem .8rem; overflow-x: auto; }
section { border-top: 1px solid var(--line); }
td, th { text-align: left; vertical-align: top; padding: .1rem .8rem .1rem 0; }
"""
)
FIRST_STEPS = """\
curl -H "Authorization: Bearer $KEY" -H "Content-Type: message/rfc822" \\
     --data-binary @spam.eml "http://127.0.0.1:8420/v1/spaces/mail/learn?label=spam"
curl -H "Authorization: Bearer $KEY" -H "Content-Type: message/rfc822" \\
     --data-binary @new.eml "http://127.0.0.1:8420/v1/spaces/mail/classify"
curl -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
     --data '{"text": "Free money"}' "http://127.0.0.1:8420/v1/spaces/mail/classify"
"""


@cache
def interface_page() -> str:
    """The page."""
    document = openapi_document()
    parts = [
        "<h1>deciban</h1>",
        f"<p>{escape(document['info']['description'])} This is the description of its interface; "
        '<a href="/openapi.json">openapi.json</a> has the same for programs.</p>',
        f"<pre>{escape(FIRST_STEPS)}</pre>",
        "<p>Problems come as <code>application/problem+json</code> with a <code>code</code>, a sentence in "
        "<code>detail</code>, and the <code>request_id</code> that the log has.</p>",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts.append(_section(method.upper(), path, operation))
    return html_page("deciban: the interface", STYLE, "\n".join(parts))


def _section(method: str, path: str, operation: dict[str, Any]) -> str:
    title = f"<section><h2><code>{method} {escape(path)}</code></h2>"
    text = f"<p>{escape(operation['summary'])}. {escape(operation.get('description', ''))}</p>"
    rows = "".join(
        f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each.get('description', ''))}</td></tr>"
        for each in operation.get("parameters", ())
    )
    taken = operation.get("requestBody", {}).get("content", {})
    body = f"<p>Takes {', '.join(f'<code>{escape(kind)}</code>' for kind in taken)}.</p>" if taken else ""
    return f"{title}{text}<table>{rows}</table>{body}</section>"
