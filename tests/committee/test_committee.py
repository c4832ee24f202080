"""The committee: any number of labels, the same bits every time, and explanations that add up."""

import os
import random
from array import array
from hashlib import blake2b
from pathlib import Path

import pytest

from deciban.committee._committee import Committee, Glance
from deciban.committee._lesson_code import Features
from deciban.committee.course import Course
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import BadLabel, DamagedLedger, DamagedSnapshot, NoSuchLabel, TooManyLabels
from tests.committee.streams import buffer_of, made_up_features, made_up_lessons

SETTINGS = Settings(bits=10, salt=12345)
LABELS = [2, 3, 5, 20]


def taught(labels: int, lessons: int = 200, settings: Settings = SETTINGS) -> Committee:
    course = Course(settings)
    for label, features in made_up_lessons(labels, lessons):
        course.learn(label, features)
    return course.committee


@pytest.mark.parametrize("labels", LABELS)
def test_any_number_of_labels_is_learned(labels: int) -> None:
    committee = taught(labels, 40 * labels)
    right = 0
    for label, features in made_up_lessons(labels, 100, seed=2):
        totals = dict(zip(committee.labels, committee.score(features), strict=True))
        right += max(totals, key=totals.__getitem__) == label
    assert right >= 90


@pytest.mark.parametrize("labels", LABELS)
def test_the_same_lessons_give_the_same_bits(labels: int) -> None:
    assert taught(labels).state() == taught(labels).state()


@pytest.mark.parametrize("labels", [1, 2, 5])
@pytest.mark.parametrize("is_layer", [False, True])
@pytest.mark.parametrize("as_codes", [False, True])
def test_many_lessons_at_once_are_learned_as_one_by_one(labels: int, is_layer: bool, as_codes: bool) -> None:
    lessons = made_up_lessons(labels, 60)
    shape = Shape.for_rows(8, 10, 4000, is_layer=is_layer)
    single, many = (Committee.fresh(Settings(bits=10), shape=shape) for _ in range(2))
    exams = [single.learn(label, features) for label, features in lessons]
    names, features = [label for label, _ in lessons], [each for _, each in lessons]
    found: list[tuple[float, ...]] = []
    while len(found) < len(lessons):
        done = len(found)
        before = many.labels
        codes = [each.encode() for each in features]
        found += many.learn_many(names[done:], (codes if as_codes else features)[done:])
        # Up to the first of a new label, or to the end.
        assert {*names[done : len(found)]} <= {*before, names[len(found) - 1]}
        assert names[len(found) - 1] not in before or len(found) == len(lessons)
    assert found == exams
    assert many.state() == single.state()
    assert many.seal() == single.seal()


@pytest.mark.parametrize("labels", [1, 2, 5])
@pytest.mark.parametrize("is_layer", [False, True])
def test_a_lesson_that_was_scored_just_before_is_learned_as_any_other(labels: int, is_layer: bool) -> None:
    shape = Shape.for_rows(8, 10, 4000, is_layer=is_layer)
    plain, scoring = (Committee.fresh(Settings(bits=10), shape=shape) for _ in range(2))
    before = made_up_features(random.Random(9), 0)
    for label, features in made_up_lessons(labels, 60):
        scoring.score(before)
        expected = scoring.score(features)
        assert plain.learn(label, features) == scoring.learn(label, features) == expected
        assert scoring.score(features) == plain.score(features) != expected
    assert plain.state() == scoring.state()
    assert plain.seal() == scoring.seal()


@pytest.mark.parametrize("is_layer", [False, True])
def test_a_lesson_that_was_explained_just_before_is_learned_as_any_other(is_layer: bool) -> None:
    shape = Shape.for_rows(2, 10, 4000, is_layer=is_layer)
    plain, explaining = (Committee.fresh(Settings(bits=10), shape=shape) for _ in range(2))
    for number, (label, features) in enumerate(made_up_lessons(2, 60)):
        expected = explaining.score(features)
        if number >= 10:
            first = explaining.explain(features, "label 0", "label 1")
            assert explaining.explain(features, "label 0", "label 1") == first
            *parts, bias = first
            assert sum(map(sum, parts)) + bias == pytest.approx(expected[0] - expected[1])
        assert plain.learn(label, features) == explaining.learn(label, features) == expected
    assert plain.state() == explaining.state()


