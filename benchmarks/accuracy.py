"""deciban beside bogofilter, SpamAssassin's Bayes and Vowpal Wabbit: how well each tells spam from good mail.

    python -m benchmarks accuracy                     # a sample: 1,500 messages of two corpora, online
    python -m benchmarks accuracy --keep trials       # everything: hours, most of them bogofilter's; what is
                                                      # found in the folder is not run again
    python -m benchmarks accuracy --large 5000 --keep trials --subjects deciban bogofilter "Vowpal Wabbit"
    python -m benchmarks accuracy --corpora ling_spam --seeds 1 2 --most 2000 --protocols online
    python -m benchmarks accuracy --subjects deciban SpamAssassin --seeds 1 --most 5000    # a slow peer

(`python -m benchmarks.accuracy …` does the same without keeping the figures for docs/benchmarks.md.)

Every subject meets the same messages in the same shuffles. Figures are means over the seeds; ratios are of
1-ROCA%, below 1 deciban is better. "ahead" and "behind" say where the paired bootstrap over messages leaves
no doubt, with its 95% limits of the difference in 1-ROCA%. docs/evaluation.md explains the columns.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.corpora import BY_DATE, labelled_mail
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.evaluate import (
    PEERS,
    DecibanCommittee,
    Figures,
    KeptPromise,
    LabelledMessage,
    Opinion,
    Subject,
    Trial,
    installed_peers,
    online,
    shuffled,
    split_in_half,
)
from deciban.whole_file import WholeFile

CORPORA = ("spamassassin", "enron_spam", "ling_spam", "sms_spam", "ccert_zh")
LARGE = ("enron_spam", "ccert_zh")
PROTOCOLS = ("online", "half")
OURS = DecibanCommittee.name
WARM_UP = 500  # calibration is asked for after these
TIE = 0.001  # 1-ROCA% below this is as good as none
SAMPLE_SEED = 2026
PROMISES = (0.01, 0.005, 0.001)
FIGURES = {
    "1-ROCA%": "roc_loss",
    "ham%": "ham_lost",
    "spam%": "spam_missed",
    "lam%": "lam",
    "missed at .1%": "missed_at_one_in_1000",
    "at .01%": "missed_at_one_in_10000",
    "log-loss": "log_loss",
}
CALIBRATION = ("", "log-loss", "÷ isotonic", "calibration error", "between .1 and .9", "said", "seen")
PROMISED = ("", "promise", "", "good mails since", "lost %", "spam caught %")
Row = tuple[Cell, ...]


class Laboratory:
    """Runs trials, and keeps them in a folder if there is one."""

    def __init__(self, keep: Path | None) -> None:
        self._keep = keep
        if keep:
            keep.mkdir(parents=True, exist_ok=True)

    def trial(
        self,
        name: str,
        make: Callable[[], Subject],
        corpus: str,
        messages: Sequence[LabelledMessage],
        protocol: str,
        seed: int,
    ) -> Trial:
        """One subject over one shuffle of a corpus."""
        stem = f"{corpus}-{len(messages)}-{protocol}-{seed}-{name.replace(' ', '-')}"
        kept = self._keep / f"{stem}.json" if self._keep else None
        if kept and kept.exists():
            return _from_record(json.loads(kept.read_text()), messages)
        started = time.process_time()
        with make() as subject:
            if protocol == "online":
                trial = online(subject, shuffled(messages, seed))
            else:
                trial = split_in_half(subject, messages, seed)
        print(
            f"  {stem}: {time.process_time() - started:.0f} s of CPU time here", file=sys.stderr, flush=True
        )
        if kept:
            with WholeFile(kept) as file:
                file.write(json.dumps(_record(trial, messages)).encode())
        return trial


def _record(trial: Trial, messages: Sequence[LabelledMessage]) -> list[list[float | bool | None]]:
    place = {message.path: number for number, message in enumerate(messages)}
    return [
        [place[message.path], opinion.score, opinion.rejected, opinion.probability]
        for message, opinion in zip(trial.messages, trial.opinions, strict=True)
    ]


def _from_record(record: list[list[float]], messages: Sequence[LabelledMessage]) -> Trial:
    return Trial(
        [messages[int(place)] for place, *_ in record],
        [Opinion(score, bool(rejected), probability) for _, score, rejected, probability in record],
    )


def by_message(trial: Trial, messages: Sequence[LabelledMessage]) -> list[float | None]:
    """The scores of a trial in the order of the corpus; None where the message was only learned."""
    scores = {
        message.path: opinion.score for message, opinion in zip(trial.messages, trial.opinions, strict=True)
    }
    return [scores.get(message.path) for message in messages]


def compare(title: str, trials: dict[str, list[Trial]], messages: Sequence[LabelledMessage]) -> Table:
    """The figures of each subject, and how sure the differences to ours are."""
    figures = {
        name: Figures.mean([Figures.of(trial) for trial in several]) for name, several in trials.items()
    }
    spam = [message.spam for message in messages]
    scores = {name: [by_message(trial, messages) for trial in several] for name, several in trials.items()}
    rows = []
    for name, mean in figures.items():
        ours = figures.get(OURS, mean).roc_loss
        told = ""
        if name != OURS and OURS in trials:
            told = judged(metrics.paired_bootstrap(scores[OURS], scores[name], spam), ours, mean.roc_loss)
        rows.append((name, *(getattr(mean, each) for each in FIGURES.values()), _ratio(ours, mean), told))
    return Table(title, ("", *FIGURES, "deciban ÷ it", "deciban is, by 95%"), rows)


def _ratio(ours: float, theirs: Figures) -> float | None:
    return ours / theirs.roc_loss if theirs.roc_loss else None


def judged(found: metrics.Difference, ours: float, theirs: float) -> str:
    if ours < TIE and theirs < TIE:
        return "tied, both below .001"
    limits = f"({found.low:+.4f} … {found.high:+.4f})"
    if not found.significant:
        return f"not told apart {limits}"
    return f"{'behind' if found.mean > 0 else 'ahead'} {limits}"


def calibration(name: str, trials: Sequence[Trial]) -> list[Row]:
    """How far probabilities can be trusted after the first messages, pooled over seeds; a row, or none."""
    rest = [trial.since(WARM_UP) for trial in trials]
    spam = [true for trial in rest for true in trial.spam]
    probabilities = [p for trial in rest for p in trial.probabilities or ()]
    if len(probabilities) != len(spam) or len(set(spam)) < 2:
        return []
    ours = metrics.log_loss(probabilities, spam)
    best = metrics.log_loss(*recalibrated(rest))
    between = [(p, true) for p, true in zip(probabilities, spam, strict=True) if 0.1 < p < 0.9]
    said, seen = (fmean(column) for column in zip(*between, strict=True)) if between else (None, None)
    error = metrics.calibration_error(probabilities, spam)
    return [(name, ours, ours / best, error, len(between), said, seen)]


def recalibrated(trials: Sequence[Trial]) -> tuple[list[float], list[bool]]:
    """Isotonic regression of the truth on the score, fitted on other messages than those it is asked for.

    Five folds of messages, the same in every seed, so that no message is fitted by its own other shuffle.
    Fitted values are kept off 0 and 1 by half a message, or one surprise would cost it 34 nats.
    """
    import numpy as np
    from sklearn.isotonic import IsotonicRegression

    folds = {
        path: number % 5 for number, path in enumerate(sorted({m.path for t in trials for m in t.messages}))
    }
    fold = np.array([folds[message.path] for trial in trials for message in trial.messages])
    scores = np.array([score for trial in trials for score in trial.scores])
    spam = np.array([true for trial in trials for true in trial.spam], dtype=float)
    fitted = np.empty(len(spam))
    for number in range(5):
        inside, outside = fold == number, fold != number
        edge = 0.5 / (outside.sum() + 1)
        curve = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip")
        fitted[inside] = curve.fit(scores[outside], spam[outside]).predict(scores[inside])
    return fitted.tolist(), (spam > 0).tolist()


def promised(name: str, trial: Trial) -> list[Row]:
    """What became of each promise: good mail lost and spam caught once it was active."""
    rows: list[Row] = []
    for rate in PROMISES:
        told = KeptPromise.followed(rate, trial)
        if told.active:
            lost, caught = 100 * told.lost / told.good, 100 * told.caught / told.spam
            rows.append((name, f"{rate:.1%}", told.standing, told.good, lost, caught))
        else:
            rows.append((name, f"{rate:.1%}", "too few good mails", None, None, None))
    return rows


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.accuracy", description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA)
    parser.add_argument("--subjects", nargs="+", choices=(OURS, *PEERS), default=(OURS, *PEERS))
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=PROTOCOLS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(1, 2, 3, 4, 5))
    parser.add_argument("--most", type=int, help="a sample of so many messages of each corpus")
    parser.add_argument("--large", type=int, help=f"a sample of so many messages of {' and '.join(LARGE)}")
    parser.add_argument("--keep", type=Path, help="a folder to keep trials in, and to find them again")
    return parser.parse_args(arguments)


# What `python -m benchmarks accuracy` takes of it: minutes instead of hours.
SAMPLE = ("--corpora", "spamassassin", "ling_spam", "--protocols", "online", "--seeds", "1", "--most", "1500")


def main(arguments: Sequence[str] = SAMPLE) -> Iterator[Table]:
    chosen = options(arguments or SAMPLE)
    subjects = installed_peers([name for name in chosen.subjects if name != OURS])
    if OURS in chosen.subjects:
        subjects = {OURS: DecibanCommittee, **subjects}
    laboratory = Laboratory(chosen.keep)
    calibrations: list[Row] = []
    promises: list[Row] = []
    for corpus in chosen.corpora:
        most = chosen.large if corpus in LARGE and chosen.large else chosen.most
        messages = shuffled(labelled_mail(corpus), SAMPLE_SEED)[:most]
        spams = sum(message.spam for message in messages)
        for protocol in chosen.protocols:
            trials = {
                name: [
                    laboratory.trial(name, make, corpus, messages, protocol, seed) for seed in chosen.seeds
                ]
                for name, make in subjects.items()
            }
            size = f"{len(messages):,} messages, {spams:,} of them spam"
            yield compare(f"{corpus}, {protocol}: {size}, {seeds_told(chosen.seeds)}", trials, messages)
            if protocol == "online" and OURS in trials:
                calibrations += calibration(corpus, trials[OURS])
                for seed, trial in zip(chosen.seeds, trials[OURS], strict=True):
                    promises += promised(f"{corpus}, seed {seed}", trial)
        if corpus in BY_DATE and OURS in subjects and "online" in chosen.protocols:
            with DecibanCommittee() as subject:
                trial = online(subject, labelled_mail(corpus, BY_DATE[corpus]))
                promises += promised(f"{corpus}, all of it by date", trial)
    if calibrations:
        yield Table(
            f"deciban's probabilities, online, after the first {WARM_UP} messages", CALIBRATION, calibrations
        )
    if promises:
        yield Table("deciban's promises, online", PROMISED, promises)


def seeds_told(seeds: Sequence[int]) -> str:
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"mean of {len(seeds)} seeds"


if __name__ == "__main__":
    show(main(sys.argv[1:]))
