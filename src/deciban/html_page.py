"""A page in one file: no scripts, no fonts, nothing that would be fetched; a policy in its head forbids it.

>>> print(html_page("a < b", "p { color: red }", "<p>text</p>").splitlines()[6])
<title>a &lt; b</title>
"""

from __future__ import annotations

from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_page(title: str, style: str, body: str) -> str:
    """The whole page; what goes into the body must be escaped already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
