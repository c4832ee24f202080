"""Settings are one frozen value; what cannot be meant is refused by name."""

import pytest

from deciban.committee.settings import Settings
from deciban.errors import BadSetting


def test_settings_come_back_from_their_text() -> None:
    settings = Settings(bits=12, salt=(1 << 64) - 1, rate=0.1, strength=1e-6, margin=3)
    assert Settings.from_text(settings.text()) == settings
    assert Settings.from_text(settings.text()).text() == settings.text()


def test_a_filter_of_before_learns_as_it_always_did() -> None:
    text = (
        "bits=21 salt=7 strength=0.45 band=0.3 margin=1.0 margin_grown=2.0 margin_grows_from=3000 "
        "margin_grows_to=30000 rate=0.4 rest=0.001 judge_rate=1.0 judge_bias=0.5 judge_run=0.9 "
        "judge_floor=0.5"
    )
    assert Settings.from_text(text).text() == text
    assert (Settings.from_text(text).neutral, Settings.from_text(text).damping) == (0, 1e-12)


def test_different_settings_have_different_texts() -> None:
    assert len({Settings().text(), Settings(bits=20).text(), Settings(salt=1).text()}) == 3


@pytest.mark.parametrize(
    "wrong", [{"bits": 24}, {"bits": 20.5}, {"bits": True}, {"strength": 0.0}, {"rate": "fast"}, {"salt": -1}]
)
def test_a_value_that_cannot_be_meant_is_refused_by_name(wrong: dict[str, int]) -> None:
    with pytest.raises(BadSetting, match=next(iter(wrong))):
        Settings(**wrong)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(BadSetting, match="no setting 'speed'"):
        Settings.from_text("bits=9 speed=9")
    with pytest.raises(BadSetting, match="rate must be a number"):
        Settings.from_text("rate=fast")


def test_many_labels_have_fewer_slots() -> None:
    settings = Settings(bits=20)
    assert [settings.table_bits(capacity) for capacity in (2, 4, 32, 64, 128, 4096)] == [
        20,
        20,
        20,
        19,
        18,
        13,
    ]
