"""Command lines without argparse, which costs as much to import as Python to start.

A parser collects the arguments that a verb defines, in the words of argparse. A plain command line, with
known flags, values that are as they should be and operands in one place, is read here; help, mistakes and
everything unusual is left to argparse with the same definitions. Law: where this parser reads a command
line, argparse reads the same from it.

>>> parser = Parser(prog="deciban example")
>>> parser.add_argument("sources", nargs="*", default=["-"])
>>> parser.add_argument("--json", action="store_true")
>>> vars(parser.parse_args(["--json", "a", "b"]))
{'sources': ['a', 'b'], 'json': True}
>>> parser.parse_args(["--nonsense"])
Traceback (most recent call last):
deciban.errors.WrongUsage: unrecognized arguments: --nonsense; see deciban example --help
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs 5 ms to import
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from deciban.cli.full_parser import FullParser


class Options:
    """What was typed, by name."""


class Parser:
    """The arguments of one verb."""

    def __init__(self, prog: str, description: str = "", epilog: str = "", usage: str | None = None) -> None:
        self._about = {"prog": prog, "description": description, "epilog": epilog, "usage": usage}
        self._flags: dict[str, dict[str, Any]] = {}
        self._operands: list[tuple[str, dict[str, Any]]] = []
        self._defined: list[tuple[str, dict[str, Any]]] = []
        self.notes: list[str] = []

    def add_argument(self, name: str, **how: Any) -> None:
        """Define a flag or an operand as argparse would."""
        self._defined.append((name, how))
        if name.startswith("--"):
            self._flags[name] = how
        else:
            self._operands.append((name, how))

    def add_note(self, text: str) -> None:
        """Add a paragraph to the help, and to the manual."""
        self.notes.append(text)

    def full(self) -> FullParser:
        """The same definitions for argparse."""
        from deciban.cli.full_parser import FullParser

        parser = FullParser(**self._about, notes=self.notes)  # type: ignore[arg-type]  # prog is a text
        for name, how in self._defined:
            parser.add_argument(name, **how)
        return parser

    def parse_args(self, words: Sequence[str]) -> Namespace:
        """What was typed; a mistake is `WrongUsage`."""
        found = self._plain(list(words))
        if found is None:
            typed: Namespace = self.full().parse_args(words)
            return typed
        options = Options()
        options.__dict__.update(found)
        return options  # type: ignore[return-value]  # it has the same attributes

    def _plain(self, words: Sequence[str]) -> dict[str, Any] | None:
        """The values by name; None for what is left to argparse."""
        values = {name.lstrip("-").replace("-", "_"): _default(how) for name, how in self._defined}
        operands: list[str] = []
        apart = False  # a flag since the last operand
        rest = iter(words)
        for word in rest:
            if word == "-" or not word.startswith("-"):
                if operands and apart:
                    return None
                operands.append(word)
                apart = False
                continue
            apart = True
            how = self._flags.get(word)
            value = None if how is None else _flag_value(how, rest)
            if value is None:
                return None
            values[word[2:].replace("-", "_")] = value
        return self._with_operands(values, operands)

    def _with_operands(self, values: dict[str, Any], words: list[str]) -> dict[str, Any] | None:
        """The values with those of the operands: single ones, and at last one that may take many."""
        for name, how in self._operands:
            many = how.get("nargs")
            if how.keys() & {"type", "choices"} or (not words and many != "*"):
                return None
            if many in ("*", "+"):
                values[name] = words or values[name] or []
                words = []
            else:
                values[name] = words.pop(0)
        return None if words else values


def _default(how: dict[str, Any]) -> Any:
    return how.get("default", False if how.get("action") == "store_true" else None)


def _flag_value(how: dict[str, Any], rest: Iterator[str]) -> Any:
    """The value of a flag, taken from the words behind it; None for what is left to argparse."""
    if how.get("action") == "store_true":
        return True
    if how.keys() & {"action", "nargs", "choices"}:
        return None
    word = next(rest, "-")
    if word.startswith("-"):
        return None
    try:
        return how.get("type", str)(word)
    except Exception:  # argparse meets it again and tells
        return None