def test_a_damaged_code_among_many_is_refused_and_what_was_learned_before_it_stays() -> None:
    (label, features), (_, another) = made_up_lessons(1, 2)
    damaged, expected = Committee.fresh(Settings(bits=10)), Committee.fresh(Settings(bits=10))
    for committee in (damaged, expected):
        committee.learn(label, features)
    with pytest.raises(DamagedLedger, match="cannot be read"):
        damaged.learn_many([label, label], [another.encode(), features.encode()[:-3]])
    expected.learn(label, another)
    assert damaged.state() == expected.state()
    with pytest.raises(TypeError, match="got NoneType"):
        damaged.learn_many([label], [None])  # type: ignore[list-item]
    assert damaged.state() == expected.state()


def test_a_lesson_that_was_scored_before_another_state_was_taken_over_is_scored_again() -> None:
    one, other = Committee.fresh(SETTINGS), taught(2)
    features = made_up_features(random.Random(9), 0)
    one.score(features)
    one.take_over(other)
    assert one.learn("label 0", features) == other.learn("label 0", features)
    assert one.state() == other.state()


def test_of_many_lessons_none_is_no_work() -> None:
    committee = Committee.fresh(Settings(bits=10))
    before = committee.state()
    assert committee.learn_many([], []) == []
    assert committee.state() == before


def test_a_committee_that_gave_back_its_room_says_and_learns_the_same() -> None:
    kept, giving = Committee.fresh(SETTINGS), Committee.fresh(SETTINGS)
    for label, features in made_up_lessons(2, 60):
        assert kept.learn(label, features) == giving.learn(label, features)
        assert kept.totals_of(features) == giving.totals_of(features)
        giving.give_back()
        giving.give_back()
    assert kept.state() == giving.state()


def test_two_labels_are_heard_and_taught_alike_with_room_for_more() -> None:
    narrow, wide = Committee.fresh(SETTINGS, 2), Committee.fresh(SETTINGS, 4)
    for label, features in made_up_lessons(2, 300):
        assert narrow.learn(label, features) == wide.learn(label, features)
    for feature in features.words:
        assert narrow.look("words", feature) == wide.look("words", feature)
    assert narrow.state() == wide.state()


def test_the_order_of_lessons_is_part_of_the_state() -> None:
    forward, backward = Committee.fresh(SETTINGS), Committee.fresh(SETTINGS)
    lessons = made_up_lessons(2, 20)
    for label, features in lessons:
        forward.learn(label, features)
    for label, features in reversed(lessons):
        backward.learn(label, features)
    assert forward.state() != backward.state()


@pytest.mark.parametrize("labels", LABELS)
def test_a_message_scores_as_in_its_exam(labels: int) -> None:
    committee = taught(labels)
    for label, features in made_up_lessons(labels, 20, seed=3):
        before = committee.state()
        score = committee.score(features)
        assert committee.state() == before
        assert committee.learn(label, features) == score


def test_a_message_scores_the_same_from_its_code() -> None:
    committee = taught(3)
    for _, features in made_up_lessons(3, 20, seed=4):
        assert committee.score(Features.decode(features.encode())) == committee.score(features)


@pytest.mark.parametrize("labels", LABELS)
def test_explanations_add_up_to_the_difference_of_two_totals(labels: int) -> None:
    committee = taught(labels)
    for _, features in made_up_lessons(labels, 20, seed=5):
        totals = committee.score(features)
        for favoured, against in ((0, 1), (labels - 1, 0)):
            words, letters, bias = committee.explain(
                features, committee.labels[favoured], committee.labels[against]
            )
            assert (len(words), len(letters)) == (len(features.words), len(features.letters))
            assert any(words)
            assert any(letters)
            total = sum(words) + sum(letters) + bias
            assert total == pytest.approx(totals[favoured] - totals[against], abs=1e-9)


