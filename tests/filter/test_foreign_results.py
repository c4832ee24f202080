"""What others found out counts only from named hosts, wherever a forger puts it; any bytes will do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import BadSetting
from deciban.filter.foreign_results import METHODS, MOST_TESTS, RESULTS, STEPS, facts_in
from deciban.filter.mail import lessons_from, question_of, whereabouts_in
from deciban.filter.preferences import Preferences
from deciban.filter.tag import tags_of
from deciban.filter.tagging import Tagging
from deciban.sources import RawMessage
from deciban.text import read
from tests.effort import effort
from tests.filter.mails import mail

US = {"mx.example.org"}
OURS = "Authentication-Results: mx.example.org; dkim=pass header.d=a.example; spf=fail\n"
HOP = (
    "Received: from mail.a.example (mail.a.example [192.0.2.7])\n"
    "\tby mx.example.org (Postfix) with ESMTPS id 4F;\n"
)
FOREIGN = "Received: from x.example by lists.example.net with ESMTP; Tue, 3 Nov 2026 10:00:00 +0000\n"
CHECKER = "X-Spam-Checker-Version: SpamAssassin 4.0.1 (2024-03-25) on {}\n"
STATUS = "X-Spam-Status: {}, score=6.9 required=5.0 tests={} autolearn=no version=4.0.1\n"
SERVER = "X-Rspamd-Server: {}\n"
RSPAMD = SERVER + "X-Spamd-Result: default: False [2.50 / 15.00];\n\tMISSING_MID(2.50)[];\n\tR_X(0.00)[a]\n"
MOST_FACTS = len(METHODS) * len(RESULTS) + 2 * (MOST_TESTS + len(STEPS))
END = "From: a@a.example\nSubject: hi\n\ndkim=pass\n"


def facts(*fields: str, hosts: set[str] = US) -> list[str]:
    return list(facts_in("".join([*fields, END]).encode("latin-1"), hosts))


@pytest.mark.parametrize("head", [(OURS, HOP), (HOP, OURS)])
def test_results_of_a_named_host_count_above_and_below_its_hop(head):
    assert facts(*head) == ["dkim=pass", "spf=fail"]
    assert facts(*head, hosts={"mx.example.com"}) == []
    assert facts(*head, hosts={".example.org"}) == ["dkim=pass", "spf=fail"]
    assert facts(*head, hosts={"example.org"}) == []


def test_of_each_method_the_topmost_field_counts():
    forged = "Authentication-Results: mx.example.org; dkim=fail; spf=pass; dmarc=pass\n"
    assert facts(OURS, HOP, forged) == ["dkim=pass", "spf=fail", "dmarc=pass"]


def test_a_mail_server_may_write_several_fields():
    parts = [f"Authentication-Results: mx.example.org; {result}\n" for result in ("dkim=pass", "spf=none")]
    assert facts(*parts, HOP) == ["dkim=pass", "spf=none"]


def test_nothing_counts_below_a_foreign_hop():
    assert facts(FOREIGN, OURS) == []
    assert facts(HOP, FOREIGN, OURS) == []
    assert facts(HOP, FOREIGN, "Received-SPF: pass (mx.example.org: ok)\n") == []
    assert facts(FOREIGN, HOP, OURS) == []  # ours, but then it was in the hands of somebody else


@pytest.mark.parametrize(
    "no_hop",
    [
        "Received: by 2002:a05:6214:1d05 with SMTP id x\n",
        "Received: from mx.example.org by imap.example.net with LMTP id x\n",
        "Received: from pop.example.net by laptop with POP3 (fetchmail)\n",
        "Received: (qmail 123 invoked by uid 0)\n",
        "Received:\n",
    ],
)
def test_handing_on_delivery_and_fetching_are_no_hops(no_hop):
    assert facts(no_hop, HOP, OURS) == ["dkim=pass", "spf=fail"]


@pytest.mark.parametrize("greeting", ["by", "with", "(by", '"by'])
def test_the_name_by_which_a_sender_greets_hides_no_results(greeting):
    hop = HOP.replace("mail.a.example (", f"{greeting} (", 1)
    assert "dkim=pass" in facts(hop, OURS)


def test_comments_and_quotes_are_no_results():
    field = (
        'Authentication-Results: mx.example.org (; dkim=pass); spf=fail (\\); dkim=pass) x="; dmarc=pass"\n'
    )
    assert facts(field) == ["spf=fail"]
    assert facts("Authentication-Results: (mx.example.org) evil.example; dkim=pass\n") == []
    assert facts("Authentication-Results: spf=pass smtp.mailfrom=mx.example.org; dkim=pass\n") == []
    assert facts("Authentication-Results: mx.example.org; spf=pass%; x-mine=pass; dkim=excellent\n") == []


def test_a_field_of_an_odd_form_is_read_as_the_standard_says():
    field = "AUTHENTICATION-RESULTS:\tMX.Example.ORG. 1;\r\n\tDKIM / 1 = Pass reason=x; none\r\n"
    assert facts(field) == ["dkim=pass"]
    assert facts("Authentication-Results: mx.example.org; none\n") == []
    assert facts("Authentication-Results: mx.example.org; dkim=pass; dkim=fail\n") == [
        "dkim=pass",
        "dkim=fail",
    ]
    assert facts("ARC-Authentication-Results: i=1; mx.example.org; dkim=pass\n") == []


def test_spf_is_believed_of_who_received_the_message():
    assert facts("Received-SPF: pass (mx.example.org: domain of a) client-ip=192.0.2.7\n") == ["spf=pass"]
    assert facts("Received-SPF: none receiver=mx.example.org; client-ip=192.0.2.7\n") == ["spf=none"]
    assert facts("Received-SPF: pass (mx.example.org: a) receiver=evil.example\n") == []
    assert facts("Received-SPF: pass client-ip=192.0.2.7\n") == []
    assert facts(OURS, "Received-SPF: pass (mx.example.org: a)\n") == ["dkim=pass", "spf=fail"]


def test_programs_on_a_named_host_count_wherever_a_milter_puts_their_fields():
    spamassassin = [CHECKER.format("mx.example.org"), STATUS.format("Yes", "A_B,\n\tC")]
    points = [f"spamassassin>{step}" for step in (-3, -1, 1, 3, 5)]
    assert facts(*spamassassin, HOP, FOREIGN) == ["spamassassin=A_B", "spamassassin=C", *points]
    points = [f"rspamd>{step}" for step in (-3, -1, 1)]
    assert facts(HOP, FOREIGN, RSPAMD.format("mx.example.org")) == [
        "rspamd=MISSING_MID",
        "rspamd=R_X",
        *points,
    ]
    for head in ([CHECKER.format("mx.evil.example"), spamassassin[1]], spamassassin[1:], spamassassin[:1]):
        assert facts(HOP, *head) == []
    assert facts(HOP, RSPAMD.format("evil.example")) == []


@pytest.mark.parametrize("points", ["nan", "-", "1e999", "٣", "9" * 5000])
def test_points_that_are_no_number_are_none(points):
    status = STATUS.format("Yes", "A").replace("6.9", points)
    found = facts_in((CHECKER.format("mx.example.org") + status + END).encode(), US)
    assert found[0] == "spamassassin=A"
    assert len(found) in (1, 1 + len(STEPS))


def test_of_programs_each_field_must_stand_once():
    own, forged = STATUS.format("Yes", "A"), STATUS.format("No", "USER_IN_WELCOMELIST")
    assert facts(CHECKER.format("mx.example.org"), own, forged) == []
    assert facts(CHECKER.format("mx.example.org"), CHECKER.format("evil.example"), own) == []
    assert facts(RSPAMD.format("mx.example.org"), RSPAMD.format("mx.example.org")) == []


def test_our_own_tags_are_no_results():
    from deciban.committee.verdict import Verdict

    spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
    kept = (CHECKER.format("mx.example.org") + STATUS.format("No", "A") + END).encode()
    assert "tests=" not in str(tags_of(spam, b""))
    assert facts_in(Tagging(keeps_others=True).tagged(kept, spam), US) == ()


def test_words_of_a_named_host_are_facts_and_those_of_others_nothing():
    data = (HOP + OURS + FOREIGN + "Authentication-Results: evil.example; dmarc=pass\n" + END).encode()
    named = Preferences(results_from=["MX.example.org"])
    heard = set(whereabouts_in(read(data), named).names["words"].values())
    assert {"fact:dkim=pass", "fact:spf=fail"} <= heard
    assert not any("auth:" in name or "authentication" in name or "dmarc" in name for name in heard)
    plain = set(whereabouts_in(read(data), Preferences()).names["words"].values())
    assert {"auth:dkim=pass", "auth:dmarc=pass"} <= plain
    assert not any(name.startswith("fact:dkim") for name in plain)


def test_whoever_forges_results_whispers_nothing_to_a_filter_with_named_hosts():
    bare = read((HOP + FOREIGN + END).encode())
    forged = read((HOP + FOREIGN + OURS + "Received-SPF: pass (mx.example.org: a)\n" + END).encode())

    def difference(preferences: Preferences) -> set[str]:
        found = [whereabouts_in(message, preferences).names for message in (bare, forged)]
        words = [set(names["words"].values()) | set(names["letters"].values()) for names in found]
        return words[0] ^ words[1]

    # That the message is longer is true.
    assert {name[:10] for name in difference(Preferences(results_from=US))} <= {"fact:size:"}
    assert "auth:dkim=pass" in difference(Preferences())


def test_lessons_questions_and_explanations_agree_about_results():
    data = (OURS + HOP + mail("spam", 1).data.decode()).encode()
    for preferences in (Preferences(), Preferences(results_from=["mx.example.org"])):
        (lesson,) = lessons_from([RawMessage("", data)], "spam", preferences)
        question = question_of(data, preferences)
        whereabouts = whereabouts_in(read(data), preferences)
        assert lesson.features == question.features
        for view in ("words", "letters"):
            assert set(whereabouts.names[view]) == set(getattr(question.features, view))


def test_a_message_is_the_same_message_whoever_is_named():
    data = (OURS + HOP + END).encode()
    digests = {
        lesson.digest
        for hosts in ([], ["mx.example.org"])
        for lesson in lessons_from([RawMessage("", data)], "ham", Preferences(results_from=hosts))
    }
    assert len(digests) == 1


def test_hosts_are_kept_and_only_where_there_are_some():
    assert "results_from" not in Preferences().text()
    named = Preferences(results_from=["MX.Example.org.", ".example.net"])
    assert Preferences.from_text(named.text()) == named
    assert named.results_from == {"mx.example.org", ".example.net"}


@pytest.mark.parametrize("host", ["", ".", "mx example", "mx/../x", "ä.example", "x" * 300])
def test_what_is_no_host_is_refused(host):
    with pytest.raises(BadSetting, match="names of hosts"):
        Preferences(results_from=[host])


PIECES = st.sampled_from(
    [
        *(b"Received:", b"Authentication-Results:", b"Received-SPF:", b"X-Spam-Status:", b"X-Spamd-Result:"),
        *(
            b"X-Spam-Checker-Version:",
            b"X-Rspamd-Server:",
            b" mx.example.org",
            b"; dkim=pass",
            b" from x by ",
        ),
        *(
            b"(",
            b")",
            b'"',
            b"\\",
            b";",
            b"=",
            b",",
            b"\n",
            b"\r",
            b"\n\t",
            b" tests=",
            b" on ",
            b"\0",
            b"\xff",
        ),
    ]
)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=effort(60, 300)).map(b"".join))
def test_any_bytes_will_do(data):
    found = facts_in(data, US)
    assert len(found) == len(set(found)) <= MOST_FACTS
    question_of(data, Preferences(results_from=US))


@pytest.mark.parametrize(
    "piece", ["(", "\\", '"', "a.", "; dkim=pass", "A,", "X(1);", " by", "Received: from a by b\n"]
)
@pytest.mark.parametrize(
    "name", ["Authentication-Results", "Received", "Received-SPF", "X-Spam-Status", "X-Spamd-Result"]
)
def test_long_fields_are_read_in_parts_only(name, piece):
    field = f"{name}: mx.example.org; tests={piece * (300_000 // len(piece))}\n"
    programs = CHECKER.format("mx.example.org") + SERVER.format("mx.example.org")
    assert len(facts(programs, field)) <= MOST_FACTS
