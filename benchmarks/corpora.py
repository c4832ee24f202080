"""The corpora of ../shared/data, unpacked into a temporary folder; none of them is part of the project."""

from __future__ import annotations

import atexit
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from deciban.evaluate import LabelledMessage, read_index

ARCHIVES = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def unpack(name: str) -> Path:
    """The folder of a corpus, gone again when the program ends."""
    archive = ARCHIVES / f"{name}.tar.gz"
    if not archive.exists():
        sys.exit(f"This benchmark needs {name}.tar.gz beside the project, in ../shared/data.")
    folder = Path(tempfile.mkdtemp(prefix=f"deciban-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def newsgroups_by_date() -> dict[str, tuple[list[str], list[str]]]:
    """Texts and labels of Twenty Newsgroups, split by date into train and test."""
    root = unpack("20newsgroups_bydate")
    parts = {}
    for part in ("train", "test"):
        folder = next(path for path in root.rglob(f"*{part}") if path.is_dir())
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        texts = [path.read_text(encoding="latin-1") for path in files]
        parts[part] = (texts, [path.parent.name for path in files])
    return parts


# The corpora that have an order by date, and its index.
BY_DATE = {"spamassassin": "index_chrono.tsv", "ccert_zh": "index_chrono.tsv"}


def labelled_mail(name: str, index: str = "index.tsv") -> list[LabelledMessage]:
    """The messages of a mail corpus with their labels, in the order of an index of it."""
    root = unpack(name)
    if name == "sms_spam":  # one file, a line a message
        _write_index(root, root / "SMSSpamCollection")
    return read_index(root / index)


def _write_index(folder: Path, lines: Path) -> None:
    """Every line ``label<TAB>text`` as a message in a file of its own, and an index of them.

    With an empty subject, because that is what mail programs make of a text: bogofilter and deciban do not
    care, Vowpal Wabbit gains (1-ROCA% 1.5 instead of 2.9 half/half).
    """
    index = []
    (folder / "messages").mkdir()
    for number, line in enumerate(lines.read_bytes().splitlines()):
        label, _, text = line.partition(b"\t")
        (folder / "messages" / f"{number:05}").write_bytes(b"Subject: \n\n%s\n" % text)
        index.append(f"{label.decode()}\tmessages/{number:05}\n")
    (folder / "index.tsv").write_text("".join(index))
