import json
import re
from math import inf

import pytest

from deciban.cli import main
from deciban.filter import Filter
from deciban.filter.mail import lessons_from
from deciban.ledger.sqlite_labels import FOLDED, folded_check
from deciban.sources import RawMessage
from deciban.text import read


def test_a_page_shows_lessons_rates_and_a_curve(taught, database, capsys):
    assert main(["status"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{database}: 40 lessons\n\nOf 19 good mails it would have lost ")
    assert re.search(r"^Of \d+ spam mails \w+ would have come through\.$", page, re.MULTILINE)
    assert re.search(r"^spam +20 +\d+ +\S+%", page, re.MULTILINE)
    assert "1-ROCA%" not in page
    assert main(["status", "--full"]) == 0
    page = capsys.readouterr().out
    assert "good mail called spam" in page
    assert "1-ROCA%" in page
    assert "Learning curve" in page


def test_a_lesson_that_was_taught_wrongly_is_found_and_its_command_undoes_it(taught, database, capsys):
    wrong = taught / "new-spam.eml"
    main(["learn", "ham", str(wrong)])
    capsys.readouterr()
    assert main(["status"]) == 0
    page = capsys.readouterr().out
    digest = read(wrong.read_bytes()).digest.hex()
    command = f"deciban forget --digest {digest}"
    assert command in page
    assert "taught as ham, looked like spam" in page
    assert main([*command.split()[1:], "--yes"]) == 0
    capsys.readouterr()
    main(["status"])
    assert digest not in capsys.readouterr().out


def test_json_has_the_same_numbers(taught, capsys):
    main(["learn", "ham", str(taught / "new-spam.eml")])
    capsys.readouterr()
    assert main(["status", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["lessons"] == {"spam": 20, "ham": 21}
    # The first lesson of each label has nothing to be examined by.
    assert record["examined"] == record["overall"]["good"] + record["overall"]["spam"] == 39
    assert record["doubts"][0]["label"] == "ham"
    assert record["doubts"][0]["sender"] == "winner@spam.example"
    assert record["curve"][-1][0] == 39


def test_the_status_says_what_is_promised_and_what_is_missing_for_it(taught, capsys):
    main(["status"])
    assert "more than 9 times as likely spam as not. No promise was asked for" in capsys.readouterr().out
    main(["prefer", "--promise", "0.2"])
    capsys.readouterr()
    main(["status"])
    page = capsys.readouterr().out
    assert "Promised: at most 20% of good mail is lost. Called spam: what has" in page
    assert "All of them came in and were taught. Assumed: new good mail resembles them." in page
    main(["prefer", "--promise", "0.001"])
    capsys.readouterr()
    main(["status"])
    assert "It takes 2,000 examined good mails to keep that" in capsys.readouterr().out
    main(["status", "--json"])
    record = json.loads(capsys.readouterr().out)
    assert record["promise"] == 0.001
    assert record["assurance"]["needed"] == 2000


@pytest.mark.parametrize("label", ["spam", "ham"])
def test_one_label_is_too_few_for_verdicts(mails, database, capsys, label):
    main(["learn", label, str(mails / label)])
    capsys.readouterr()
    assert main(["status"]) == 0
    assert capsys.readouterr().out.endswith("Every verdict is unsure until two labels were taught.\n")


def test_labels_other_than_spam_and_ham_have_a_status_too(mails, database, capsys):
    for label, folder in (("work", "ham"), ("Büro", "spam")):
        main(["learn", label, str(mails / folder)])
    capsys.readouterr()
    assert main(["status"]) == 0
    page = capsys.readouterr().out
    assert re.search(r"^Of \d+ messages? it put \d+ under the right label\.$", page, re.MULTILINE)
    assert re.search(r"^Büro +20 ", page, re.MULTILINE)


def test_json_is_strict_whatever_the_ledger_holds(taught, database, capsys):
    with Filter.open(str(database)) as mail_filter:
        mail_filter.compact(before=4e9)
        with mail_filter.ledger.writing():
            execute = mail_filter.ledger._execute
            for number, *fields in execute(f"SELECT number, {FOLDED} FROM folded"):
                _, digest, label, taught_at, best, _, _, *rest = fields
                checked = folded_check(digest, label, taught_at, best, -inf, inf, *rest)
                execute(
                    "UPDATE folded SET truth = -9e999, spam = 9e999, checked = ? WHERE number = ?",
                    checked,
                    number,
                )
    assert main(["status", "--json"]) == 0
    json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


def test_status_says_what_became_of_the_promise(taught, capsys):
    main(["prefer", "--promise", "0.5"])
    capsys.readouterr()
    assert main(["status"]) == 0
    assert "Promise kept: " in capsys.readouterr().out
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["standing"] == "kept"
    main(["prefer", "--promise", "none"])
    capsys.readouterr()
    main(["status", "--json"])
    assert json.loads(capsys.readouterr().out)["standing"] is None


def test_status_says_for_how_much_of_the_promise_a_sample_stands(taught, database, capsys):
    main(["prefer", "--promise", "0.2"])
    with Filter.open(str(database)) as mail_filter:
        raw = RawMessage("a", (taught / "new-ham.eml").read_bytes())
        (lesson,) = lessons_from([raw], "ham", mail_filter.preferences, origin="sample")
        mail_filter.learn([lesson.replaced(share=0.1)])
    capsys.readouterr()
    main(["status"])
    assert "a sample stands for 10 that nobody contested" in capsys.readouterr().out
    main(["status", "--json"])
    assert json.loads(capsys.readouterr().out)["assurance"]["sampled"] == 10


def test_where_only_mistakes_are_taught_a_promise_is_judged_with_the_sample(taught, database, capsys):
    main(["prefer", "--promise", "0.05"])
    spam = (taught / "new-spam.eml").read_bytes()
    good = (taught / "new-ham.eml").read_bytes()
    with Filter.open(str(database)) as mail_filter:
        likes = mail_filter.preferences
        for number in range(4):
            mistake = RawMessage("a", spam + b"wrong %d" % number)
            mail_filter.learn(lessons_from([mistake], "ham", likes, origin="incoming"))
        drawn = [RawMessage("b", good + b"right %d" % number) for number in range(20)]
        sample = lessons_from(drawn, "ham", likes, origin="sample")
        mail_filter.learn(lesson.replaced(share=0.1) for lesson in sample)
    capsys.readouterr()
    main(["status", "--json"])
    assert json.loads(capsys.readouterr().out)["standing"] == "kept"


def test_alert_says_only_what_is_wrong_and_exits_with_it(taught, capsys, monkeypatch):
    assert main(["status", "--alert"]) == 0
    assert capsys.readouterr().out == ""
    import time

    later = time.time() + 40 * 86_400
    monkeypatch.setattr(time, "time", lambda: later)
    assert main(["status", "--alert"]) == 1
    assert "Nothing was taught for 4" in capsys.readouterr().out
    assert main(["status"]) == 0
    assert "Nothing was taught for 4" in capsys.readouterr().out
