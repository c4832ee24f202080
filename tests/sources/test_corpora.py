"""Real corpora, read straight from their archives."""

from pathlib import Path

import pytest

from deciban.sources import open_source

DATA = Path(__file__).parents[3] / "shared" / "data"
# Files in the archive: the messages, and the notes and indexes beside them.
FILES = {
    "spamassassin": 6_046 + 3,
    "ccert_zh": 14_838 + 3,
    "ling_spam": 2_893 + 3,
}


@pytest.mark.parametrize("corpus", FILES)
def test_every_file_of_a_corpus_is_one_message(corpus):
    archive = DATA / f"{corpus}.tar.gz"
    if not archive.exists():
        pytest.skip(f"needs ../shared/data/{archive.name}")
    source = open_source(str(archive))
    ids = [message.id for message in source]
    assert len(ids) == len(set(ids)) == FILES[corpus]
    assert source.skipped == []
    assert source.consumed == source.size_hint()
