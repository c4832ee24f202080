"""The interface, over a real server: every operation, and what it answers to what cannot be followed."""

import base64
import json
from pathlib import Path

import pytest

from deciban.filter.mail import question_of
from deciban.server.api.openapi import openapi_document
from deciban.server.api.operations import ALL_OPERATIONS
from deciban.spaces import Spaces
from deciban.spaces.rights import OPERATIONS
from deciban.text import read
from tests.server.running_server import RunningServer, mail_of


def test_a_verdict_is_that_of_the_command_line_with_position_and_address(server: RunningServer) -> None:
    mail = mail_of("spam", 99)
    answer = server.post("classify", mail).json()
    with Spaces(str(server.folder)) as spaces, spaces.using("mail") as space:
        expected = space.mail_filter.classify(question_of(mail, space.mail_filter.preferences))
        assert answer["position"] == space.mail_filter.position()
    assert answer["verdict"] == expected.decision == "spam"
    assert answer["probabilities"] == expected.probabilities
    assert answer["digest"] == read(mail).digest.hex()
    assert answer["address"].split(":")[1] == str(answer["position"])


@pytest.mark.parametrize(
    "body",
    [
        {"message": base64.b64encode(mail_of("spam", 98)).decode()},
        {"text": "Free money, win big now"},
        mail_of("spam", 98),
    ],
    ids=["base64", "text", "raw"],
)
def test_a_message_comes_raw_in_base64_or_as_text(server: RunningServer, body: object) -> None:
    answer = server.post("classify", body)
    assert answer.status == 200
    assert answer.json()["label"] == "spam"


def test_many_messages_are_answered_line_by_line_and_a_bad_line_is_its_own_problem(
    server: RunningServer,
) -> None:
    lines = [{"id": "a", "text": "Free money"}, {"id": "b"}, {"id": "c", "text": "Lunch with the team"}]
    first, problem, last = server.post("classify", lines).lines()
    assert (first["id"], first["label"], last["id"], last["label"]) == ("a", "spam", "c", "ham")
    assert problem["problem"]["code"] == "bad-request"


def test_why_adds_up_to_the_verdict(server: RunningServer) -> None:
    answer = server.post("why", mail_of("spam", 97)).json()
    assert sum(answer["kinds"].values()) == pytest.approx(answer["decibans"], abs=1e-6)
    assert answer["evidence"]


def test_learning_is_idempotent_by_digest_and_can_be_asked_for_at_once(server: RunningServer) -> None:
    mail = mail_of("spam", 1000)
    first = server.post("learn?label=spam", mail, space="other").json()
    again = server.post("learn?label=spam", mail, space="other").json()
    assert (first["learned"], again["learned"], again["known"]) == (1, 0, 1)
    asked = server.post(f"classify?at_least={first['position']}", mail, space="other").json()
    assert asked["position"] >= first["position"]
    assert not asked["stale"]


def test_a_verdict_without_an_entry_is_the_same(server: RunningServer) -> None:
    with_entry = server.post("classify", mail_of("spam", 96)).json()
    without = server.post("classify?journal=false", mail_of("spam", 96)).json()
    assert without == {**with_entry, "entry": ""}


def test_a_position_that_never_comes_is_answered_in_time_and_marked(server: RunningServer) -> None:
    assert server.post("classify?at_least=1000000", mail_of("spam", 1)).json()["stale"]


def test_a_verdict_is_corrected_by_its_entry_and_the_correction_undone(server: RunningServer) -> None:
    entry = server.post("classify", mail_of("ham", 50)).json()["entry"]
    corrected = server.post("correct", {"entry": entry, "label": "Ham", "by": "ann"})
    assert corrected.json()["label"] == "ham"
    assert server.get("journal?corrected=true").json()["entries"][0]["entry"] == entry
    assert server.post("undo", {"entry": entry}).status == 200
    assert server.get("journal?corrected=true").json()["entries"] == []


def test_what_is_forgotten_is_gone_with_its_entries(server: RunningServer) -> None:
    mail = mail_of("spam", 2000)
    before = server.get("labels").json()["labels"]
    digest = server.post("classify", mail).json()["digest"]
    server.post("learn?label=spam", mail)
    gone = server.post("forget", {"digests": [digest]}).json()
    assert [lesson["digest"] for lesson in gone["forgotten"]] == [digest]
    assert gone["entries"] >= 1
    assert gone["swept"]
    assert server.get("labels").json()["labels"] == before
    assert server.post("forget", mail).json()["forgotten"] == []


@pytest.mark.parametrize(("what", "name"), [("lessons", "lessons"), ("journal", "entries")])
def test_pages_are_read_by_cursor_and_none_comes_twice(server: RunningServer, what: str, name: str) -> None:
    for number in range(5):
        server.post("classify", mail_of("ham", 300 + number))
    server.post(
        "correct", {"entry": server.post("classify", mail_of("ham", 299)).json()["entry"], "label": "ham"}
    )
    found: list[object] = []
    cursor = ""
    while cursor is not None:
        page = server.get(f"{what}?limit=4&cursor={cursor}").json()
        found += [json.dumps(each) for each in page[name]]
        assert len(page[name]) <= 4
        cursor = page["next"]
    assert len(found) == len(set(found)) > 4


