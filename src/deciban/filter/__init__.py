"""The mail filter: a ledger of lessons, four witnesses and one judge; docs/filter.md explains it.

with Filter.open("mail.deciban") as mail:
    mail.learn("spam", open_source("junk.mbox"))
    verdict = mail.classify(data)
"""

from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict
from deciban.filter.filter import Filter
from deciban.filter.teaching import Learned

__all__ = ["Filter", "Learned", "Settings", "Verdict"]
