import io
import json
import subprocess
import sys

import pytest

from deciban.cli import main


@pytest.fixture
def patients(tmp_path):
    """Sixty patients: fever parts the ill from the healthy, the town does not."""
    lines = ["fever,cough,town,id,ill"]
    for number in range(60):
        ill = number % 3 == 0
        fever = (39.5 if ill else 36.8) + number % 7 / 10
        cough, town = int(ill or number % 5 == 0), ("Bern", "Rome")[number % 2]
        lines.append(f"{fever:.1f},{cough},{town},{number},{'flu' if ill else 'no'}")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def model(patients, tmp_path, capsys):
    path = tmp_path / "flu.npz"
    assert main(["table", "fit", str(patients), "--label", "ill", "--model", str(path)]) == 0
    capsys.readouterr()
    return path


def test_fitting_shows_the_guesses_and_the_figures(patients, capsys):
    assert main(["table", "fit", str(patients), "--label", "ill"]) == 0
    shown = capsys.readouterr()
    assert "cough  bernoulli    0 and 1 only" in shown.out
    assert "town   categorical  2 different texts" in shown.out
    assert "id     drop         an id" in shown.out
    assert "accuracy 100.0% ± 0.0% in 10 folds of 60 rows; the majority alone 66.7%" in shown.out
    assert shown.err == "deciban: nothing was kept; --model MODEL keeps what was learned\n"


def test_the_shares_of_the_labels_stand_beside_the_figures(patients, capsys):
    assert main(["table", "fit", str(patients), "--label", "ill"]) == 0
    lines = capsys.readouterr().out.splitlines()
    place = lines.index("labels of ill: no 66.7%, flu 33.3%")
    assert lines[place + 1].startswith("accuracy")


@pytest.fixture
def german(tmp_path):
    """The same in a file of another country: semicolons, decimal commas, dates with dots, and notes."""
    lines = ["fieber;am;notiz;krank"]
    for number in range(60):
        ill = number % 3 == 0
        fever = f"{(39.5 if ill else 36.8) + number % 7 / 10:.1f}".replace(".", ",")
        note = f"{'hoch fiebrig' if ill else 'gut gelaunt'} seit {number} Tagen"
        lines.append(f"{fever};{number % 28 + 1}.{number % 12 + 1}.2024;{note};{'ja' if ill else 'nein'}")
    path = tmp_path / "kranke.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_file_of_another_country_is_read_and_that_is_said(german, capsys, tmp_path):
    model = str(tmp_path / "m.npz")
    assert main(["table", "fit", str(german), "--label", "krank", "--model", model]) == 0
    shown = capsys.readouterr()
    assert "columns are separated by ';'; --separator overrules this" in shown.err
    assert "numbers have decimal commas, such as 39,5 in column 'fieber'" in shown.err
    assert "am          date         day-first, up to 2024-12-" in shown.out
    assert "notiz       text         texts, 60 of 60 different, of words that recur" in shown.out
    told = ["--separator", ";", "--decimal", ","]
    assert main(["table", "why", str(german), "--model", model, "--rows", "1", *told]) == 0
    shown = capsys.readouterr()
    assert "dB  notiz = hoch fiebrig seit 0 Tagen" in shown.out
    assert "dB  am.month = Jan" in shown.out
    assert shown.err == ""
    assert main(["table", "predict", str(german), "--model", model, *told]) == 0
    assert "passed over" not in capsys.readouterr().err


