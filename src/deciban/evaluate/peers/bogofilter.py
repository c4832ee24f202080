"""bogofilter with its own defaults: trained on everything, its word list in a temporary folder.

One process learns a batch of one label (``-s -b`` or ``-n -b``), one classifies a batch (``-b -t``); names
of files go in through a pipe. Three settings are not the defaults: the configuration of the user is not read;
database transactions are off, which changes no score and halves the wall time; and spamicity is printed with
16 decimals instead of 6, since with 6 most spam is tied at 1.000000.
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

# bogofilter says spam above this; between .45 and this it is unsure.
SPAM_CUTOFF = 0.99
# 0 is spam, 1 is ham, 2 is unsure; 3 is an error.
FAILED = 3


class Bogofilter:
    """The Debian package ``bogofilter``."""

    name = "bogofilter"

    def __init__(self) -> None:
        if not shutil.which("bogofilter"):
            raise PeerMissing("bogofilter is not installed. Run: apt-get install bogofilter")
        self._folder = tempfile.TemporaryDirectory(prefix="deciban-bogofilter-")
        self._lists = Path(self._folder.name, "lists")
        self._mails = Path(self._folder.name, "mails")
        self._lists.mkdir()
        self._mails.mkdir()
        self._knows = set[bool]()

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """Register spam and ham; within a batch the order makes no difference to counts."""
        for spam in (True, False):
            batch = [lesson.data for lesson in lessons if (lesson.label == SPAM) == spam]
            if batch:
                self._run("-s" if spam else "-n", batch)
                self._knows.add(spam)

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """Spamicity, which is no probability but a measure of how clear the evidence is."""
        if not self._knows:  # without a word list bogofilter refuses to answer
            return [Opinion(0.5, rejected=False) for _ in messages]
        answers = self._run("-t", messages, "--terse-format=%p", "--spamicity-formats=%.16f,%.16f,%.16f")
        try:
            scores = [float(answer) for answer in answers.split()]
        except ValueError:
            raise PeerFailed(f"bogofilter answered {answers[:60]!r} where numbers were expected.") from None
        if len(scores) != len(messages):
            raise PeerFailed(f"bogofilter gave {len(scores)} answers for {len(messages)} messages.")
        return [Opinion(score, score >= SPAM_CUTOFF) for score in scores]

    def close(self) -> None:
        """Remove the word list."""
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _run(self, mode: str, messages: Sequence[bytes], *options: str) -> str:
        files = [self._mails / str(number) for number in range(len(messages))]
        for file, message in zip(files, messages, strict=True):
            file.write_bytes(message)
        command = ["bogofilter", "-C", "-d", str(self._lists), "--db-transaction=no", mode, "-b", *options]
        done = subprocess.run(
            command, input="".join(f"{file}\n" for file in files), capture_output=True, text=True
        )
        if done.returncode >= FAILED or done.returncode < 0:
            raise PeerFailed(f"bogofilter stopped with {done.returncode}: {done.stderr.strip()[:200]}")
        return done.stdout
