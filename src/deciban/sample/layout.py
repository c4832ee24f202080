r"""The text of a draft as plain lines and as HTML, in the manner of a note or of a newsletter.

>>> plain(("Your order is on its way: [follow it -> https://shop.example/7]",))
'Your order is on its way: follow it <https://shop.example/7>\n'
>>> note(("Hi & welcome", "~ unseen"))
'<html><body><div>Hi &amp; welcome</div><br><div style="display:none">unseen</div><br></body></html>\n'
"""

from __future__ import annotations

import html
import re
import textwrap

from deciban.sample.dice import Dice

_LINK = re.compile(r"\[([^\[\]]*) -> ([^\[\]]*)\]")
_COLOURS = ("#1b4965", "#7a1f3d", "#2f5d50", "#444444", "#b5651d", "#cc0000")


def plain(paragraphs: tuple[str, ...], width: int = 72) -> str:
    """Wrapped lines; a link is followed by its address, what is hidden is left out."""
    shown = [_with_addresses(text) for text in paragraphs if not text.startswith("~")]
    return "\n".join(_wrapped(text, width) for text in shown)


def quoted(text: str, width: int = 70) -> str:
    """Lines behind ``>``; the first says who wrote them."""
    head, _, rest = text.partition("\n")
    return head + "\n" + "".join(f"> {line}\n" for line in _wrapped(rest, width).splitlines())


def note(paragraphs: tuple[str, ...]) -> str:
    """HTML as a mail program writes it for a person."""
    return f"<html><body>{''.join(map(_division, paragraphs))}</body></html>\n"


def newsletter(title: str, paragraphs: tuple[str, ...], dice: Dice, domain: str) -> str:
    """HTML as a mailing service writes it: a table, colours, buttons, a picture that counts who reads."""
    colour = dice.pick(_COLOURS)
    rows = "\n".join(f'<tr><td style="padding:12px 24px">{_division(text)}</td></tr>' for text in paragraphs)
    pixel = f'<img src="https://{domain}/open/{dice.token(18)}.gif" width="1" height="1" alt="">'
    return (
        f'<!DOCTYPE html>\n<html><head><title>{html.escape(title)}</title></head>\n<body bgcolor="#f4f4f4">\n'
        f'<table width="600" align="center" style="font-family:sans-serif;color:{colour}">\n'
        f'<tr><td><h1 style="color:{colour}">{html.escape(title)}</h1></td></tr>\n{rows}\n'
        f"</table>\n{pixel}\n</body></html>\n"
    )


def _division(text: str) -> str:
    if text.startswith("!"):
        return _LINK.sub(
            r'<a href="\2"><img src="\2/picture.png" alt="\1" width="560"></a>', text[1:].strip()
        )
    marked = _LINK.sub(
        r'<a href="\2">\1</a>', html.escape(text.lstrip("~ "), quote=False).replace("-&gt;", "->")
    )
    style = ' style="display:none"' if text.startswith("~") else ""
    return f"<div{style}>{marked.replace(chr(10), '<br>')}</div><br>"


def _with_addresses(text: str) -> str:
    return _LINK.sub(r"\1 <\2>", text.lstrip("! "))


def _wrapped(text: str, width: int) -> str:
    lines = [
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    ]
    return "\n".join(lines) + "\n"
