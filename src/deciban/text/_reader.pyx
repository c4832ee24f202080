"""From any bytes to a `Message`: the MIME tree, read from top to bottom without recursion.

    bytes ─ _canonical ─→ canonical form ─ here ─→ parts ─┬ _headers   fields, encoded words, parameters
                                                          ├ _transfer  base64, quoted-printable
                                                          ├ _charset   → UTF-8
                                                          └ _html      → visible and hidden text, links

The tree is walked by one loop over places in the canonical form. A *level* is an open multipart with its
boundary. A line that begins with "--" is compared with the levels by length and hash; a match with an outer
level closes the inner ones, so a missing end is no problem. A message/rfc822 part is simply followed by the
header of the message in it. Whatever lies deeper than the limit is one closed part.

>>> from deciban.text import read
>>> message = read(b"From: me\\nContent-Type: multipart/mixed; boundary=x\\n\\n--x\\n\\nHello\\n--x\\n"
...                b"Content-Type: image/png; name=a.png\\nContent-Transfer-Encoding: base64\\n\\n"
...                b"AAAA\\n--x--\\n")
>>> [(part.media_type, part.size) for part in message.parts]
[('multipart/mixed', 97), ('text/plain', 5), ('image/png', 3)]
>>> message.text, message.attachments[0].file_name
('Hello', 'a.png')
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from deciban.text._canonical cimport canonicalise
from deciban.text._charset cimport decode_text
from deciban.text._content cimport *
from deciban.text._growth cimport grown
from deciban.text._headers cimport Scratch, media_type_of, parameter_of, read_headers
from deciban.text._html cimport looks_like_html, read_html
from deciban.text._name_table cimport name_hash
from deciban.text._transfer cimport decode_base64, decode_quoted, decode_uu, is_base64

from deciban.text.limits import Limits

# Python's hashes let go of its lock for so many bytes; for at most so many we do not want that (see `Message.digest`).
LEAST_WITHOUT_LOCK = 2048
MOST_WITH_LOCK = 1 << 15
# Bytes of the digest: with a billion messages the chance of one accidental pair is below 10^-20.
DIGEST_SIZE = 16

FACTS = (
    "limit_bytes", "limit_headers", "limit_header_bytes", "limit_parts", "limit_depth", "limit_text",
    "limit_links", "broken_header", "broken_encoded_word", "raw_8bit_header", "broken_base64",
    "broken_quoted", "unknown_encoding", "unknown_charset", "wrong_charset", "no_boundary",
    "unclosed_multipart", "nul_bytes", "received", "attachments", "html_tags", "html_comments", "html_scripts",
    "html_styles", "hidden_runs",
)
PART_KINDS = ("text", "html", "multipart", "message", "other")
ENCODINGS = ("plain", "base64", "quoted-printable", "uuencode", "unknown")
DISPOSITIONS = ("", "inline", "attachment")
LINK_KINDS = ("anchor", "image", "form", "other")

DEFAULT_LIMITS = Limits()


cdef struct Level:
    uint64_t hash       # of the boundary
    Py_ssize_t size
    int part


cdef struct Levels:
    Level* rows
    Py_ssize_t count
    Py_ssize_t room


cdef struct Mark:
    # A boundary line.
    Py_ssize_t start    # of the line
    Py_ssize_t after    # where the next line begins
    Py_ssize_t level    # which open multipart it belongs to; -1: the message ended
    bint closing


cdef struct ReaderLimits:
    # Limits, as C numbers.
    Py_ssize_t bytes
    Py_ssize_t headers
    Py_ssize_t header_bytes
    Py_ssize_t parts
    Py_ssize_t depth
    Py_ssize_t text_bytes
    Py_ssize_t links


cdef Py_ssize_t bound(limit) except -1:
    """A limit as a C number: not negative, and so far below the largest that sums of a few cannot overflow."""
    return min(max(limit, 0), 1 << 48)


cdef ReaderLimits limits_of(limits) except *:
    """A copy of the limits; there is always one part, the message itself."""
    cdef ReaderLimits bounds
    bounds.bytes = bound(limits.bytes)
    bounds.headers = bound(limits.headers)
    bounds.header_bytes = bound(limits.header_bytes)
    bounds.parts = max(bound(limits.parts), 1)
    bounds.depth = bound(limits.depth)
    bounds.text_bytes = bound(limits.text_bytes)
    bounds.links = bound(limits.links)
    return bounds


cdef int add_part(Content* content, int parent) except -1 nogil:
    """One more row of the part table, still empty; its number."""
    cdef Parts* parts = &content.parts
    cdef Part part
    if parts.count == parts.room:
        parts.rows = <Part*> grown(parts.rows, &parts.room, parts.count + 1, 4, sizeof(Part))
    part = part_at(content, -1)
    part.parent = parent
    part.depth = part_at(content, parent).depth + 1 if parent >= 0 else 0
    part.text.start = part.text.end = content.text.size
    part.hidden.start = part.hidden.end = content.hidden.size
    part.markup.start = part.markup.end = content.markup.size
    part.first_header = <int32_t> content.headers.count
    parts.rows[parts.count] = part
    parts.count += 1
    return <int> parts.count - 1


cdef inline int set_part(Content* content, int number, const Part* part) except -1 nogil:
    """Writes a row of the part table back."""
    if not 0 <= number < content.parts.count:
        with gil:
            raise IndexError(number)
    content.parts.rows[number] = part[0]
    return 0


cdef int push_level(Levels* levels, const Buffer* strings, Span boundary, int part) except -1 nogil:
    """One more open multipart."""
    if levels.count == levels.room:
        levels.rows = <Level*> grown(levels.rows, &levels.room, levels.count + 1, 4, sizeof(Level))
    levels.rows[levels.count].hash = name_hash(strings, boundary.start, boundary.end, False)
    levels.rows[levels.count].size = boundary.end - boundary.start
    levels.rows[levels.count].part = part
    levels.count += 1
    return 0


cdef Py_ssize_t matching_level(
    const Levels* levels, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """The innermost level whose boundary is [start, end), or -1; by hash, so that depth costs little."""
    cdef uint64_t hashed = name_hash(source, start, end, False)
    cdef Py_ssize_t level = levels.count - 1
    while level >= 0:
        if levels.rows[level].size == end - start and levels.rows[level].hash == hashed:
            return level
        level -= 1
    return -1


cdef inline bint is_dashes(const Buffer* source, Py_ssize_t place) noexcept nogil:
    """Whether "--" stands at a place."""
    return byte_at(source, place) == c"-" and byte_at(source, place + 1) == c"-"


cdef bint read_mark(Content* content, const Levels* levels, Py_ssize_t start, Mark* mark) noexcept nogil:
    """Whether the line at `start`, which begins with "--", is a boundary of an open multipart."""
    cdef const Buffer* source = &content.canonical
    cdef Py_ssize_t line_end = find_byte(source, c"\n", start, source.size)
    cdef Py_ssize_t end = line_end
    while end > start + 2 and is_blank(byte_at(source, end - 1)):
        end -= 1
    mark.start = start
    mark.after = min(line_end + 1, source.size)
    mark.closing = False
    mark.level = matching_level(levels, source, start + 2, end)
    if mark.level < 0 and end - start >= 4 and is_dashes(source, end - 2):
        mark.closing = True
        mark.level = matching_level(levels, source, start + 2, end - 2)
    return mark.level >= 0


cdef Mark next_mark(Content* content, const Levels* levels, Py_ssize_t start) noexcept nogil:
    """The next boundary line at or behind a place, or the end of the message."""
    cdef const Buffer* source = &content.canonical
    cdef Py_ssize_t place = start
    cdef Mark mark
    if levels.count > 0:
        if not (is_dashes(source, place) and byte_at(source, place - 1) in (c"\n", -1)):
            place = find_bytes(source, b"\n--", 3, place, source.size) + 1
        while place < source.size:
            if read_mark(content, levels, place, &mark):
                return mark
            place = find_bytes(source, b"\n--", 3, place, source.size) + 1
    mark.start = mark.after = source.size
    mark.level = -1
    mark.closing = True
    return mark


cdef class Message:
    """What was read from some bytes; see `Limits` for how much, and pieces.py for what its pieces are."""

    def __cinit__(self):
        memset(&self.content, 0, sizeof(Content))
        self._digest = None
        self.source = b""

    def __dealloc__(self):
        free(self.content.canonical.data)
        free(self.content.text.data)
        free(self.content.hidden.data)
        free(self.content.strings.data)
        free(self.content.markup.data)
        free(self.content.headers.rows)
        free(self.content.parts.rows)
        free(self.content.links.rows)

    @property
    def is_mail(self):
        """False for bytes that do not begin with mail headers: they were read as a document."""
        return bool(self.content.is_mail)

    @property
    def canonical(self):
        """The canonical form: equal before and after tagging, delivering, storing and fetching."""
        return bytes_of(&self.content.canonical, 0, self.content.canonical.size)

    @property
    def digest(self):
        """BLAKE2b of the canonical form, 16 bytes."""
        if self._digest is None:
            # Imported here: classifying one mail needs no digest. hashlib would bring OpenSSL, 3 ms to import.
            from _blake2 import blake2b

            hashed = blake2b(digest_size=DIGEST_SIZE)
            canonical = memoryview(self.canonical)
            # Of 2,048 bytes and more Python's lock is let go, and its return costs more than hashing some kilobytes.
            step = LEAST_WITHOUT_LOCK - 1 if len(canonical) <= MOST_WITH_LOCK else len(canonical)
            for start in range(0, len(canonical), step):
                hashed.update(canonical[start : start + step])
            self._digest = hashed.digest()
        return self._digest

    @property
    def text(self):
        """The visible text of all parts."""
        return text_of(&self.content.text, 0, self.content.text.size)

    @property
    def hidden(self):
        """The text that HTML hides."""
        return text_of(&self.content.hidden, 0, self.content.hidden.size)

    @property
    def markup(self):
        """A line for each HTML start tag: its name and its attributes."""
        lines = text_of(&self.content.markup, 0, self.content.markup.size).removesuffix("\n")
        return tuple(lines.split("\n")) if lines else ()

    @property
    def headers(self):
        """All header fields, those of the message first."""
        return tuple([header_piece(&self.content, i) for i in range(self.content.headers.count)])

    @property
    def parts(self):
        """The MIME tree, parents before their children; part 0 is the message itself."""
        return tuple([part_piece(&self.content, i) for i in range(self.content.parts.count)])

    @property
    def attachments(self):
        """The parts with a file name or the disposition attachment."""
        return tuple([part for part in self.parts if part.file_name or part.disposition == "attachment"])

    @property
    def links(self):
        """The links, images and forms of HTML parts."""
        return tuple([link_piece(&self.content, i) for i in range(self.content.links.count)])

    @property
    def facts(self):
        """What was noticed and how often, e.g. {"received": 3, "limit_parts": 1}."""
        return {FACTS[i]: self.content.facts[i] for i in range(FACT_COUNT) if self.content.facts[i]}

    def header(self, str name):
        """The first value of a header field of the message itself; empty if there is none."""
        cdef bytes wanted = name.lower().encode("utf-8", "replace")
        cdef const char* characters = wanted
        cdef Py_ssize_t i, length = len(wanted)
        cdef Header header
        # In C: making Python values of some 20 fields takes 20 µs, a fifth of reading and extracting.
        for i in range(self.content.headers.count):
            header = header_at(&self.content, i)
            if (
                header.part == 0
                and header.name.end - header.name.start == length
                and memcmp(self.content.strings.data + header.name.start, characters, length) == 0
            ):
                return text_of(&self.content.strings, header.value.start, header.value.end)
        return ""

    def __repr__(self):
        size, parts = self.content.canonical.size, self.content.parts.count
        return f"Message({self.digest.hex()}, {size} bytes, {parts} parts)"


cdef str text_of(const Buffer* buffer, Py_ssize_t start, Py_ssize_t end):
    """A range of UTF-8 as a string; strictly, since all buffers but the canonical one hold nothing else."""
    return bytes_of(buffer, start, end).decode()


cdef header_piece(const Content* content, Py_ssize_t number):
    """A row of the header table as a Python value."""
    cdef Header header = header_at(content, number)
    from deciban.text.pieces import Header as HeaderPiece

    return HeaderPiece(
        text_of(&content.strings, header.name.start, header.name.end),
        text_of(&content.strings, header.value.start, header.value.end),
        header.part,
        (header.raw.start, header.raw.end),
    )


cdef part_piece(const Content* content, Py_ssize_t number):
    """A row of the part table as a Python value."""
    cdef Part part = part_at(content, number)
    from deciban.text.pieces import Part as PartPiece

    return PartPiece(
        number,
        part.parent,
        part.depth,
        PART_KINDS[part.kind],
        text_of(&content.strings, part.media_type.start, part.media_type.end),
        text_of(&content.strings, part.charset.start, part.charset.end),
        text_of(&content.strings, part.codec.start, part.codec.end),
        ENCODINGS[part.encoding],
        DISPOSITIONS[part.disposition],
        text_of(&content.strings, part.file_name.start, part.file_name.end),
        part.size,
        text_of(&content.text, part.text.start, part.text.end),
        text_of(&content.hidden, part.hidden.start, part.hidden.end),
        (part.body.start, part.body.end),
    )


cdef link_piece(const Content* content, Py_ssize_t number):
    """A row of the link table as a Python value."""
    cdef Link link = link_at(content, number)
    from deciban.text.pieces import Link as LinkPiece

    return LinkPiece(
        LINK_KINDS[link.kind],
        text_of(&content.strings, link.target.start, link.target.end),
        text_of(&content.text, link.text.start, link.text.end).strip(),
        link.part,
    )


cdef int encoding_named(Content* content, Span value) except -1 nogil:
    """The transfer encoding that a header value names."""
    cdef const Buffer* strings = &content.strings
    cdef Py_ssize_t end = find_byte(strings, c";", value.start, value.end)
    while end > value.start and is_blank(byte_at(strings, end - 1)):
        end -= 1
    if end == value.start:
        return ENCODING_PLAIN
    if equals(strings, value.start, end, b"base64"):
        return ENCODING_BASE64
    if equals(strings, value.start, end, b"quoted-printable"):
        return ENCODING_QUOTED
    if (
        equals(strings, value.start, end, b"7bit")
        or equals(strings, value.start, end, b"8bit")
        or equals(strings, value.start, end, b"binary")
    ):
        return ENCODING_PLAIN
    if (
        equals(strings, value.start, end, b"x-uuencode")
        or equals(strings, value.start, end, b"uuencode")
        or equals(strings, value.start, end, b"x-uue")
        or equals(strings, value.start, end, b"uue")
    ):
        return ENCODING_UU
    content.facts[FACT_UNKNOWN_ENCODING] += 1
    return ENCODING_UNKNOWN


cdef int kind_of(const Buffer* strings, Span media_type) noexcept nogil:
    """The kind of part that a media type names."""
    if starts_with(strings, media_type.start, media_type.end, b"multipart/"):
        return PART_MULTIPART
    if (
        equals(strings, media_type.start, media_type.end, b"message/rfc822")
        or equals(strings, media_type.start, media_type.end, b"message/global")
    ):
        return PART_MESSAGE
    if (
        equals(strings, media_type.start, media_type.end, b"text/html")
        or equals(strings, media_type.start, media_type.end, b"application/xhtml+xml")
    ):
        return PART_HTML
    if starts_with(strings, media_type.start, media_type.end, b"text/"):
        return PART_TEXT
    # Bounces and their kin: lines of text for a human or a machine.
    if starts_with(strings, media_type.start, media_type.end, b"message/"):
        return PART_TEXT
    return PART_OTHER


cdef int append_literal(Content* content, const char* value, Span* span) except -1 nogil:
    """A constant string as a span of strings."""
    span.start = content.strings.size
    append_characters(&content.strings, value)
    span.end = content.strings.size
    return 0


cdef int use_header(
    Content* content, Scratch* scratch, const Header* header, Part* part, Span* boundary
) except -1 nogil:
    """What one Content-… field says about its part; of repeated fields the first counts."""
    cdef Span name
    if header.kind == HEADER_CONTENT_TYPE and part.media_type.end == 0:
        media_type_of(content, header.value, &part.media_type)
        if part.media_type.end == part.media_type.start:
            part.media_type.end = part.media_type.start = 0
        parameter_of(content, scratch, header.value, b"charset", &part.charset)
        if part.file_name.end == part.file_name.start:
            parameter_of(content, scratch, header.value, b"name", &part.file_name)
        if starts_with(&content.strings, part.media_type.start, part.media_type.end, b"multipart/"):
            parameter_of(content, scratch, header.value, b"boundary", boundary)
    elif header.kind == HEADER_CONTENT_TRANSFER_ENCODING and part.encoding == ENCODING_PLAIN:
        part.encoding = encoding_named(content, header.value)
    elif header.kind == HEADER_CONTENT_DISPOSITION and part.disposition == DISPOSITION_NONE:
        if starts_with(&content.strings, header.value.start, header.value.end, b"inline"):
            part.disposition = DISPOSITION_INLINE
        elif header.value.end > header.value.start:
            part.disposition = DISPOSITION_ATTACHMENT
        parameter_of(content, scratch, header.value, b"filename", &name)
        if name.end > name.start:
            part.file_name = name
    return 0


cdef int describe_part(Content* content, Scratch* scratch, int number, Span* boundary) except -1 nogil:
    """Fills a part's row from its headers."""
    cdef Part part = part_at(content, number)
    cdef Part parent = part_at(content, part.parent)
    cdef Header header
    cdef Py_ssize_t i
    boundary.start = boundary.end = 0
    part.header_count = <int32_t> (content.headers.count - part.first_header)
    for i in range(part.first_header, content.headers.count):
        header = header_at(content, i)
        if HEADER_CONTENT_TYPE <= header.kind <= HEADER_CONTENT_DISPOSITION:
            use_header(content, scratch, &header, &part, boundary)
    if part.media_type.end == 0:
        if part.parent >= 0 and equals(
            &content.strings, parent.media_type.start, parent.media_type.end, b"multipart/digest"
        ):
            append_literal(content, b"message/rfc822", &part.media_type)
        else:
            append_literal(content, b"text/plain", &part.media_type)
    part.kind = kind_of(&content.strings, part.media_type)
    if part.file_name.end > part.file_name.start or part.disposition == DISPOSITION_ATTACHMENT:
        content.facts[FACT_ATTACHMENTS] += 1
    if part.kind == PART_MULTIPART and boundary.end == boundary.start:
        content.facts[FACT_NO_BOUNDARY] += 1
        part.kind = PART_TEXT
    return set_part(content, number, &part)


