"""``deciban table``: learn from a CSV or Parquet table, predict and explain its rows."""

from __future__ import annotations

import os
import sys

from deciban.cli.numbers import counted, refused, whole_number
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import harmless, say, shortened
from deciban.errors import MissingExtra, WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from deciban.learners.explanation import Explanation
    from deciban.tables import Prediction, Table, TableModel

EXAMPLES = (
    ("deciban table fit patients.csv --label diagnosis", "guess what each column is, and measure"),
    ("deciban table fit patients.csv --label diagnosis --model flu.npz", "… and keep what was learned"),
    ("deciban table fit sales.parquet --label fraud --family age=gaussian --drop customer", "know better"),
    ("deciban table fit patients.csv --label diagnosis --report flu.html", "a page with pictures"),
    ("deciban table fit umsatz.csv --label art --separator ';' --decimal ,", "a file of another country"),
    ("deciban table predict new.csv --model flu.npz --output guesses.csv", "a label for each row"),
    ("deciban table why new.csv --model flu.npz --rows 1,7-9", "why, column by column, in decibans"),
)
ACTIONS = ("fit", "predict", "why")
RULES = ("bayes", "mean", "map", "mle")
# What fits a screen; --rows shows others.
ROWS_EXPLAINED = 5
MOST_ROWS = 100_000
COLUMNS_SHOWN = 10
LABELS_SHOWN = 8
WIDTH = 30


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban table``."""
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="fit, predict or why")
    parser.add_argument("table", metavar="FILE", help="a CSV or .parquet file; - for CSV from standard input")
    parser.add_argument("--label", metavar="COLUMN", help="the column to learn; for predict, to compare with")
    parser.add_argument("--model", metavar="MODEL", help="where what was learned is, or will be, kept")
    _define_fit(parser)
    parser.add_argument("--output", metavar="FILE", help="predict: a .csv or .parquet file (default: print)")
    parser.add_argument(
        "--with", action="append", default=[], metavar="COLUMN", help="predict: copy a column, such as an id"
    )
    parser.add_argument("--rows", type=row_numbers, metavar="ROWS", help="why: which rows, such as 1,7-9")
    parser.add_argument(
        "--top",
        type=whole_number,
        default=COLUMNS_SHOWN,
        metavar="N",
        help=f"why: so many columns, 0 for all (default: {COLUMNS_SHOWN})",
    )
    parser.add_argument(
        "--no-header", action="store_true", help="the first line is a row; columns are 1, 2 …"
    )
    parser.add_argument(
        "--separator", type=separator, metavar="CHAR", help="what stands between entries (default: found out)"
    )
    parser.add_argument(
        "--decimal", choices=(",", "."), metavar="SIGN", help="of numbers: , or . (default: found out)"
    )
    parser.add_argument("--json", action="store_true", help="JSON: one object (fit), or one a line")


def _define_fit(parser: Parser) -> None:
    parser.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="COLUMN=FAMILY",
        help="fit: bernoulli, above-zero, categorical, text, poisson, geometric, gamma, gaussian, date, "
        "day-first, month-first or drop",
    )
    parser.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="fit: do not learn from this column"
    )
    parser.add_argument(
        "--rule", choices=RULES, default="bayes", metavar="RULE", help=f"fit: {', '.join(RULES)}"
    )
    parser.add_argument(
        "--prior",
        type=prior,
        default=1.0,
        metavar="PRIOR",
        help="fit: a number, laplace, jeffreys, empirical or cv (default: 1)",
    )
    parser.add_argument(
        "--temper",
        type=temper,
        default="cv",
        metavar="TEMPER",
        help="fit: how much evidence counts: cv (found on held-out rows, the default), none or a number",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="fit: write an HTML page with pictures of columns and rows"
    )
    parser.add_argument(
        "--folds",
        type=fold_count,
        default=10,
        metavar="N",
        help="fit: folds of cross-validation (default: 10)",
    )


def run(options: Namespace) -> int:
    """Do what was asked for."""
    try:
        from deciban.tables import read_table
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            f"deciban table needs {missing.name}, which is not installed. "
            "Run: pip install 'deciban[learn,frames]'"
        ) from None
    action = {"fit": _fit, "predict": _predict, "why": _why}[options.action]
    if options.action == "fit" and options.label is None:
        raise WrongUsage("say which column is the label: --label COLUMN; see deciban table --help")
    if options.action != "fit" and options.model is None:
        raise WrongUsage("say which model to ask: --model MODEL; deciban table fit makes one")
    table = read_table(
        options.table,
        header=not options.no_header,
        separator=options.separator,
        decimal=options.decimal,
    )
    for note in table.notes:
        _note(note)
    return action(table, options)


# --- fit -------------------------------------------------------------------------------------


def _fit(table: Table, options: Namespace) -> int:
    from deciban.tables import TableModel

    progress = ProgressLine()
    model = TableModel.fit(
        table,
        options.label,
        _families(options),
        rule=options.rule,
        prior=options.prior,
        temper=options.temper,
        folds=options.folds,
        progress=progress.tell,
    )
    if options.report:
        from deciban.tables.report import write_report

        progress.tell("drawing the report")
        name = "standard input" if options.table == "-" else os.path.basename(options.table)
        write_report(options.report, model, table, name)
    progress.clear()
    if options.model:
        model.save(options.model)
    if options.json:
        _print_json(_fit_record(model, table, options))
        return 0
    say("\n".join(_guess_lines(model)))
    say("")
    say(_share_line(model))
    say(str(model.figures))
    if model.unlabelled:
        _note(f"{model.unlabelled:,} rows without a label were left out")
    if options.report:
        _note(f"the report is in {options.report}")
    if not options.model:
        _note("nothing was kept; --model MODEL keeps what was learned")
    return 0


def _families(options: Namespace) -> dict[str, str]:
    """The families that were given, by column."""
    given = dict.fromkeys(options.drop, "drop")
    for text in options.family:
        name, equals, family = text.rpartition("=")
        if not equals or not name:
            raise WrongUsage(f"--family wants COLUMN=FAMILY, such as age=gaussian, got {text!r} instead")
        given[name] = family
    return given


def _guess_lines(model: TableModel) -> list[str]:
    width = min(WIDTH, max(len(column.name) for column in model.columns))
    return [
        f"{shortened(column.name, width):{width}}  {column.family:11}  {harmless(column.why)}"
        for column in model.columns
    ]


def _share_line(model: TableModel) -> str:
    """How common the labels are: what every figure must be compared with."""
    shares = sorted(model.shares.items(), key=lambda pair: -pair[1])
    told = [f"{shortened(label, WIDTH)} {share:.1%}" for label, share in shares[:LABELS_SHOWN]]
    rest = sum(share for _, share in shares[LABELS_SHOWN:])
    more = [f"{len(shares) - LABELS_SHOWN} more {rest:.1%}"] if len(shares) > LABELS_SHOWN else []
    return f"labels of {shortened(model.label, WIDTH)}: {', '.join(told + more)}"


def _fit_record(model: TableModel, table: Table, options: Namespace) -> dict[str, Any]:
    columns = [column.as_dict() for column in model.columns]
    labels = dict(zip(model.learner.classes_.tolist(), model.learner.tally_.rows.tolist(), strict=True))
    return {
        "label": model.label,
        "labels": labels,
        "shares": model.shares,
        "columns": columns,
        "figures": model.figures.record(),
        "confusion": _confusion_record(model),
        "temper": None if model.learner.model_.temper is None else model.learner.model_.temper.exponent,
        "unlabelled": model.unlabelled,
        "notes": list(table.notes),
        "report": options.report,
        "model": options.model,
    }


def _confusion_record(model: TableModel) -> dict[str, dict[str, int]]:
    """How many rows of each label were taken for which, held out."""
    assert model.trial is not None
    labels = model.trial.labels.tolist()
    return {
        label: dict(zip(labels, numbers, strict=True))
        for label, numbers in zip(labels, model.trial.confusion().tolist(), strict=True)
    }


# --- predict and why -------------------------------------------------------------------------


def _predict(table: Table, options: Namespace) -> int:
    from deciban.tables import TableModel
    from deciban.tables.table_writing import write_csv, write_table

    model = TableModel.load(options.model)
    copied = {name: table.values(name) for name in getattr(options, "with")}
    predictions = model.predict(table)
    if options.json:
        for number, one in enumerate(predictions):
            about = {name: _plain(values[number]) for name, values in copied.items()}
            _print_json({"row": number + 1, **about, **one.as_dict()})
    else:
        result = _predicted_table(predictions, copied)
        if options.output:
            write_table(result, options.output)
            say(f"{len(predictions):,} rows predicted in {harmless(options.output)}")
        else:
            write_csv(result, sys.stdout)
    _note_differences(model, table, predictions, options)
    return 0


def _predicted_table(predictions: list[Prediction], copied: dict[str, Any]) -> Table:
    from deciban.tables import Table

    told: dict[str, Any] = {"row": [float(number + 1) for number in range(len(predictions))], **copied}
    for key, digits in (("label", None), ("probability", 6), ("decibans", 2)):
        values = [getattr(one, key) for one in predictions]
        told[key if key not in copied else f"predicted {key}"] = (
            values if digits is None else [round(value, digits) for value in values]
        )
    return Table(told, len(predictions))


def _note_differences(
    model: TableModel, table: Table, predictions: list[Prediction], options: Namespace
) -> None:
    """What should be known about a table that is not quite like the one that was learned."""
    label = options.label or model.label
    for name, strange in model.never_learned(table).items():
        more = f" and {len(strange) - 1:,} more" if len(strange) > 1 else ""
        _note(f"column {name!r} has {strange[0]!r}{more}, never learned: they say little")
    for name, count in model.impossible(table).items():
        _note(f"column {name!r} has {counted(count, 'number')} that its family cannot have; passed over")
    known = {column.name for column in model.columns} | {label}
    ignored = [name for name in table.columns if name not in known]
    if ignored:
        _note(f"passed over, because never learned: {', '.join(ignored[:5])}{' …' * (len(ignored) > 5)}")
    if label in table.columns and predictions:
        truth = table.texts(label)
        known_rows = [row for row, text in enumerate(truth) if text is not None]
        right = sum(predictions[row].label == truth[row] for row in known_rows)
        if known_rows:
            share = right / len(known_rows)
            _note(f"{right:,} of {len(known_rows):,} rows are as column {label!r} has them: {share:.1%}")
    elif options.label:
        table.values(label)  # tells that it is not there


def _why(table: Table, options: Namespace) -> int:
    from deciban.tables import TableModel

    model = TableModel.load(options.model)
    rows = options.rows or list(range(1, min(len(table), ROWS_EXPLAINED) + 1))
    beyond = [row for row in rows if row > len(table)]
    if beyond:
        raise WrongUsage(f"there is no row {beyond[0]:,}: the table has {len(table):,}")
    chosen = table[[row - 1 for row in rows]]
    seen = model.admit(chosen)
    for place, (row, told) in enumerate(zip(rows, model.why(chosen), strict=True)):
        values = {column.name: _plain(seen.values(column.name)[place]) for column in model.used}
        if options.json:
            _print_json(_why_record(row, told, values))
        else:
            say(("\n" if place else "") + "\n".join(_why_lines(row, told, values, options.top)))
    if not options.rows and len(table) > len(rows):
        _note(f"the first {len(rows)} of {len(table):,} rows; --rows ROWS explains others")
    return 0


def _why_lines(row: int, told: Explanation, values: dict[str, Any], top: int) -> list[str]:
    lines = [f"row {row}: {harmless(str(told.label))} rather than {harmless(str(told.runner_up))}"]
    lines.append(f"{told.decibans:+9.1f} dB  in all")
    lines.append(f"{told.prior:+9.1f} dB  the shares of the labels")
    if told.intercept:
        lines.append(f"{told.intercept:+9.1f} dB  the offset of the label, by tempering")
    shown = told.features[: top or None]
    for feature in shown:
        name = str(feature.name)
        value = "missing" if values[name] is None else str(values[name])
        lines.append(f"{feature.decibans:+9.1f} dB  {shortened(name, WIDTH)} = {shortened(value, WIDTH)}")
    rest = told.features[len(shown) :]
    if rest:
        lines.append(f"{sum(feature.decibans for feature in rest):+9.1f} dB  {len(rest)} further columns")
    return lines


def _why_record(row: int, told: Explanation, values: dict[str, Any]) -> dict[str, Any]:
    return {
        "row": row,
        "label": str(told.label),
        "runner_up": str(told.runner_up),
        "decibans": told.decibans,
        "prior": told.prior,
        "intercept": told.intercept,
        "evidence": [
            {"name": str(one.name), "value": values[str(one.name)], "decibans": one.decibans}
            for one in told.features
        ],
    }


# --- words and numbers -----------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """A value for JSON; a gap is null.

    >>> _plain(3.0), _plain(float("nan")), _plain("x")
    (3, None, 'x')
    """
    if value is None or value != value:
        return None
    if isinstance(value, str):
        return value
    return int(value) if value == int(value) else float(value)


def _print_json(record: dict[str, Any]) -> None:
    import json

    print(json.dumps(record))


def _note(text: str) -> None:
    print(f"deciban: {harmless(text)}", file=sys.stderr)


def prior(text: str) -> float | str:
    """A number of imagined values, or the name of a rule that finds it."""
    if text in ("laplace", "jeffreys", "empirical", "cv"):
        return text
    try:
        return float(text)
    except ValueError:
        raise refused(f"must be a number, laplace, jeffreys, empirical or cv, got {text!r} instead") from None


def temper(text: str) -> float | str | None:
    """An exponent for evidence, or how it is found."""
    if text in ("cv", "none"):
        return text if text == "cv" else None
    try:
        exponent = float(text)
    except ValueError:
        exponent = -1.0
    if not 0 <= exponent < float("inf"):
        raise refused(f"must be cv, none or a number of 0 or more, got {text!r} instead")
    return exponent


def separator(text: str) -> str:
    r"""One character; ``tab`` and ``\t`` are a tab."""
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or not text.isascii() or text in '"\r\n':
        raise refused(f"must be one character, such as ; or tab, got {text!r} instead")
    return text


def fold_count(text: str) -> int:
    """A number from 2 upwards."""
    if whole_number(text) < 2:
        raise refused(f"must be 2 or more, got {text!r} instead")
    return int(text)


def row_numbers(text: str) -> list[int]:
    """Rows counted from 1, and ranges of them.

    >>> row_numbers("1,7-9")
    [1, 7, 8, 9]
    """
    rows: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers = [first, last or first]
        if not all(number.isascii() and number.isdecimal() and int(number) > 0 for number in numbers):
            raise refused(f"must be rows counted from 1, such as 1,7-9, got {text!r} instead")
        chosen = range(int(numbers[0]), int(numbers[1]) + 1)
        if len(chosen) > MOST_ROWS:
            raise refused(f"must be at most {MOST_ROWS:,} rows, got {text!r} instead")
        rows += chosen
    return rows