def test_subtotals_are_those_of_the_message_that_is_given_and_of_the_lessons_by_then() -> None:
    committee = taught(2)
    (_, asked), (label, other) = made_up_lessons(2, 2, seed=5)
    spam, ham = committee.labels

    def expected() -> tuple[float, float]:
        words, letters, _ = committee.explain(asked, spam, ham)
        return pytest.approx((sum(words), sum(letters)), abs=1e-9)

    committee.score(asked)
    assert committee.subtotals(asked, spam, ham) == expected()
    committee.score(other)
    assert committee.subtotals(asked, spam, ham) == expected()
    committee.learn(label, asked)
    assert committee.subtotals(asked, spam, ham) == expected()


def test_with_two_labels_the_weights_mirror_each_other() -> None:
    committee = taught(2)
    for _, features in made_up_lessons(2, 20, seed=6):
        for feature in features.letters:
            _, (first, second) = committee.look("letters", feature)
            assert first == -second
        for witness in committee.witness_scores(features):
            assert witness[0] == pytest.approx(-witness[1], abs=1e-12)


def test_a_feature_seen_under_one_label_speaks_for_it() -> None:
    committee = Committee.fresh(SETTINGS)
    money, lunch = (Features.of(array("Q", [number << 50]), array("Q")) for number in (1, 2))
    for _ in range(3):
        committee.learn("spam", money)
        committee.learn("ham", lunch)
    counts, weights = committee.look("words", money.words[0])
    assert counts[0] > 0 == counts[1]
    assert weights[0] > 0 > weights[1]
    ((favour,), _, _) = committee.explain(money, "spam", "ham")
    assert favour > 0


def test_few_features_say_less_than_many() -> None:
    committee = Committee.fresh(SETTINGS)
    words = {
        label: [(number * 97 + first) << 41 for number in range(30)] for label, first in (("a", 0), ("b", 9))
    }
    for _ in range(5):
        for label, own in words.items():
            committee.learn(label, Features.of(array("Q", own), array("Q")))
    few, many = (
        committee.witness_scores(Features.of(array("Q", words["a"][:count]), array("Q")))[0]
        for count in (1, 20)
    )
    assert 0 < few[0] < 0.5 * many[0]


def test_a_long_lesson_takes_shorter_first_steps_than_a_short_one() -> None:
    weights = []
    for count in (4, 400):
        committee = Committee.fresh(Settings(bits=16))
        numbers = list(range(1, count + 1))
        committee.learn("a", Features.of(array("Q", [number << 41 for number in numbers]), array("Q")))
        weights.append(committee.look("words", 1)[1][0])
    assert 0 < weights[1] < 0.9 * weights[0]


def test_many_labels_are_told_better_from_few_examples_by_complements() -> None:
    right = {}
    for complement in (0.0, 0.3):
        course = Course(Settings(bits=12, complement=complement))
        for number, (label, _) in enumerate(made_up_lessons(12, 60, seed=4)):
            # The examples of some labels are long: they have more features in common with any message.
            place, rng = int(label.split()[1]), random.Random(number)
            course.learn(label, of_topic(rng, place, common=20 if place % 2 else 200))
        asked = [(f"label {place}", of_topic(random.Random(900 + place), place, 60)) for place in range(12)]
        totals = [(label, course.score(features)) for label, features in asked]
        right[complement] = sum(max(found, key=found.__getitem__) == label for label, found in totals)
    assert right[0.3] > right[0.0], right


def of_topic(rng: random.Random, topic: int, common: int) -> Features:
    """A few words of a topic among words that every message may have."""
    words = {1000 + 20 * topic + rng.randrange(20) for _ in range(6)} | {
        rng.randrange(500) for _ in range(common)
    }
    return Features.of(array("Q", sorted(word << 41 for word in words)), array("Q"))


def test_states_from_before_there_were_complements_keep_their_bits() -> None:
    earlier = Settings.from_text(Settings(bits=12, salt=7).text().replace(" complement=0.3", ""))
    assert earlier.complement == 0
    committee = Committee.fresh(earlier, 4)
    exams = [committee.learn(label, features) for label, features in made_up_lessons(3, 120)]
    digest = blake2b(array("d", [total for exam in exams for total in exam]), digest_size=8)
    assert digest.hexdigest() == "c2f0d14f7fea3554"


