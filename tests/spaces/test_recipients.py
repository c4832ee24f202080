import stat
import sys

import pytest

from deciban.errors import SpaceError, WrongUsage
from deciban.spaces import Spaces
from deciban.spaces.recipients import AliasCommand, Recipients, aliases_in


@pytest.fixture
def script(tmp_path):
    """A program that knows one alias, and writes down all that it was given."""
    path = tmp_path / "lookup"
    path.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"open({str(tmp_path / 'given')!r}, 'a').write(repr(sys.argv[1:]) + '\\n')\n"
        "if sys.argv[-1] == 'sales@example.org': print('team')\n"
        "if sys.argv[-1] == 'broken@example.org': sys.exit(75)\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def names(spaces: Spaces, *addresses: str, aliases=lambda _: None) -> list[str | None]:
    recipients = Recipients(spaces.registry.find_if_any, aliases)
    found = [recipients.space_of(address) for address in addresses]
    return [None if record is None else record.name for record in found]


def test_the_narrowest_space_has_the_mail(spaces: Spaces):
    spaces.add(["ann@example.org", "ann+shop@example.org", "@example.org"])
    assert names(
        spaces, "ANN@example.org", "ann+shop@example.org", "ann+news@example.org", "bob@example.org", "x@y.z"
    ) == ["ann@example.org", "ann+shop@example.org", "ann@example.org", "@example.org", None]


def test_a_catch_all_takes_what_nobody_else_has(spaces: Spaces):
    spaces.add(["ann@example.org", "@"])
    assert names(spaces, "ann@example.org", "x@y.z", "<x@y.z>") == ["ann@example.org", "@", "@"]


def test_many_addresses_share_a_space_by_aliases(spaces: Spaces):
    spaces.add(["team", "ann@example.org"])
    aliases = aliases_in(
        "sales@example.org = team\nhelp@example.org = TEAM\n@example.com = ann@example.org\n"
    ).get
    assert names(
        spaces, "Sales@example.org", "help+7@example.org", "x@example.com", "team", aliases=aliases
    ) == ["team", "team", "ann@example.org", "team"]


def test_aliases_that_go_round_in_circles_find_nothing(spaces: Spaces):
    aliases = {"a@x": "b@x", "b@x": "a@x", "c@x": "c@x"}.get
    assert names(spaces, "a@x", "c@x", aliases=aliases) == [None, None]


@pytest.mark.parametrize(
    "address", ["", "@", "<>", "a\nb@example.org", "a\0@example.org", "x" * 5000 + "@example.org"]
)
def test_what_is_no_address_has_no_space_unless_it_is_the_name_of_one(spaces: Spaces, address: str):
    spaces.add(["@example.org"])
    assert names(spaces, address) == [None]


def test_looking_never_makes_a_space(spaces: Spaces):
    names(spaces, "new@example.org", aliases={"new@example.org": "other"}.get)
    assert list(spaces.all()) == []


def test_a_command_is_asked_without_a_shell(spaces: Spaces, script, tmp_path):
    spaces.add(["team"])
    command = AliasCommand([str(script), "--flag"])
    hostile = "$(touch${IFS}owned);`id`|x@example.org"
    assert names(spaces, "sales@example.org", hostile, "-rf@example.org", aliases=command) == [
        "team",
        None,
        None,
    ]
    given = (tmp_path / "given").read_text()
    assert repr(["--flag", hostile.lower()]) in given.lower()
    assert "'-rf@example.org'" not in given
    assert {path.name for path in tmp_path.iterdir()} == {"spaces", "lookup", "given"}


def test_a_command_that_fails_is_an_error_and_no_space(spaces: Spaces, script):
    for command in (AliasCommand([str(script)]), AliasCommand(["/no/such/program"])):
        with pytest.raises(SpaceError, match="failed"):
            names(spaces, "broken@example.org", aliases=command)


def test_a_line_that_is_no_alias_is_told_with_its_number():
    with pytest.raises(WrongUsage, match="line 2"):
        aliases_in("a@x = b\nnonsense\n")
