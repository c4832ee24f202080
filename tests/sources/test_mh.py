from deciban.sources import open_source


def test_numbered_files_are_read_by_number_and_others_are_not(tmp_path):
    for name in ("10", "9", "1", ",2", "notes.txt", "3.bak", ".mh_sequences", "²"):
        (tmp_path / name).write_bytes(b"Subject: hi\n")
    source = open_source(str(tmp_path))
    assert [message.id.removeprefix(f"{tmp_path}/") for message in source] == ["1", "9", "10"]
    assert source.skipped == []
