"""A page in one file: no scripts, no fonts, nothing that would be fetched; a policy in its head forbids it.

>>> print(html_page("a < b", "p { color: red }", "<p>text</p>").splitlines()[6])
<title>a &lt; b</title>
"""

from __future__ import annotations

from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# What all pages share: light and dark, orange for and blue against, and no line that is wider than a phone.
FRAME = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1c1c; --soft: #5a5a5a; --line: #d4d4d4;
  --for: 230 120 0; --against: 0 120 200; --for-ink: #b34700; --against-ink: #0067a3; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --ink: #e8e8e8; --soft: #a8a8a8; --line: #3a3d42;
    --for: 230 130 20; --against: 60 150 230; --for-ink: #e69f00; --against-ink: #56b4e9; }
}
* { box-sizing: border-box; }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  max-width: 72rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; }
p, small, figcaption { color: var(--soft); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.bar { display: block; height: .8rem; margin-top: .35rem; min-width: 1px; border-radius: 2px; }
.f1 { background: rgb(var(--for) / .15); } .f2 { background: rgb(var(--for) / .3); }
.f3 { background: rgb(var(--for) / .5); } .f4 { background: rgb(var(--for) / .75); }
.a1 { background: rgb(var(--against) / .15); } .a2 { background: rgb(var(--against) / .3); }
.a3 { background: rgb(var(--against) / .5); } .a4 { background: rgb(var(--against) / .75); }
"""


def html_page(title: str, style: str, body: str) -> str:
    """The whole page; what goes into the body must be escaped already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
