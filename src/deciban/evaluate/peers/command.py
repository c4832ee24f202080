r"""Any filter that can be run as a command: one line that classifies a message, and lines that teach it.

    bogofilter             bogofilter -C -d {home} -T -I {path}       classifies
    bogofilter:spam        bogofilter -C -d {home} -s -I {path}       teaches a message labelled spam
    bogofilter:*           bogofilter -C -d {home} -n -I {path}       teaches one of any other label

`{path}` is the file of the message (which also comes on standard input), `{home}` a folder that belongs to
the peer and is removed at the end, `{label}` the label that is taught. No shell looks at the line: what
stands in braces cannot break out of its word.

What the answer means: the first number on the output is the score, the larger the more likely spam. Exit code
0 says spam, 1 good mail, 2 unsure, as with bogofilter; anything else is a failure. A command that prints no
number is scored by its exit code. A command that always exits with 0 needs `reject_at`: a message with this
score or more is spam. If the first word of the output is one of the labels taught, it is the label.

>>> answers = answer_of("S 0.998", 0), answer_of("12.5/5.0", 0, reject_at=20.0), answer_of("", 2)
>>> [(answer.score, answer.rejected, answer.said) for answer in answers]
[(0.998, True, 'spam'), (12.5, False, 'not spam'), (0.5, False, 'unsure')]
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from deciban.committee.label import key_of
from deciban.decibans import UNSURE
from deciban.errors import PeerFailed, PeerMissing, WrongUsage
from deciban.evaluate.subject import Opinion, TaughtMessage

EVERY_OTHER_LABEL = "*"
IS_SPAM, IS_GOOD, IS_UNSURE = 0, 1, 2
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
PLACEHOLDER = re.compile(r"\{(path|home|label)\}")


class CommandPeer:
    """A filter known by its command lines."""

    def __init__(
        self, name: str, classify: str, learn: Mapping[str, str], reject_at: float | None = None
    ) -> None:
        self.name = name
        self._classify = _words(name, classify)
        self._learn = {key_of(label): _words(name, line) for label, line in learn.items()}
        self._reject_at = reject_at
        self._folder = tempfile.TemporaryDirectory(prefix="deciban-peer-")
        self._home = Path(self._folder.name, "home")
        self._home.mkdir()
        self._message = Path(self._folder.name, "message")
        self._taught = set[str]()

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """Run the line for its label once per message."""
        for lesson in lessons:
            line = self._learn.get(key_of(lesson.label)) or self._learn.get(EVERY_OTHER_LABEL)
            if line is None:
                raise WrongUsage(
                    f"{self.name} has no line that teaches {lesson.label!r}. "
                    f"Add: --peer {shlex.quote(f'{self.name}:{lesson.label}=COMMAND')}"
                )
            done = self._run(line, lesson.data, lesson.label)
            # Some commands also classify what they learn, and then exit with 1 or 2.
            if not 0 <= done.returncode <= IS_UNSURE:
                raise _failed(self.name, "learning", done)
            self._taught.add(lesson.label)

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """One run per message; none before the first lesson, as most commands need a database."""
        if not self._taught:
            return [Opinion(0.0, rejected=False, label=UNSURE) for _ in messages]
        return [self._opinion(message) for message in messages]

    def close(self) -> None:
        """Remove the folder of the peer."""
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _opinion(self, message: bytes) -> Opinion:
        done = self._run(self._classify, message, "")
        if not 0 <= done.returncode <= IS_UNSURE:
            raise _failed(self.name, "classifying", done)
        output = done.stdout.decode("utf-8", "replace")
        return answer_of(output, done.returncode, self._reject_at, self._taught)

    def _run(self, words: list[str], message: bytes, label: str) -> subprocess.CompletedProcess[bytes]:
        self._message.write_bytes(message)
        values = {"path": str(self._message), "home": str(self._home), "label": label}
        command = [PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in words]
        return subprocess.run(command, input=message, capture_output=True, cwd=self._home)


def answer_of(
    output: str, code: int, reject_at: float | None = None, labels: set[str] | frozenset[str] = frozenset()
) -> Opinion:
    """What the output and the exit code of a command say."""
    number = NUMBER.search(output)
    score = float(number[0]) if number else {IS_SPAM: 1.0, IS_GOOD: 0.0}.get(code, 0.5)
    rejected = code == IS_SPAM if reject_at is None else score >= reject_at
    word = next(iter(output.split()), "")
    unsure = UNSURE if code == IS_UNSURE and reject_at is None else None
    return Opinion(score, rejected, label=word if word in labels else unsure)


def _words(name: str, line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as reason:
        raise WrongUsage(f"The command of {name} cannot be read: {reason}.") from None
    if not words:
        raise WrongUsage(f"The command of {name} is empty. Write: --peer {name}='COMMAND {{path}}'")
    if not shutil.which(words[0]):
        raise PeerMissing(f"{name} is not installed: there is no program {words[0]!r}.")
    return words


def _failed(name: str, doing: str, done: subprocess.CompletedProcess[bytes]) -> PeerFailed:
    said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
    return PeerFailed(f"{name} stopped {doing} with exit code {done.returncode}: {said[:200]}")
