"""Every Python snippet in the README and docs/ runs, and shows what it says it shows."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def snippets(page):
    return FENCE.findall(page.read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)], ids=lambda page: page.name)
def test_snippets_run_and_show_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = {"__name__": page.stem}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for number, text in enumerate(snippets(page)):
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, shared, f"{page.name}[{number}]", str(page), 0)
            runner.run(test, clear_globs=False)
            shared = test.globs
        else:
            exec(compile(text, f"{page.name}[{number}]", "exec"), shared)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert broken == []


def test_every_page_is_reachable_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        todo += [(page.parent / link).resolve() for link in LINK.findall(page.read_text())]
    assert set(PAGES) <= {page.resolve() for page in reached}
