import json

from deciban.cli import main


def test_every_lesson_is_a_line_of_json_behind_one_that_says_what_it_is(taught, capsys):
    assert main(["export"]) == 0
    captured = capsys.readouterr()
    head, *lessons = map(json.loads, captured.out.splitlines())
    assert head["deciban"] == "lessons"
    assert len(lessons) == 40
    assert {lesson["label"] for lesson in lessons} == {"spam", "ham"}
    assert captured.err == "deciban: 40 lessons exported\n"
