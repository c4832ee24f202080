"""What a message holds once it was read, in C: a few flat byte buffers and small tables of spans into them.

The five buffers (`Buffer`) of a `Content`:

    canonical   the message in its canonical form (see _canonical.pyx): what the digest is taken of
    text        the visible text of all text parts in order, always valid UTF-8, a "\n" between parts
    hidden      text that HTML hides from the reader's eye, UTF-8, a "\n" between runs
    strings     every other decoded string, UTF-8: header names (lower-cased) and values, link targets,
                file names, media types, charsets
    markup      one line for each HTML start tag: "font color=#ff0000 size=2\n" (lower-cased; an attribute
                shows its value when that is short and without white space, else only its name)

A `Span` is a half-open range [start, end) of one of them; each field below says of which.

Safe by construction: bytes are read only through `byte_at`, which answers -1 outside, rows only through
`header_at`, `part_at` and `link_at`, which answer an all-zero row outside, and buffers grow only through
`append` and `append_byte`, and change only through `set_byte`. Code that follows this cannot read or write
past an end, whatever the mail says.

    cdef Content* content = &message.content
    for i in range(content.headers.count):
        header = header_at(content, i)
        for place in range(header.value.start, header.value.end):
            byte_at(&content.strings, place)
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, strlen

from deciban.text._growth cimport grown


ctypedef struct Buffer:
    uint8_t* data
    Py_ssize_t size
    Py_ssize_t room


ctypedef struct Span:
    Py_ssize_t start
    Py_ssize_t end


# The header fields that are known by name; any of them makes a file a mail. Their order is stored nowhere.
cdef enum:  # HeaderKind
    HEADER_OTHER = 0
    HEADER_EXTENSION        # any X-… field
    HEADER_RECEIVED
    HEADER_FROM
    HEADER_SENDER
    HEADER_REPLY_TO
    HEADER_TO
    HEADER_CC
    HEADER_BCC
    HEADER_SUBJECT
    HEADER_DATE
    HEADER_MESSAGE_ID
    HEADER_IN_REPLY_TO
    HEADER_REFERENCES
    HEADER_RETURN_PATH
    HEADER_ERRORS_TO
    HEADER_ORGANIZATION
    HEADER_USER_AGENT
    HEADER_X_MAILER
    HEADER_MIME_VERSION
    HEADER_CONTENT_TYPE
    HEADER_CONTENT_TRANSFER_ENCODING
    HEADER_CONTENT_DISPOSITION
    HEADER_CONTENT_ID
    HEADER_CONTENT_DESCRIPTION
    HEADER_CONTENT_OTHER    # any other Content-… field
    HEADER_LIST             # any List-… field
    HEADER_PRECEDENCE
    HEADER_DKIM_SIGNATURE   # also DomainKey-Signature, ARC-Seal, ARC-Message-Signature: blobs
    HEADER_AUTHENTICATION   # Authentication-Results, Received-SPF, ARC-Authentication-Results
    HEADER_RESENT           # any Resent-… field
    HEADER_NEWS             # Newsgroups, Path, Xref, NNTP-Posting-Host, Followup-To, Distribution …


ctypedef struct Header:
    Span name       # strings; lower-cased, without the colon
    Span value      # strings; unfolded, RFC 2047 decoded, stripped, valid UTF-8
    Span raw        # canonical; the whole field with its folded lines, without the last line end
    int32_t kind    # HeaderKind
    int32_t part    # the number of the part whose header it is; 0 is the message itself


cdef enum:  # PartKind
    PART_TEXT = 0   # text/* but HTML, and whatever has no type
    PART_HTML
    PART_MULTIPART
    PART_MESSAGE    # message/rfc822: its one child is the message inside
    PART_OTHER      # application/*, image/* …: known by name, type and size only


cdef enum:  # Encoding
    ENCODING_PLAIN = 0      # 7bit, 8bit, binary, none
    ENCODING_BASE64
    ENCODING_QUOTED
    ENCODING_UU
    ENCODING_UNKNOWN


cdef enum:  # Disposition
    DISPOSITION_NONE = 0
    DISPOSITION_INLINE
    DISPOSITION_ATTACHMENT


ctypedef struct Part:
    Span body           # canonical; still encoded
    Span text           # text; empty where the part has none
    Span hidden         # hidden
    Span markup         # markup
    Span media_type     # strings; "text/html", lower-cased, as declared or as assumed
    Span charset        # strings; lower-cased, as declared; empty if it was not
    Span codec          # strings; the charset that the text was read as; empty if there is no text
    Span file_name      # strings; RFC 2231 and RFC 2047 decoded
    int64_t size        # bytes after the transfer decoding
    int32_t kind        # PartKind
    int32_t encoding    # Encoding
    int32_t disposition  # Disposition
    int32_t parent      # number of the part that holds it; -1 for part 0
    int32_t depth       # 0 for part 0
    int32_t first_header  # its headers are rows first_header … first_header + header_count - 1
    int32_t header_count


cdef enum:  # LinkKind
    LINK_ANCHOR = 0     # <a href>, <area href>
    LINK_IMAGE          # <img src>, background=
    LINK_FORM           # <form action>
    LINK_OTHER          # <link href>, <script src>, <iframe src>, <base href> …


ctypedef struct Link:
    Span target     # strings; entities decoded, white space stripped
    Span text       # text; the visible text that an anchor covers, else empty
    int32_t kind    # LinkKind
    int32_t part


# Counts of what was noticed. All are the same for a message before and after delivery.
cdef enum:  # Fact
    FACT_LIMIT_BYTES = 0        # 1 if bytes past Limits.bytes were left unread
    FACT_LIMIT_HEADERS          # header fields left out past Limits.headers
    FACT_LIMIT_HEADER_BYTES     # header fields cut at Limits.header_bytes
    FACT_LIMIT_PARTS            # 1 if reading stopped at Limits.parts
    FACT_LIMIT_DEPTH            # parts not opened because of Limits.depth
    FACT_LIMIT_TEXT             # 1 if text past Limits.text_bytes was left out
    FACT_LIMIT_LINKS            # links left out past Limits.links
    FACT_BROKEN_HEADER          # header blocks that end without an empty line
    FACT_BROKEN_ENCODED_WORD    # =?…?= that cannot be decoded
    FACT_RAW_8BIT_HEADER        # header fields with undeclared 8-bit bytes
    FACT_BROKEN_BASE64          # base64 parts with bytes outside the alphabet or a broken end
    FACT_BROKEN_QUOTED          # "=" in quoted-printable without two hex digits
    FACT_UNKNOWN_ENCODING       # parts with a transfer encoding that is none
    FACT_UNKNOWN_CHARSET        # parts or words with a charset that is none
    FACT_WRONG_CHARSET          # parts or words whose bytes do not fit the declared charset
    FACT_NO_BOUNDARY            # multiparts without a boundary parameter, or whose boundary never comes
    FACT_UNCLOSED_MULTIPART     # multiparts whose last boundary is missing
    FACT_NUL_BYTES              # NUL bytes in the canonical form
    FACT_RECEIVED               # Received fields of the message itself
    FACT_ATTACHMENTS            # parts with disposition attachment or a file name
    FACT_HTML_TAGS
    FACT_HTML_COMMENTS
    FACT_HTML_SCRIPTS
    FACT_HTML_STYLES
    FACT_HIDDEN_RUNS            # runs of text that HTML hides
    FACT_COUNT


ctypedef struct Headers:
    Header* rows
    Py_ssize_t count
    Py_ssize_t room


ctypedef struct Parts:
    Part* rows
    Py_ssize_t count
    Py_ssize_t room


ctypedef struct Links:
    Link* rows
    Py_ssize_t count
    Py_ssize_t room


ctypedef struct Content:
    Buffer canonical
    Buffer text
    Buffer hidden
    Buffer strings
    Buffer markup
    Headers headers
    Parts parts
    Links links
    int64_t[32] facts   # by Fact
    int is_mail         # 0: read as a document, part 0 then is its one part and there are no headers


cdef inline int byte_at(const Buffer* buffer, Py_ssize_t place) noexcept nogil:
    """The byte at a place, or -1 outside of the buffer."""
    if place < 0 or place >= buffer.size:
        return -1
    return buffer.data[place]


cdef inline Header header_at(const Content* content, Py_ssize_t number) noexcept nogil:
    """A row of the header table, all zero outside of it."""
    cdef Header nothing
    if number < 0 or number >= content.headers.count:
        nothing.name.start = nothing.name.end = 0
        nothing.value = nothing.name
        nothing.raw = nothing.name
        nothing.kind = nothing.part = 0
        return nothing
    return content.headers.rows[number]


cdef inline Link link_at(const Content* content, Py_ssize_t number) noexcept nogil:
    """A row of the link table, all zero outside of it."""
    cdef Link nothing
    if number < 0 or number >= content.links.count:
        nothing.target.start = nothing.target.end = 0
        nothing.text = nothing.target
        nothing.kind = nothing.part = 0
        return nothing
    return content.links.rows[number]


cdef inline Part part_at(const Content* content, Py_ssize_t number) noexcept nogil:
    """A row of the part table, all zero outside of it."""
    cdef Part nothing
    if number < 0 or number >= content.parts.count:
        nothing.body.start = nothing.body.end = 0
        nothing.text = nothing.hidden = nothing.markup = nothing.body
        nothing.media_type = nothing.charset = nothing.codec = nothing.file_name = nothing.body
        nothing.size = 0
        nothing.kind = nothing.encoding = nothing.disposition = nothing.parent = nothing.depth = 0
        nothing.first_header = nothing.header_count = 0
        return nothing
    return content.parts.rows[number]


cdef inline int64_t fact_of(const Content* content, int fact) noexcept nogil:
    """How often a fact was noticed; 0 for a number that is no fact."""
    return content.facts[fact] if 0 <= fact < FACT_COUNT else 0


cdef inline int reserve(Buffer* buffer, Py_ssize_t more) except -1 nogil:
    """Makes room for so many more bytes."""
    if buffer.room - buffer.size < more:
        buffer.data = <uint8_t*> grown(buffer.data, &buffer.room, buffer.size + more, 64, 1)
    return 0


cdef inline int append_byte(Buffer* buffer, uint8_t byte) except -1 nogil:
    """One more byte at the end."""
    if buffer.size == buffer.room:
        reserve(buffer, 1)
    buffer.data[buffer.size] = byte
    buffer.size += 1
    return 0


cdef inline void set_byte(Buffer* buffer, Py_ssize_t place, uint8_t byte) noexcept nogil:
    """Overwrites one byte; outside of the buffer nothing happens."""
    if 0 <= place < buffer.size:
        buffer.data[place] = byte


cdef inline int append(
    Buffer* buffer, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """A range of another buffer copied to the end; what lies outside of that buffer is left out."""
    start = max(start, 0)
    end = min(end, source.size)
    if start >= end:
        return 0
    reserve(buffer, end - start)
    memcpy(buffer.data + buffer.size, source.data + start, end - start)
    buffer.size += end - start
    return 0


cdef inline int append_characters(Buffer* buffer, const char* characters) except -1 nogil:
    """A constant string copied to the end."""
    cdef Py_ssize_t length = strlen(characters)
    reserve(buffer, length)
    memcpy(buffer.data + buffer.size, characters, length)
    buffer.size += length
    return 0


cdef inline Py_ssize_t find_byte(
    const Buffer* buffer, uint8_t byte, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """The first place of a byte in [start, end), or end."""
    cdef const void* found
    start = max(start, 0)
    end = min(end, buffer.size)
    if start >= end:
        return end
    found = memchr(buffer.data + start, byte, end - start)
    if found == NULL:
        return end
    return <const uint8_t*> found - buffer.data


cdef inline Py_ssize_t find_bytes(
    const Buffer* buffer, const char* needle, Py_ssize_t needle_size, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """The first place in [start, end) where the whole needle lies inside, or end.

    For needles of 2 to 6 bytes whose first byte is rare. memmem goes through these byte by byte, which took a
    tenth of the time of reading a mail; this is as linear in the worst case.
    """
    cdef Py_ssize_t place = find_byte(buffer, <uint8_t> needle[0], start, end)
    cdef Py_ssize_t i
    end = min(end, buffer.size)
    while place + needle_size <= end:
        i = 1
        while i < needle_size and byte_at(buffer, place + i) == <uint8_t> needle[i]:
            i += 1
        if i == needle_size:
            return place
        place = find_byte(buffer, <uint8_t> needle[0], place + 1, end)
    return end


cdef inline bint is_ascii(const Buffer* buffer, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether no byte of [start, end) has its high bit set; a plain loop, so that it becomes vector code."""
    cdef uint8_t seen = 0
    cdef Py_ssize_t place
    for place in range(max(start, 0), min(end, buffer.size)):
        seen |= buffer.data[place]
    return seen < 128