cdef int end_text_with_line(Buffer* buffer) except -1 nogil:
    """A line end between what two parts hold."""
    if buffer.size > 0 and byte_at(buffer, buffer.size - 1) != c"\n":
        append_byte(buffer, c"\n")
    return 0


cdef int html_charset(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Span* span
) except -1 nogil:
    """The charset that a <meta> among the first 1,024 bytes declares."""
    cdef Py_ssize_t stop = min(end, start + 1024)
    cdef Py_ssize_t place = find_bytes(source, b"charset=", 8, start, stop)
    cdef int byte
    place = min(place + 8, stop)
    if byte_at(source, place) == c"\"" or byte_at(source, place) == c"'":
        place += 1
    span.start = content.strings.size
    while place < stop:
        byte = byte_at(source, place)
        if byte <= 32 or byte == c"\"" or byte == c"'" or byte == c">" or byte == c";" or byte == c"/":
            break
        append_byte(&content.strings, <uint8_t> lower(byte))
        place += 1
    span.end = content.strings.size
    return 0


cdef int read_text(
    Content* content, Scratch* scratch, int number, const Buffer* source, Py_ssize_t start, Py_ssize_t end,
    const ReaderLimits* bounds
) except -1 nogil:
    """The text of one part, after its transfer decoding, into text, hidden, markup and links."""
    cdef Part part = part_at(content, number)
    cdef Span charset = part.charset
    cdef Py_ssize_t left = bounds.text_bytes - content.text.size - content.hidden.size - content.markup.size
    if end - start > left:
        content.facts[FACT_LIMIT_TEXT] = 1
        end = start + max(left, 0)
    end_text_with_line(&content.text)
    end_text_with_line(&content.hidden)
    part.text.start = content.text.size
    part.hidden.start = content.hidden.size
    part.markup.start = content.markup.size
    if part.kind == PART_HTML:
        scratch.unicode.size = 0
        if charset.start == charset.end:
            html_charset(content, source, start, end, &charset)
        decode_text(content, source, start, end, &content.strings, charset, &scratch.unicode, &part.codec)
        read_html(content, &scratch.unicode, number, bounds.links)
    else:
        decode_text(content, source, start, end, &content.strings, charset, &content.text, &part.codec)
    if content.text.size > bounds.text_bytes:
        content.facts[FACT_LIMIT_TEXT] = 1
        cut_at_character(&content.text, bounds.text_bytes)
    part.text.end = content.text.size
    part.text.start = min(part.text.start, part.text.end)
    part.hidden.end = content.hidden.size
    part.markup.end = content.markup.size
    return set_part(content, number, &part)


