from deciban.filter.status import CURVE_POINTS, Quality, learning_curve


def test_no_exams_have_no_quality():
    quality = Quality.of([], 0.0)
    assert (quality.good, quality.spam, quality.roc_loss, quality.lost_at_most) == (0, 0, None, None)


def test_errors_are_counted_by_the_bar():
    quality = Quality.of([(False, -1.0), (False, 2.0), (True, 3.0), (True, -800.0), (True, 800.0)], 0.0)
    assert (quality.good, quality.lost, quality.spam, quality.missed) == (2, 1, 3, 1)
    assert 0.5 < quality.lost_at_most < 1
    assert Quality.of([(False, 2.0), (True, 3.0)], 2.5).lost == 0


def test_without_a_bar_nothing_is_rejected():
    quality = Quality.of([(False, 2.0), (True, 30.0)], None)
    assert (quality.lost, quality.missed) == (0, 1)


def test_exams_of_one_kind_have_no_roc_area():
    assert Quality.of([(True, 1.0), (True, 2.0)], 0.0).roc_loss is None


def test_the_curve_covers_every_exam_once_in_a_bounded_number_of_points():
    for count in (0, 1, 5, 23, 24, 25, 1000, 1001):
        curve = learning_curve([True] * count)
        assert len(curve) <= CURVE_POINTS
        assert [end for end, _ in curve] == sorted({end for end, _ in curve})
        assert not count or curve[-1][0] == count
