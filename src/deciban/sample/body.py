r"""A draft as MIME, in one of the shapes in which mail comes.

    plain              one text
    html               one page
    alternative        both, for the reader to choose
    mixed              a text and a file
    alternative-mixed  both and a file
    picture            a page that is nothing but a picture, and the picture
    invite             a text, the same as a calendar entry, and that entry as a file

>>> letter = Letter("ham", "example", {"shape": "alternative"}, ())
>>> draft = Draft("Hi", ("See you at [the pier -> https://pier.example]",), "", "", "", "")
>>> ada = Person("Ada", "ada@post.example")
>>> part = Body(letter, draft, ada, datetime(2026, 3, 1), "english", "utf-8", Dice("1")).part()
>>> [line.decode() for line in part.written().split(b"\n") if b"Content-Type" in line]  # doctest: +ELLIPSIS
['Content-Type: multipart/alternative; ...', 'Content-Type: text/plain; ...', 'Content-Type: text/html; ...']
"""

from __future__ import annotations

from datetime import datetime, timedelta

from deciban.sample import layout
from deciban.sample.attachment import invitation, kind_of, made
from deciban.sample.dice import Dice
from deciban.sample.envelope import dated
from deciban.sample.letter import Draft, Letter
from deciban.sample.mime import MimePart, file_part, multipart, text_part
from deciban.sample.people import OWNER, Person

_ATTRIBUTIONS = {
    "german": "Am {} schrieb {}:",
    "french": "Le {}, {} a écrit :",
    "spanish": "El {}, {} escribió:",
}


class Body:
    """Everything below the header of one mail."""

    def __init__(
        self,
        letter: Letter,
        draft: Draft,
        sender: Person,
        when: datetime,
        language: str,
        charset: str,
        dice: Dice,
    ) -> None:
        self._letter, self._draft, self._sender, self._when = letter, draft, sender, when
        self._language, self._charset, self._dice = language, charset, dice
        self._encoding = _encoding(charset, dice)

    def part(self) -> MimePart:
        """The draft in one of the letter's shapes."""
        shapes = {
            "plain": self._plain,
            "html": self._web,
            "alternative": self._alternative,
            "mixed": lambda: self._multipart("mixed", [self._plain(), self._attachment()]),
            "alternative-mixed": lambda: self._multipart("mixed", [self._alternative(), self._attachment()]),
            "picture": lambda: self._multipart("related", [self._web(), self._picture()]),
            "invite": self._invite,
        }
        return shapes[self._dice.pick(self._letter.options("shape", "plain"))]()

    def _multipart(self, subtype: str, parts: list[MimePart]) -> MimePart:
        return multipart(subtype, parts, "=_" + self._dice.token(22))

    def _plain(self) -> MimePart:
        draft = self._draft
        text = layout.plain(draft.paragraphs)
        if draft.quote:
            attribution = _ATTRIBUTIONS.get(self._language, "On {}, {} wrote:")
            asked = dated(self._when - timedelta(hours=self._dice.between(1, 40)))
            text += "\n" + layout.quoted(f"{attribution.format(asked, OWNER.name)}\n{draft.quote}")
        if draft.signature:
            text += f"\n-- \n{draft.signature}\n"
        return text_part("plain", text, self._charset, self._encoding)

    def _web(self) -> MimePart:
        draft = self._draft
        if self._letter.manner.get("layout") == "newsletter":
            text = layout.newsletter(draft.subject, draft.paragraphs, self._dice, self._sender.domain)
        else:
            text = layout.note(draft.paragraphs + tuple(end for end in (draft.quote, draft.signature) if end))
        # A line of HTML may be longer than the 998 bytes that 8bit allows.
        encoding = "quoted-printable" if self._encoding == "8bit" else self._encoding
        return text_part("html", text, self._charset, encoding)

    def _alternative(self) -> MimePart:
        return self._multipart("alternative", [self._plain(), self._web()])

    def _attachment(self) -> MimePart:
        extension = self._letter.manner.get("attach", "pdf")
        name = f"{self._draft.file or 'scan'}.{extension}"
        return file_part(kind_of(extension), name, made(extension, self._dice))

    def _picture(self) -> MimePart:
        id = f"{self._dice.token(12)}@{self._sender.domain}"  # noqa: A001
        return file_part("image/png", "picture.png", made("png", self._dice), "inline", id)

    def _invite(self) -> MimePart:
        start = (self._when + timedelta(days=self._dice.between(1, 20))).replace(minute=0, second=0)
        end = start + timedelta(hours=1)
        uid = f"{self._dice.token(20)}@{self._sender.domain}"
        event = invitation(self._draft.subject, self._sender.address, OWNER.address, start, end, uid)
        entry = text_part("calendar; method=REQUEST", event, "utf-8", "base64")
        both = self._multipart("alternative", [self._plain(), entry])
        return self._multipart("mixed", [both, file_part("application/ics", "invite.ics", event.encode())])


def _encoding(charset: str, dice: Dice) -> str:
    """How such text mostly travels."""
    if charset == "iso-2022-jp":
        return "7bit"
    if charset in ("gb2312", "gb18030", "koi8-r"):
        return dice.pick(["base64", "8bit"])
    return dice.pick(["quoted-printable", "quoted-printable", "base64", "8bit"])
