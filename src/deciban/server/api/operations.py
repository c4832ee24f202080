"""The table of operations: requests are routed by it, and the OpenAPI document is made of it."""

from __future__ import annotations

from deciban.server.api import administration, questions, space_views, teaching
from deciban.server.api import api_definitions as d
from deciban.server.api.operation import JSON, MAIL, NDJSON, Operation

SPACE = "/v1/spaces/{space}"
_MESSAGES = (MAIL, JSON, NDJSON)

OPERATIONS_OF_SPACES = (
    Operation(
        name="classify", method="POST", path=f"{SPACE}/classify", handle=questions.classify,
        summary="Say what a message is, or many", query=d.ClassifyQuery, body=d.MessageInput,
        takes=_MESSAGES, answer=d.ClassifyAnswer, streams=True,
    ),
    Operation(
        name="why", method="POST", path=f"{SPACE}/why", handle=questions.why,
        summary="Explain the verdict about a message", body=d.MessageInput, takes=(MAIL, JSON),
        answer=d.WhyAnswer,
    ),
    Operation(
        name="learn", method="POST", path=f"{SPACE}/learn", handle=teaching.learn,
        summary="Teach a message, or many", query=d.LearnQuery, body=d.LessonInput, takes=_MESSAGES,
        answer=d.LearnAnswer, streams=True,
    ),
    Operation(
        name="forget", method="POST", path=f"{SPACE}/forget", handle=teaching.forget,
        summary="Take back what was taught, as if it had never been", body=d.ForgetInput, takes=(JSON, MAIL),
        answer=d.ForgetAnswer,
    ),
    Operation(
        name="correct", method="POST", path=f"{SPACE}/correct", handle=teaching.correct,
        summary="Teach a message that was judged, without the mail", body=d.CorrectInput, takes=(JSON,),
        answer=d.CorrectAnswer,
    ),
    Operation(
        name="undo", method="POST", path=f"{SPACE}/undo", handle=teaching.undo,
        summary="Take back a correction", body=d.UndoInput, takes=(JSON,), answer=d.UndoAnswer,
    ),
    Operation(
        name="lessons", method="GET", path=f"{SPACE}/lessons", handle=space_views.lessons,
        summary="List what was taught, the newest first", query=d.LessonsQuery, answer=d.LessonsAnswer,
    ),
    Operation(
        name="journal", method="GET", path=f"{SPACE}/journal", handle=space_views.journal,
        summary="List what was decided, the newest first", query=d.JournalQuery, answer=d.JournalAnswer,
    ),
    Operation(
        name="labels", method="GET", path=f"{SPACE}/labels", handle=space_views.labels,
        summary="List the labels, with how many lessons each has", answer=d.LabelsAnswer,
    ),
    Operation(
        name="status", method="GET", path=f"{SPACE}/status", handle=space_views.status,
        summary="How good the filter is on its own mail", answer=d.StatusAnswer,
    ),
    Operation(
        name="preferences", method="GET", path=f"{SPACE}/preferences", handle=space_views.preferences,
        summary="What is preferred", answer=d.PreferencesAnswer,
    ),
    Operation(
        name="prefer", method="PATCH", path=f"{SPACE}/preferences", handle=teaching.prefer,
        summary="Change preferences", body=d.PreferencesInput, takes=(JSON,), answer=d.PreferencesAnswer,
    ),
    Operation(
        name="show", method="GET", path=f"{SPACE}/show", handle=space_views.show,
        summary="The strongest words of each label, or what was learned about some words", query=d.ShowQuery,
        answer=d.ShowAnswer,
    ),
    Operation(
        name="export", method="GET", path=f"{SPACE}/export", handle=space_views.export,
        summary="All lessons in an open format", gives=NDJSON,
    ),
    Operation(
        name="import", method="POST", path=f"{SPACE}/import", handle=teaching.import_,
        summary="Take over lessons that were exported, all or none", takes=(NDJSON,), answer=d.ImportAnswer,
    ),
)  # fmt: skip

OPERATIONS_OF_THE_FOLDER = (
    Operation(
        name="space list", method="GET", path="/v1/spaces", handle=administration.list_spaces,
        summary="List the spaces", query=d.PageQuery, answer=d.SpacesAnswer,
    ),
    Operation(
        name="space add", method="POST", path="/v1/spaces", handle=administration.add_space,
        summary="Make a space", body=d.SpaceInput, takes=(JSON,), answer=d.SpaceAnswer, status=201,
    ),
    Operation(
        name="space list", method="GET", path=SPACE, handle=administration.get_space,
        summary="One space", answer=d.SpaceAnswer,
    ),
    Operation(
        name="space rename", method="PATCH", path=SPACE, handle=administration.change_space,
        summary="Give a space another name or another quota", body=d.SpaceChange, takes=(JSON,),
        answer=d.SpaceAnswer,
    ),
    Operation(
        name="space delete", method="DELETE", path=SPACE, handle=administration.delete_space,
        summary="Remove a space with all that is in it, for good", status=204,
    ),
    Operation(
        name="key list", method="GET", path="/v1/keys", handle=administration.list_keys,
        summary="List the keys, without their secrets", answer=d.KeysAnswer,
    ),
    Operation(
        name="key add", method="POST", path="/v1/keys", handle=administration.add_key,
        summary="Make a key, which is shown once", body=d.KeyInput, takes=(JSON,), answer=d.NewKeyAnswer,
        status=201,
    ),
    Operation(
        name="key revoke", method="DELETE", path="/v1/keys/{id}", handle=administration.revoke_key,
        summary="Let a key open nothing any more", status=204,
    ),
)  # fmt: skip

ALL_OPERATIONS = (*OPERATIONS_OF_SPACES, *OPERATIONS_OF_THE_FOLDER)