cdef int read_leaf(Content* content, Scratch* scratch, int number, const ReaderLimits* bounds) except -1 nogil:
    """Decodes a part that has no parts: its text, or only its size."""
    cdef Part part = part_at(content, number)
    cdef const Buffer* source = &content.canonical
    cdef Py_ssize_t start = part.body.start
    cdef Py_ssize_t end = part.body.end
    cdef bint is_text = part.kind == PART_TEXT or part.kind == PART_HTML
    cdef Py_ssize_t keep = bounds.text_bytes + 1 if is_text else 0
    scratch.decoded.size = 0
    part.size = end - start
    if part.encoding == ENCODING_BASE64 and is_base64(source, start, end):
        part.size = decode_base64(content, source, start, end, &scratch.decoded, keep)
        source = &scratch.decoded
    elif part.encoding == ENCODING_BASE64:
        content.facts[FACT_BROKEN_BASE64] += 1
    elif part.encoding == ENCODING_QUOTED:
        part.size = decode_quoted(content, source, start, end, &scratch.decoded, keep, False)
        source = &scratch.decoded
    elif part.encoding == ENCODING_UU:
        part.size = decode_uu(content, source, start, end, &scratch.decoded, keep)
        source = &scratch.decoded
    if source == &scratch.decoded:
        start = 0
        end = scratch.decoded.size
    set_part(content, number, &part)
    if is_text:
        read_text(content, scratch, number, source, start, end, bounds)
    return 0


