"""What decides how a filter learns: one frozen value, stored in its ledger and the same for every replay.

state == replay(settings, ledger), so a filter keeps the settings that it was made with:

>>> settings = Settings(bits=18)
>>> settings.bits, settings.table_bits(capacity=2), settings.table_bits(capacity=4)
(18, 18, 17)
>>> Settings.from_text(settings.text()) == settings
True
"""

from __future__ import annotations

from deciban.errors import BadSetting
from deciban.value import Value

# What a lesson keeps of each hash (see _lesson_code.pyx); a table with more slots could never fill them.
FEATURE_BITS = 23


class Settings(Value):
    """How the witnesses and the judge learn; the defaults are those measured in docs/filter.md."""

    __slots__ = (  # noqa: RUF023 (the order of reading)
        "bits",
        "salt",
        "strength",
        "band",
        "margin",
        "margin_grown",
        "margin_grows_from",
        "margin_grows_to",
        "rate",
        "rest",
        "judge_rate",
        "judge_bias",
        "judge_run",
        "judge_floor",
    )
    bits: int
    """A table of two labels has 2^bits slots a view; 21 take 64 MB for both views."""
    salt: int
    """Mixed into every slot, secret and different in each filter, so that collisions cannot be crafted."""
    strength: float
    """Imagined sightings that pull the share of a feature to 1 / labels."""
    band: float
    """A feature whose largest share is less than this above 1 / labels is left out of the counts."""
    margin: float
    """Counts are taught when their tempered log-odds for the true label are below this many nats …"""
    margin_grown: float
    """… growing to this many, which is better with much mail and worse with little, …"""
    margin_grows_from: int
    """… from so many lessons …"""
    margin_grows_to: int
    """… to so many."""
    rate: float
    """The step of the weights, before AdaGrad divides it."""
    rest: float
    """The weights take no step where they leave all wrong labels together less than this: it would touch each
    row of the message, and no difference could be measured (docs/filter.md)."""
    judge_rate: float
    """The step of the judge, before AdaGrad divides it."""
    judge_bias: float
    """The part of that step that its bias takes: half of it keeps runs of one label from carrying it away."""
    judge_run: float
    """How far the judge trusts a lesson that follows one of the same label, against that one."""
    judge_floor: float
    """The least weight that the judge may give a witness."""

    def __init__(
        self,
        *,
        bits: int = 21,
        salt: int = 0,
        strength: float = 0.45,
        band: float = 0.3,
        margin: float = 1.0,
        margin_grown: float = 2.0,
        margin_grows_from: int = 3_000,
        margin_grows_to: int = 30_000,
        rate: float = 0.4,
        rest: float = 0.001,
        judge_rate: float = 1.0,
        judge_bias: float = 0.5,
        judge_run: float = 0.9,
        judge_floor: float = 0.5,
    ) -> None:
        self._set(
            bits=_within("bits", bits, 4, FEATURE_BITS - 1),
            salt=_within("salt", salt, 0, (1 << 64) - 1),
            strength=_within("strength", strength, 1e-6, 1e6),
            band=_within("band", band, 0.0, 1.0),
            margin=_within("margin", margin, 0.0, 1e6),
            margin_grown=_within("margin_grown", margin_grown, 0.0, 1e6),
            margin_grows_from=_within("margin_grows_from", margin_grows_from, 0, 1 << 53),
            margin_grows_to=_within("margin_grows_to", margin_grows_to, margin_grows_from + 1, 1 << 53),
            rate=_within("rate", rate, 0.0, 1e3),
            rest=_within("rest", rest, 0.0, 1.0),
            judge_rate=_within("judge_rate", judge_rate, 0.0, 1e3),
            judge_bias=_within("judge_bias", judge_bias, 0.0, 1.0),
            judge_run=_within("judge_run", judge_run, 0.0, 1.0),
            judge_floor=_within("judge_floor", judge_floor, 0.0, 1.0),
        )

    def table_bits(self, capacity: int) -> int:
        """The bits of a table with room for ``capacity`` labels: four times the labels, twice the memory."""
        return max(self.bits - (capacity.bit_length() - 1) // 2, 4)

    def text(self) -> str:
        """One line that says everything, as the ledger keeps it; equal settings have equal texts.

        >>> Settings().text()[:32]
        'bits=21 salt=0 strength=0.45 ban'
        """
        return " ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """The settings of a `text`; one that this version does not know is refused."""
        # Not JSON: importing json takes 3 ms, on every call of the command line.
        fields = dict(field.partition("=")[::2] for field in text.split())
        unknown = sorted(set(fields) - set(cls.__slots__))
        if unknown:
            raise BadSetting(f"There is no setting {unknown[0]!r}; there are {', '.join(cls.__slots__)}.")
        return cls(**{name: _number(name, value) for name, value in fields.items()})  # type: ignore[arg-type]


def _number(name: str, value: str) -> float:
    try:
        return int(value) if value.lstrip("-").isdecimal() else float(value)
    except ValueError:
        raise BadSetting(f"{name} must be a number, got {value!r} instead.") from None


def _within(name: str, value: float, least: float, most: float) -> float:
    kinds = (int,) if isinstance(least, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        what = "a whole number" if kinds == (int,) else "a number"
        raise BadSetting(f"{name} must be {what} from {least} to {most}, got {value!r} instead.")
    return value if kinds == (int,) else float(value)
