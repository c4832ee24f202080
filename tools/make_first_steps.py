"""Draws docs/pictures/first-steps.svg: the first commands of a user, run for real on the sample mailbox.

    python tools/make_first_steps.py docs/pictures/first-steps.svg

What is drawn is what the commands printed, with their colours. Figures differ a little from run to run, since
each filter has a salt of its own.
"""

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from deciban.sample import write_mailbox

# Each with the lines that are shown of it at most: the picture is a glance, not a manual.
COMMANDS = {
    "learn ham ham.mbox": 1,
    "learn spam spam.mbox": 1,
    "classify inbox/new/{spam}": 1,
    "why --top 8 inbox/new/{spam}": 24,
    "forget --yes inbox/new/{spam}": 2,
    "status": 9,
}
COLUMNS = 92
LINE, LETTER, EDGE, TOP = 18, 7.8, 16, 44
INKS = {"1": "#f2f2f2", "2": "#8b949e", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341"}
CODE = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m")


def main(target: str) -> None:
    """Run the commands and draw what they said."""
    with tempfile.TemporaryDirectory() as folder:
        write_mailbox(folder)
        lines = list(_recorded(Path(folder)))
    Path(target).write_text(picture(lines), encoding="utf-8")


def _recorded(folder: Path):
    """Each command behind a $, with the lines that it printed."""
    index = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()]
    spam = next(Path(path).name for label, path, *_ in index if label == "spam")
    environment = {
        **os.environ,
        "DECIBAN_DB": "filter.db",
        "DECIBAN_COLOR": "always",
        "XDG_CONFIG_HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
    }
    learned = subprocess.run(
        [sys.executable, "-m", "deciban", "--version"], capture_output=True, text=True, check=True
    )
    yield f"\x1b[2m# {learned.stdout.strip()}, on a made-up mailbox\x1b[0m"
    for command, most in COMMANDS.items():
        if command.startswith("forget"):
            _run(f"learn spam inbox/new/{spam}".split(), folder, environment)
        shown = command.format(spam=spam)
        yield f"\x1b[1m$ deciban {shown}\x1b[0m"
        output = _run(shown.split(), folder, environment).splitlines()
        yield from output[:most]
        if len(output) > most:
            yield "\x1b[2m…\x1b[0m"
        yield ""


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "deciban", *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout


def picture(lines: list[str]) -> str:
    """An SVG with one text for each line."""
    height = TOP + LINE * len(lines) + EDGE
    width = round(EDGE * 2 + LETTER * COLUMNS)
    rows = "\n".join(
        f'<text x="{EDGE}" y="{TOP + LINE * number}" xml:space="preserve">{_spans(line)}</text>'
        for number, line in enumerate(lines, start=1)
        if line
    )
    dots = "".join(
        f'<circle cx="{EDGE + 6 + 20 * place}" cy="20" r="6" fill="{ink}"/>'
        for place, ink in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="First steps with deciban in a terminal">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n{dots}\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13" '
        f'fill="#c9d1d9">\n{rows}\n</g>\n</svg>\n'
    )


def _spans(line: str) -> str:
    """The line with its colours, cut at the edge of the picture."""
    plain = CODE.sub(r"\2", line)
    if len(plain) > COLUMNS:
        return escape(plain[: COLUMNS - 1] + "…")
    pieces, done = [], 0
    for found in CODE.finditer(line):
        pieces.append(escape(line[done : found.start()]))
        pieces.append(f'<tspan fill="{INKS[found[1]]}">{escape(found[2])}</tspan>')
        done = found.end()
    return "".join(pieces) + escape(line[done:])


if __name__ == "__main__":
    main(sys.argv[1])