cdef int end_body(Content* content, int number, Py_ssize_t end) except -1 nogil:
    """A part ends here, and with it the messages that hold nothing else."""
    cdef Part part = part_at(content, number)
    while True:
        part.body.end = max(end, part.body.start)
        part.size = part.body.end - part.body.start
        set_part(content, number, &part)
        number = part.parent
        part = part_at(content, number)
        if number < 0 or part.kind != PART_MESSAGE:
            return 0


cdef int pop_levels(Content* content, Levels* levels, Py_ssize_t keep, Py_ssize_t end, bint closed) except -1 nogil:
    """Closes the multiparts above a level; only the outermost of them may have been closed in order."""
    while levels.count > keep:
        levels.count -= 1
        end_body(content, levels.rows[levels.count].part, end)
        content.facts[FACT_UNCLOSED_MULTIPART] += not (closed and levels.count == keep)
    return 0


cdef int next_part(Content* content, Levels* levels, Mark* mark, const ReaderLimits* bounds) except -2 nogil:
    """Follows a boundary line: closes what it closes; the parent of the part that begins behind it, or -1."""
    while mark.closing and mark.level >= 0:
        pop_levels(content, levels, mark.level, mark.after, True)
        mark[0] = next_mark(content, levels, mark.after)
    if mark.level < 0:
        pop_levels(content, levels, 0, content.canonical.size, False)
        return -1
    pop_levels(content, levels, mark.level + 1, mark.start, False)
    if content.parts.count >= bounds.parts:
        content.facts[FACT_LIMIT_PARTS] = 1
        pop_levels(content, levels, 0, content.canonical.size, True)
        return -1
    return levels.rows[mark.level].part


