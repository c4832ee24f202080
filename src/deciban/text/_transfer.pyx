"""Transfer encodings, read tolerantly: base64, quoted-printable (and the Q of encoded words), uuencode.

Each function appends at most `keep` decoded bytes to `target`, answers how many there are in all, and
counts what is broken in the facts. One pass, and nothing makes them fail:

    Zm9v!YmFy   →  foobar   (a byte outside the alphabet is skipped, as Python's binascii does)
    Zm9vYg      →  foob     (a missing padding is no loss)
    a=3Db=C     →  a=b=C    (an = without two hex digits stays)
"""

from libc.string cimport memset

from deciban.text._content cimport *

cdef enum:
    PADDING = 64
    BLANK = 65
    OUTSIDE = 255

# The value of each base64 letter, or one of the above.
cdef uint8_t[256] SEXTET


cdef void fill_sextets() noexcept:
    """Enters the alphabet of RFC 4648."""
    cdef int i
    memset(SEXTET, OUTSIDE, sizeof(SEXTET))
    for i in range(26):
        SEXTET[c"A" + i] = <uint8_t> i
        SEXTET[c"a" + i] = <uint8_t> (26 + i)
    for i in range(10):
        SEXTET[c"0" + i] = <uint8_t> (52 + i)
    SEXTET[c"+"] = 62
    SEXTET[c"/"] = 63
    SEXTET[c"="] = PADDING
    for i in range(256):
        if is_blank(i):
            SEXTET[i] = BLANK


cdef inline uint8_t sextet_at(const Buffer* source, Py_ssize_t place) noexcept nogil:
    """The base64 value of the byte at a place; white space outside of the buffer."""
    cdef int byte = byte_at(source, place)
    return SEXTET[byte & 255] if byte >= 0 else BLANK


cdef bint is_base64(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a part that says to be base64 looks it: plain text under that name has spaces and 8-bit bytes.

    Only the first 512 bytes are looked at; up to one in eight may be outside of the alphabet, spaces counted
    as outside (text has one in six or more), line ends not.
    """
    cdef Py_ssize_t inside = 0
    cdef Py_ssize_t outside = 0
    cdef Py_ssize_t place
    cdef uint8_t value
    for place in range(start, min(end, start + 512)):
        value = sextet_at(source, place)
        if value == OUTSIDE or byte_at(source, place) == c" ":
            outside += 1
        elif value < PADDING:
            inside += 1
    return outside * 8 <= inside + outside


cdef int64_t decode_base64(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Buffer* target, Py_ssize_t keep
) except -1 nogil:
    """Base64 up to its padding; what stands behind that (a mailing list's footer) is left out."""
    cdef int64_t size = 0
    cdef Py_ssize_t place = start
    cdef uint32_t bits = 0
    cdef int filled = 0
    cdef bint broken = False
    cdef uint8_t value
    cdef Py_ssize_t kept = target.size + keep
    while place < end:
        value = sextet_at(source, place)
        place += 1
        if value < PADDING:
            bits = bits << 6 | value
            filled += 1
            if filled == 4:
                size += 3
                if target.size + 3 <= kept:
                    append_byte(target, <uint8_t> (bits >> 16 & 255))
                    append_byte(target, <uint8_t> (bits >> 8 & 255))
                    append_byte(target, <uint8_t> (bits & 255))
                filled = 0
        elif value == PADDING:
            if filled >= 2:
                break
            broken = True
        elif value == OUTSIDE:
            broken = True
    if filled == 1 or filled == 2 and place >= end and byte_at(source, place - 1) != c"=":
        broken = True
    if filled >= 2:
        size += filled - 1
        if target.size + filled - 1 <= kept:
            bits <<= 6 * (4 - filled)
            append_byte(target, <uint8_t> (bits >> 16 & 255))
            if filled == 3:
                append_byte(target, <uint8_t> (bits >> 8 & 255))
    content.facts[FACT_BROKEN_BASE64] += broken
    return size


cdef int64_t decode_quoted(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end,
    Buffer* target, Py_ssize_t keep, bint word
) except -1 nogil:
    """Quoted-printable; with `word` the Q encoding of RFC 2047, in which "_" is a space."""
    cdef int64_t size = 0
    cdef Py_ssize_t place = start
    cdef Py_ssize_t mark
    cdef Py_ssize_t kept = target.size + keep
    cdef int byte
    cdef int high
    cdef int low
    while place < end:
        if not word:
            # Whole runs at once: an "=" is rare.
            mark = find_byte(source, c"=", place, end)
            append(target, source, place, min(mark, place + max(kept - target.size, 0)))
            size += mark - place
            place = mark
            if place >= end:
                break
        byte = byte_at(source, place)
        if byte == c"=":
            high = hex_value(byte_at(source, place + 1)) if place + 1 < end else -1
            low = hex_value(byte_at(source, place + 2)) if place + 2 < end else -1
            if high >= 0 and low >= 0:
                byte = high * 16 + low
                place += 2
            else:
                # A soft line break, perhaps with white space that a relay added, or a bare "=".
                mark = place + 1
                while mark < end and (byte_at(source, mark) == c" " or byte_at(source, mark) == c"\t"):
                    mark += 1
                if mark >= end or byte_at(source, mark) == c"\n":
                    place = mark + 1
                    continue
                content.facts[FACT_BROKEN_QUOTED] += 1
        elif word and byte == c"_":
            byte = c" "
        size += 1
        if target.size < kept:
            append_byte(target, <uint8_t> byte)
        place += 1
    return size


cdef int64_t decode_uu(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Buffer* target, Py_ssize_t keep
) except -1 nogil:
    """The first uuencoded file of a part: lines of up to 45 bytes between "begin" and "end"."""
    cdef int64_t size = 0
    cdef Py_ssize_t line = start
    cdef Py_ssize_t line_end
    cdef Py_ssize_t kept = target.size + keep
    cdef bint begun = False
    cdef Py_ssize_t i
    cdef Py_ssize_t wanted
    cdef uint32_t bits
    cdef int shift
    while line < end:
        line_end = find_byte(source, c"\n", line, end)
        if begun and equals(source, line, line_end, b"end"):
            break
        if begun and line_end > line:
            # What the length letter promises, but never more than the line holds.
            wanted = min((byte_at(source, line) - 32) & 63, ((line_end - line - 1) * 3 + 3) // 4)
            size += wanted
            for i in range((wanted + 2) // 3):
                bits = uu_group(source, line + 1 + 4 * i, line_end)
                for shift in range(16, -8, -8):
                    if wanted > 0 and target.size < kept:
                        append_byte(target, <uint8_t> (bits >> shift & 255))
                    wanted -= 1
        elif starts_with(source, line, line_end, b"begin "):
            begun = True
        line = line_end + 1
    return size


cdef inline uint32_t uu_group(const Buffer* source, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    """Four uuencoded letters as 24 bits; what a line lacks is zero."""
    cdef uint32_t bits = 0
    cdef Py_ssize_t i
    for i in range(place, place + 4):
        bits = bits << 6 | (<uint32_t> ((byte_at(source, i) - 32) & 63) if i < end else 0)
    return bits


fill_sextets()
