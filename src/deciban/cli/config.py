"""``deciban config``: show what is configured, and where each setting is from."""

from __future__ import annotations

from deciban.cli.configuration import SETTINGS, Configuration, variable_of
from deciban.cli.database import database_path, spaces_folder
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.paint import Paint, add_color_flag
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban config", "every setting, its value, and where that is from"),
    ("DECIBAN_SUBJECT_TAG='[SPAM]' deciban config --json", "the same for machines"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban config``."""
    add_json_flag(parser)
    add_color_flag(parser)


def run(options: Namespace) -> int:
    """Print the settings."""
    found = Configuration.load()
    values = {name: found.value(name) for name in SETTINGS}
    values |= {"db": database_path(None), "spaces": spaces_folder(None)}
    if options.json:
        settings = {name: {"value": values[name], "from": found.origin(name)} for name in SETTINGS}
        say_json(
            {"files": [{"path": path, "read": read} for path, read in found.files], "settings": settings}
        )
        return 0
    paint = Paint(options.color)
    rows = [["setting", "value", "from", "variable"]]
    rows += [[name, values[name] or "-", found.origin(name), variable_of(name)] for name in SETTINGS]
    columns = [TableColumn(), TableColumn(least=8), TableColumn(least=8), TableColumn(least=6)]
    title, *lines = table_lines(rows, columns)
    say(paint.faint(title))
    for line in lines:
        say(line)
    say("")
    for path, is_there in found.files:
        say(f"{'read' if is_there else 'not there'}: {harmless(path)}")
    return 0
