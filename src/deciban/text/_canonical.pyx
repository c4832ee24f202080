"""The canonical form of a message: the bytes that its digest and its features are taken of.

A message that was tagged by a filter, delivered to an mbox or a Maildir, flagged, stored and fetched again
must be the same message. So the canonical form has

- line feeds as line ends: CRLF, CRCRLF (what converting twice leaves) and a lone CR all become LF;
- no mbox "From " line in front, and no ">" in front of a "From " at the start of a line: mboxo quotes only
  "From ", mboxrd quotes ">From " once more, Maildir quotes nothing, and only without any quoting are they
  equal;
- no tag anywhere before the first empty line (see _tags.pyx);
- none of the header fields that filters, mail stores and final delivery add (see _fields.pyx), nor a
  Received field that says "with LMTP", "with POP3" or "with IMAP": that hop is the delivery or the fetching
  itself;
- one line feed at its end, however many there were (an mbox separates messages by an empty line);
- no UTF-8 byte order mark in front.

Here too is decided whether the bytes are a mail at all: they are if they begin with header fields of which
at least one is known by name and stays. Everything else is read as a document. So a file that begins with a
single "Subject:" line is a mail, and a note that begins with "Todo: milk" is not.

    b"From me Mon Jan  1\\r\\nX-Spam: no\\r\\nSubject: hi\\r\\n\\r\\n>From here\\r\\n\\r\\n"
    b"Subject: hi\\n\\nFrom here\\n"
"""

from libc.stdlib cimport free
from libc.string cimport memset

from deciban.text._content cimport *
from deciban.text._fields cimport FIELD_ADDED, field_kind, field_name_end
from deciban.text._tags cimport begins_tag, from_line_end, is_field, next_tag


cdef int unify_line_ends(Buffer* target, const Buffer* source) except -1 nogil:
    """A copy with LF for every CRLF, CRCRLF and lone CR."""
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t mark
    cdef Py_ssize_t after
    cdef Py_ssize_t i
    reserve(target, source.size)
    while place < source.size:
        mark = find_byte(source, c"\r", place, source.size)
        append(target, source, place, mark)
        if mark == source.size:
            break
        after = mark
        while byte_at(source, after) == c"\r":
            after += 1
        if byte_at(source, after) == c"\n":
            append_byte(target, c"\n")
            place = after + 1
        else:
            for i in range(after - mark):
                append_byte(target, c"\n")
            place = after
    return 0


