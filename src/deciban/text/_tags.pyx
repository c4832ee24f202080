r"""Tags: the fields X-Deciban… and X-Spam… in the head of a message, which programs sort mail by.

Anybody can send them, so those that a message brings along are removed before it is tagged, and they are no
part of its canonical form: one rule for tagging, digest and features.

>>> with_fields(b"Subject: hi\nno colon here\nX-Spam-Flag: NO\n\nhello\n", b"X-Deciban: spam\n")
b'X-Deciban: spam\nSubject: hi\nno colon here\n\nhello\n'

Programs disagree about what a header is. Python's email ends it at the first line that is no field; procmail,
maildrop, Dovecot and Thunderbird read on. procmail takes CR for a letter, Python for a line end. Some allow
white space before the colon, and procmail's patterns need no colon at all. So the rule covers all of them:

- The head ends at the first empty line, broken lines or not. Lines end at LF, CRLF, CRCRLF or a lone CR.
- A tag is any line of the head that begins with X-Deciban or X-Spam, letter case aside, with the lines folded
  behind it.
- The empty line is written as the first line ends, so that everybody sees it: in "Subject: hi\n\rX-Spam: no"
  the lone CR is an empty line for us and a broken field for procmail. Nothing behind it changes.

procmail and formail also skip empty lines in front of the head, so without tags of our own in front we do.
"""

from libc.stdlib cimport free
from libc.string cimport memset

from deciban.text._content cimport *
from deciban.text._fields cimport field_name_end


