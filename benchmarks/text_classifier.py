"""TextClassifier against TF-IDF with a linear SVM: Twenty Newsgroups by date, one core.

    python -m benchmarks text_classifier

Each learns in a process of its own, so that memory is its own: the most that the process held beyond what
it held with the texts read and everything imported. Times are CPU times; one text is the median of 200.
The last table says which goals are met. `python examples/2_newsgroups.py` has the accuracy on other splits.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import newsgroups_by_date
from benchmarks.measure import Goal, Table, goals_table, show
from deciban.learners import TextClassifier

CONTESTANTS = ("TextClassifier", "LinearSVC, words and pairs", "LinearSVC, words")
ASKED_ALONE = 200


def contestant(name: str) -> Any:
    if name == "TextClassifier":
        return TextClassifier()
    longest = 2 if "pairs" in name else 1
    return make_pipeline(TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True), LinearSVC())


def most_memory() -> float:
    """The most that this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(name: str) -> list[float]:
    """Seconds to fit, MB, accuracy, texts a second, and ms for one text."""
    parts = newsgroups_by_date()
    (texts, labels), (asked, truth) = parts["train"], parts["test"]
    model, before, start = contestant(name), most_memory(), time.process_time()
    model.fit(texts, labels)
    fitted, grown = time.process_time(), most_memory() - before
    right = float(np.mean(model.predict(asked) == np.array(truth)))
    speed = len(asked) / (time.process_time() - fitted)
    each = []
    for text in asked[:ASKED_ALONE]:
        begin = time.process_time()
        model.predict([text])
        each.append(time.process_time() - begin)
    return [fitted - start, grown, right, speed, 1e3 * statistics.median(each)]


def main(arguments: Sequence[str] = ()) -> list[Table]:
    found = {}
    for name in arguments or CONTESTANTS:
        command = [sys.executable, "-m", "benchmarks.text_classifier", name]
        found[name] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rows = []
    for name, (seconds, memory, right, speed, one) in found.items():
        first = found[next(iter(found))]
        ratios = (first[0] / seconds, first[1] / memory, first[4] / one)
        rows.append((name, seconds, round(memory), f"{right:.1%}", round(speed), one, *ratios))
    columns = (
        "",
        "fit, s",
        "fit, MB",
        "accuracy",
        "texts/s",
        "one text, ms",
        "fit ÷ it",
        "MB ÷ it",
        "one ÷ it",
    )
    table = Table("Twenty Newsgroups by date: 11,314 texts to learn, 7,532 to classify", columns, rows)
    return [table, *([goals_table(goals(found))] if len(found) == len(CONTESTANTS) else [])]


def goals(found: dict[str, list[float]]) -> Iterator[Goal]:
    """TextClassifier costs no more than its peer, and is as accurate as when the goals were set."""
    ours, peer = (found[name] for name in CONTESTANTS[:2])
    yield Goal(f"fit, CPU time ÷ {CONTESTANTS[1]}", ours[0] / peer[0], at_most=1)
    yield Goal(f"fit, memory ÷ {CONTESTANTS[1]}", ours[1] / peer[1], at_most=1)
    yield Goal("one text, ms", ours[4], at_most=2)
    yield Goal("accuracy, %", round(100 * ours[2], 1), at_least=87.9)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(measured(sys.argv[1])))
    else:
        show(main())
