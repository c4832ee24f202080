r"""Which label the mail of a folder is taught as: its name, unless it is junk, or of no use, or mapped.

>>> rules = FolderLabels()
>>> [rules.label_of(name) for name in ("Work/Clients", "Junk E-mail", "INBOX", "Trash", "Gesendet")]
['Work/Clients', 'spam', 'INBOX', None, None]

A mapping has one folder on each line, and the label behind ``=``; a folder without a label is left out:

>>> lines = "# my folders\nWork/* = work\nINBOX = ham\nSent = ham\nOld =\nTrash = ham\n"
>>> mapped = FolderLabels.read(lines, "labels.txt")
>>> [mapped.label_of(name) for name in ("Work/Clients", "inbox", "Sent", "Old", "Trash", "Garden")]
['work', 'ham', 'ham', None, None, 'Garden']

What was thrown away is never taught, whatever a mapping says: spam and good mail end there alike.

A folder of mail that the user sent is known by its name, wherever it is:

>>> [is_sent(place) for place in ("Mail/Sent Items", "~/Maildir/.Sent/", "INBOX.Gesendet", "Mail/Work")]
[True, True, True, False]
"""

from __future__ import annotations

import os

from deciban.decibans import SPAM
from deciban.errors import NoSuchSource, WrongUsage
from deciban.sources.mail_folders import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split("|"))


# As mail programs and services call them, in some languages; the last part of the name decides.
JUNK = _names(
    """junk|spam|bulk|bulk mail|junk mail|junk e-mail|junk email|spamverdacht|unerwünscht|unerwünschte werbung
    |courrier indésirable|indésirables|pourriel|correo no deseado|no deseado|posta indesiderata|indesiderata
    |lixo eletrônico|lixo eletrónico|ongewenst|ongewenste e-mail|skräppost|søppelpost|uønsket|roskaposti
    |wiadomości-śmieci|спам|нежелательная почта|垃圾邮件|迷惑メール"""
)
TRASH = _names(
    """trash|bin|deleted|deleted items|deleted messages|wastebasket|papierkorb|gelöscht|gelöschte elemente
    |gelöschte objekte|corbeille|éléments supprimés|papelera|elementos eliminados|cestino|posta eliminata
    |lixeira|itens eliminados|prullenbak|verwijderde items|papperskorg|papperskorgen|roskakori|kosz|корзина
    |удаленные|已删除邮件|ゴミ箱"""
)
SENT = _names(
    """sent|sent items|sent mail|sent-mail|sent messages|gesendet|gesendete elemente|gesendete objekte
    |gesendete nachrichten|envoyés|messages envoyés|éléments envoyés|enviados|elementos enviados
    |itens enviados|posta inviata|inviata|verzonden|verzonden items|skickat|sendt|lähetetyt|wysłane
    |отправленные|已发送邮件|送信済みメール"""
)
# Mail that nobody else would send: it says nothing about what comes in. And what holds everything once more.
OWN = SENT | _names(
    """drafts|draft|outbox|templates|unsent messages|chat|chats|all mail|entwürfe|postausgang|vorlagen
    |alle nachrichten|brouillons|borradores|bozze|rascunhos|concepten|utkast|черновики"""
)
# What Gmail keeps as labels beside those of the user: states, and its own sorting.
GMAIL_STATES = _names(
    """inbox|important|opened|unread|starred|archived|category personal|posteingang|wichtig|geöffnet|ungelesen
    |markiert|archiviert"""
)
GMAIL_CATEGORY = "category "
GMAIL_INBOX = "inbox"


def is_sent(place: str) -> bool:
    """Whether a file or folder has the name of a folder of sent mail, or is a message of such a Maildir."""
    path = os.path.normpath(place)
    folder, name = os.path.split(path)
    if os.path.basename(folder) in ("cur", "new"):
        name = os.path.basename(os.path.dirname(folder))
    # Between folder and folder within, IMAP servers write dots.
    last = decoded(name).removesuffix(".mbox").rpartition(".")[2]
    return last.strip().casefold() in SENT


class FolderLabels:
    """Rules from the names of folders to labels."""

    def __init__(self, mapping: Sequence[tuple[str, str]] = ()) -> None:
        """A mapping has patterns of names, with * for anything, and a label or nothing for each."""
        self._mapping = [(pattern.casefold(), label) for pattern, label in mapping]

    @classmethod
    def read(cls, text: str, place: str) -> FolderLabels:
        """The rules of a mapping file."""
        from deciban.committee.label import label_of

        mapping = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            pattern, given, label = (part.strip() for part in line.rpartition("="))
            if not given or not pattern:
                raise WrongUsage(
                    f"line {number} of {place} must be FOLDER = LABEL, got {line.strip()!r} instead"
                )
            mapping.append((pattern, label_of(label) if label else ""))
        return cls(mapping)

    @classmethod
    def from_file(cls, path: str | None) -> FolderLabels:
        """The rules of the mapping file that was named, if one was."""
        if path is None:
            return cls()
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return cls.read(file.read(), path)
        except OSError as error:
            raise NoSuchSource(f"{path!r} cannot be read: {error.strerror}; nothing was learned") from None

    def label_of(self, folder: str) -> str | None:
        """The label that the mail of a folder is taught as; None if it is left out."""
        last = folder.rpartition("/")[2].strip().casefold()
        if last in TRASH:
            return None
        mapped = self._mapped(folder)
        if mapped is not None:
            return mapped or None
        if last in JUNK:
            return SPAM
        return None if last in OWN else folder

    def label_of_gmail(self, labels: Iterable[str]) -> str | None:
        """The label of a message that Gmail kept these labels of.

        >>> FolderLabels().label_of_gmail(["Inbox", "Opened", "Garden", "Important"])
        'Garden'
        >>> FolderLabels().label_of_gmail(["Inbox", "Category Promotions"])
        'promotions'
        >>> [FolderLabels().label_of_gmail(labels) for labels in (["Spam", "Garden"], ["Sent", "Inbox"])]
        ['spam', None]
        """
        names = [label.strip() for label in labels]
        known = [name.casefold() for name in names]
        if not TRASH.isdisjoint(known):
            return None
        if not JUNK.isdisjoint(known):
            return SPAM
        for name in names:
            mapped = self._mapped(name)
            if mapped is not None:
                return mapped or None
        if not OWN.isdisjoint(known):
            return None
        own = [name for name in names if name.casefold() not in GMAIL_STATES]
        for name in own:
            if not name.casefold().startswith(GMAIL_CATEGORY):
                return name
        return own[0][len(GMAIL_CATEGORY) :].lower() if own else GMAIL_INBOX

    def _mapped(self, folder: str) -> str | None:
        """What the mapping says: a label, nothing for what is left out; None if it says nothing."""
        from fnmatch import fnmatchcase  # it brings re, which takes 3 ms to import

        name = folder.strip().casefold()
        return next((label for pattern, label in self._mapping if fnmatchcase(name, pattern)), None)