cdef bint has_type(const Content* content, const Part* part) noexcept nogil:
    """Whether a part has a Content-Type field."""
    cdef Py_ssize_t i
    for i in range(part.first_header, part.first_header + part.header_count):
        if header_at(content, i).kind == HEADER_CONTENT_TYPE:
            return True
    return False


cdef int read_as_it_looks(Content* content, int number, Part* part, Py_ssize_t end) except -1 nogil:
    """A part that does not say what it is: HTML if it begins like HTML, else text."""
    part.kind = PART_HTML if looks_like_html(&content.canonical, part.body.start, end) else PART_TEXT
    return set_part(content, number, part)


cdef int read_tree(Content* content, Scratch* scratch, Levels* levels, const ReaderLimits* bounds) except -1 nogil:
    """Reads part after part, each from its header on."""
    cdef int parent = -1
    cdef Py_ssize_t place = 0
    cdef Span boundary
    cdef Part part
    cdef Mark mark
    cdef int number
    while True:
        number = add_part(content, parent)
        place = read_headers(content, scratch, place, number, bounds.headers, bounds.header_bytes)
        describe_part(content, scratch, number, &boundary)
        part = part_at(content, number)
        part.body.start = place
        part.body.end = content.canonical.size
        part.size = part.body.end - part.body.start
        if (part.kind == PART_MULTIPART or part.kind == PART_MESSAGE) and part.depth >= bounds.depth:
            content.facts[FACT_LIMIT_DEPTH] += 1
            part.kind = PART_OTHER
        set_part(content, number, &part)
        if part.kind == PART_MESSAGE and part.encoding != ENCODING_BASE64:
            if content.parts.count < bounds.parts:
                parent = number
                continue
            content.facts[FACT_LIMIT_PARTS] = 1
        if part.kind == PART_MULTIPART:
            push_level(levels, &content.strings, boundary, number)
        mark = next_mark(content, levels, place)
        if part.kind == PART_MULTIPART and mark.level != levels.count - 1:
            # Its boundary never comes: a third of the CCERT corpus is like that, and all of it is text.
            levels.count -= 1
            content.facts[FACT_NO_BOUNDARY] += 1
            read_as_it_looks(content, number, &part, mark.start)
        elif part.kind == PART_TEXT and not has_type(content, &part):
            read_as_it_looks(content, number, &part, mark.start)
        if part.kind != PART_MULTIPART:
            # The line end in front of a boundary belongs to the boundary.
            end_body(content, number, mark.start - 1 if mark.level >= 0 else mark.start)
            read_leaf(content, scratch, number, bounds)
        parent = next_part(content, levels, &mark, bounds)
        if parent < 0:
            return 0
        place = mark.after


