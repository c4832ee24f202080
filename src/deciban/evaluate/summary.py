"""Trials in a few lines for the terminal: figures with 95% limits, labels, calibration, promises, curve.

                           deciban                  bogofilter
1-ROCA%                     0.0356   0.021–0.053        0.0950   0.061–0.134
good mail lost %              0.17     0.07–0.31          0.02     0.00–0.07
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deciban.evaluate.assessment import Assessment
from deciban.evaluate.figures import three

# What is shown of the figures: how it is called, and its decimals.
ROWS = {
    "roc_loss": ("1-ROCA%", 3),
    "ham_lost": ("good mail lost %", 2),
    "spam_missed": ("spam missed %", 2),
    "lam": ("lam%", 2),
    "missed_at_one_in_1000": ("spam missed % at .1% lost", 2),
    "missed_at_one_in_10000": ("spam missed % at .01% lost", 2),
    "log_loss": ("log-loss, nats", 4),
    "brier": ("Brier score", 4),
    "calibration_error": ("calibration error", 4),
}
MEANINGS = {
    "roc_loss": "How often a good mail and a spam, drawn at random, are in the wrong order of their scores, "
    "in percent. 0 is perfect; it does not depend on where the threshold lies.",
    "ham_lost": "Good mail that was called spam, at the filter's own threshold.",
    "spam_missed": "Spam that was not called spam, at the same threshold.",
    "lam": "The mean of the two shares above on the logistic scale: moving the threshold hardly changes it.",
    "missed_at_one_in_1000": "Spam missed, if the threshold lay where one good mail in 1,000 is lost.",
    "missed_at_one_in_10000": "Spam missed, if it lay where one good mail in 10,000 is lost.",
    "log_loss": "The surprise at the true label, in the mean; wrong and sure costs most.",
    "brier": "The squared distance of the probability from what came true, in the mean.",
    "calibration_error": "How far the probabilities are from what was seen: with .02, what was called .90 "
    "came true in 88% to 92%.",
}
# A confusion matrix wider than a terminal is shown by its most frequent confusions.
MOST_COLUMNS = 6
MOST_CONFUSIONS = 8
WIDTH = 12


def in_plain_words(one: Assessment) -> str:
    """What became of good mail and of spam, or how many labels were right, in one sentence."""
    opinions, spam = one.trial.opinions, one.trial.spam
    if one.figures is None:
        return (
            f"Of {one.labels.messages:,} messages {one.name} put {one.labels.right:,} under the right label."
        )
    good = [opinion.rejected for opinion, is_spam in zip(opinions, spam, strict=True) if not is_spam]
    bad = [opinion.rejected for opinion, is_spam in zip(opinions, spam, strict=True) if is_spam]
    lost = f"{sum(good):,}" if any(good) else "none"
    return (
        f"Of {len(good):,} good mails {one.name} would have lost {lost}, "
        f"and of {len(bad):,} spam mails {bad.count(False):,} would have come through."
    )


def summary(assessments: Sequence[Assessment]) -> Iterator[str]:
    """The lines of a summary; names and labels are not escaped: do that before they reach a terminal."""
    judged = [one for one in assessments if one.figures is not None]
    yield from map(in_plain_words, assessments)
    yield ""
    if judged:
        yield f"{'':26}" + "".join(f"{_cut(one.name, 26):>10}{'':16}" for one in judged).rstrip()
        for name, (title, digits) in ROWS.items():
            yield f"{title:26}" + "".join(figure_cell(one, name, digits) for one in judged).rstrip()
    for number, one in enumerate(assessments):
        if judged or number:
            yield ""
        yield from _of_one(one)


def figure_cell(one: Assessment, name: str, digits: int) -> str:
    """A figure and its limits, in 26 columns."""
    value = getattr(one.figures, name)
    if value is None:
        return f"{'-':>10}{'':16}"
    shown = three(value) if name == "roc_loss" else f"{value:.{digits}f}"
    low, high = one.limits.get(name, (None, None))
    limits = "" if low is None else f"{low:.{digits}f}–{high:.{digits}f}"
    return f"{shown:>10}{limits:>14}  "


def _of_one(one: Assessment) -> Iterator[str]:
    labels = one.labels
    low, high = labels.limits
    nats = "" if labels.log_loss is None else f", log-loss {labels.log_loss:.4f} nats"
    yield (
        f"{one.name}: {labels.right:,} of {labels.messages:,} right, "
        f"{labels.accuracy:.2f}% ({low:.2f}–{high:.2f}){nats}"
    )
    for promise in one.promises:
        yield f"  {promise}"
    yield from _confusion(labels.confusion)
    if one.curve:
        yield from _curve(one)


def _confusion(confusion: dict[str, dict[str, int]]) -> Iterator[str]:
    columns = calls_of(confusion)
    if len(columns) <= MOST_COLUMNS:
        yield f"  {'is, was called':{WIDTH + 4}}" + "".join(
            f"{_cut(call, WIDTH):>{WIDTH}}" for call in columns
        )
        for truth, row in confusion.items():
            cells = "".join(f"{row.get(call, 0):{WIDTH},}" for call in columns)
            yield f"  {_cut(truth, WIDTH):{WIDTH + 4}}{cells}"
        return
    wrong = [(n, truth, call) for truth, row in confusion.items() for call, n in row.items() if call != truth]
    yield "  most frequent confusions:"
    for count, truth, call in sorted(wrong, reverse=True)[:MOST_CONFUSIONS]:
        yield f"  {count:8,}  {truth} called {call}"


def calls_of(confusion: dict[str, dict[str, int]]) -> list[str]:
    """What was ever said, true labels first.

    >>> calls_of({"ham": {"unsure": 1, "ham": 3}, "spam": {"spam": 2}, "new": {"ham": 1}})
    ['ham', 'spam', 'unsure']
    """
    said = {call for row in confusion.values() for call in row}
    return [label for label in confusion if label in said] + sorted(said - confusion.keys())


def _curve(one: Assessment) -> Iterator[str]:
    """Every third point, which is one for each doubling."""
    points = one.curve[::-3][::-1]
    by_roc = any(point.roc_loss is not None for point in points)
    values = [point.roc_loss if by_roc else point.wrong for point in points]
    yield f"  {'after messages':16}" + "".join(f"{point.messages:9,}" for point in points)
    yield f"  {'1-ROCA%' if by_roc else 'wrong %':16}" + "".join(
        f"{'-' if value is None else three(value):>9}" for value in values
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) < width else text[: width - 2] + "…"
