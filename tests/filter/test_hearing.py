"""Many filters are open in a server: what a question takes is not kept for each of them."""

import re
from contextlib import ExitStack
from pathlib import Path

from deciban.filter import Filter
from deciban.filter.mail import lesson_of, question_of
from deciban.sources import RawMessage

FILTERS = 12
LONG = b"Subject: Lunch\n\n" + b" ".join(b"word%d" % number for number in range(40_000))


def private_megabytes() -> float:
    found = re.search(r"^Anonymous: +(\d+)", Path("/proc/self/smaps_rollup").read_text(), re.M)
    assert found is not None
    return int(found[1]) / 1e3


def test_a_question_leaves_no_memory_behind_in_each_filter(tmp_path: Path) -> None:
    with ExitStack() as opened:
        filters = []
        for number in range(FILTERS):
            made = opened.enter_context(Filter.open(str(tmp_path / f"{number}.db")))
            for label, data in ("spam", b"Subject: Free money"), ("ham", b"Subject: Lunch"):
                made.learn([lesson_of(label, "", made.preferences, RawMessage("", data))])
            filters.append(made)
        question = question_of(LONG, filters[0].preferences)

        def ask(mail_filter: Filter) -> None:
            hearing = mail_filter.hearing(1.0)
            verdict = hearing.weigh(question)
            assert verdict is not None
            assert verdict.subtotals is not None
            hearing.close()

        for mail_filter in filters:  # the first question opens files
            hearing = mail_filter.hearing(1.0)
            hearing.judge(question)
            hearing.close()
        ask(filters[0])
        before = private_megabytes()
        for mail_filter in filters[1:]:
            ask(mail_filter)
        assert private_megabytes() - before < 4
