"""The evidence of a verdict laid over the message: every byte has its share, and everything adds up."""

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee.course import Course
from deciban.committee.evidence import Evidence, gather_evidence
from deciban.committee.evidence_map import KINDS, EvidenceMap, Spot
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.committee.settings import Settings
from deciban.text import Message, read

MAILS = [
    (
        "spam",
        b"Subject: Free money\nFrom: win@spam.example\nContent-Type: text/html\n\n"
        b"<p><font color=red>Buy cheap pills</font> <a href='http://pills.example/buy'>now</a>",
    ),
    ("ham", b"Subject: Lunch\nFrom: Ann <ann@example.org>\n\nShall we meet at one, dear Ann?"),
    ("spam", "Subject: 免费发票\n\n代开发票，请联系我".encode()),
    ("ham", "Subject: 会议\n\n明天上午开会，请准时".encode()),
]
MIXED = b"""\
Received: from a.example by b.example;
\tMon, 1 Jan 2024 10:00:00 +0000
From: =?utf-8?q?J=C3=BCrgen?= <j@spam.example>
Subject: Free lunch, free money
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<p>Buy <b>cheap</b> pills, dear Ann, <a href="http://pills.example/buy">here</a>
or at http://192.0.2.7/buy and buy again<span style="display:none">lunch</span></p>
--b
Content-Type: application/pdf; name="money.pdf"
Content-Disposition: attachment

x
--b--
"""


@pytest.fixture(scope="module")
def course() -> Course:
    course = Course(Settings(bits=14))
    for label, data in MAILS * 6:
        course.learn(label, features_of(read(data)))
    return course


def evidence_of(course: Course, message: Message) -> tuple[Evidence, ...]:
    features = features_of(message)
    return gather_evidence(course.committee, features, whereabouts_of(message), "spam", "ham")


def map_of(course: Course, data: bytes) -> EvidenceMap:
    message = read(data)
    return EvidenceMap(message, evidence_of(course, message))


def spots_of(found: EvidenceMap, kind: str) -> dict[str, Spot]:
    return {spot.name: spot for spot in found.spots if spot.kind == kind}


def test_spots_and_kinds_add_up_to_the_verdict(course: Course) -> None:
    for _, data in (*MAILS, ("", MIXED), ("", b"")):
        found = map_of(course, data)
        totals = course.score(features_of(read(data)))
        wanted = 10 / 2.302585092994046 * (totals["spam"] - totals["ham"])
        assert found.total == pytest.approx(wanted, abs=1e-9)
        assert fsum(spot.decibans for spot in found.spots) == pytest.approx(found.total, abs=1e-12)
        assert fsum(found.subtotals().values()) == pytest.approx(found.total, abs=1e-12)


@given(
    st.binary(max_size=400) | st.text(max_size=200).map(lambda text: f"Subject: {text}\n\n{text}".encode())
)
def test_any_bytes_have_a_map_that_adds_up(course: Course, data: bytes) -> None:
    found = map_of(course, data)
    assert fsum(spot.decibans for spot in found.spots) == pytest.approx(found.total, abs=1e-9)
    prior = next(item.decibans for item in evidence_of(course, read(data)) if item.view == "judge")
    assert found.spots[-1].decibans == pytest.approx(prior, abs=1e-9)


def test_the_bytes_hold_what_was_spread_over_them(course: Course) -> None:
    message = read(MIXED)
    evidence = evidence_of(course, message)
    found = EvidenceMap(message, evidence)
    for where, grounds in (("text", [found.text]), ("link", found.links), ("hidden", [found.hidden])):
        for number, ground in enumerate(grounds):
            spread = [0.0] * len(ground.content)
            for item in evidence:
                for place_where, place_number, start, end in item.places:
                    for byte in range(start, end):
                        if (place_where, place_number) == (where, number):
                            spread[byte] += item.decibans / len(item.places) / (end - start)
            assert ground.decibans == pytest.approx(spread, abs=1e-12)
    assert any(found.text.decibans)
    assert any(found.links[0].decibans)


def test_letters_of_a_header_field_lie_on_its_value_unless_it_was_encoded(course: Course) -> None:
    found = map_of(course, MIXED)
    received, sender, subject = found.headers[:3]
    assert fsum(map(abs, received.decibans)) > 0
    assert received.content.endswith(b"b.example; Mon, 1 Jan 2024 10:00:00 +0000")
    assert abs(sender.whole) > abs(subject.whole) > 0


def test_every_place_has_its_kind(course: Course) -> None:
    found = map_of(course, MIXED)
    assert list(found.subtotals()) == [kind for kind in KINDS if kind in found.subtotals()] == list(KINDS)
    assert "from: Jürgen <j@spam.example>" in spots_of(found, "sender")
    assert {"Free", "lunch,", "free", "money"} <= set(spots_of(found, "subject"))
    assert {"Buy", "cheap", "pills,"} <= set(spots_of(found, "text"))
    assert {"http://192.0.2.7/buy", "http://pills.example/buy", "url:ip"} <= set(spots_of(found, "links"))
    assert "money.pdf" in spots_of(found, "attachments")
    assert "<b>" in spots_of(found, "markup")
    assert "no scripts" in spots_of(found, "absent")


def test_words_that_are_spelled_alike_are_one_spot(course: Course) -> None:
    found = map_of(course, b"Subject: money\n\nbuy money, buy money and buy Money")
    words = spots_of(found, "text")
    assert len(words["buy"].places) == 3
    assert len(words["Money"].places) == 1
    text = found.text.content
    assert {text[start:end] for _, _, start, end in words["buy"].places} == {b"buy"}


def test_chinese_is_cut_at_its_punctuation_and_never_inside_a_character(course: Course) -> None:
    found = map_of(course, "Subject: 发票\n\n代开发票，请联系我！免费".encode())
    assert set(spots_of(found, "text")) >= {"代开发票", "请联系我", "免费"}
    assert "\N{REPLACEMENT CHARACTER}" not in "".join(spot.name for spot in found.spots)


def test_the_strongest_come_first_whichever_way_they_speak(course: Course) -> None:
    found = map_of(course, MIXED)
    strengths = [abs(spot.decibans) for spot in found.strongest(10)]
    assert strengths == sorted(strengths, reverse=True)
    assert len(strengths) == 10
    assert found.strongest(0) == []


def test_a_script_without_spaces_is_cut_into_short_runs_and_nothing_is_lost():
    text = "公公是去年7月1号查出急性白血病的.想想那时看到结果所有的人都很震惊, and then Jürgen 来了。ที่นี่ดีมาก"
    found = EvidenceMap(read(f"Subject: x\n\n{text}\n".encode()), ())
    pieces = [piece for piece, _ in found.text.pieces()]
    assert "".join(pieces).strip() == text
    assert max(len(piece) for piece in pieces) <= 12
    assert {"and ", "then ", "Jürgen "} <= set(pieces)
