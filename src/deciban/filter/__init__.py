"""The mail filter: a ledger of lessons, four witnesses and one judge; docs/filter.md explains it.

with Filter.open("mail.deciban") as mail:
    mail.learn(lessons_from(open_source("junk.mbox"), "spam", mail.preferences))
    verdict = mail.classify(question_of(data, mail.preferences))
"""

from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict
from deciban.filter.filter import Filter
from deciban.filter.learned import Learned

__all__ = ["Filter", "Learned", "Settings", "Verdict"]
