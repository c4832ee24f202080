"""What decides how a filter learns: one frozen value, stored in its ledger and the same for every replay.

state == replay(settings, ledger), so a filter keeps the settings that it was made with:

>>> settings = Settings(bits=18)
>>> settings.bits, settings.table_bits(capacity=32), settings.table_bits(capacity=64)
(18, 18, 17)
>>> Settings.from_text(settings.text()) == settings
True
"""

from __future__ import annotations

from deciban.committee._lesson_code import FEATURE_BITS
from deciban.errors import BadSetting
from deciban.value import Value

# What a setting may be: whole numbers where the bounds are whole. A lesson keeps FEATURE_BITS of each hash
# (see _lesson_code.pyx); a table with more slots could never fill them.
_BOUNDS: dict[str, tuple[float, float]] = {
    "bits": (4, FEATURE_BITS - 1),
    "salt": (0, (1 << 64) - 1),
    "strength": (1e-6, 1e6),
    "band": (0.0, 1.0),
    "margin": (0.0, 1e6),
    "margin_grown": (0.0, 1e6),
    "margin_grows_from": (0, 1 << 53),
    "neutral": (0.0, 1e6),
    "complement": (0.0, 1e3),
    "lead": (0.0, 1e3),
    "rate": (0.0, 1e3),
    "damping": (1e-12, 1e3),
    "rest": (0.0, 1.0),
    "judge_rate": (0.0, 1e3),
    "judge_bias": (0.0, 1.0),
    "judge_run": (0.0, 1.0),
    "judge_floor": (0.0, 1.0),
    "contrary": (0.0, 0.5),
}
# Settings that older filters do not name, and what they meant: each of those learns as it always did.
_EARLIER = {"neutral": 0.0, "complement": 0.0, "lead": 0.0, "damping": 1e-12, "contrary": 0.0}


class Settings(Value, kw_only=True):
    """How the witnesses and the judge learn; the defaults are those measured in docs/filter.md."""

    bits: int = 21
    """A table has 2^bits slots a view; dense, 21 take 64 MB for both views and two labels."""
    salt: int = 0
    """Mixed into every slot, secret and different in each filter, so that collisions cannot be crafted."""
    strength: float = 0.45
    """Imagined sightings that pull the share of a feature to 1 / labels."""
    band: float = 0.3
    """A feature whose largest share is less than this above 1 / labels is left out of the counts."""
    margin: float = 1.0
    """Counts are taught when their tempered log-odds for the true label are below this many nats …"""
    margin_grown: float = 2.0
    """… growing to this many, which is better with much mail and worse with little, …"""
    margin_grows_from: int = 3_000
    """… from so many lessons …"""
    margin_grows_to: int = 30_000
    """… to so many."""
    neutral: float = 2.0
    """Imagined features without an opinion: a mean over few features is pulled to 0 (docs/experiments.md)."""
    complement: float = 0.3
    """With more than two labels: imagined sightings of a feature under all labels but one, by which that one
    is scored. With 0 each label is scored by its own shares (_committee.pyx)."""
    lead: float = 1.0
    """With more than two labels and few lessons: how much more the counts weigh than the weights, for each
    label beyond the second. With 0 they weigh twice as much, whatever the labels (_committee.pyx)."""
    rate: float = 0.8
    """The step of the weights, before AdaGrad divides it."""
    damping: float = 0.0003
    """What AdaGrad's sums begin with: it makes the first steps of long messages shorter than those of short
    ones, which would otherwise be alike (docs/experiments.md)."""
    rest: float = 0.001
    """The weights take no step if they give all wrong labels together less probability than this. A step
    would touch each row of the message, and no difference could be measured (docs/filter.md)."""
    judge_rate: float = 1.0
    """The step of the judge, before AdaGrad divides it."""
    judge_bias: float = 0.5
    """The bias takes this part of that step: with half a step, runs of one label do not carry it away."""
    judge_run: float = 0.9
    """How much the judge learns from a lesson that follows one of the same label, relative to that one."""
    judge_floor: float = 0.5
    """The least weight that the judge may give a witness."""
    contrary: float = 0.1
    """On a starter: how far the judge is believed at first who takes it for the opposite of the truth; with 0
    there is no such judge (_panel.pyx)."""

    def _check(self) -> None:
        self._set(**{name: _within(name, getattr(self, name), *bounds) for name, bounds in _BOUNDS.items()})
        if self.complement:
            _within("complement", self.complement, 1e-6, 1e3)
        _within("margin_grows_to", self.margin_grows_to, self.margin_grows_from + 1, 1 << 53)

    def table_bits(self, capacity: int) -> int:
        """The bits of a table with room for ``capacity`` labels.

        Above 32 labels, double the labels have half the slots: then a table does not grow without bound.
        """
        return max(self.bits - max(capacity.bit_length() - 6, 0), 4)

    def text(self) -> str:
        """One line that says everything, as the ledger keeps it; equal settings have equal texts.

        >>> Settings().text()[:32]
        'bits=21 salt=0 strength=0.45 ban'
        """
        fields = {name: getattr(self, name) for name in self.field_names}
        return " ".join(f"{name}={value!r}" for name, value in fields.items() if value != _EARLIER.get(name))

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """The settings of a `text`; one that this version does not know is refused.

        >>> Settings.from_text("rate=0.4").damping, Settings.from_text("rate=0.4 damping=0.01").damping
        (1e-12, 0.01)
        """
        # Not JSON: importing json takes 3 ms, on every call of the command line.
        fields = dict(field.partition("=")[::2] for field in text.split())
        unknown = sorted(set(fields) - set(cls.field_names))
        if unknown:
            raise BadSetting(f"There is no setting {unknown[0]!r}; there are {', '.join(cls.field_names)}.")
        named = {name: _number(name, value) for name, value in fields.items()}
        return cls(**{**_EARLIER, **named})  # type: ignore[arg-type]


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
