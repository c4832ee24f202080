"""What states stand on is what their ledger says now."""

from pathlib import Path

from deciban.committee.settings import Settings
from deciban.filter import Filter
from deciban.filter.footing import Footings, footing_of
from deciban.ledger import create_ledger
from tests.filter.mails import mail, teach

SMALL = Settings(bits=8, salt=99)


def test_it_is_looked_for_again_when_it_changes(tmp_path: Path) -> None:
    with create_ledger(str(tmp_path / "mail"), SMALL) as ledger:
        footings = Footings(ledger)
        before = footings.now()
        assert footings.now() is before
        assert (before.settings, before.foundation) == (SMALL, None)
        with ledger.writing():
            ledger.set_settings(SMALL.replaced(rate=0.5))
        assert footings.now().settings.rate == 0.5


def test_all_who_rest_on_one_file_share_its_state(tmp_path: Path) -> None:
    site = str(tmp_path / "site.state")
    with Filter.open(str(tmp_path / "site"), SMALL) as filter_:
        for label in ("spam", "ham"):
            teach(filter_, label, [mail(label, number) for number in range(5)])
        filter_.publish(site)
    with Filter.open(str(tmp_path / "ann")) as ann, Filter.open(str(tmp_path / "bob")) as bob:
        ann.rest_on(site)
        bob.rest_on(site)
        footing = footing_of(ann.ledger)
        assert footing.foundation is not None
        assert footing.foundation is footing_of(bob.ledger).foundation
        assert footing.settings == SMALL
