"""Where messages come from: mbox, Maildir, MH, folders, files, standard input, tar and zip archives.

    for message in open_source("inbox.mbox"):
        print(message.id, len(message.data))

`open_source` recognises what it is given by looking at it; docs/sources.md lists what it knows, how ids are
made and what the bounds are. Reading is lazy and takes memory for one message at a time. What cannot be
read is skipped and told: see `Source.skipped`.
"""

from deciban.sources.bounds import Bounds
from deciban.sources.progress import Skipped
from deciban.sources.raw_message import RawMessage
from deciban.sources.source import Source, open_source

__all__ = ["Bounds", "RawMessage", "Skipped", "Source", "open_source"]