cdef Py_ssize_t skip_from_lines(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Past the mbox lines in front of a header; prose that begins with "From " is left alone."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t after = from_line_end(source, place)
    while after >= 0:
        place = after
        after = from_line_end(source, place)
    return place if is_field(source, place) else start


cdef bint is_fetched(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a Received field is of the last hop into a mailbox."""
    cdef Py_ssize_t place = find_bytes(source, b"with ", 5, start, end)
    while place < end:
        if (
            starts_with(source, place, end, b"with lmtp")
            or starts_with(source, place, end, b"with pop3")
            or starts_with(source, place, end, b"with imap")
        ):
            return True
        place = find_bytes(source, b"with ", 5, place + 5, end)
    return False


cdef bint is_added(const Buffer* source, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end) noexcept nogil:
    """Whether a filter, a store or the last hop added a field: it is no part of the canonical form."""
    cdef int kind = field_kind(source, start, colon)
    return kind == FIELD_ADDED or kind == HEADER_RECEIVED and is_fetched(source, colon, end)


cdef Py_ssize_t field_end(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """The end of a field with its folded lines, past the last line feed."""
    cdef Py_ssize_t place = start
    cdef int byte
    while place < source.size:
        place = min(find_byte(source, c"\n", place, source.size) + 1, source.size)
        byte = byte_at(source, place)
        if byte != c" " and byte != c"\t":
            break
    return place


cdef bint begins_a_mail(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Whether header fields stand here of which at least one is known by name and was not added later."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t colon
    cdef Py_ssize_t end
    while place < source.size:
        end = field_end(source, place)
        if begins_tag(source, place, end):
            place = end
            continue
        colon = field_name_end(source, place, end)
        if colon < 0:
            return False
        if field_kind(source, place, colon) != HEADER_OTHER and not is_added(source, place, colon, end):
            return True
        place = end
    return False


cdef int append_within(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Py_ssize_t limit
) except -1 nogil:
    """A range copied as far as the limit allows."""
    return append(target, source, start, min(end, start + max(limit - target.size, 0)))


cdef Py_ssize_t copy_fields(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t limit
) except -1 nogil:
    """Copies the header fields that stay; the place behind the last field."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t colon
    cdef Py_ssize_t end
    while place < source.size:
        end = field_end(source, place)
        if begins_tag(source, place, end):
            place = end
            continue
        colon = field_name_end(source, place, end)
        if colon < 0:
            break
        if not is_added(source, place, colon, end):
            append_within(target, source, place, end, limit)
        place = end
    return place


cdef int copy_lines(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Py_ssize_t limit
) except -1 nogil:
    """Copies whole lines, without the ">" in front of any "From " that starts one."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t found = find_bytes(source, b">From ", 6, start, end)
    cdef Py_ssize_t quote
    while found < end and target.size < limit:
        quote = found
        while quote > place and byte_at(source, quote - 1) == c">":
            quote -= 1
        if quote == 0 or byte_at(source, quote - 1) == c"\n":
            append_within(target, source, place, quote, limit)
            place = found + 1
        found = find_bytes(source, b">From ", 6, found + 6, end)
    return append_within(target, source, place, end, limit)


cdef int copy_rest(Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t limit) except -1 nogil:
    """Copies what is behind the fields, without the tags that a broken line hides from some readers only."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t tag = next_tag(source, start)
    while tag < source.size:
        copy_lines(target, source, place, tag, limit)
        place = field_end(source, tag)
        tag = next_tag(source, place)
    return copy_lines(target, source, place, source.size, limit)


cdef int canonicalise(Content* content, const Buffer* source, Py_ssize_t limit) except -1 nogil:
    """Fills content.canonical and content.is_mail."""
    cdef Buffer unified
    cdef Buffer lines = source[0]
    memset(&unified, 0, sizeof(Buffer))
    if starts_with(source, 0, source.size, b"\xff\xfe") or starts_with(source, 0, source.size, b"\xfe\xff"):
        # UTF-16: a byte of it that looks like a line end is none.
        content.facts[FACT_LIMIT_BYTES] = source.size > limit
        return append_within(&content.canonical, source, 0, source.size, limit)
    try:
        if find_byte(source, c"\r", 0, source.size) < source.size:
            unify_line_ends(&unified, source)
            lines = unified
        copy_canonical(content, &lines, limit)
    finally:
        free(unified.data)
    return 0


cdef int copy_canonical(Content* content, Buffer* source, Py_ssize_t limit) except -1 nogil:
    """The canonical form of bytes that already have line feeds as line ends."""
    cdef Buffer* target = &content.canonical
    cdef Py_ssize_t place = 3 if starts_with(source, 0, source.size, b"\xef\xbb\xbf") else 0
    cdef Py_ssize_t limit_and_one = limit + 1
    # First, so that line feeds which only a store added never push a message past the limit.
    while byte_at(source, source.size - 1) == c"\n":
        source.size -= 1
    reserve(target, min(source.size, limit) + 2)
    place = skip_from_lines(source, place)
    content.is_mail = begins_a_mail(source, place)
    if content.is_mail:
        place = copy_fields(target, source, place, limit_and_one)
    copy_rest(target, source, place, limit_and_one)
    if target.size > limit:
        content.facts[FACT_LIMIT_BYTES] = 1
        target.size = limit
    while target.size > 0 and byte_at(target, target.size - 1) == c"\n":
        target.size -= 1
    if target.size > 0:
        append_byte(target, c"\n")
    return 0