def test_an_export_is_taken_over_by_another_space(server: RunningServer) -> None:
    exported = server.get("export")
    answer = server.post("import", exported.body, space="ann@example.org", kind="application/x-ndjson")
    assert answer.json()["imported"] == len(exported.body.splitlines()) - 1
    assert (
        server.get("labels", space="ann@example.org").json()["labels"]
        == server.get("labels").json()["labels"]
    )
    damaged = server.post("import", b"{}\n", space="ann@example.org", kind="application/x-ndjson")
    assert (damaged.status, damaged.json()["code"]) == (400, "bad-request")


def test_preferences_are_changed_and_the_rest_stays(server: RunningServer) -> None:
    before = server.get("preferences", space="other").json()
    path = "/v1/spaces/other/preferences"
    changed = server.request("PATCH", path, {"cost": 99.0, "allowed": ["Ann@example.org"]}).json()
    assert changed == {**before, "cost": 99.0, "allowed": ["ann@example.org"]}
    assert server.request("PATCH", path, {"sure": 2}).status == 400
    assert "shared" not in changed
    named = server.request("PATCH", path, {"results_from": ["MX.example.org"]}).json()
    assert named == {**changed, "results_from": ["mx.example.org"]}
    assert server.request("PATCH", path, {"results_from": ["no host"]}).status == 400
    assert server.request("PATCH", path, {"results_from": []}).json() == changed


def test_results_of_a_host_that_the_administrator_named_are_learned_and_told(tmp_path: Path) -> None:
    found = {
        "spam": b"Authentication-Results: mx.example.org; dmarc=fail\n",
        "ham": b"Authentication-Results: mx.example.org; dmarc=pass\nReceived-SPF: pass (evil.example: a)\n",
    }
    with RunningServer(tmp_path, '[server]\nworkers = 1\nresults_from = ["mx.example.org"]\n') as server:
        for number in range(5):
            for label, results in found.items():
                server.post(f"learn?label={label}", results + mail_of(label, number))
        answer = server.post("why", found["spam"] + mail_of("ham", 99)).json()
        evidence = {item["name"]: item["decibans"] for item in answer["evidence"]}
        assert evidence["fact:dmarc=fail"] * (1 if answer["label"] == "spam" else -1) > 0
        answer = server.post("why", found["ham"] + mail_of("spam", 99)).json()
        names = [item["name"] for item in answer["evidence"]]
        assert "fact:dmarc=pass" in names
        assert not [name for name in names if "spf" in name or name.startswith("auth:")]


def test_status_and_show_are_those_of_the_command_line(server: RunningServer) -> None:
    assert server.get("status").json()["lessons"] == server.get("labels").json()["labels"]
    shown = server.get("show?top=3").json()
    assert len(shown["strongest"]["spam"]) == 3
    assert "spam" in server.get("show?words=free%20money").json()["words"]["free"]


def test_spaces_are_made_renamed_limited_and_deleted(server: RunningServer) -> None:
    made = server.request("POST", "/v1/spaces", {"name": "../Bob/é", "most_lessons": 1})
    assert (made.status, made.json()["name"]) == (201, "../Bob/é")
    assert server.request("POST", "/v1/spaces", {"name": "../bob/É"}).status == 409
    assert server.post("learn?label=spam", mail_of("spam", 1), space="../bob/É").json()["learned"] == 1
    full = server.post("learn?label=spam", mail_of("spam", 2), space="../bob/É")
    assert (full.status, full.json()["code"]) == (409, "over-quota")
    renamed = server.request("PATCH", "/v1/spaces/..%2Fbob%2F%C3%A9", {"name": "bob", "most_lessons": None})
    assert (renamed.json()["name"], renamed.json()["most_lessons"]) == ("bob", None)
    assert server.request("DELETE", "/v1/spaces/bob").status == 204
    assert server.request("GET", "/v1/spaces/bob").status == 404
    names = [each["name"] for each in server.request("GET", "/v1/spaces").json()["spaces"]]
    assert names == sorted(names)
    assert "bob" not in names


def test_a_new_space_begins_with_the_starter_unless_it_is_told_not_to(server: RunningServer) -> None:
    for name, said, knows_mail in (("with", {}, True), ("without", {"starter": False}, False)):
        made = server.request("POST", "/v1/spaces", {"name": name, **said})
        assert (made.status, made.json()["starter"]) == (201, knows_mail)
        found = server.post("classify", b"Subject: Notice\n\nCLICK HERE to be removed\n", space=name).json()
        assert (found["probability"] is not None) is knows_mail
        assert server.request("DELETE", f"/v1/spaces/{name}").status == 204


def test_spaces_are_listed_page_by_page(server: RunningServer) -> None:
    first = server.request("GET", "/v1/spaces?limit=1").json()
    second = server.request("GET", f"/v1/spaces?limit=1&cursor={first['next']}").json()
    assert first["spaces"][0]["name"] < second["spaces"][0]["name"]


