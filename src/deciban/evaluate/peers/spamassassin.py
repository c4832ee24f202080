"""SpamAssassin's Bayes classifier alone: no rules, no network, trained on everything.

It is driven through SpamAssassin's own Perl modules by `spamassassin.pl`, one process for the whole trial,
because a start of ``sa-learn`` takes a second. The settings that are not the defaults favour it: it answers
from the first message of each label (by default not before 200), and tokens never expire.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from deciban.decibans import SPAM
from deciban.errors import PeerFailed, PeerMissing
from deciban.evaluate.subject import Opinion, TaughtMessage

SCRIPT = Path(__file__).with_suffix(".pl")


class SpamAssassin:
    """The Debian package ``spamassassin``, of which only Bayes is used."""

    name = "SpamAssassin"

    def __init__(self) -> None:
        if (
            not shutil.which("perl")
            or subprocess.run(["perl", "-MMail::SpamAssassin", "-e", "1"], capture_output=True).returncode
        ):
            raise PeerMissing("SpamAssassin is not installed. Run: apt-get install spamassassin")
        self._folder = tempfile.TemporaryDirectory(prefix="deciban-spamassassin-")
        self._log = open(Path(self._folder.name, "log"), "w+b")  # noqa: SIM115 (closed with the subject)
        self._process = subprocess.Popen(
            ["perl", str(SCRIPT), self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """Teach each message to Bayes."""
        for lesson in lessons:
            self._ask("learn-spam" if lesson.label == SPAM else "learn-ham", lesson.data)

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """Its Bayes score from 0 to 1, called spam above one half; without evidence it stays at one half."""
        answers = [self._ask("classify", message) for message in messages]
        scores = [0.5 if answer == "none" else float(answer) for answer in answers]
        return [Opinion(score, score > 0.5, score) for score in scores]

    def close(self) -> None:
        """End the process and remove its database."""
        self._process.communicate()
        self._log.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _ask(self, what: str, message: bytes) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(b"%s %d\n%s" % (what.encode(), len(message), message))
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            self._log.seek(0)
            raise PeerFailed(f"SpamAssassin stopped: {self._log.read()[-200:].decode(errors='replace')}")
        return answer.decode().strip()