cdef int read_document(Content* content, Scratch* scratch, const ReaderLimits* bounds) except -1 nogil:
    """Bytes that are no mail: one part of text or HTML."""
    cdef Part part
    cdef int number = add_part(content, -1)
    part = part_at(content, number)
    part.body.end = content.canonical.size
    part.kind = PART_HTML if looks_like_html(&content.canonical, 0, content.canonical.size) else PART_TEXT
    append_literal(content, b"text/html" if part.kind == PART_HTML else b"text/plain", &part.media_type)
    if starts_with(&content.canonical, 0, content.canonical.size, b"\xff\xfe") or starts_with(
        &content.canonical, 0, content.canonical.size, b"\xfe\xff"
    ):
        append_literal(content, b"utf-16", &part.charset)
    set_part(content, number, &part)
    return read_leaf(content, scratch, number, bounds)


cdef int read_content(
    Content* content, Scratch* scratch, Levels* levels, const Buffer* source, const ReaderLimits* bounds
) except -1 nogil:
    """Fills an empty content with what some bytes hold; Python's lock is taken for foreign charsets only."""
    canonicalise(content, source, bounds.bytes)
    count_nul_bytes(content)
    if content.is_mail:
        return read_tree(content, scratch, levels, bounds)
    return read_document(content, scratch, bounds)


