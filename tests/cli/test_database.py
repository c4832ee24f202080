import pytest

from deciban.cli.database import database_path
from deciban.errors import WrongUsage


def test_the_flag_wins_over_the_variable_and_that_over_the_data_directory():
    environment = {"HOME": "/home/ann", "XDG_DATA_HOME": "/data", "DECIBAN_DB": "/srv/mail.db"}
    assert database_path("my.db", environment) == "my.db"
    assert database_path(None, environment) == "/srv/mail.db"
    del environment["DECIBAN_DB"]
    assert database_path(None, environment) == "/data/deciban/filter.db"
    environment["XDG_DATA_HOME"] = "relative/is/to/be/ignored"
    assert database_path(None, environment) == "/home/ann/.local/share/deciban/filter.db"


@pytest.mark.parametrize(("given", "environment"), [("", {}), (None, {"DECIBAN_DB": ""})])
def test_an_empty_name_is_refused(given, environment):
    with pytest.raises(WrongUsage, match="empty"):
        database_path(given, environment)
