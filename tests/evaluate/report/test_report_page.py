"""The page fetches nothing, runs nothing, and shows hostile mail as text."""

import re
from html.parser import HTMLParser

import pytest

from deciban.evaluate import Assessment, DecibanCommittee, follow, read_steps
from deciban.evaluate.mistakes import MistakeKeeper
from deciban.evaluate.report import write_figures, write_report
from deciban.evaluate.telling_features import telling_features
from tests.evaluate.small_mailbox import write_mailbox

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.text = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def assessment(tmp_path):
    index = write_mailbox(tmp_path)
    mail = f"From: {HOSTILE}\nSubject: {HOSTILE} casino\n\n{HOSTILE} cheap pills casino winner prize\n"
    (tmp_path / "hostile").write_bytes(mail.encode())
    index.write_text(index.read_text() + f"ham\thostile\n{HOSTILE}$\\frac{{\thostile\n")
    steps = read_steps(index)
    keeper = MistakeKeeper()
    with DecibanCommittee() as subject:
        trial = follow(subject, steps, watch=keeper)
        features = telling_features(subject, [step.message for step in steps])
    return Assessment.of(f"peer {HOSTILE}", trial, rounds=20, mistakes=keeper.worst, features=features)


@pytest.fixture
def page(assessment, tmp_path):
    path = tmp_path / "report.html"
    write_report(path, [assessment], title=HOSTILE)
    return path.read_text()


def test_hostile_mail_is_shown_as_text(page):
    found = Tags()
    found.feed(page)
    assert "".join(found.text).count(HOSTILE) >= 5  # title, heading, names, subject, text
    assert not {"script", "img", "iframe", "link", "object"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_nothing_is_fetched(page):
    assert "default-src 'none'" in page
    values = [value for _, value in _attributes(page) if value]
    assert not [value for value in values if re.match(r"(https?:|//|data:)", value) and "w3.org" not in value]
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def _attributes(page):
    found = Tags()
    found.feed(page)
    return found.attributes


def test_every_reference_inside_the_page_has_its_target_and_no_id_is_there_twice(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', page)) <= set(ids)


def test_the_page_shows_what_was_asked_for(page, assessment):
    for heading in ("Figures", "Labels", "Pictures", "Promises", "Strongest features", "Worst mistakes"):
        assert f"<h2>{heading}" in page
    for name in ("roc", "learning-curve", "reliability", "evidence", "confusion"):
        assert f'id="{name}' in page
    assert page.count("<details>") == len(assessment.mistakes) > 0
    assert page.replace("\n", " ").count("the scale of <code>deciban why</code>") == 2


def test_pictures_are_files_of_both_kinds_and_the_same_each_time(assessment, tmp_path):
    first = {path.name: path.read_bytes() for path in write_figures(tmp_path / "one", [assessment])}
    again = {path.name: path.read_bytes() for path in write_figures(tmp_path / "two", [assessment])}
    assert first == again
    assert all(data.startswith(b"\x89PNG") for name, data in first.items() if name.endswith("png"))
    assert len(first) == 10
