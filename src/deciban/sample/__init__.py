"""A mailbox to try the filter on: made up, the same for the same seed on every machine, and not too easy.

>>> import tempfile, os
>>> with tempfile.TemporaryDirectory() as folder:
...     write_mailbox(folder)
...     sorted(os.listdir(folder))
['ham.mbox', 'inbox', 'index.tsv', 'spam.mbox']
"""

from deciban.sample.mailbox import Mail, sample_mails, write_mailbox

__all__ = ["Mail", "sample_mails", "write_mailbox"]
