import pytest

from deciban.errors import BadIndex, NoSuchSource
from deciban.evaluate import read_index, read_steps
from tests.evaluate.trec_corpus import write_trec_corpus


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mails").mkdir()
    (tmp_path / "mails" / "one").write_bytes(b"Subject: 1\n")
    (tmp_path / "mails" / "with space").write_bytes(b"Subject: 2\n")
    return tmp_path


def index_of(folder, text):
    (folder / "index").write_text(text)
    return folder / "index"


def test_labels_and_paths_are_parted_by_a_tab_or_a_space(folder):
    messages = read_index(
        index_of(folder, "ham mails/one\nspam\tmails/with space\n\nwork\tmails/one\t2004\n")
    )
    assert [(message.label, message.read()) for message in messages] == [
        ("ham", b"Subject: 1\n"),
        ("spam", b"Subject: 2\n"),
        ("work", b"Subject: 1\n"),
    ]
    assert [message.spam for message in messages] == [False, True, False]


def test_paths_are_relative_to_the_index(folder):
    (folder / "deep").mkdir()
    assert read_index(index_of(folder / "deep", "spam ../mails/one\n"))[0].read() == b"Subject: 1\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ham mails/one\nspam\n", r"line 2: 'spam' is not a label, a tab and a path"),
        ("\tmails/one\n", r"line 1"),
        ("ham mails/two\n", r"line 1: there is no file mails/two"),
        ("\n\n", r"names no message"),
    ],
)
def test_a_line_that_cannot_be_followed_is_named(folder, text, complaint):
    with pytest.raises(BadIndex, match=complaint):
        read_index(index_of(folder, text))


def test_an_index_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NoSuchSource, match="nowhere cannot be read: No such file"):
        read_index(tmp_path / "nowhere")


def test_the_three_layouts_of_trec_ask_the_same_and_tell_differently(tmp_path):
    corpus = write_trec_corpus(tmp_path / "trec")
    steps = {name: read_steps(corpus / name / "index") for name in ("full", "delay", "partial")}
    asked = {name: [step.message for step in its if step.asked] for name, its in steps.items()}
    assert len(asked["full"]) == 60
    names = {name: [(message.label, message.path.name) for message in its] for name, its in asked.items()}
    assert names["full"] == names["delay"] == names["partial"]
    assert {name: sum(step.told for step in its) for name, its in steps.items()} == {
        "full": 60,
        "delay": 50,
        "partial": 30,
    }
    assert {message.label for message in asked["delay"]} == {"ham", "spam"}
    assert [message.path for message in read_index(corpus / "delay" / "index")] == [
        message.path for message in asked["delay"]
    ]


def test_the_words_of_trec_are_plain_labels_behind_a_tab(folder):
    (step,) = read_steps(index_of(folder, "SPAM\tmails/one\n"))
    assert (step.message.label, step.asked, step.told) == ("spam", True, True)


def test_an_index_that_only_tells_asks_for_nothing(folder):
    with pytest.raises(BadIndex, match="names no message"):
        read_steps(index_of(folder, "HAM mails/one\n"))


def test_spellings_of_a_label_are_one_and_the_first_is_shown(folder):
    lines = "Work\tmails/one\nwork\tmails/one\n SPAM\tmails/one\n"
    assert [step.message.label for step in read_steps(index_of(folder, lines))] == ["Work", "Work", "spam"]


def test_a_label_that_cannot_be_one_names_its_line(folder):
    with pytest.raises(BadIndex, match="line 2: 'unsure'"):
        read_steps(index_of(folder, "ham\tmails/one\nunsure\tmails/one\n"))
