"""Known attacks: at full size nothing fails and every limit holds; twice the input is at most twice the work.

Work is counted on the instrumented build (fuzz/trace.c): basic blocks run and bytes searched or copied, in
a process of its own. The limits are wide open there, all but the depth, so that no limit hides a loop that
is not linear.
"""

import json
import subprocess

import pytest

from deciban.text import Limits, read
from fuzz.instrumented import CannotInstrument, run
from tests.text.attacks import ATTACKS
from tests.text.test_reader import check_integrity

FULL_SIZE = 10_000_000


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_at_full_size_stays_within_the_limits(name: str) -> None:
    raw = ATTACKS[name](FULL_SIZE)
    check_integrity(read(raw), Limits())


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("millions of tiny parts", "limit_parts"),
        ("nested multiparts", "limit_depth"),
        ("nested messages", "limit_depth"),
        ("one long header", "limit_header_bytes"),
        ("many headers", "limit_headers"),
        ("links", "limit_links"),
        ("one word", "limit_text"),
        ("broken base64", "broken_base64"),
        ("a made-up charset", "unknown_charset"),
        ("NUL bytes", "nul_bytes"),
    ],
)
def test_what_an_attack_ran_into_is_in_the_facts(name: str, fact: str) -> None:
    assert read(ATTACKS[name](1_000_000 if fact != "limit_text" else 3_000_000)).facts[fact]


@pytest.mark.parametrize("name", ["nested multiparts", "nested messages"])
def test_six_hundred_levels_are_read_when_one_allows_it(name: str) -> None:
    raw = ATTACKS[name](600 * 60)
    depth = max(part.depth for part in read(raw, Limits(depth=10_000, parts=10_000)).parts)
    assert depth >= 600


def test_twice_the_input_is_at_most_twice_the_work() -> None:
    try:
        done = run(["-m", "tests.text.work_of_attacks"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except CannotInstrument as reason:
        pytest.skip(f"needs an instrumented build: {reason}")
    assert done.returncode == 0, done.stderr[-3000:]
    works = json.loads(done.stdout)
    once, twice = works.pop("without a limit of depth")
    assert twice > 3 * once, "the count must see work that is not linear"
    assert not {name: work for name, work in works.items() if work[1] > 2.05 * work[0] + 1_000}
