"""Several threads use one open filter, each with files of its own."""

from pathlib import Path
from threading import Thread

from deciban.filter import Filter, Settings
from tests.filter.mails import classify, forget, mail, teach

SMALL = Settings(bits=10, salt=99)


def test_several_ask_while_one_teaches_and_another_prefers(tmp_path: Path) -> None:
    wrong: list[object] = []
    asked: list[int] = []
    with Filter.open(str(tmp_path / "mail"), SMALL) as filter_:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
        done: list[bool] = []

        def ask() -> None:
            count = 0
            while not done or count < 5:
                verdict = classify(filter_, mail("spam", 40).data)
                if verdict.label != "spam":
                    wrong.append(verdict)
                count += 1
            asked.append(count)

        def prefer() -> None:
            for number in range(20):
                filter_.prefer(cost=2.0 + number)

        askers = [Thread(target=ask) for _ in range(3)]
        other = Thread(target=prefer)
        for thread in (*askers, other):
            thread.start()
        for number in range(50, 70):
            teach(filter_, "spam", [mail("spam", number)])
            if number % 5 == 0:
                assert forget(filter_, mail("spam", number).data) == 1
        other.join()
        done.append(True)
        for thread in askers:
            thread.join()
        assert not wrong
        assert len(asked) == 3
        assert filter_.labels() == {"spam": 26, "ham": 10}
        assert filter_.preferences.cost == 21.0
        assert filter_.is_replay()
