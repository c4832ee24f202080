r"""Which space a mail belongs to, by the address that it is for.

What is found first holds; nothing is ever made by looking:

    ann+shop@example.org   a space, or an alias, of exactly this name
    ann@example.org        … without the extension
    @example.org           … of the whole domain
    @                      … of everybody: the catch-all

>>> from deciban.spaces.sqlite_registry import SpaceRecord
>>> known = {name: SpaceRecord("", name, 0) for name in ("ann@example.org", "@example.org", "team")}
>>> aliases = aliases_in("sales@example.org = team\n# a comment\n@example.com = @example.org\n")
>>> mail_for = Recipients(known.get, aliases.get)
>>> for address in ("Ann+shop@Example.org", "bob@example.org", "sales@example.org", "x@example.com"):
...     print(mail_for.space_of(address).name)
ann@example.org
@example.org
team
@example.org
>>> mail_for.space_of("ann@elsewhere.example") is None
True

Aliases come from a file of lines ``ADDRESS = NAME``, or from a command that is given the address as its last
argument and prints a name, or nothing. The command is run without a shell.
"""

from __future__ import annotations

from deciban.errors import SpaceError, WrongUsage
from deciban.spaces.space_name import space_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deciban.spaces.sqlite_registry import SpaceRecord

    Aliases = Callable[[str], str | None]

EXTENSION = "+"
# An alias of an alias of an alias …: more of them are a circle.
MOST_ALIASES = 10
COMMAND_SECONDS = 5
# RFC 5321 has 254.
LONGEST_ADDRESS = 1_000


class Recipients:
    """Finds spaces for addresses."""

    def __init__(
        self,
        find: Callable[[str], SpaceRecord | None],
        aliases: Aliases = lambda _: None,
        extension: str = EXTENSION,
    ) -> None:
        """Look up spaces by ``find``, such as `SqliteRegistry.find_if_any`, and other names by ``aliases``.

        ``extension`` stands between user and extension; empty if there are none.
        """
        self._find, self._aliases, self._extension = find, aliases, extension

    def space_of(self, address: str) -> SpaceRecord | None:
        """The space of an address; None if it has none."""
        name: str | None = bare(address)
        for _ in range(MOST_ALIASES):
            if name is None or not _can_be_one(name):
                return None
            found, name = self._step(name)
            if found is not None:
                return found
        return None

    def _step(self, address: str) -> tuple[SpaceRecord | None, str | None]:
        """The space of an address or one of its wider forms, or what the first of them is an alias of."""
        for form in forms_of(address, self._extension):
            target = self._aliases(form)
            if target is not None and space_key(target) != form:
                return None, target
            found = self._find(form)
            if found is not None:
                return found, None
        return None, None


def forms_of(address: str, extension: str = EXTENSION) -> Iterator[str]:
    """An address and what it may be found under, the narrowest first.

    >>> list(forms_of("Ann+Shop@Example.org")), list(forms_of("team"))
    (['ann+shop@example.org', 'ann@example.org', '@example.org', '@'], ['team'])
    """
    address = space_key(address)
    yield address
    user, at, domain = address.rpartition("@")
    if not at:
        return
    plain = user.partition(extension)[0] if extension else user
    if plain and plain != user:
        yield f"{plain}@{domain}"
    if user and domain:
        yield f"@{domain}"
    if domain:
        yield "@"


def bare(address: str) -> str:
    """An address without the brackets of a mail dialogue.

    >>> bare(" <ann@example.org> ")
    'ann@example.org'
    """
    address = address.strip()
    return address[1:-1] if address.startswith("<") and address.endswith(">") else address


def aliases_in(text: str) -> dict[str, str]:
    """The aliases of a file of lines ``ADDRESS = NAME``, by what is compared of the address."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        address, given, name = (part.strip() for part in line.partition("="))
        if not (address and given and name):
            raise WrongUsage(f"line {number} of the aliases must be ADDRESS = NAME, got {line!r} instead")
        found[space_key(address)] = name
    return found


class AliasCommand:
    """Aliases from a program, which is asked for each address that is looked up."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    def __call__(self, address: str) -> str | None:
        """What the program prints for an address on its first line; None for nothing."""
        if address.startswith("-"):  # the program would take it for a flag
            return None
        import subprocess

        try:
            done = subprocess.run(
                [*self._words, address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=COMMAND_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise SpaceError(f"The command for aliases {self._words[0]!r} failed: {error}.") from None
        if done.returncode:
            raise SpaceError(f"The command for aliases {self._words[0]!r} failed: code {done.returncode}.")
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        return lines[0].strip() if lines else None


def _can_be_one(address: str) -> bool:
    return 0 < len(address) <= LONGEST_ADDRESS and address.isprintable()
