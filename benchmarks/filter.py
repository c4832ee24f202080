"""How fast the filter learns, replays, classifies and forgets, and what a lesson takes, on SpamAssassin.

python -m benchmarks.filter

CPU time of this process; reading the mail is part of learning and classifying, as it is for a user.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import tempfile
import time

from benchmarks.corpora import unpack
from deciban.filter import Filter, Settings
from deciban.sources import RawMessage


def mails() -> list[tuple[str, RawMessage]]:
    folder = unpack("spamassassin")
    rows = [line.split("\t")[:2] for line in (folder / "index.tsv").read_text().splitlines()]
    random.Random(7).shuffle(rows)
    return [(label, RawMessage(name, (folder / name).read_bytes())) for label, name in rows]


def batches(corpus: list[tuple[str, RawMessage]], size: int = 200) -> list[tuple[str, list[RawMessage]]]:
    """Runs of one label, as a user teaches: a few hundred of the one, then of the other."""
    made = []
    for start in range(0, len(corpus), 2 * size):
        for label in ("ham", "spam"):
            chosen = [message for name, message in corpus[start : start + 2 * size] if name == label]
            made.append((label, chosen))
    return made


def forget_late(mail: Filter) -> None:
    """Forget ten of the last hundred lessons one by one, in turns with and without checkpoints."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    digests = [lesson.digest for lesson in mail.lessons()][-100::5]
    saved = sum(map(os.path.getsize, mail.checkpoints.files())) / 1e6
    for turn, digest in enumerate(digests):
        with_checkpoints = turn % 2 == 0
        if not with_checkpoints:
            for path in mail.checkpoints.files():
                os.unlink(path)
        start = time.process_time()
        mail.forget(digest=digest)
        seconds[with_checkpoints].append(time.process_time() - start)
    for with_checkpoints, times in seconds.items():
        how = f"with checkpoints ({saved:.0f} MB)" if with_checkpoints else "without"
        print(f"forget late    {statistics.median(times):8.3f} s {how}, one of the last 100")


def main() -> None:
    corpus = mails()
    path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
    count = len(corpus)
    with Filter.open(path, Settings(salt=1)) as mail:
        start = time.process_time()
        for label, messages in batches(corpus):
            mail.learn(label, messages)
        seconds = time.process_time() - start
        print(f"learn          {seconds / count * 1e3:8.3f} ms a message, of {count:,}")

        times = []
        for _, message in corpus[:2000]:
            start = time.process_time()
            mail.classify(message.data)
            times.append(time.process_time() - start)
        print(f"classify warm  {statistics.median(times) * 1e3:8.3f} ms in the median")

        forget_late(mail)
        start = time.process_time()
        mail.forget(source=corpus[0][1].id)
        print(f"forget one     {time.process_time() - start:8.3f} s: a replay with all exams")
        for saved in mail.checkpoints.files():
            os.unlink(saved)
    os.unlink(path + ".snapshot")
    with Filter.open(path) as mail:
        start = time.process_time()
        mail.classify(b"hello")
        seconds = time.process_time() - start
        print(f"replay         {count / seconds:8.0f} lessons a second")
    print(f"a lesson       {os.path.getsize(path) / count:8.0f} bytes in the ledger")
    print(f"snapshot       {os.path.getsize(path + '.snapshot') / 1e6:8.1f} MB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"peak memory    {peak:8.1f} MB, the corpus included")


if __name__ == "__main__":
    main()
