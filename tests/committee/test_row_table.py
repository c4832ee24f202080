"""Tables: dense and sparse, with a directory, flat and in layers, give the same bits; damage is noticed."""

import random
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.committee._committee import Committee
from deciban.committee._committee_buffer import LAYOUT
from deciban.committee._lesson_code import FEATURE_BITS, Features
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot, SharedFilterChanged
from deciban.filter.state import capacity_for
from tests.committee.streams import buffer_of, finished, made_up_lessons

LABELS = [2, 3, 5, 10, 20]
BLOCK = 4096  # bytes that have one check


class Sparse:
    """A committee over a sparse table that is poured into a larger one when it is full."""

    def __init__(
        self,
        learned: Settings,
        foundation: Committee | None = None,
        capacity: int = 2,
        with_directory: bool = False,
    ) -> None:
        self.settings = learned
        self.foundation = foundation
        self.with_directory = with_directory
        self.committee = self._made(capacity, 1)
        self.grown = 0

    def _made(self, capacity: int, rows: int) -> Committee:
        shape = Shape.for_rows(capacity, self.settings.bits, rows, is_layer=True, spare=0)
        made = Committee.fresh(self.settings, shape=shape, foundation=self.foundation)
        if self.with_directory:
            made.open_directory()
        return made

    def poured(self) -> Committee:
        """The state as a file would hold it."""
        capacity = self.committee.capacity
        made = Sparse(self.settings, self.foundation, capacity)._made(capacity, self.committee.rows)
        made.take_over(self.committee)
        made.check()
        return made

    def learn(self, label: str, features: Features) -> tuple[float, ...]:
        labels = {*self.committee.labels, label}
        if not self.committee.has_room(len(labels), len(features)):
            capacity = max(capacity_for(len(labels)), self.committee.capacity)
            larger = self._made(capacity, self.committee.rows + 2 * len(features))
            larger.take_over(self.committee)
            self.committee = larger
            self.grown += 1
        return self.committee.learn(label, features)


@given(
    st.integers(2, 11),
    st.integers(4, 12),
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 30)), max_size=40),
)
@settings(deadline=None)
def test_sparse_and_dense_tables_give_the_same_bits(
    labels: int, bits: int, course: list[tuple[int, int]]
) -> None:
    learned = Settings(bits=bits, salt=7)
    lessons = made_up_lessons(labels, 31)
    dense, sparse, listed = (
        Committee.fresh(learned, 16),
        Sparse(learned),
        Sparse(learned, with_directory=True),
    )
    for number, place in course:
        features = lessons[place][1]
        score = dense.score(features)
        assert sparse.committee.score(features) == score
        assert listed.committee.score(features) == score
        label = f"label {number % labels}"
        exam = dense.learn(label, features)
        assert sparse.learn(label, features) == exam
        assert listed.learn(label, features) == exam
    assert sparse.committee.state() == dense.state()
    assert listed.committee.state() == listed.poured().state() == dense.state()
    assert listed.poured().rows == listed.committee.rows == sparse.committee.rows
    sparse.committee.check()
    dense.check()


