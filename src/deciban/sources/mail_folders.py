r"""The mail folders of a person: what a mail program shows as a tree, whatever it is on the disk.

    ~/Maildir                  INBOX, and .Junk and .Work.Clients in it: Junk, Work/Clients  (Maildir++)
    ~/Mail/work, ~/Mail/junk   mbox files, Maildirs, MH folders or folders of files
    Inbox.sbd/Work             Thunderbird's folders within a folder: Inbox/Work

>>> decoded("Entw&APw-rfe"), decoded("R&-D")
('Entwürfe', 'R&D')
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from deciban.sources.file_names import in_natural_order, passed_over
from deciban.sources.maildir import is_maildir
from deciban.sources.mh import is_mh
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

INBOX = "INBOX"
_WITHIN = ".sbd"
_ENCODED = "&([^-]*)-"


class MailFolder(Value):
    """A mail folder: its name, with / between folder and folder within, and where its messages are."""

    name: str
    path: str


def mail_folders(root: str) -> Iterator[MailFolder]:
    """Every mail folder under a folder, each once."""
    waiting = [("", root.rstrip("/") or "/")]
    while waiting:
        name, place = waiting.pop()
        if is_maildir(place):
            yield MailFolder(name or INBOX, place)
            yield from _within_maildir(name, place)
        elif is_mh(place):
            yield MailFolder(name or INBOX, place)
        else:
            files, folders = _entries(place)
            holds_messages = any(file.rpartition(".")[2] in ("eml", "txt", "html") for file in files)
            if name and (holds_messages or (files and not folders and _are_messages(place, files))):
                yield MailFolder(name, place)
                continue
            for file in files:
                yield MailFolder(_joined(name, file.removesuffix(".mbox")), os.path.join(place, file))
            for folder in reversed(folders):
                within = _joined(name, decoded(folder.removesuffix(_WITHIN)))
                waiting.append((within, os.path.join(place, folder)))


def _within_maildir(name: str, place: str) -> Iterator[MailFolder]:
    """The folders of Maildir++: hidden, with dots between folder and folder within."""
    try:
        entries = [entry.name for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in in_natural_order([entry for entry in entries if entry.startswith(".")]):
        path = os.path.join(place, entry)
        if is_maildir(path):
            yield MailFolder(_joined(name, decoded(entry[1:]).replace(".", "/")), path)


def _entries(place: str) -> tuple[list[str], list[str]]:
    """The names of the files and of the folders in a plain folder; nothing where it cannot be read."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if passed_over(entry.name):
                    continue
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    except OSError:
        return [], []
    return in_natural_order(files), in_natural_order(folders)


def _are_messages(place: str, files: list[str]) -> bool:
    """Whether the files of a folder are single messages, told by the first: an mbox is a folder itself."""
    from deciban.sources.kind import LOOK_AHEAD, recognise

    try:
        with open(os.path.join(place, files[0]), "rb") as file:
            return recognise(file.read(LOOK_AHEAD)) == "message"
    except OSError:
        return False


def _joined(name: str, within: str) -> str:
    return f"{name}/{within}" if name else within


def decoded(name: str) -> str:
    """A folder's name as people read it: IMAP servers write it in a UTF-7 of their own (RFC 3501)."""
    if "&" not in name:
        return name
    from re import sub  # it takes 4 ms to import, and few folders have such a name

    return sub(_ENCODED, _letters, name)


def _letters(found: Match[str]) -> str:
    from base64 import b64decode
    from binascii import Error

    if not found[1]:
        return "&"
    try:
        code = found[1].replace(",", "/")
        return b64decode(code + "=" * (-len(code) % 4)).decode("utf-16-be")
    except (Error, ValueError):
        return found[0]
