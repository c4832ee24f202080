"""The real mail corpora of ../shared/data, unpacked into a temporary folder for as long as the tests run."""

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"
MAIL_CORPORA = (
    "spamassassin",
    "ccert_zh",
    "enron_spam",
    "ling_spam",
    "20newsgroups_19997",
    "20newsgroups_bydate",
)


def messages(name: str, every: int = 1) -> Iterator[tuple[str, bytes]]:
    """Every n-th file of a corpus straight from its archive: its name and its bytes."""
    archive = SHARED / f"{name}.tar.gz"
    if not archive.exists():
        pytest.skip(f"needs the corpus {name}.tar.gz in ../shared/data")
    with tarfile.open(archive, "r|gz") as members:
        number = 0
        for member in members:
            if not member.isfile() or member.name.endswith((".tsv", "SOURCE.txt")):
                continue
            number += 1
            if number % every == 0:
                opened = members.extractfile(member)
                assert opened is not None
                yield member.name, opened.read()