def test_states_from_before_counts_had_a_lead_keep_their_bits() -> None:
    earlier = Settings.from_text(Settings(bits=12, salt=7).text().replace(" lead=1.0", ""))
    assert (earlier.complement, earlier.lead) == (0.3, 0)
    committee = Committee.fresh(earlier, 4)
    exams = [committee.learn(label, features) for label, features in made_up_lessons(3, 120)]
    digest = blake2b(array("d", [total for exam in exams for total in exam]), digest_size=8)
    assert digest.hexdigest() == "f46a5889fad3cb1c"


def test_two_labels_are_learned_alike_with_and_without_a_lead() -> None:
    first, second = (Committee.fresh(Settings(bits=12, lead=lead), 4) for lead in (0.0, 1.0))
    for label, features in made_up_lessons(2, 60):
        assert first.learn(label, features) == second.learn(label, features)


def test_who_saw_few_examples_of_many_labels_does_not_doubt_their_labels() -> None:
    doubts = {}
    for lead in (0.0, 1.0):
        course = Course(Settings(bits=14, lead=lead))
        for number in range(200):
            rng = random.Random(number)
            course.learn(f"label {number % 20}", of_topic(rng, number % 20, common=rng.choice((20, 200))))
        doubts[lead] = course.committee.doubt
    # What contradicts it are its own mistakes: no label is wrong.
    assert doubts[0.0] > 0.01 > doubts[1.0], doubts


def test_a_third_label_changes_nothing_about_what_was_counted_before() -> None:
    narrow, wide = (Committee.fresh(SETTINGS, capacity) for capacity in (2, 4))
    for label, features in made_up_lessons(2, 40):
        narrow.learn(label, features)
        wide.learn(label, features)
    grown = Committee.fresh(SETTINGS, 4)
    grown.take_over(narrow)
    for label, features in made_up_lessons(3, 20, seed=5):
        assert grown.learn(label, features) == wide.learn(label, features)
    assert grown.code() == wide.code()


def test_a_first_label_alone_is_learned_as_what_the_second_is_not() -> None:
    committee = Committee.fresh(SETTINGS)
    for _, features in made_up_lessons(1, 30):
        assert len(committee.learn("ham", features)) <= 1
    committee.learn("spam", made_up_lessons(1, 1, seed=9)[0][1])
    assert committee.labels == ("ham", "spam")
    ham, spam = committee.score(made_up_lessons(1, 1, seed=8)[0][1])
    assert ham > spam


def test_a_message_without_features_scores_by_the_bias_alone() -> None:
    committee = taught(2)
    nothing = Features.of(array("Q"), array("Q"))
    words, letters, bias = committee.explain(nothing, *committee.labels)
    first, second = committee.score(nothing)
    assert (words, letters, bias) == ([], [], first - second)
    committee.learn("label 0", nothing)


def test_another_salt_puts_features_elsewhere() -> None:
    words = made_up_lessons(2, 1)[0][1].words
    settings = SETTINGS.replaced(bits=20)
    first, second = taught(2, settings=settings), taught(2, settings=settings.replaced(salt=1))
    assert [first.look("words", word) for word in words] == [second.look("words", word) for word in words]
    assert first.state() != second.state()


def test_counts_stay_at_their_limit() -> None:
    committee = Committee.fresh(SETTINGS.replaced(margin=1e6, margin_grown=1e6))
    lesson = Features.of(array("Q", [1 << 50]), array("Q"))
    for _ in range(65_537):
        committee.learn("spam", lesson)
    assert committee.look("words", lesson.words[0])[0] == (65_535,)
    assert committee.lessons == {"spam": 65_537}


def test_labels_are_any_text_up_to_64_bytes() -> None:
    committee = Committee.fresh(SETTINGS)
    lesson = Features.of(array("Q", [1]), array("Q"))
    committee.learn("é" * 32, lesson)
    committee.learn("仕事", lesson)
    assert committee.labels == ("é" * 32, "仕事")
    for wrong in ("", "é" * 33, "a\0b", "\ud800"):
        with pytest.raises(BadLabel):
            committee.learn(wrong, lesson)


def test_a_label_too_many_is_refused_and_nothing_changes() -> None:
    committee = taught(2)
    before = committee.state()
    with pytest.raises(TooManyLabels):
        committee.learn("third", made_up_lessons(1, 1)[0][1])
    assert committee.state() == before


