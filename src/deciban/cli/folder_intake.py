"""Mail that is taught by the folders it is in, or by the labels that Gmail kept of it.

Sent mail is left out unless a mapping names its folder; then it is taught as sent.
"""

from __future__ import annotations

import os

from deciban.cli.folder_labels import FolderLabels, is_sent
from deciban.cli.intake import Intake
from deciban.cli.numbers import counted
from deciban.cli.terminal import harmless
from deciban.committee.label import label_of
from deciban.errors import BadLabel, NoSuchSource, WrongUsage
from deciban.ledger.lesson import INCOMING, SENT
from deciban.sources.folder import folder_size
from deciban.sources.gmail_labels import gmail_labels
from deciban.sources.mail_folders import MailFolder, mail_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.cli.intake import Taught

WHY_LEFT_OUT = "trash is never taught; drafts and sent mail only if a mapping names them (--map)"


class FolderIntake:
    """The messages under a folder, or in a Takeout mbox, each with its label."""

    def __init__(self, place: str, mapping: str | None) -> None:
        """Find the folders, and say which are left out."""
        self._rules = FolderLabels.from_file(mapping)
        self._taught: dict[str, tuple[str, str]] | None = None
        if not os.path.isdir(place):
            self.intake = Intake([place])
            return
        folders = list(mail_folders(place))
        named = {folder: self._rules.label_of(folder.name) for folder in folders}
        # The largest last: lessons are mixed when a long run of one label ends them (filter/changing.py).
        taught = sorted((folder for folder in folders if named[folder]), key=_size)
        if not taught:
            raise NoSuchSource(f"there is no mail folder to learn in {place!r}")
        self._taught = {
            folder.path: (_checked(folder.name, named[folder] or ""), _origin([folder.name]))
            for folder in taught
        }
        self.intake = Intake([folder.path for folder in taught])
        self._tell_left_out([folder.name for folder in folders if not named[folder]])

    def taught(self) -> Iterator[Taught]:
        """Each message with its label and origin."""
        if self._taught is not None:
            for path, message in self.intake.with_places():
                yield *self._taught[path], message
            return
        left_out = 0
        for message in self.intake:
            labels = gmail_labels(message.data)
            if not labels:
                raise WrongUsage(
                    f"{message.id} has no X-Gmail-Labels, as every message of a Google Takeout has; "
                    "name a folder of mail folders, or teach it as deciban learn LABEL FILE"
                )
            label = self._rules.label_of_gmail(labels)
            if label is None:
                left_out += 1
            else:
                yield _checked(", ".join(labels), label), _origin(labels), message
        if left_out:
            self.intake.note(f"left out: {counted(left_out, 'message')}; {WHY_LEFT_OUT}")

    def _tell_left_out(self, names: list[str]) -> None:
        if names:
            self.intake.note(f"left out: {', '.join(map(harmless, names))}; {WHY_LEFT_OUT}")


def _origin(names: Iterable[str]) -> str:
    """The origin of a mail in folders of these names."""
    return SENT if any(map(is_sent, names)) else INCOMING


def _size(folder: MailFolder) -> int:
    return folder_size(folder.path) if os.path.isdir(folder.path) else os.path.getsize(folder.path)


def _checked(folder: str, label: str) -> str:
    """The label of a folder, or what can be done about a name that is none."""
    try:
        return label_of(label)
    except BadLabel as error:
        raise BadLabel(f"{error} Give the folder {folder!r} a label in a mapping (--map).") from None
