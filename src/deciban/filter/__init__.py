"""The mail filter: a ledger of lessons, four witnesses and one judge; docs/filter.md explains it.

with Filter.open("mail.deciban") as mail:
    mail.learn("spam", open_source("junk.mbox"))
    verdict = mail.classify(data)
"""

from deciban.filter.filter import Filter
from deciban.filter.settings import Settings
from deciban.filter.teaching import Learned
from deciban.filter.verdict import Verdict

__all__ = ["Filter", "Learned", "Settings", "Verdict"]