def test_explaining_with_an_unknown_label_names_those_that_there_are() -> None:
    committee = taught(2)
    with pytest.raises(NoSuchLabel, match="label 0"):
        committee.explain(made_up_lessons(1, 1)[0][1], "spam", "label 0")


def test_a_read_only_state_can_be_scored_but_not_taught() -> None:
    committee = taught(2)
    copy = Committee(SETTINGS, bytes(buffer_of(SETTINGS, committee)))
    features = made_up_lessons(2, 1, seed=7)[0][1]
    assert copy.score(features) == committee.score(features)
    with pytest.raises(ValueError, match="read-only"):
        copy.learn("label 0", features)


def test_a_state_that_does_not_fit_is_refused() -> None:
    state = buffer_of(SETTINGS, taught(2))
    with pytest.raises(DamagedSnapshot, match="no state"):
        Committee(SETTINGS, b"x" * len(state))
    with pytest.raises(DamagedSnapshot, match="settings"):
        Committee(SETTINGS.replaced(rate=0.5), state)
    with pytest.raises(DamagedSnapshot, match="short"):
        Committee(SETTINGS, state[:-1])
    with pytest.raises(DamagedSnapshot, match="no state"):
        Committee(SETTINGS, b"")


def test_a_closed_committee_says_so() -> None:
    committee = taught(2)
    committee.close()
    committee.close()
    with pytest.raises(ValueError, match="closed"):
        committee.score(made_up_lessons(1, 1)[0][1])


def test_a_thousand_labels_can_be_saved_and_taken_over() -> None:
    # A row is then longer than a block, which has a check of its own.
    settings = SETTINGS.replaced(bits=12)
    committee = taught(1000, 1000, settings)
    assert committee.capacity >= 512
    again = Committee(settings, buffer_of(settings, committee))
    for _, features in made_up_lessons(1000, 10, seed=7):
        assert again.score(features) == committee.score(features)


# Something stands before the state, as in a snapshot.
BEFORE = b"x" * 4096


def written(folder: Path, state: bytes | bytearray) -> int:
    """A file that holds a state, opened."""
    path = folder / "state"
    path.write_bytes(BEFORE + state)
    return os.open(path, os.O_RDONLY)


# With 1,000 labels a row is longer than a block.
@pytest.mark.parametrize("labels", [*LABELS, 1000])
def test_a_glance_at_a_file_says_what_the_committee_says(labels: int, tmp_path: Path) -> None:
    committee = taught(labels, max(200, labels), SETTINGS.replaced(bits=12))
    settings = SETTINGS.replaced(bits=12)
    file = written(tmp_path, buffer_of(settings, committee))
    glance = Glance(settings, file, len(BEFORE))
    assert (glance.labels, glance.lessons) == (committee.labels, committee.lessons)
    first, second = committee.labels[:2]
    for _, features in made_up_lessons(labels, 10, seed=7):
        assert glance.score(features) == committee.score(features)
        assert glance.explain(features, first, second) == committee.explain(features, first, second)
        for word in features.words:
            assert glance.look("words", word) == committee.look("words", word)
    assert glance.state() == committee.state() == Committee.state(glance)
    glance.check()
    copy = Committee.fresh(settings, shape=committee.shape)
    copy.take_over(glance)
    assert copy.state() == committee.state()
    os.close(file)


def test_a_glance_cannot_be_taught(tmp_path: Path) -> None:
    file = written(tmp_path, buffer_of(SETTINGS, taught(2)))
    glance = Glance(SETTINGS, file, len(BEFORE))
    with pytest.raises(ValueError, match="read-only"):
        glance.learn("label 0", made_up_lessons(2, 1)[0][1])
    os.close(file)


def test_a_glance_is_for_dense_tables(tmp_path: Path) -> None:
    dense = taught(2)
    for name, shape in (("dense", dense.shape), ("sparse", Shape.for_rows(2, 10, 2000, is_layer=True))):
        path = tmp_path / name
        path.write_bytes(BEFORE + buffer_of(SETTINGS, dense, shape))
        with path.open("rb") as file:
            assert Glance.is_fit(file.fileno(), len(BEFORE)) == (name == "dense")
            assert not Glance.is_fit(file.fileno(), path.stat().st_size - 10)


