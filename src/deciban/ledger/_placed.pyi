from _blake2 import blake2b
from collections.abc import Sequence
from typing import Any

from deciban.committee._lesson_code import Features
from deciban.ledger.lesson import Lesson

class Placed:
    @property
    def position(self) -> int: ...
    @property
    def trail(self) -> bytes: ...
    @property
    def step(self) -> bytes: ...
    @property
    def label(self) -> str: ...
    @property
    def features(self) -> Features: ...
    @property
    def features_or_code(self) -> Features | bytes: ...
    @property
    def origin(self) -> str: ...
    @property
    def share(self) -> float: ...
    def __init__(
        self,
        position: int,
        trail: bytes,
        step: bytes,
        label: str,
        features: Features,
        origin: str,
        share: float,
    ) -> None: ...
    def at(self, position: int, trail: bytes) -> Placed: ...
    def stored(self) -> Placed: ...

def most_features(lessons: Sequence[Placed]) -> int: ...
def placed_in(row: tuple[Any, ...], position: int, trail: bytes, ledger: blake2b) -> Placed | None: ...
def placed_in_turn(rows: list[tuple[Any, ...]], trail: bytes, ledger: blake2b) -> list[Placed]: ...
def written(
    lesson: Lesson,
    taught: int,
    number: int,
    label: int,
    spelling: str,
    position: int,
    trail: bytes,
    ledger: blake2b,
) -> tuple[tuple[Any, ...], Placed]: ...
