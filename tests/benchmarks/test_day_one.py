"""What benchmarks of day one reckon with: ratios, standard errors, draws of lessons, verdicts of peers."""

import math

import pytest

from benchmarks.cold import at_random, by_folders
from benchmarks.hundredth_day import ThreeWayBogofilter
from benchmarks.transfer import FIRST, Pair, divided, means, summary, worst
from deciban.committee.extraction import features_of
from deciban.errors import PeerMissing
from deciban.evaluate import LabelledMessage, TaughtMessage
from deciban.text import read


def pair(empty: list[float], both: list[float]) -> Pair:
    """A pair with the same figure over all first messages, a row per shuffle."""
    return Pair(
        "a",
        "b",
        {"empty": [[one] * len(FIRST) for one in empty], "both": [[one] * len(FIRST) for one in both]},
    )


def test_a_pair_is_worse_by_its_mean_difference_with_the_error_of_the_shuffles():
    found = pair([1.0, 2.0, 3.0], [1.1, 2.3, 3.2])
    assert means(found.by_start["both"])[0] == pytest.approx(2.2)
    assert found.ratios("both")[0] == pytest.approx(2.22 / 2.02)
    difference, error = found.worse_by("both")
    assert (difference, error) == (pytest.approx(0.2), pytest.approx(0.1 / math.sqrt(3)))


def test_harm_is_counted_and_the_worst_pairs_are_named():
    pairs = [pair([1.0, 1.0], [2.0, 2.1]), pair([1.0, 1.0], [0.5, 0.4])]
    ((start, *_, most, above, sure),) = summary(pairs, ["both"])
    assert (start, above, sure) == ("both", "1 of 2", "1 of 2")
    assert most == pytest.approx(2.07 / 1.02)
    assert next(worst(pairs))[0] == "a under b"


def test_inverted_features_are_the_same_in_every_lesson_and_none_is_lost():
    first, second = (
        features_of(read(b"Subject: lunch\n\nat the usual place " + more)) for more in (b"", b"today")
    )
    right, wrong = divided(first, 0.5)
    assert sorted(right.words + wrong.words) == sorted(first.words)
    assert right.words
    assert wrong.words
    again, _ = divided(second, 0.5)
    assert set(right.words) & set(second.words) <= set(again.words)


def test_a_draw_of_lessons_has_both_labels():
    order = [LabelledMessage("ham", str(number)) for number in range(30)] + [LabelledMessage("spam", "last")]
    assert [message.label for message in at_random(order, 10)] == ["ham"] * 9 + ["spam"]
    assert [message.label for message in by_folders(order, 2)] == ["ham", "spam"]


def test_bogofilter_is_unsure_in_between():
    try:
        subject = ThreeWayBogofilter()
    except PeerMissing as reason:
        pytest.skip(str(reason))
    with subject:
        assert [opinion.label for opinion in subject.classify([b"Subject: anything\n\n"])] == ["unsure"]
        for number in range(20):
            subject.learn([TaughtMessage("spam", b"Subject: free money\n\nwin cash prize %d" % number)])
            subject.learn([TaughtMessage("ham", b"Subject: lunch\n\nat the usual place %d" % number)])
        said = subject.classify(
            [b"Subject: free money\n\nwin cash prize", b"Subject: lunch\n\nat the usual place"]
        )
        assert [opinion.label for opinion in said] == ["spam", "ham"]