def test_a_directory_is_made_of_what_is_there_and_poured_into_any_table() -> None:
    learned = Settings(bits=12, salt=7)
    sparse = Sparse(learned, capacity=4)
    lessons = made_up_lessons(3, 60)
    for label, features in lessons[:30]:
        sparse.learn(label, features)
    listed = sparse.poured()
    assert not listed.has_directory
    listed.open_directory()
    listed.open_directory()
    assert listed.has_directory
    listed.check()
    assert listed.code() == sparse.committee.code()
    for shape in (Shape.dense(4, 12), Shape.for_rows(16, 12, 8000, is_layer=True)):
        other = Committee.fresh(learned, shape=shape)
        other.take_over(listed)
        other.check()
        for label, features in lessons[30:]:
            assert other.score(features) == sparse.committee.score(features), label
    with pytest.raises(ValueError, match="no room"):
        Committee.fresh(learned, shape=Shape(4, 12, 600)).take_over(listed)
    Committee.fresh(learned).open_directory()  # a dense table needs none


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("is_layer", [False, True])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("piece", [BLOCK, 3 * BLOCK, 1 << 18])
def test_a_table_that_is_taken_over_to_be_written_is_the_one_that_is_copied(
    labels: int, is_layer: bool, listed: bool, piece: int
) -> None:
    learned = Settings(bits=12, salt=7)
    site = Committee.fresh(learned)
    for label, features in made_up_lessons(2, 20):
        site.learn(label, features)
    foundation = site if is_layer else None
    sparse = Sparse(learned, foundation, capacity_for(labels), with_directory=listed)
    for label, features in made_up_lessons(labels, 60, seed=2):
        sparse.learn(label, features)
    shape = Shape.for_rows(sparse.committee.capacity, 12, sparse.committee.rows, is_layer=True)
    copied, written = (bytearray(Committee.size(learned, shape)) for _ in range(2))
    Committee.begin(learned, shape, copied, foundation).take_over(sparse.committee)
    made = Committee.begin(learned, shape, written, foundation)
    parts: list[tuple[int, bytes]] = []
    made.take_over_to_write(sparse.committee, lambda place, part: parts.append((place, bytes(part))), piece)
    assert bool(parts) == listed
    for place, part in parts:
        assert not any(written[place : place + len(part)])
        written[place : place + len(part)] = part
    assert written == copied
    assert made.seal() == Committee(learned, copied, foundation).seal()


@pytest.mark.parametrize("piece", [BLOCK, 4 * BLOCK, 1 << 18])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_an_index_in_pieces_is_the_whole_one_though_all_keys_are_at_its_end(piece: int, share: float) -> None:
    learned = Settings(bits=12, salt=7)
    salt, first = finished(learned.salt + 1), int((1 - share) * 2**64)
    at_the_end = [short for short in range(1 << 15) if finished((salt + short) % 2**64) >= first]
    sparse = Sparse(learned, with_directory=True)
    for number in range(4):
        words = array("Q", sorted(short << (64 - FEATURE_BITS) for short in at_the_end[number::4]))
        sparse.learn("ham" if number % 2 else "spam", Features.of(words, array("Q")))
    shape = Shape.for_rows(2, 12, sparse.committee.rows, is_layer=True, spare=0)
    copied, written = (bytearray(Committee.size(learned, shape)) for _ in range(2))
    Committee.begin(learned, shape, copied).take_over(sparse.committee)

    def write(place: int, part: memoryview) -> None:
        written[place : place + len(part)] = part

    made = Committee.begin(learned, shape, written)
    made.take_over_to_write(sparse.committee, write, piece)
    assert written == copied
    Committee(learned, bytes(copied)).check()


def test_long_messages_find_their_rows_behind_full_buckets() -> None:
    learned = Settings(bits=12, salt=7)
    rng = random.Random(5)
    dense, sparse = Committee.fresh(learned), Sparse(learned)
    for number in range(30):
        views = [
            array("Q", sorted({rng.getrandbits(FEATURE_BITS) << (64 - FEATURE_BITS) for _ in range(700)}))
            for _ in "wl"
        ]
        features = Features.of(*views)
        assert sparse.committee.score(features) == dense.score(features)
        label = "ham" if number % 2 else "spam"
        assert sparse.learn(label, features) == dense.learn(label, features)
    assert sparse.committee.state() == dense.state()


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("wider", [False, True])
@pytest.mark.parametrize("listed", [False, True])
def test_a_layer_says_what_a_copy_of_its_foundation_would(labels: int, wider: bool, listed: bool) -> None:
    learned = Settings(bits=12, salt=7)
    site = Sparse(learned)
    for label, features in made_up_lessons(labels, 200):
        site.learn(label, features)
    capacity = site.committee.capacity * (2 if wider else 1)
    for foundation in (
        site.committee,
        Committee(learned, buffer_of(learned, site.committee, Shape.dense(32, 12))),
    ):
        flat = Committee.fresh(learned, shape=Shape.dense(max(capacity, foundation.capacity), 12))
        flat.take_over(foundation)
        before = foundation.state()
        layer = Sparse(learned, foundation, max(capacity, foundation.capacity), listed)
        for label, features in made_up_lessons(labels, 60, seed=2):
            assert layer.learn(label, features) == flat.learn(label, features)
        if wider:
            other = made_up_lessons(labels, 1, seed=4)[0][1]
            assert layer.learn("another", other) == flat.learn("another", other)
        layer.poured() if listed else layer.committee.check()
        first, second = flat.labels[:2]
        for _, features in made_up_lessons(labels, 10, seed=3):
            assert layer.committee.score(features) == flat.score(features)
            assert layer.committee.explain(features, first, second) == flat.explain(features, first, second)
            for word in features.words:
                assert layer.committee.look("words", word) == flat.look("words", word)
        assert layer.committee.state() == flat.state()
        assert foundation.state() == before
        assert layer.committee.rows < flat.rows_learned()