cdef inline int lower(int byte) noexcept nogil:
    """An ASCII letter in lower case; everything else, -1 too, as it is."""
    return byte + 32 if c"A" <= byte <= c"Z" else byte


cdef inline bint is_letter(int byte) noexcept nogil:
    """An ASCII letter."""
    return c"a" <= lower(byte) <= c"z"


cdef inline bint is_digit(int byte) noexcept nogil:
    """An ASCII digit."""
    return c"0" <= byte <= c"9"


cdef inline int hex_value(int byte) noexcept nogil:
    """The value of a hex digit, or -1."""
    if is_digit(byte):
        return byte - c"0"
    byte = lower(byte)
    return byte - c"a" + 10 if c"a" <= byte <= c"f" else -1


cdef inline bint is_blank(int byte) noexcept nogil:
    """Space, tab, line feed, carriage return, form feed, vertical tab."""
    return byte == c" " or c"\t" <= byte <= c"\r"


cdef inline bint equals(
    const Buffer* buffer, Py_ssize_t start, Py_ssize_t end, const char* word
) noexcept nogil:
    """Whether [start, end) is this lower-case word, letter case aside."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t i = 0
    while word[i] != 0:
        if place >= end or lower(byte_at(buffer, place)) != <uint8_t> word[i]:
            return False
        place += 1
        i += 1
    return place == end


cdef inline bint starts_with(
    const Buffer* buffer, Py_ssize_t start, Py_ssize_t end, const char* word
) noexcept nogil:
    """Whether [start, end) begins with this lower-case word, letter case aside."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t i = 0
    while word[i] != 0:
        if place >= end or lower(byte_at(buffer, place)) != <uint8_t> word[i]:
            return False
        place += 1
        i += 1
    return True


