"""The tally of partitioned data: the sum of the partitions' tallies, whoever made them.

>>> from deciban import Poisson
>>> from deciban.engines import Rows, Serial
>>> parts = [Rows([[3], [0]], ["a", "b"]), Rows([[5]], ["a"])]
>>> tally(parts, Poisson(), Serial()).sums["sum"].tolist()
[[8], [0]]

What the first batch fixes, such as a Gaussian's pivot, is part of a family's value: where there is something
to fix, the first partition is tallied by itself, and the others with the family that came out of it. Tallies
are added in the order of the partitions, whichever is ready first, so sums of real numbers are rounded in the
same way as here and now.
"""

from __future__ import annotations

from functools import partial
from itertools import chain

from deciban.engines.engine import Serial
from deciban.errors import DecibanError, NotEnoughValues, PartitionFailed, WorkerDied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deciban.engines.engine import Engine
    from deciban.engines.partitions import Partition
    from deciban.families import Family
    from deciban.tally import Tally


def tally(
    partitions: Iterable[Partition],
    family: Family,
    engine: Engine | None = None,
    progress: Callable[[int], object] | None = None,
) -> Tally:
    """The sums of all rows of all partitions under their labels.

    ``progress`` is called with the number of partitions that are done.
    """
    parts = list(partitions)
    if not parts:
        raise NotEnoughValues("There is nothing to tally: no partition was given.")
    total: Tally | None = None
    with (engine or Serial()).running() as running:
        done = 0
        try:
            for part, one in zip(parts, _tallies(parts, family, running), strict=True):
                total = one if total is None else _added(total, one, part)
                done += 1
                if progress is not None:
                    progress(done)
        except WorkerDied as died:
            raise WorkerDied(
                f"{died} The first partition without a result is {parts[done].name!r}."
            ) from None
    assert total is not None
    return total


def _tallies(parts: list[Partition], family: Family, engine: Engine) -> Iterator[Tally]:
    """The tally of each partition, in their order."""
    from deciban.families import Family

    if type(family)._settle is Family._settle:  # nothing to wait for
        return engine.map(partial(tally_one, family), parts)
    first = next(iter(engine.map(partial(tally_one, family), parts[:1])))
    rest = engine.map(partial(tally_one, first.family), parts[1:])
    return chain([first], rest)


def _added(total: Tally, one: Tally, part: Partition) -> Tally:
    try:
        return total + one
    except DecibanError as error:
        raise PartitionFailed(f"Partition {part.name!r} does not fit those before it: {error}") from None


def tally_one(family: Family, partition: Partition) -> Tally:
    """The tally of one partition; whatever is wrong with it is told with its name."""
    try:
        X, y = partition.rows()
        return family.tally(X, y)
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartitionFailed(f"Partition {partition.name!r} cannot be tallied: {reason}") from None
