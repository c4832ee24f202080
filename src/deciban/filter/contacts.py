r"""Whom the user knows: addresses from plain text or vCards.

>>> sorted(read_contacts("Ann Lee <Ann@Example.org>\n# my club\nbob@example.net, @club.example\n"))
['@club.example', 'ann@example.org', 'bob@example.net']
>>> card = "BEGIN:VCARD\r\nFN:Ann Lee\r\nitem1.EMAIL;TYPE=INTERNET:ann@exam\r\n ple.org\r\nEND:VCARD\r\n"
>>> sorted(read_contacts(card))
['ann@example.org']

That the sender is a contact is a feature like any other, ``fact:sender-in-contacts``: how much it is worth is
learned. A sender on the *allow list* is never called spam. That decides, so it should be short: anybody can
write anything into the From field. ``@club.example`` stands for everybody there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

FACT = "sender-in-contacts"
_ADDRESS = r"[^\s<>,;:()\"']*@[^\s<>,;:()\"']+"


def read_contacts(text: str) -> frozenset[str]:
    """The addresses of a contacts list, lower-cased."""
    import re  # 4 ms that classifying a mail need not wait for

    if re.search(r"(?im)^BEGIN:VCARD\s*$", text):
        unfolded = re.sub(r"\r?\n[ \t]", "", text)
        lines = re.findall(r"(?im)^(?:[\w-]+\.)?EMAIL[^:\n]*:(.*)$", unfolded)
    else:
        lines = [line.partition("#")[0] for line in text.splitlines()]
    return frozenset(address.lower() for line in lines for address in re.findall(_ADDRESS, line))


def is_known(sender: str, contacts: Set[str]) -> bool:
    """Whether the address, or everybody at its domain, is in the contacts.

    >>> is_known("ann@club.example", {"@club.example"}), is_known("@club.example", set()), is_known("", {""})
    (True, False, False)
    """
    return bool(sender) and (sender in contacts or sender[sender.rfind("@") :] in contacts)
