import pytest

from deciban.decibans import DECIBANS_A_NAT, log_odds
from deciban.evaluate import DecibanCommittee, LabelledMessage, follow, read_steps
from deciban.evaluate.mistakes import MistakeKeeper
from deciban.evaluate.telling_features import telling_features
from tests.evaluate.small_mailbox import write_mailbox


@pytest.fixture
def mailbox(tmp_path):
    """A mailbox at whose end a spam is labelled ham."""
    index = write_mailbox(tmp_path)
    (tmp_path / "wrong").write_bytes(b"Subject: casino\n\ncheap pills casino winner prize loan viagra\n")
    index.write_text(index.read_text() + "ham\twrong\n")
    return read_steps(index)


def test_the_worst_mistake_is_kept_with_what_was_known_then(mailbox):
    keeper = MistakeKeeper(most=3)
    with DecibanCommittee() as subject:
        trial = follow(subject, mailbox, watch=keeper)
    worst = keeper.worst[0]
    assert (worst.number, worst.label, worst.taken_for, worst.subject) == (61, "ham", "spam", "casino")
    assert worst.name.endswith("/wrong")
    assert worst.text.startswith("cheap pills")
    totals = trial.opinions[-1].totals
    assert worst.decibans == pytest.approx(-DECIBANS_A_NAT * log_odds(totals, "ham"))
    assert worst.spots[0].decibans > 0
    assert {"casino", "pills"} & {spot.name for spot in worst.spots if spot.decibans > 0}
    assert sum(worst.kinds.values()) == pytest.approx(worst.decibans)
    assert [mistake.decibans for mistake in keeper.worst] == sorted(
        (mistake.decibans for mistake in keeper.worst), reverse=True
    )
    assert len(keeper.worst) <= 3


def test_one_who_cannot_say_why_makes_no_mistakes_here(mailbox):
    class Silent:
        name = "silent"

    keeper = MistakeKeeper()
    with DecibanCommittee() as subject:
        keeper(Silent(), mailbox[0].message, b"", subject.classify([b"x"])[0])
    assert keeper.worst == []
    assert telling_features(Silent(), [LabelledMessage("ham", None)]) == {}


def test_telling_features_are_the_words_that_labels_do_not_share(mailbox):
    messages = [step.message for step in mailbox]
    with DecibanCommittee() as subject:
        follow(subject, mailbox)
        found = telling_features(subject, messages)
    assert set(found) == {"ham", "spam"}
    spam = {feature.name for feature in found["spam"]}
    assert spam & {"viagra", "winner", "casino", "cheap", "pills", "click", "prize", "loan"}
    assert not spam & {"meeting", "agenda", "patch", "review", "lunch"}
    assert all(feature.decibans > 0 and 0 < feature.share <= 1 for feature in found["spam"])
