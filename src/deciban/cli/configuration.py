"""What holds for every call: set for the whole machine, for one user, or in the environment.

    /etc/xdg/deciban/config       the machine's  (in each folder of $XDG_CONFIG_DIRS)
    ~/.config/deciban/config      the user's     (in $XDG_CONFIG_HOME)
    $DECIBAN_SUBJECT_TAG …        the environment's: DECIBAN_ and the name of the setting

What comes later in this list holds. A file has lines of a name, ``=`` and a value:

    # /etc/xdg/deciban/config
    db = /var/lib/deciban/filter.db
    subject-tag = [SPAM]

>>> found = Configuration.load({"HOME": "/no/such/home", "DECIBAN_SUBJECT_TAG": "[SPAM]"})
>>> found.value("subject-tag"), found.origin("subject-tag"), found.origin("color")
('[SPAM]', '$DECIBAN_SUBJECT_TAG', 'default')

Every call reads this, so it is small: looking for two files that are not there takes 20 µs.
"""

from __future__ import annotations

import os

from deciban.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deciban.filter.tagging import Tagging

# The settings, each with its default and what it does.
SETTINGS = {
    "db": ("", "the filter's database; by default deciban/filter.db in your data directory"),
    "spaces": ("", "the folder of the spaces; by default deciban/spaces in your data directory"),
    "starter": ("yes", "no: new filters begin with nothing, not with the starter that comes with deciban"),
    "journal": ("no", "yes keeps what classify, filter and learn decided: see deciban journal"),
    "aliases": ("", "a file of lines ADDRESS = NAME: which space has the mail for an address"),
    "aliases-command": ("", "a program that is given an address and prints the name of its space"),
    "results-from": ("", "hosts whose results of SPF, DKIM, SpamAssassin, rspamd are facts in all filters"),
    "color": ("auto", "auto, always or never, where --color is auto"),
    "verdict-header": ("X-Deciban", "filter: the header field with label, decibans and probability"),
    "flag-header": ("X-Spam-Flag", "filter: the field that is YES for spam and NO otherwise"),
    "status-header": ("X-Spam-Status", "filter: the field with Yes or No and the score"),
    "subject-tag": ("", "filter: a word in front of the subject of spam, such as [SPAM]"),
    "keep-fields": ("no", "filter: yes keeps the X-Spam fields of other filters, behind our own"),
    "syslog": ("no", "filter: yes logs each verdict to syslog (/dev/log), or to the socket that is named"),
}
YES_OR_NO = ("yes", "no")
CHOICES = {
    "color": ("auto", "always", "never"),
    "keep-fields": YES_OR_NO,
    "journal": YES_OR_NO,
    "starter": YES_OR_NO,
}
DEFAULT = "default"
TAGS = ("verdict-header", "flag-header", "status-header", "subject-tag", "keep-fields")


class Configuration:
    """The settings that hold, and where each is from."""

    def __init__(self) -> None:
        self._found = {name: (default, DEFAULT) for name, (default, _) in SETTINGS.items()}
        self.files: list[tuple[str, bool]] = []
        """The files that are looked for, in their order, and whether they are there."""

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ) -> Configuration:
        """What holds now."""
        found = cls()
        for path in _paths(environment):
            found._read(path)
        for name in SETTINGS:
            variable = variable_of(name)
            if variable in environment:
                found._set(name, environment[variable], f"${variable}")
        return found

    def value(self, name: str) -> str:
        """What a setting is."""
        return self._found[name][0]

    def origin(self, name: str) -> str:
        """Where it is from: a file and line, a variable, or `default`."""
        return self._found[name][1]

    @property
    def changes_tags(self) -> bool:
        """Whether `filter` writes anything else than by default, which then must come off again."""
        return any(self.origin(name) != DEFAULT for name in TAGS)

    def tagging(self) -> Tagging:
        """How `filter` writes verdicts into messages."""
        from deciban.filter.tagging import Tagging

        verdict, flag, status, subject, keeps = (self.value(name) for name in TAGS)
        return Tagging(verdict, flag, status, subject_tag=subject, keeps_others=keeps == "yes")

    def _read(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                lines = file.read().decode("utf-8", "replace").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            self.files.append((path, False))
            return
        except OSError as error:
            raise WrongUsage(f"the configuration {path!r} cannot be read: {error.strerror}") from None
        self.files.append((path, True))
        for number, line in enumerate(lines, start=1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            name, given, value = (part.strip() for part in text.partition("="))
            if not given:
                raise WrongUsage(f"line {number} of {path} must be NAME = VALUE, got {text!r} instead")
            if name not in SETTINGS:
                raise WrongUsage(
                    f"line {number} of {path}: there is no setting {name!r}; deciban config lists them"
                )
            self._set(name, value, f"{path}:{number}")

    def _set(self, name: str, value: str, origin: str) -> None:
        if name in CHOICES and value not in CHOICES[name]:
            raise WrongUsage(f"{origin}: {name} must be {' or '.join(CHOICES[name])}, got {value!r} instead")
        if name.endswith("-header") and not _is_field_name(value):
            raise WrongUsage(f"{origin}: {name} must be the name of a header field, got {value!r} instead")
        if name == "subject-tag" and not (value.isascii() and value.isprintable()):
            raise WrongUsage(f"{origin}: subject-tag must be plain letters (ASCII), got {value!r} instead")
        self._found[name] = value, origin


def variable_of(name: str) -> str:
    """The variable of the environment for a setting.

    >>> variable_of("subject-tag")
    'DECIBAN_SUBJECT_TAG'
    """
    return "DECIBAN_" + name.replace("-", "_").upper()


def _paths(environment: Mapping[str, str]) -> Iterator[str]:
    """The files, the one that holds most last; the XDG specification has the system's in the other order."""
    system = (environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")
    for folder in reversed([folder for folder in system if os.path.isabs(folder)]):
        yield os.path.join(folder, "deciban", "config")
    own = environment.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(own):
        own = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".config")
    yield os.path.join(own, "deciban", "config")


def _is_field_name(text: str) -> bool:
    """Whether it may stand in front of the colon of a field that is nobody else's."""
    letters = text[2:]
    return text[:2].upper() == "X-" and letters.isascii() and letters.replace("-", "a").isalnum()