def test_fitting_in_json_holds_the_same(patients, model, capsys):
    arguments = ["--family", "cough=categorical", "--drop", "town", "--rule", "mean", "--prior", "0.5"]
    assert main(["table", "fit", str(patients), "--label", "ill", "--json", "--folds", "5", *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    families = {column["name"]: column["family"] for column in told["columns"]}
    assert families.pop("fever") in ("gaussian", "gamma")
    assert families == {"cough": "categorical", "town": "drop", "id": "drop"}
    assert told["labels"] == {"flu": 20, "no": 40}
    assert told["shares"] == {"flu": 1 / 3, "no": 2 / 3}
    assert told["notes"] == []
    assert told["confusion"] == {"flu": {"flu": 20, "no": 0}, "no": {"flu": 0, "no": 40}}
    assert told["report"] is None
    assert told["figures"]["folds"] == 5


def test_the_report_is_a_page(patients, capsys, tmp_path):
    report = tmp_path / "flu.html"
    assert main(["table", "fit", str(patients), "--label", "ill", "--report", str(report)]) == 0
    assert f"the report is in {report}" in capsys.readouterr().err
    page = report.read_text()
    assert "<h1>patients.csv: how well <i>ill</i> is told</h1>" in page
    assert page.count("<svg") == 4  # fever, cough, town and reliability


def test_the_temper_can_be_chosen(patients, capsys):
    told = {}
    for temper in ("cv", "none", "0.5"):
        fit = ["table", "fit", str(patients), "--label", "ill", "--json", "--temper", temper]
        assert main(fit) == 0
        told[temper] = json.loads(capsys.readouterr().out)
    assert [one["temper"] for one in told.values()][1:] == [None, 0.5]
    assert told["cv"]["temper"] > 0
    assert told["none"]["figures"]["log_loss"] != told["0.5"]["figures"]["log_loss"]


def test_predictions_are_a_table(patients, model, capsys, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("fever,cough,town,name\n40.1,1,Bern,Ann\n36.5,7,Oslo,Joe\n")
    assert main(["table", "predict", str(new), "--model", str(model), "--with", "name"]) == 0
    shown = capsys.readouterr()
    lines = [line.split(",") for line in shown.out.splitlines()]
    assert lines[0] == ["row", "name", "label", "probability", "decibans"]
    assert [line[:3] for line in lines[1:]] == [["1", "Ann", "flu"], ["2", "Joe", "no"]]
    assert "column 'town' has 'Oslo', never learned" in shown.err
    assert "column 'cough' has 1 number that its family cannot have" in shown.err
    assert "passed over, because never learned: name" in shown.err


def test_predictions_are_compared_with_the_label_where_it_is_there(patients, model, capsys):
    assert main(["table", "predict", str(patients), "--model", str(model)]) == 0
    assert "60 of 60 rows are as column 'ill' has them: 100.0%" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["guesses.csv", "guesses.parquet"])
def test_predictions_are_written_to_a_file(patients, model, capsys, tmp_path, name):
    from deciban.tables import read_table

    output = tmp_path / name
    assert main(["table", "predict", str(patients), "--model", str(model), "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"60 rows predicted in {output}\n"
    assert read_table(output).columns == ["row", "label", "probability", "decibans"]


def test_predictions_in_json_are_one_object_a_line(patients, model, capsys):
    assert main(["table", "predict", str(patients), "--model", str(model), "--json", "--with", "id"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(told) == 60
    assert (told[3]["row"], told[3]["id"], told[3]["label"]) == (4, 3, "flu")


def test_rows_are_explained_column_by_column(patients, model, capsys):
    assert main(["table", "why", str(patients), "--model", str(model), "--rows", "4,2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("row 4: flu rather than no\n")
    assert "dB  fever = 39.8" in shown
    assert "\nrow 2: no rather than flu\n" in shown


def test_what_explains_a_row_adds_up(patients, model, capsys):
    assert main(["table", "why", str(patients), "--model", str(model), "--rows", "1-3", "--json"]) == 0
    for line in capsys.readouterr().out.splitlines():
        told = json.loads(line)
        parts = [told["prior"], told["intercept"], *(one["decibans"] for one in told["evidence"])]
        assert sum(parts) == pytest.approx(told["decibans"])


def test_a_table_from_standard_input(model, monkeypatch, capsys):
    data = io.TextIOWrapper(io.BytesIO(b"fever,cough,town\n40,1,Bern\n"))
    monkeypatch.setattr(sys, "stdin", data)
    assert main(["table", "predict", "-", "--model", str(model)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,flu,")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "{table}"], "--label COLUMN"),
        (["predict", "{table}"], "--model MODEL"),
        (["fit", "{table}", "--label", "illness"], "There is no column 'illness'"),
        (["fit", "/no/such.csv", "--label", "ill"], "There is no file"),
        (["fit", "{table}", "--label", "ill", "--family", "fever"], "COLUMN=FAMILY"),
        (["fit", "{table}", "--label", "ill", "--family", "fever=gauss"], "'gauss' is not a family"),
        (["fit", "{table}", "--label", "ill", "--family", "fever=poisson"], "column 'fever' has"),
        (["fit", "{table}", "--label", "ill", "--drop", "x"], "There is no column 'x'"),
        (["fit", "{table}", "--label", "ill", "--prior", "much"], "must be a number"),
        (["fit", "{table}", "--label", "ill", "--folds", "1"], "2 or more"),
        (["fit", "{table}", "--label", "ill", "--temper", "-1"], "cv, none or a number"),
        (["fit", "{table}", "--label", "ill", "--temper", "warm"], "cv, none or a number"),
        (["fit", "{table}", "--label", "ill", "--report", "/no/such/page.html"], "cannot be written"),
        (["fit", "{table}", "--label", "ill", "--separator", "ab"], "one character"),
        (["fit", "{table}", "--label", "ill", "--decimal", "x"], "invalid choice"),
        (["fit", "{table}", "--label", "ill", "--family", "town=date"], "should hold dates"),
        (["predict", "{table}", "--model", "/no/such.npz"], "There is no model"),
        (["predict", "{table}", "--model", "{table}"], "is not a model"),
        (["why", "{table}", "--model", "{model}", "--rows", "61"], "there is no row 61"),
        (["why", "{table}", "--model", "{model}", "--rows", "0"], "counted from 1"),
        (["why", "{table}", "--model", "{model}", "--rows", "1-9999999999"], "at most"),
        (["guess", "{table}"], "invalid choice"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(patients, model, tmp_path, capsys, arguments, words):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    filled = [text.format(table=patients, model=model) for text in arguments]
    if filled[0] == "fit":
        filled += ["--model", str(model)]
    assert main(["table", *filled]) == 3
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_names_of_columns_cannot_reach_the_terminal(tmp_path, capsys):
    (tmp_path / "a.csv").write_bytes(b"\x1b[2J,k\n" + b"1.5,a\n2.5,b\n3.1,a\n4.7,b\n")
    assert main(["table", "fit", str(tmp_path / "a.csv"), "--label", "k", "--folds", "2"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("missing", "words"),
    [(("numpy",), "needs numpy"), (("polars", "pandas"), "needs polars or pandas")],
)
def test_a_missing_extra_is_one_line_that_says_what_to_install(patients, missing, words):
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); from deciban.cli import main; "
    code += f"sys.exit(main(['table', 'fit', {str(patients)!r}, '--label', 'ill']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert words in done.stderr
    assert "pip install 'deciban[learn,frames]'" in done.stderr
    assert done.stderr.count("\n") == 1