def test_a_key_is_made_used_and_revoked_and_makes_no_stronger_one(server: RunningServer) -> None:
    made = server.request("POST", "/v1/keys", {"rights": ["read"], "space": "mail", "note": "test"})
    key = made.json()["key"]
    assert server.get("labels", key=key).status == 200
    assert server.post("classify", b"Subject: x", key=key).status == 403
    assert server.get("labels", key=key, space="other").status == 403
    weak = server.add_key("admin", "read")
    stronger = server.request("POST", "/v1/keys", {"rights": ["learn"]}, key=weak)
    assert (stronger.status, stronger.json()["code"]) == (403, "not-allowed")
    listed = server.request("GET", "/v1/keys").body
    assert made.json()["id"].encode() in listed
    assert key.rpartition("_")[2].encode() not in listed
    assert server.request("DELETE", f"/v1/keys/{made.json()['id']}").status == 204
    assert server.request("DELETE", f"/v1/keys/{made.json()['id']}").status == 401


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/spaces/nobody/labels", 404, "no-such-space"),
        ("GET", "/v1/spaces/mail/nothing", 404, "no-such-page"),
        ("GET", "/v2", 404, "no-such-page"),
        ("GET", "/v1/spaces/mail/classify", 405, "wrong-method"),
        ("GET", "/v1/spaces/mail/lessons?limit=0", 400, "bad-request"),
        ("GET", "/v1/spaces/mail/lessons?limt=1", 400, "bad-request"),
        ("GET", "/v1/spaces/mail/lessons?cursor=yesterday", 400, "bad-request"),
        ("GET", "/v1/spaces/mail/lessons?limit=1&limit=2", 400, "bad-request"),
        ("GET", "/v1/spaces/%ff/labels", 400, "bad-request"),
    ],
)
def test_what_cannot_be_followed_is_a_problem_with_a_code(
    server: RunningServer, method: str, path: str, status: int, code: str
) -> None:
    answer = server.request(method, path)
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"]
    assert problem["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("operation", "body", "kind", "status"),
    [
        ("classify", b"{", "application/json", 400),
        ("classify", {}, "", 400),
        ("classify", {"text": "a", "message": "YQ=="}, "", 400),
        ("classify", {"message": "not base64!"}, "", 400),
        ("classify", b"text", "text/plain", 415),
        ("learn", b"Subject: no label", "", 400),
        ("learn?label=", b"Subject: x", "", 400),
        ("learn?label=spam&origin=sample", b"Subject: x", "", 400),
        ("correct", {"entry": "00" * 16, "label": "ham"}, "", 404),
        ("correct", {"entry": "../../", "label": "ham"}, "", 400),
        ("forget", {}, "", 400),
        ("undo", {"entry": "00" * 16}, "", 404),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(
    server: RunningServer, operation: str, body: object, kind: str, status: int
) -> None:
    before = server.get("labels").json()
    assert server.post(operation, body, kind=kind).status == status
    assert server.get("labels").json() == before


def test_health_readiness_metrics_and_pages_need_no_key(server: RunningServer) -> None:
    assert server.request("GET", "/healthz", key=None).json() == {"status": "ok"}
    assert server.request("GET", "/readyz", key=None).json() == {"status": "ready"}
    assert server.post("classify", mail_of("spam", 1)).status == 200
    metrics = server.request("GET", "/metrics", key=None).body.decode()
    assert 'deciban_requests_total{operation="classify",status="200"}' in metrics
    assert "mail" not in metrics.replace("deciban", "")
    page = server.request("GET", "/", key=None)
    assert b"<script" not in page.body
    own = b"http://127.0.0.1:%d/v1/spaces/mail/" % server.port
    assert own in page.body
    assert b"http" not in page.body.replace(own, b"").replace(b"http-equiv", b"")
    assert b"/v1/spaces/{space}/classify" in page.body


def test_every_parameter_is_explained_on_the_page() -> None:
    operations = [each for methods in openapi_document()["paths"].values() for each in methods.values()]
    parameters = [each for operation in operations for each in operation.get("parameters", ())]
    assert len(parameters) > 30
    assert [each["name"] for each in parameters if not each["description"]] == []


def test_the_table_of_operations_needs_the_rights_of_the_table_of_rights() -> None:
    assert {operation.name for operation in ALL_OPERATIONS} <= set(OPERATIONS)
    missing = set(OPERATIONS) - {operation.name for operation in ALL_OPERATIONS}
    assert missing == {"erase", "space quota"}  # for a person at the machine; quotas go with rename


def test_a_given_request_id_comes_back_unless_it_is_none(server: RunningServer) -> None:
    given = server.request("GET", "/healthz", headers={"X-Request-Id": "abc-123"})
    assert given.headers["x-request-id"] == "abc-123"
    forged = server.request("GET", "/healthz", headers={"X-Request-Id": "a b;c"})
    assert forged.headers["x-request-id"] != "a b;c"
