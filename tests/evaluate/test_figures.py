import pytest

from deciban.evaluate import Figures, LabelledMessage, Opinion, Trial
from deciban.evaluate.figures import table


def trial(scores, probabilities=True):
    messages = [LabelledMessage("spam" if number % 2 else "ham", None) for number in range(len(scores))]
    return Trial(
        messages, [Opinion(score, score > 0.5, score if probabilities else None) for score in scores]
    )


def test_figures_of_a_perfect_trial_are_zero():
    figures = Figures.of(trial([0.0, 1.0, 0.0, 1.0]))
    assert (figures.roc_loss, figures.ham_lost, figures.spam_missed, figures.lam) == (0, 0, 0, 0)
    assert figures.log_loss == 0


def test_a_mean_is_over_trials_and_unknown_where_one_is_unknown():
    good, poor = Figures.of(trial([0.1, 0.9])), Figures.of(trial([0.9, 0.1], probabilities=False))
    mean = Figures.mean([good, poor])
    assert (mean.roc_loss, mean.ham_lost) == (50, 50)
    assert mean.log_loss is None
    assert Figures.mean([good, good]).log_loss == pytest.approx(good.log_loss)


def test_a_table_has_a_line_a_subject_and_a_dash_for_what_is_not_claimed():
    lines = table(
        {"one": Figures.of(trial([0.1, 0.9])), "other": Figures.of(trial([0.9, 0.1], False))}
    ).split("\n")
    assert [line.split()[0] for line in lines] == ["1-ROCA%", "one", "other"]
    assert lines[2].split()[-1] == "-"
