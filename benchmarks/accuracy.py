"""deciban beside bogofilter, SpamAssassin's Bayes and Vowpal Wabbit: how well each tells spam from good mail.

    python -m benchmarks.accuracy                                     # everything: hours, bogofilter's mostly
    python -m benchmarks.accuracy --corpora ling_spam --seeds 1 2 --most 2000 --protocols online
    python -m benchmarks.accuracy --subjects deciban SpamAssassin --seeds 1 --most 5000    # a slow peer
    python -m benchmarks.accuracy --keep trials                       # trials found there are not run again

Every subject meets the same messages in the same shuffles. Figures are means over the seeds; "behind" and
"ahead" say where the paired bootstrap over messages leaves no doubt (95%). docs/evaluation.md explains the
columns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.corpora import BY_DATE, labelled_mail
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
from deciban.evaluate.figures import table

CORPORA = ("spamassassin", "enron_spam", "ling_spam", "sms_spam", "ccert_zh")
PROTOCOLS = ("online", "half")
OURS = DecibanCommittee.name
WARM_UP = 500  # calibration is asked for after these
TIE = 0.001  # 1-ROCA% below this is as good as none
SAMPLE_SEED = 2026
PROMISES = (0.01, 0.005, 0.001)


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
            beside = kept.with_suffix(f".{os.getpid()}")
            beside.write_text(json.dumps(_record(trial, messages)))
            beside.rename(kept)
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


def compare(trials: dict[str, list[Trial]], messages: Sequence[LabelledMessage]) -> None:
    """The figures of each subject, and how sure the differences to ours are."""
    figures = {name: [Figures.of(trial) for trial in several] for name, several in trials.items()}
    print(table({name: Figures.mean(several) for name, several in figures.items()}), flush=True)
    if OURS not in trials:
        return
    spam = [message.spam for message in messages]
    scores = {name: [by_message(trial, messages) for trial in several] for name, several in trials.items()}
    for peer in trials.keys() - {OURS}:
        found = metrics.paired_bootstrap(scores[OURS], scores[peer], spam)
        ours, theirs = (fmean(one.roc_loss for one in figures[name]) for name in (OURS, peer))
        ratio = f"{ours / theirs:.2f}×" if theirs else "-"
        print(f"  {ratio:>6} {peer}: {judged(found, ours, theirs)}", end="")
        print(f" (difference {found.mean:+.4f}, 95% {found.low:+.4f} … {found.high:+.4f})", flush=True)


def judged(found: metrics.Difference, ours: float, theirs: float) -> str:
    if ours < TIE and theirs < TIE:
        return "tie, both below .001"
    if not found.significant:
        return "no significant difference"
    return "behind" if found.mean > 0 else "ahead"


def calibration(trials: Sequence[Trial]) -> None:
    """How far probabilities can be trusted after the first messages, pooled over seeds."""
    rest = [trial.since(WARM_UP) for trial in trials]
    spam = [true for trial in rest for true in trial.spam]
    probabilities = [p for trial in rest for p in trial.probabilities or ()]
    if len(probabilities) != len(spam) or len(set(spam)) < 2:
        return
    between = [(p, true) for p, true in zip(probabilities, spam, strict=True) if 0.1 < p < 0.9]
    ours = metrics.log_loss(probabilities, spam)
    best = metrics.log_loss(*recalibrated(rest))
    error = metrics.calibration_error(probabilities, spam)
    print(f"  calibration: log-loss {ours:.5f}, {ours / best:.2f}× that of isotonic recalibration;", end=" ")
    print(f"expected calibration error {error:.4f}", end="")
    if between:
        said, seen = (fmean(column) for column in zip(*between, strict=True))
        print(f"; of {len(between)} between .1 and .9: said {said:.3f}, seen {seen:.3f}", end="")
    print(flush=True)


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


def promised(name: str, trial: Trial) -> None:
    """What became of each promise: good mail lost and spam caught once it was active."""
    for rate in PROMISES:
        print(f"  {name}, {KeptPromise.followed(rate, trial)}", flush=True)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.accuracy", description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA)
    parser.add_argument("--subjects", nargs="+", choices=(OURS, *PEERS), default=(OURS, *PEERS))
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=PROTOCOLS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(1, 2, 3, 4, 5))
    parser.add_argument("--most", type=int, help="a sample of so many messages of each corpus")
    parser.add_argument("--keep", type=Path, help="a folder to keep trials in, and to find them again")
    return parser.parse_args(arguments)


# What `python -m benchmarks` takes of it: minutes instead of hours.
SAMPLE = ("--corpora", "spamassassin", "ling_spam", "--protocols", "online", "--seeds", "1", "--most", "1500")


def main(arguments: Sequence[str] = SAMPLE) -> None:
    chosen = options(arguments)
    subjects = installed_peers([name for name in chosen.subjects if name != OURS])
    if OURS in chosen.subjects:
        subjects = {OURS: DecibanCommittee, **subjects}
    laboratory = Laboratory(chosen.keep)
    for corpus in chosen.corpora:
        messages = shuffled(labelled_mail(corpus), SAMPLE_SEED)[: chosen.most]
        spams = sum(message.spam for message in messages)
        for protocol in chosen.protocols:
            print(
                f"\n{corpus}, {protocol}: {len(messages)} messages, {spams} spam, seeds {list(chosen.seeds)}"
            )
            trials = {
                name: [
                    laboratory.trial(name, make, corpus, messages, protocol, seed) for seed in chosen.seeds
                ]
                for name, make in subjects.items()
            }
            compare(trials, messages)
            if protocol == "online" and OURS in trials:
                calibration(trials[OURS])
                for seed, trial in zip(chosen.seeds, trials[OURS], strict=True):
                    promised(f"seed {seed}", trial)
        if corpus in BY_DATE and OURS in subjects:
            with DecibanCommittee() as subject:
                promised("by date", online(subject, labelled_mail(corpus, BY_DATE[corpus])))


if __name__ == "__main__":
    main(sys.argv[1:])