def test_a_layer_without_lessons_says_what_its_foundation_says() -> None:
    learned = Settings(bits=10)
    site = Sparse(learned)
    for label, features in made_up_lessons(2, 50):
        site.learn(label, features)
    layer = Sparse(learned, site.committee).committee
    assert (layer.labels, layer.lessons, layer.rows) == (site.committee.labels, site.committee.lessons, 0)
    for _, features in made_up_lessons(2, 10, seed=2):
        assert layer.score(features) == site.committee.score(features)


def test_a_table_that_is_full_is_not_taught() -> None:
    (first, second) = made_up_lessons(2, 2)
    committee = Committee.fresh(Settings(bits=12), shape=Shape(2, 12, len(first[1])))
    committee.learn(*first)
    state = committee.state()
    with pytest.raises(ValueError, match="no room"):
        committee.learn(*second)
    committee.check()
    assert committee.state() == state


@pytest.mark.parametrize("labels", LABELS)
def test_a_code_is_the_same_for_every_shape_and_gives_the_state_back(labels: int) -> None:
    learned = Settings(bits=10, salt=7)
    sparse = Sparse(learned)
    for label, features in made_up_lessons(labels, 100):
        sparse.learn(label, features)
    code = sparse.committee.code()
    for capacity in (sparse.committee.capacity, 32):
        again = Committee.of_state(
            learned, code, capacity, lambda shape: Committee.fresh(learned, shape=shape)
        )
        again.check()
        assert (again.code(), again.capacity) == (code, capacity)
        for _, features in made_up_lessons(labels, 5, seed=2):
            assert again.score(features) == sparse.committee.score(features)


