"""Tests mirror the tree: a/b.py has tests in tests/a/test_b.py, doctests of its own, or is named here.

A module that is in none of the three has no test at all, which is what this finds.
"""

from pathlib import Path

import pytest

import deciban

ROOT = Path(deciban.__file__).parent
TESTS = Path(__file__).parent
READER = "text/test_reader.py"
NEIGHBORS = "learners/test_neighbors.py"
API = "server/test_api.py"
SUPERVISOR = "server/test_supervisor.py"
# Parts of something whose tests hold them too, and modules that are tested by a law or an oracle.
HELD_BY = {
    "__main__": "cli/test_main.py",
    "_sums": "laws/test_hidden_labels.py",
    "cli/agreement": "cli/test_forget.py",
    "cli/correct": "cli/test_journal.py",
    "cli/folder_check": "cli/test_check.py",
    "cli/journal_flags": "cli/test_journal.py",
    "cli/lesson_flags": "cli/test_list_lessons.py",
    "cli/store_checks": "cli/test_check.py",
    "cli/undo": "cli/test_journal.py",
    "cli/verbs": "cli/test_documented.py",
    "committee/extraction": "filter/test_word_evidence.py",
    "engines/dask_cluster": "engines/test_lessons.py",
    "errors": "test_exported_names.py",
    "evaluate/assessment": "evaluate/report/test_report_page.py",
    "evaluate/peers/bogofilter": "evaluate/peers/test_peers.py",
    "evaluate/peers/spamassassin": "evaluate/peers/test_peers.py",
    "evaluate/subject": "evaluate/test_trial.py",
    "evaluate/telling_features": "evaluate/report/test_report_page.py",
    "families/reading": "laws/test_readings.py",
    "families/whole_numbers": "laws/test_readings.py",
    "filter/changing": "filter/test_filter.py",
    "filter/checking": "cli/test_check.py",
    "filter/deciding": "filter/test_filter.py",
    "filter/made_like": "filter/test_asking.py",
    "filter/safekeeping": "filter/test_copies.py",
    "journal/journal_entry": "journal/test_desk.py",
    "journal/sqlite_soundness": "journal/test_sqlite_journal_repair.py",
    "learners/ascent": "learners/test_mixture.py",
    "learners/family_learner": "learners/test_naive_bayes.py",
    "learners/model": "learners/test_naive_bayes.py",
    "learners/neighbors/_nearest": NEIGHBORS,
    "learners/neighbors/approximate": NEIGHBORS,
    "learners/neighbors/file": NEIGHBORS,
    "learners/neighbors/neighbors": NEIGHBORS,
    "ledger/facts": "ledger/test_ledger.py",
    "ledger/records": "ledger/test_ledger.py",
    "ledger/sqlite_copy": "cli/test_restore.py",
    "ledger/sqlite_findings": "cli/test_check.py",
    "ledger/sqlite_connection": "ledger/test_ledger.py",
    "ledger/sqlite_file": "filter/test_durability.py",
    "ledger/sqlite_labels": "filter/test_spellings.py",
    "sample/people": "sample/test_mailbox.py",
    "client/async_client": "client/test_client.py",
    "filter/lesson_record": "cli/test_json.py",
    "filter/status_record": "cli/test_json.py",
    "filter/why_record": "cli/test_json.py",
    "journal/entry_record": "cli/test_json.py",
    "server/api/administration": API,
    "server/api/http_api": API,
    "server/api/interface_page": API,
    "server/api/message_intake": API,
    "server/api/operation": API,
    "server/api/operations": API,
    "server/api/pages": API,
    "server/api/questions": API,
    "server/api/teaching": API,
    "server/api/unpacking": "server/test_limits.py",
    "server/api/space_views": API,
    "server/changes": API,
    "server/doors/http_door": API,
    "server/doors/stream_door": "server/doors/test_milter_door.py",
    "server/http/http_connection": "server/test_limits.py",
    "server/lifeline": SUPERVISOR,
    "server/reception": API,
    "server/server_checks": "cli/test_serve.py",
    "server/server_metrics": API,
    "server/worker": SUPERVISOR,
    "server/writer": SUPERVISOR,
    "spaces/space": "spaces/test_quota.py",
    "tables/table_figures": "tables/test_table_model.py",
    "text/_charset": READER,
    "text/_fields": READER,
    "text/_headers": READER,
    "text/_html": READER,
    "text/_transfer": READER,
    "text/entities": READER,
    "text/pieces": READER,
}
MODULES = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path
    for path in sorted(ROOT.rglob("*"))
    if path.suffix in (".py", ".pyx") and path.name != "__init__.py"
}


def own_test(module):
    """Where the tests of a module belong: those of text/_words.pyx and of text/words.py in one file."""
    folder, _, name = module.rpartition("/")
    return TESTS / folder / f"test_{name.strip('_')}.py"


def has_doctests(path):
    return ">>> " in path.read_text()


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_tests(module):
    held = own_test(module).exists() or has_doctests(MODULES[module]) or module in HELD_BY
    assert held, f"{module} has no tests: write {own_test(module)}"


@pytest.mark.parametrize("module", HELD_BY)
def test_what_is_held_elsewhere_is_there_with_the_tests_that_hold_it(module):
    assert module in MODULES
    assert (TESTS / HELD_BY[module]).exists()