def test_a_glance_at_a_damaged_table_is_refused(tmp_path: Path) -> None:
    state = buffer_of(SETTINGS, taught(2))
    state[-5000:] = b"\7" * 5000
    messages = [features for _, features in made_up_lessons(2, 50)]
    file = written(tmp_path, state)
    glance = Glance(SETTINGS, file, len(BEFORE))
    with pytest.raises(DamagedSnapshot, match="tables"):
        list(map(glance.score, messages))
    os.close(file)


@pytest.mark.parametrize("size", [0, 100, 300, 1000, -4096, -1])
def test_a_glance_at_a_file_that_is_cut_short_is_refused(size: int, tmp_path: Path) -> None:
    file = written(tmp_path, buffer_of(SETTINGS, taught(2))[:size])
    with pytest.raises(DamagedSnapshot):
        Glance(SETTINGS, file, len(BEFORE))
    os.close(file)


def test_a_glance_at_a_file_that_is_cut_later_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, buffer_of(SETTINGS, taught(2)))
    glance = Glance(SETTINGS, file, len(BEFORE))
    messages = [features for _, features in made_up_lessons(2, 50)]
    os.truncate(tmp_path / "state", len(BEFORE) + 1000)
    with pytest.raises(DamagedSnapshot):
        list(map(glance.score, messages))
    os.close(file)


def taught_wrongly(labels: int, share: float, lessons: int = 1500) -> Committee:
    """A committee to whom that share of the lessons, easy and hard ones, was taught as the next label."""
    rng = random.Random(8)
    course = Course(SETTINGS)
    for _ in range(lessons):
        label = rng.randrange(labels)
        features = made_up_features(rng, label, *rng.choice([(12, 30), (2, 4)]))
        wrong = rng.random() < share
        course.learn(f"label {(label + wrong) % labels}", features)
    return course.committee


def margin_of(committee: Committee, favoured: str, features: Features) -> float:
    """How far a label's total lies above the best other."""
    totals = dict(zip(committee.labels, committee.score(features), strict=True))
    return totals.pop(favoured) - max(totals.values())


@pytest.mark.parametrize("labels", [2, 3, 5])
def test_there_is_no_doubt_in_lessons_that_are_right(labels: int) -> None:
    assert taught(labels, 400).doubt == 0


@pytest.mark.parametrize("labels", [2, 5])
@pytest.mark.parametrize("share", [0.05, 0.1])
def test_doubt_is_the_proven_share_of_wrong_labels(labels: int, share: float) -> None:
    assert 0.4 * share < taught_wrongly(labels, share).doubt < 1.1 * share


def test_doubt_has_a_limit_because_the_filter_may_be_wrong_itself() -> None:
    committee = taught(2, 300)
    for label, features in made_up_lessons(2, 60, seed=3):
        committee.learn("label 1" if label == "label 0" else "label 0", features)
    assert committee.doubt <= 0.2


def test_a_wrong_label_moves_a_doubting_committee_less() -> None:
    def moved(committee: Committee) -> float:
        features = made_up_features(random.Random(9), 0)
        before = margin_of(committee, "label 0", features)
        assert before > 2
        committee.learn("label 1", features)
        return before - margin_of(committee, "label 0", features)

    assert moved(taught_wrongly(2, 0.1)) < 0.5 * moved(taught(2, 1500))


def test_what_is_taught_again_and_again_is_learned_in_spite_of_doubt() -> None:
    committee = taught_wrongly(2, 0.1)
    features = made_up_features(random.Random(9), 0)
    needed = 0
    while margin_of(committee, "label 1", features) < 0:
        committee.learn("label 1", features)
        needed += 1
        assert needed <= 20


def test_a_correction_is_learned_at_once_where_there_is_no_doubt() -> None:
    committee = taught(2, 1500)
    features = made_up_features(random.Random(9), 0)
    before = margin_of(committee, "label 0", features)
    committee.learn("label 1", features)
    assert margin_of(committee, "label 0", features) < 0.7 * before
