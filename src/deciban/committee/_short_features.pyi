from collections.abc import Iterable

from deciban.committee._lesson_code import Features
from deciban.text import Message
from deciban.text.limits import Limits

def features_of(
    message: Message, facts: Iterable[str], limits: Limits = ..., results: bool = ...
) -> Features: ...
def features_of_many(
    messages: list[Message], facts: list[tuple[str, ...]], limits: Limits = ..., results: bool = ...
) -> list[Features]: ...
def named_features(
    messages: list[Message],
    facts: list[tuple[str, ...]],
    seeds: list[int],
    count: int,
    longest: int,
    limits: Limits = ...,
    results: bool = ...,
) -> list[tuple[Features, bytes]]: ...
def short_set(hashes: Iterable[int]) -> list[int]: ...