cdef int read_one(Content* content, const Buffer* source, const ReaderLimits* bounds) except -1 nogil:
    cdef Scratch scratch
    cdef Levels levels
    memset(&scratch, 0, sizeof(Scratch))
    memset(&levels, 0, sizeof(Levels))
    try:
        return read_content(content, &scratch, &levels, source, bounds)
    finally:
        free(scratch.decoded.data)
        free(scratch.unicode.data)
        free(scratch.words.data)
        free(levels.rows)


cpdef Message read(data, limits=None):
    """Reads any bytes as a mail, or as a document if they are none; never fails, never passes the limits."""
    cdef Message message = Message.__new__(Message)
    cdef ReaderLimits bounds = limits_of(DEFAULT_LIMITS if limits is None else limits)
    cdef Buffer source
    cdef Py_buffer held
    PyObject_GetBuffer(data, &held, PyBUF_SIMPLE)
    source.size = source.room = held.len
    source.data = <uint8_t*> held.buf
    try:
        with nogil:
            read_one(&message.content, &source, &bounds)
    finally:
        PyBuffer_Release(&held)
    message.source = data if isinstance(data, bytes) else bytes(data)
    return message


def read_many(list sources not None, limits=None):
    """Reads several, each of them bytes, in one stretch without Python's lock: between two of them nobody has to wait for it.

    >>> [message.header("subject") for message in read_many([b"Subject: one\\n\\n", b"Subject: two\\n\\n"])]
    ['one', 'two']
    """
    cdef Py_ssize_t count = len(sources), i
    cdef ReaderLimits bounds = limits_of(DEFAULT_LIMITS if limits is None else limits)
    cdef list messages = []
    cdef Message message
    cdef bytes data
    cdef void** places = <void**>calloc(count + 1, sizeof(void*))
    cdef Buffer* buffers = <Buffer*>calloc(count + 1, sizeof(Buffer))
    try:
        if places == NULL or buffers == NULL:
            raise MemoryError
        for i in range(count):
            data = sources[i]
            message = Message.__new__(Message)
            message.source = data       # which keeps the bytes
            messages.append(message)
            places[i] = <void*>message
            buffers[i].size = buffers[i].room = len(data)
            buffers[i].data = <uint8_t*><const char*>data
        with nogil:
            for i in range(count):
                read_one(&(<Message>places[i]).content, &buffers[i], &bounds)
        return messages
    finally:
        free(places)
        free(buffers)


cdef int count_nul_bytes(Content* content) except -1 nogil:
    """Notes NUL bytes, which no mail should have."""
    cdef Py_ssize_t place = find_byte(&content.canonical, 0, 0, content.canonical.size)
    while place < content.canonical.size:
        content.facts[FACT_NUL_BYTES] += 1
        place = find_byte(&content.canonical, 0, place + 1, content.canonical.size)
    return 0
