from deciban.learners.explanation import SHOWN, Explanation, FeatureEvidence


def test_only_the_strongest_features_are_shown_and_the_rest_summed():
    features = tuple(FeatureEvidence(f"word{number}", 10.0 - number) for number in range(SHOWN + 3))
    lines = str(Explanation("spam", "ham", 1.0, 0.0, features)).splitlines()
    assert lines[0] == "spam rather than ham: 53.0 dB"
    assert len(lines) == SHOWN + 3
    assert lines[-1].endswith("-3.0 dB  2 further features")


def test_features_that_say_nothing_are_not_shown():
    shown = str(Explanation("a", "b", 0.0, 2.0, (FeatureEvidence("x", 0.0),)))
    assert "x" not in shown
    assert "+2.0 dB  belonging to no feature" in shown
