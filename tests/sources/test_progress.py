from deciban.sources import Bounds, Skipped
from deciban.sources.progress import RECORDS_KEPT, Progress, reason_of


def test_the_count_is_exact_where_the_records_are_bounded():
    told = []
    progress = Progress(Bounds(), told.append)
    for number in range(RECORDS_KEPT + 5):
        progress.skip(str(number), "empty")
    assert progress.skipped_count == len(told) == RECORDS_KEPT + 5
    assert len(progress.skipped) == RECORDS_KEPT
    assert progress.skipped[-1] == Skipped(str(RECORDS_KEPT - 1), "empty")


def test_an_error_without_text_still_has_a_reason():
    assert reason_of(OSError()) == "cannot be read"
