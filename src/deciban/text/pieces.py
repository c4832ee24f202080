"""The pieces of a message as Python values: what `Message.headers`, `.parts` and `.links` hold.

They are made only when asked for; the views walk the same content in C (see _content.pxd). What each field
is, and its type, stands in pieces.pyi: these are not `typing.NamedTuple`, because importing typing takes
5 ms, half of what a bare interpreter needs to start.
"""

from collections import namedtuple

Header = namedtuple("Header", "name value part place")
Part = namedtuple(
    "Part",
    "number parent depth kind media_type charset codec encoding disposition file_name size text hidden place",
)
Link = namedtuple("Link", "kind target text part")
