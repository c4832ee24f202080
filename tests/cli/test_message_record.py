import json

from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.cli.message_record import message_record
from deciban.sources import RawMessage
from deciban.text import read
from deciban.text.views import extract, trace


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_a_record_of_any_bytes_survives_json_and_has_every_feature(data):
    message = read(data)
    features = {view: trace(message, view) for view in ("words", "letters")}
    record = json.loads(json.dumps(message_record(RawMessage("1.eml", data), message, features)))
    assert record["text"] == message.text
    views = extract(message)
    assert [int(feature["hash"], 16) for feature in record["features"]["words"]] == list(views.words)
    assert [int(feature["hash"], 16) for feature in record["features"]["letters"]] == list(views.letters)


def test_features_are_left_out_unless_asked_for():
    assert "features" not in message_record(RawMessage("1.eml", b"x"), read(b"x"), {})
