"""Taught wrongly on purpose: what false labels and appended good words do to deciban, beside bogofilter.

SpamAssassin, one half learned and the other classified, two seeds. In the rows about labels, that share of
the lessons is taught as the other label. In the rows about words, so many good words, drawn from the thousand
that tell good mail best in the learned half, are added to the text of every spam classified; "learned"
says that the spam of the learned half was written so too.
"""

from __future__ import annotations

import email
import re
from collections import Counter
from collections.abc import Sequence
from random import Random

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.decibans import SPAM
from deciban.evaluate import DecibanCommittee, Figures, LabelledMessage, TaughtMessage, Trial, installed_peers
from deciban.evaluate.orders import halves

SEEDS = (1, 2)
GOOD_WORDS = 1000
OTHER = {SPAM: "ham", "ham": SPAM}


def good_words(lessons: Sequence[TaughtMessage]) -> list[bytes]:
    """The words that tell good mail best, by the ratio of documents that have them."""
    seen: dict[str, Counter[bytes]] = {label: Counter() for label in OTHER}
    for lesson in lessons:
        body = lesson.data.partition(b"\n\n")[2]
        seen[lesson.label].update({word.lower() for word in re.findall(rb"[A-Za-z]{3,12}", body)})
    ratio = {word: count / (1 + seen[SPAM][word]) for word, count in seen["ham"].items() if count >= 20}
    return sorted(ratio, key=lambda word: (-ratio[word], word))[:GOOD_WORDS]


def with_words(data: bytes, words: Sequence[bytes]) -> bytes:
    """The message with words at the end of its first text, which is no longer encoded."""
    message = email.message_from_bytes(data)
    text = next((part for part in message.walk() if part.get_content_maintype() == "text"), None)
    if text is None:
        return data + b"\n" + b" ".join(words)
    content = text.get_payload(decode=True) or b""
    del text["Content-Transfer-Encoding"]
    text["Content-Transfer-Encoding"] = "8bit"
    text.set_payload((content + b"\n" + b" ".join(words) + b"\n").decode("ascii", "surrogateescape"))
    return message.as_bytes()


class Attack:
    """One way of doing harm to a half/half trial."""

    def __init__(self, name: str, *, wrong: float = 0, words: int = 0, learned: bool = False) -> None:
        self.name = name
        self._wrong = wrong
        self._words = words
        self._learned = learned

    def lessons(self, lessons: Sequence[TaughtMessage], random: Random) -> list[TaughtMessage]:
        """What is taught."""
        if self._learned:
            lessons = self._written(lessons, lessons, random)
        return [
            TaughtMessage(OTHER[lesson.label], lesson.data) if random.random() < self._wrong else lesson
            for lesson in lessons
        ]

    def questions(
        self, asked: Sequence[TaughtMessage], taught: Sequence[TaughtMessage], random: Random
    ) -> list[bytes]:
        """What is classified."""
        return [lesson.data for lesson in self._written(asked, taught, random)]

    def _written(
        self, lessons: Sequence[TaughtMessage], taught: Sequence[TaughtMessage], random: Random
    ) -> Sequence[TaughtMessage]:
        if not self._words:
            return lessons
        good = good_words(taught)
        return [
            lesson
            if lesson.label != SPAM
            else TaughtMessage(SPAM, with_words(lesson.data, random.sample(good, self._words)))
            for lesson in lessons
        ]


ATTACKS = (
    Attack("none"),
    Attack("1% of labels wrong", wrong=0.01),
    Attack("5% of labels wrong", wrong=0.05),
    Attack("30 good words", words=30),
    Attack("150 good words", words=150),
    Attack("30 good words, learned", words=30, learned=True),
    Attack("150 good words, learned", words=150, learned=True),
)


def tried(make: type, attack: Attack, messages: Sequence[LabelledMessage], seed: int) -> Figures:
    """One subject under one attack."""
    first, second = ([TaughtMessage(m.label, m.read()) for m in half] for half in halves(messages, seed))
    with make() as subject:
        subject.learn(attack.lessons(first, Random(seed)))
        opinions = subject.classify(attack.questions(second, first, Random(seed)))
    return Figures.of(Trial([LabelledMessage(lesson.label, None) for lesson in second], opinions))


def main() -> list[Table]:
    messages = labelled_mail("spamassassin")
    subjects = {DecibanCommittee.name: DecibanCommittee, **installed_peers(["bogofilter"])}
    rows = []
    for attack in ATTACKS:
        figures = {
            name: Figures.mean([tried(make, attack, messages, seed) for seed in SEEDS])
            for name, make in subjects.items()
        }
        cells = [(one.roc_loss, one.ham_lost, one.spam_missed) for one in figures.values()]
        rows.append((attack.name, *(cell for three in cells for cell in three)))
    names = [f"{name} {what}" for name in subjects for what in ("1-ROCA%", "ham lost %", "spam missed %")]
    return [Table(__doc__.partition("\n")[0], ("attack", *names), rows)]


if __name__ == "__main__":
    show(main())
