from collections.abc import Iterable, Iterator

class TextCounts:
    keys: bytes
    names: bytes
    name_ends: memoryview
    row_ends: bytes
    numbers: bytes
    counts: bytes

def count_texts(
    texts: list[str | bytes],
    words: bool,
    first_n: int,
    last_n: int,
    shortest: int,
    column_bits: int,
    naming: bool,
    salt: int,
) -> TextCounts: ...

class Vocabulary:
    def __init__(self, salt: int = 1) -> None: ...
    def __len__(self) -> int: ...
    def learn(self, counts: TextCounts) -> memoryview: ...
    def look_up(self, counts: TextCounts) -> memoryview: ...
    def keep(self, columns: Iterable[int]) -> Vocabulary: ...
    def name(self, column: int) -> str: ...
    def names(self) -> Iterator[str]: ...