cdef Py_ssize_t line_end(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Behind the end of the line at this place, which is LF, CRLF, CRCRLF or a lone CR."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t mark
    while place < source.size and byte_at(source, place) != c"\n" and byte_at(source, place) != c"\r":
        place += 1
    mark = place
    while byte_at(source, mark) == c"\r":
        mark += 1
    if byte_at(source, mark) == c"\n":
        return mark + 1
    return min(place + 1, source.size)


cdef bint is_folded(const Buffer* source, Py_ssize_t place) noexcept nogil:
    """Whether the line at this place goes on with the one before it."""
    return byte_at(source, place) == c" " or byte_at(source, place) == c"\t"


cdef Py_ssize_t folded_end(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Behind the line at this place and those that go on with it."""
    cdef Py_ssize_t place = line_end(source, start)
    while is_folded(source, place):
        place = line_end(source, place)
    return place


cdef bint is_line_feed(int byte) noexcept nogil:
    """Whether a line that begins with this byte is empty."""
    return byte == c"\n" or byte == c"\r"


cdef Py_ssize_t from_line_end(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Behind the mbox "From " line (or a quoted one) at this place; -1 if there is none."""
    cdef Py_ssize_t place = start
    while byte_at(source, place) == c">":
        place += 1
    if byte_at(source, place) != c"F" or not starts_with(source, place, source.size, b"from "):
        return -1
    return line_end(source, place)


cdef Py_ssize_t next_tag(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """The next tag at or behind this line of the head; the size of the source if there is none."""
    cdef Py_ssize_t place = start
    while place < source.size and not is_line_feed(byte_at(source, place)):
        if begins_tag(source, place, source.size):
            return place
        place = line_end(source, place)
    return source.size


cdef Py_ssize_t head_end(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """The place of the first empty line."""
    cdef Py_ssize_t place = start
    while place < source.size and not is_line_feed(byte_at(source, place)):
        place = line_end(source, place)
    return place


cdef bint is_field(const Buffer* source, Py_ssize_t start) noexcept nogil:
    """Whether a header field or a tag begins here."""
    return field_name_end(source, start, source.size) >= 0 or begins_tag(source, start, source.size)


cdef bint has_time(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a line holds a time of day such as 12:36:23, as the "From " line of an mbox does."""
    cdef Py_ssize_t place = find_byte(source, c":", start, end)
    while place < end:
        if (
            byte_at(source, place + 3) == c":"
            and is_digit(byte_at(source, place - 1))
            and is_digit(byte_at(source, place + 2))
            and is_digit(byte_at(source, place + 4))
        ):
            return True
        place = find_byte(source, c":", place + 1, end)
    return False


cdef Span envelope_of(const Buffer* source) noexcept nogil:
    """The mbox lines in front, without a byte order mark; prose that begins with "From " is none."""
    cdef Span envelope
    cdef Py_ssize_t after
    envelope.start = 3 if starts_with(source, 0, source.size, b"\xef\xbb\xbf") else 0
    envelope.end = envelope.start
    after = from_line_end(source, envelope.end)
    while after >= 0:
        envelope.end = after
        after = from_line_end(source, envelope.end)
    if is_field(source, envelope.end):
        return envelope
    if envelope.start == 0 and envelope.end > 0:
        if is_line_feed(byte_at(source, envelope.end)) or has_time(source, 0, line_end(source, 0)):
            return envelope
    envelope.start = envelope.end = 0
    return envelope


cdef bint is_headless(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether [start, end) is no head: no field but tags, or it would go on with what is put in front."""
    cdef Py_ssize_t place = start
    cdef bint is_empty = end < source.size
    if is_folded(source, start):
        return True
    while place < end:
        if begins_tag(source, place, end):
            place = folded_end(source, place)
        elif field_name_end(source, place, end) >= 0:
            return False
        else:
            is_empty = False
            place = line_end(source, place)
    return not is_empty


cdef bint has_crlf(const Buffer* source) noexcept nogil:
    """Whether the first line that stays, written by whoever delivers, ends with CRLF.

    Where that line is empty, tags are all there is of a head, and their line ends count.
    """
    cdef Py_ssize_t first = 3 if starts_with(source, 0, source.size, b"\xef\xbb\xbf") and is_field(source, 3) else 0
    cdef Py_ssize_t start = first
    cdef Py_ssize_t end
    while begins_tag(source, start, source.size):
        start = folded_end(source, start)
    if is_line_feed(byte_at(source, start)):
        start = first
    end = line_end(source, start)
    return (
        start < source.size
        and not is_line_feed(byte_at(source, start))
        and byte_at(source, end - 2) == c"\r"
        and byte_at(source, end - 1) == c"\n"
    )


cdef int append_fields(Buffer* target, const Buffer* fields, bint crlf) except -1:
    """The new fields, with the line ends of the message."""
    cdef Py_ssize_t place
    for place in range(fields.size):
        if crlf and byte_at(fields, place) == c"\n":
            append_byte(target, c"\r")
        append_byte(target, <uint8_t> byte_at(fields, place))
    return 0


cdef int append_line_feed(Buffer* target, bint crlf) except -1:
    """The end of a line as the message has it."""
    if crlf:
        append_byte(target, c"\r")
    return append_byte(target, c"\n")


cdef Py_ssize_t append_empty_lines(Buffer* target, const Buffer* source, Py_ssize_t start) except -1:
    """The empty lines in front, without the tags before and between them; the place behind them."""
    cdef Py_ssize_t place = start
    while is_line_feed(byte_at(source, place)) or begins_tag(source, place, source.size):
        if begins_tag(source, place, source.size):
            place = folded_end(source, place)
        else:
            append_byte(target, <uint8_t> byte_at(source, place))
            place += 1
    return place


cdef int append_kept(Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end) except -1:
    """The head without its tags."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t tag = next_tag(source, start)
    while tag < end:
        append(target, source, place, tag)
        place = folded_end(source, tag)
        tag = next_tag(source, place)
    return append(target, source, place, end)


cdef int append_rest(Buffer* target, const Buffer* source, Py_ssize_t start, bint crlf) except -1:
    """The empty line, which everybody must see, and what is behind it as it is."""
    cdef Py_ssize_t after = line_end(source, start)
    if start == source.size:
        return 0
    if byte_at(target, target.size - 1) == c"\r":
        target.size -= 1
        append_line_feed(target, crlf)
    if byte_at(source, start) == c"\n" or crlf and byte_at(source, after - 1) == c"\n":
        return append(target, source, start, source.size)
    append_line_feed(target, crlf)
    return append(target, source, after, source.size)


cdef int rewrite(Buffer* target, const Buffer* source, const Buffer* fields) except -1:
    """The message with these fields in front and without its tags."""
    cdef bint crlf = has_crlf(source)
    cdef Span envelope = envelope_of(source)
    cdef Py_ssize_t start = envelope.end
    cdef Py_ssize_t end
    cdef Buffer rest
    reserve(target, source.size + 2 * fields.size + 4)
    append(target, source, envelope.start, envelope.end)
    if fields.size and target.size and not is_line_feed(byte_at(target, target.size - 1)):
        append_line_feed(target, crlf)
    append_fields(target, fields, crlf)
    if not fields.size and envelope.start == envelope.end:
        start = append_empty_lines(target, source, start)
        if start > envelope.end and target.size == 0:
            # Only tags were in front: what is behind them may begin as a message does, with a byte order mark.
            rest = source[0]
            rest.data += start
            rest.size -= start
            return rewrite(target, &rest, fields)
    end = head_end(source, start)
    if fields.size and is_headless(source, start, end):
        # Bytes that are no mail come behind a head of tags.
        append_line_feed(target, crlf)
        append_kept(target, source, start, end)
        return append(target, source, end, source.size)
    append_kept(target, source, start, end)
    return append_rest(target, source, end, crlf)


def with_fields(bytes message, bytes fields):
    r"""The message with these lines (each ends with "\n") in front of its head, and without its tags."""
    cdef Buffer source = buffer_of(message)
    cdef Buffer added = buffer_of(fields)
    cdef Buffer target
    memset(&target, 0, sizeof(Buffer))
    try:
        rewrite(&target, &source, &added)
        return bytes_of(&target, 0, target.size)
    finally:
        free(target.data)
