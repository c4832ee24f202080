from deciban.cli import main
from deciban.filter import Filter


def labels(path):
    with Filter.open(str(path), create=False) as mail_filter:
        assert mail_filter.is_replay()
        return mail_filter.labels()


def test_two_filters_become_one(mails, tmp_path, capsys):
    ann, bob, both = (str(tmp_path / f"{name}.db") for name in ("ann", "bob", "both"))
    main(["learn", "spam", "--db", ann, str(mails / "spam")])
    main(["learn", "ham", "--db", bob, str(mails / "ham")])
    capsys.readouterr()
    assert main(["merge", "--db", both, ann, bob]) == 0
    assert capsys.readouterr().out == f"{ann}: 20 lessons taken over\n{bob}: 20 lessons taken over\n"
    assert labels(both) == {"spam": 20, "ham": 20}
    assert main(["merge", "--db", both, ann]) == 0
    assert capsys.readouterr().out == f"{ann}: 0 lessons taken over\n"


def test_what_cannot_be_merged_is_one_line_and_changes_nothing(taught, database, tmp_path, capsys):
    (tmp_path / "text.db").write_text("no database at all\n" * 100)
    for path in ("/no/such.db", str(database), str(tmp_path / "text.db")):
        assert main(["merge", path]) == 3
        assert capsys.readouterr().err.count("\n") == 1
        assert labels(database) == {"spam": 20, "ham": 20}