cdef inline int append_code(Buffer* buffer, uint32_t code) except -1 nogil:
    """One code point as UTF-8; a surrogate or a number past U+10FFFF becomes U+FFFD."""
    if code < 0x80:
        return append_byte(buffer, <uint8_t> code)
    if code < 0x800:
        append_byte(buffer, <uint8_t> (0xC0 | code >> 6))
        return append_byte(buffer, <uint8_t> (0x80 | code & 0x3F))
    if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        code = 0xFFFD
    if code < 0x10000:
        append_byte(buffer, <uint8_t> (0xE0 | code >> 12))
    else:
        append_byte(buffer, <uint8_t> (0xF0 | code >> 18))
        append_byte(buffer, <uint8_t> (0x80 | code >> 12 & 0x3F))
    append_byte(buffer, <uint8_t> (0x80 | code >> 6 & 0x3F))
    return append_byte(buffer, <uint8_t> (0x80 | code & 0x3F))


cdef inline int append_lower(
    Buffer* buffer, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """A range of another buffer, its ASCII letters in lower case."""
    cdef Py_ssize_t place
    start = max(start, 0)
    end = min(end, source.size)
    for place in range(start, end):
        append_byte(buffer, <uint8_t> lower(byte_at(source, place)))
    return 0


cdef inline void cut_at_character(Buffer* buffer, Py_ssize_t size) noexcept nogil:
    """Shortens UTF-8 to at most so many bytes, never through the middle of a character."""
    if size >= buffer.size:
        return
    while size > 0 and byte_at(buffer, size) & 0xC0 == 0x80:
        size -= 1
    buffer.size = max(size, 0)


cdef inline bytes bytes_of(const Buffer* buffer, Py_ssize_t start, Py_ssize_t end):
    """A range as a Python object; what lies outside of the buffer is left out."""
    start = max(start, 0)
    end = min(end, buffer.size)
    if start >= end:
        return b""
    return PyBytes_FromStringAndSize(<char*> buffer.data + start, end - start)


cdef inline Buffer buffer_of(bytes value) noexcept:
    """A view of a Python object, to be read only, and only as long as that object lives."""
    cdef Buffer view
    view.data = <uint8_t*> <char*> value
    view.size = view.room = len(value)
    return view