def test_a_damaged_code_is_refused_or_is_another_one() -> None:
    learned = Settings(bits=8, salt=7)
    sparse = Sparse(learned)
    for label, features in made_up_lessons(2, 20):
        sparse.learn(label, features)
    code = sparse.committee.code()
    rng = random.Random(1)
    for _ in range(300):
        damaged = bytearray(code)
        damaged[rng.randrange(len(code))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            damaged = damaged[: rng.randrange(len(code))]
        try:
            again = Committee.of_state(
                learned, bytes(damaged), 2, lambda shape: Committee.fresh(learned, shape=shape)
            )
        except DamagedSnapshot:
            continue
        # Rows are not covered by a check of the code: its users keep a digest of it.
        assert again.code() == damaged


@pytest.mark.parametrize("labels", [2, 3])
def test_any_damaged_word_of_a_sparse_table_is_noticed(labels: int) -> None:
    learned = Settings(bits=14, salt=7)
    sparse = Sparse(learned)
    for label, features in made_up_lessons(labels, 60):
        sparse.learn(label, features)
    buffer = buffer_of(learned, sparse.committee)
    start = sparse.committee.table_start
    rng = random.Random(2)
    for _ in range(200):
        damaged = bytearray(buffer)
        damaged[rng.randrange(start, len(buffer))] ^= 1 << rng.randrange(8)
        committee = Committee(learned, damaged)
        with pytest.raises(DamagedSnapshot):
            committee.check()
        used = Committee(learned, damaged)
        try:
            scores = [used.score(features) for _, features in made_up_lessons(labels, 30)]
        except DamagedSnapshot:
            continue
        assert scores == [sparse.committee.score(features) for _, features in made_up_lessons(labels, 30)]


def test_an_index_without_an_end_is_searched_once() -> None:
    # As it could be forged, with all checks right: no entry is free.
    learned = Settings(bits=12, salt=7)
    shape = Shape(2, 12, 300)
    buffer = bytearray(Committee.size(learned, shape))
    committee = Committee.begin(learned, shape, buffer)
    start = committee.table_start
    for bucket in range(shape.buckets):
        buffer[start + 64 * bucket : start + 64 * bucket + 64] = b"\xff" * 63 + b"\x0c"
    blocks = (len(buffer) - start) // 4096
    for block in range(blocks):
        words = memoryview(buffer)[start + 4096 * block : start + 4096 * (block + 1)].cast("Q")
        check = sum(word * (2 * place + 1) * 0x9E3779B97F4A7C15 for place, word in enumerate(words)) % 2**64
        at = 240 + 2 * 128 + 8 * block
        buffer[at : at + 8] = check.to_bytes(8, "little")
    features = made_up_lessons(2, 1)[0][1]
    Committee(learned, buffer).score(features)


def test_wide_buckets_of_many_rows_give_the_same_bits() -> None:
    learned = Settings(bits=22, salt=7)
    narrow, wide = Shape(2, 22, (1 << 17) - 1), Shape(2, 22, 1 << 17)
    assert wide.buckets > 1.1 * narrow.buckets
    committees = [Committee.fresh(learned, shape=shape) for shape in (narrow, wide)]
    for label, features in made_up_lessons(2, 60):
        first, second = (committee.learn(label, features) for committee in committees)
        assert first == second
    assert committees[0].code() == committees[1].code()
    for committee in committees:
        committee.check()


def test_keys_that_all_want_one_bucket_are_found_behind_it() -> None:
    # The salt of a starter is public: somebody could choose features whose keys are next to each other.
    learned, shape = Settings(bits=16, salt=7), Shape(2, 16, 2000)
    dense = Committee.fresh(learned)
    sparse, listed, poured = (Committee.fresh(learned, shape=shape) for _ in range(3))
    listed.open_directory()
    by_slot = sorted(range(1 << 16), key=lambda number: _hashed(_hashed(learned.salt + 1) + number))
    near = by_slot[-600:] + by_slot[:600]  # the last buckets go on with the first
    messages = [
        Features.of(
            array("Q", sorted(number << (64 - FEATURE_BITS) for number in near[start : start + 100])),
            array("Q"),
        )
        for start in range(0, 1200, 100)
    ]
    for features in messages:
        for label in ("spam", "ham"):
            assert dense.score(features) == sparse.score(features)
            assert dense.learn(label, features) == sparse.learn(label, features)
            listed.learn(label, features)
    poured.take_over(listed)
    for committee in (sparse, poured):
        assert dense.code() == committee.code()
        committee.check()
        for features in messages:
            assert dense.score(features) == committee.score(features)


def test_keys_with_the_same_tag_are_told_apart_by_their_first_bits() -> None:
    # The last 16 bits of a key are compared at once. Of all keys of 21 bits 32 have the same, two or three in
    # each bucket.
    learned = Settings(bits=20, salt=7)
    dense, sparse = Committee.fresh(learned), Committee.fresh(learned, shape=Shape(2, 20, 130))
    by_tag: dict[int, dict[int, int]] = {}
    for number in range(1 << 17):
        slot = _hashed(_hashed(learned.salt + 1) + number) >> 44
        by_tag.setdefault(slot & 0x7FFF, {})[slot >> 15] = number
    alike = [sorted(numbers.values()) for _, numbers in sorted(by_tag.items()) if len(numbers) > 3][:30]
    for first in range(4):  # each time one of the four that nobody knows yet, beside those that are known
        for numbers in (alike[:15], alike[10:]):
            known = [number for each in numbers for number in each[: first + 1]]
            features = Features.of(array("Q", sorted(n << (64 - FEATURE_BITS) for n in known)), array("Q"))
            for label in ("spam", "ham"):
                assert dense.score(features) == sparse.score(features)
                assert dense.learn(label, features) == sparse.learn(label, features)
    assert dense.code() == sparse.code()
    sparse.check()


def _hashed(number: int) -> int:
    """The finaliser of splitmix64, by whose first bits a feature has its slot."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def test_a_buffer_of_the_layout_before_is_refused() -> None:
    learned = Settings(bits=10)
    buffer = buffer_of(learned, Sparse(learned).committee)
    assert int.from_bytes(buffer[8:16], "little") % 1000 == LAYOUT
    buffer[8] -= 1
    with pytest.raises(DamagedSnapshot, match="another version"):
        Committee(learned, buffer)


def damaged_buffer(learned: Settings) -> bytearray:
    """A state of fifty lessons whose last rows are damaged."""
    sparse = Sparse(learned)
    for label, features in made_up_lessons(2, 50):
        sparse.learn(label, features)
    buffer = buffer_of(learned, sparse.committee)
    buffer[-6000:] = b"\7" * 6000
    return buffer


def test_damage_in_a_foundation_is_told_apart_from_that_of_a_snapshot() -> None:
    learned = Settings(bits=10)
    foundation = Committee(learned, damaged_buffer(learned))
    foundation.serve()
    layer = Committee.fresh(learned, shape=Shape.for_rows(2, 10, 600, is_layer=True), foundation=foundation)
    lessons = [features for _, features in made_up_lessons(2, 50)]
    with pytest.raises(SharedFilterChanged, match="damaged"):
        list(map(layer.score, lessons))


def test_a_layer_over_another_foundation_is_refused() -> None:
    learned = Settings(bits=10)
    first, second = (Committee.fresh(learned) for _ in range(2))
    lesson = made_up_lessons(2, 1)[0]
    second.learn(*lesson)
    shape = Shape.for_rows(2, 10, 600, is_layer=True)
    buffer = bytearray(Committee.size(learned, shape))
    Committee.begin(learned, shape, buffer, first)
    Committee(learned, buffer, first)
    for other in (second, None):
        with pytest.raises(DamagedSnapshot, match="foundation"):
            Committee(learned, buffer, other)
    with pytest.raises(ValueError, match="same foundation"):
        Committee(learned, buffer, first).take_over(second)


@pytest.mark.parametrize("labels", [2, 5])
def test_who_asks_much_by_a_list_of_rows_gets_the_same_totals_whatever_others_teach(labels: int) -> None:
    learned = Settings(bits=10)
    lessons = made_up_lessons(labels, 120)
    sparse = Sparse(learned)
    for label, features in lessons[:60]:
        sparse.learn(label, features)
    shape = Shape(sparse.committee.capacity, sparse.committee.shape.bits, 2 << 10)
    buffer = bytearray(Committee.size(learned, shape))
    teacher = Committee.begin(learned, shape, buffer)
    teacher.take_over(sparse.committee)
    plain, listing = Committee(learned, memoryview(buffer).toreadonly()), Committee(learned, buffer)
    listing.list_rows()
    assert not listing.has_directory
    for number, (label, features) in enumerate(lessons[60:]):
        assert listing.score(features) == plain.score(features)
        # Some are taught by somebody else, some by who has the list; new rows are found, and none is lost.
        (listing if number % 7 == 3 else teacher).learn(label, features)
        assert listing.score(features) == plain.score(features)
        if number % 10 == 9:
            listing.list_rows()
    assert listing.code() == teacher.code()
    teacher.check()


def test_damage_is_found_before_a_list_of_rows_is_made() -> None:
    learned = Settings(bits=10)
    with pytest.raises(DamagedSnapshot):
        Committee(learned, damaged_buffer(learned)).list_rows()
