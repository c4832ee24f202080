"""Header fields: found in the canonical form, unfolded, RFC 2047 decoded; parameters (RFC 2045, RFC 2231).

    Subject: =?utf-8?q?caf=C3=A9?=        →  name "subject", value "café"
     =?utf-8?q?_noir?=                       adjacent words join: "café noir"
    Content-Disposition: attachment;
     filename*0*=utf-8''na%C3%AFve;      →  parameter_of(…, "filename") is "naïve.txt"
     filename*1=.txt

A block of fields ends at an empty line, or at the first line that is no field (then the facts say so).
Bytes of adjacent words in one charset are joined before they are decoded, because mail programs cut words
in the middle of a character. A broken word stays as it was written. The end "?=" of a word is sought no
further once there is none.
"""


from deciban.text._charset cimport decode_text
from deciban.text._content cimport *
from deciban.text._fields cimport field_kind, field_name_end
from deciban.text._growth cimport grown
from deciban.text._transfer cimport decode_base64, decode_quoted


cdef struct Word:
    # One encoded word, as ranges of the source.
    Span charset
    Span content
    bint base64
    Py_ssize_t end


cdef int add_header(Content* content, Header header) except -1 nogil:
    """One more row of the header table."""
    cdef Headers* headers = &content.headers
    if headers.count == headers.room:
        headers.rows = <Header*> grown(headers.rows, &headers.room, headers.count + 1, 32, sizeof(Header))
    headers.rows[headers.count] = header
    headers.count += 1
    return 0


cdef bint find_word(
    const Buffer* source, Py_ssize_t start, Py_ssize_t end, Py_ssize_t last_end, Word* word
) noexcept nogil:
    """Whether a whole encoded word begins at this "=?"; `last_end` is the place of the last "?=" there is."""
    cdef Py_ssize_t place = start + 2
    cdef int encoding
    word.charset.start = place
    while place < min(end, start + 66) and byte_at(source, place) != c"?" and byte_at(source, place) > 32:
        place += 1
    # RFC 2231 lets a language follow: =?utf-8*en?…
    word.charset.end = find_byte(source, c"*", word.charset.start, place)
    if byte_at(source, place) != c"?" or byte_at(source, place + 2) != c"?" or place + 3 > last_end:
        return False
    encoding = lower(byte_at(source, place + 1))
    if encoding != c"b" and encoding != c"q":
        return False
    word.base64 = encoding == c"b"
    word.content.start = place + 3
    word.content.end = find_bytes(source, b"?=", 2, place + 3, end)
    word.end = word.content.end + 2
    return word.content.end < end


cdef Py_ssize_t last_word_end(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The place of the last "?=", or -1: behind it no word can end."""
    cdef Py_ssize_t place = end - 2
    while place >= start:
        if byte_at(source, place) == c"?" and byte_at(source, place + 1) == c"=":
            return place
        place -= 1
    return -1


cdef bint same_charset(const Buffer* source, Span one, Span other) noexcept nogil:
    """Whether two charset names are equal, letter case aside."""
    cdef Py_ssize_t i
    if one.end - one.start != other.end - other.start:
        return False
    for i in range(one.end - one.start):
        if lower(byte_at(source, one.start + i)) != lower(byte_at(source, other.start + i)):
            return False
    return True


cdef int unwrap_word(Content* content, Scratch* scratch, const Buffer* source, const Word* word) except -1 nogil:
    """The bytes of an encoded word, still in its charset, added to scratch.words."""
    cdef Py_ssize_t size = word.content.end - word.content.start
    if word.base64:
        decode_base64(content, source, word.content.start, word.content.end, &scratch.words, size)
    else:
        decode_quoted(content, source, word.content.start, word.content.end, &scratch.words, size, True)
    return 0


cdef int flush_words(Content* content, Scratch* scratch, const Buffer* source, Span charset) except -1 nogil:
    """Decodes the collected bytes of adjacent words."""
    if scratch.words.size:
        decode_text(content, &scratch.words, 0, scratch.words.size, source, charset, &content.strings, NULL)
        scratch.words.size = 0
    return 0


cdef int append_unfolded(Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """Text between encoded words: each line end with the white space behind it becomes one space."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t line_end
    cdef Span none
    none.start = none.end = 0
    while place < end:
        line_end = find_byte(source, c"\n", place, end)
        decode_text(content, source, place, line_end, source, none, &content.strings, NULL)
        if line_end == end:
            break
        place = line_end + 1
        while place < end and is_blank(byte_at(source, place)):
            place += 1
        append_byte(&content.strings, c" ")
    return 0


cdef bint is_all_blank(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether only white space stands between two places."""
    cdef Py_ssize_t place
    for place in range(start, end):
        if not is_blank(byte_at(source, place)):
            return False
    return True


cdef int append_value(
    Content* content, Scratch* scratch, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """A field's value with its encoded words decoded."""
    cdef Py_ssize_t plain = start
    cdef Py_ssize_t mark = find_bytes(source, b"=?", 2, start, end)
    cdef Py_ssize_t last_end = last_word_end(source, start, end) if mark < end else -1
    cdef Span charset
    cdef Word word
    cdef bint joined
    cdef bint behind_a_word = False
    charset.start = charset.end = 0
    while mark < end:
        if not find_word(source, mark, end, last_end, &word):
            content.facts[FACT_BROKEN_ENCODED_WORD] += 1
            mark = find_bytes(source, b"=?", 2, mark + 2, end)
            continue
        joined = behind_a_word and is_all_blank(source, plain, mark)
        behind_a_word = True
        if not joined or not same_charset(source, charset, word.charset):
            flush_words(content, scratch, source, charset)
        if not joined:
            append_unfolded(content, source, plain, mark)
        charset = word.charset
        unwrap_word(content, scratch, source, &word)
        plain = word.end
        mark = find_bytes(source, b"=?", 2, plain, end)
    flush_words(content, scratch, source, charset)
    return append_unfolded(content, source, plain, end)


cdef Span stripped(const Buffer* buffer, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """A range without the white space around it."""
    cdef Span span
    while start < end and is_blank(byte_at(buffer, start)):
        start += 1
    while end > start and is_blank(byte_at(buffer, end - 1)):
        end -= 1
    span.start = start
    span.end = end
    return span


cdef void blank_line_ends(Buffer* buffer, Py_ssize_t start) noexcept nogil:
    """A value is one line, even if an encoded word holds line ends."""
    cdef Py_ssize_t place = find_byte(buffer, c"\n", start, buffer.size)
    while place < buffer.size:
        set_byte(buffer, place, c" ")
        place = find_byte(buffer, c"\n", place + 1, buffer.size)


cdef int read_field(
    Content* content, Scratch* scratch, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end,
    int part, Py_ssize_t longest
) except -1 nogil:
    """One field [start, end) into the table; of a field that is too long only its beginning."""
    cdef const Buffer* source = &content.canonical
    cdef Header header
    cdef Span value
    if end - start > longest:
        content.facts[FACT_LIMIT_HEADER_BYTES] += 1
        end = start + longest
        colon = min(colon, end)
    header.part = part
    header.kind = max(field_kind(source, start, colon), HEADER_OTHER)
    header.raw.start = start
    header.raw.end = end
    header.name.start = content.strings.size
    append_lower(&content.strings, source, start, colon)
    header.name.end = content.strings.size
    value = stripped(source, colon + 1, end)
    content.facts[FACT_RAW_8BIT_HEADER] += not is_ascii(source, value.start, value.end)
    header.value.start = content.strings.size
    append_value(content, scratch, source, value.start, value.end)
    blank_line_ends(&content.strings, header.value.start)
    header.value = stripped(&content.strings, header.value.start, content.strings.size)
    content.facts[FACT_RECEIVED] += part == 0 and header.kind == HEADER_RECEIVED
    return add_header(content, header)


cdef Py_ssize_t read_headers(
    Content* content, Scratch* scratch, Py_ssize_t start, int part, Py_ssize_t most, Py_ssize_t longest
) except -1 nogil:
    """The block of fields at this place; the place where the body begins."""
    cdef const Buffer* source = &content.canonical
    cdef Py_ssize_t place = start
    cdef Py_ssize_t colon
    cdef Py_ssize_t end
    while place < source.size:
        end = find_byte(source, c"\n", place, source.size)
        if end == place:
            return place + 1
        colon = field_name_end(source, place, end)
        if colon < 0:
            content.facts[FACT_BROKEN_HEADER] += 1
            return place
        while byte_at(source, end + 1) == c" " or byte_at(source, end + 1) == c"\t":
            end = find_byte(source, c"\n", end + 1, source.size)
        if content.headers.count < most:
            read_field(content, scratch, place, colon, end, part, longest)
        else:
            content.facts[FACT_LIMIT_HEADERS] += 1
        place = end + 1
    return min(place, source.size)


cdef int media_type_of(Content* content, Span value, Span* found) except -1 nogil:
    """The "type/subtype" in front of a Content-Type's parameters, lower-cased; empty if it is none."""
    cdef Buffer* strings = &content.strings
    cdef Py_ssize_t place = value.start
    cdef Py_ssize_t i
    cdef int byte
    while place < value.end:
        byte = byte_at(strings, place)
        if byte == c";" or is_blank(byte):
            break
        place += 1
    found.start = found.end = strings.size
    if find_byte(strings, c"/", value.start, place) < place:
        # One by one: the source is the buffer that grows.
        for i in range(value.start, place):
            append_byte(strings, <uint8_t> lower(byte_at(strings, i)))
        found.end = strings.size
    return 0


cdef Py_ssize_t skip_blank(const Buffer* source, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    """The next place that is not white space."""
    while place < end and is_blank(byte_at(source, place)):
        place += 1
    return place


cdef Py_ssize_t append_parameter(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """A parameter's value, quoted or not, as it stands; the place behind it."""
    cdef Py_ssize_t place = start
    cdef int byte
    if byte_at(source, place) == c"\"":
        place += 1
        while place < end and byte_at(source, place) != c"\"":
            if byte_at(source, place) == c"\\" and place + 1 < end:
                place += 1
            append_byte(target, <uint8_t> byte_at(source, place))
            place += 1
        return place + 1
    while place < end:
        byte = byte_at(source, place)
        if byte == c";" or is_blank(byte):
            break
        append_byte(target, <uint8_t> byte)
        place += 1
    return place


cdef int append_percent_decoded(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """RFC 2231: %C3%A9 → two bytes."""
    cdef Py_ssize_t place = start
    cdef int high
    cdef int low
    while place < end:
        if byte_at(source, place) == c"%" and place + 2 < end:
            high = hex_value(byte_at(source, place + 1))
            low = hex_value(byte_at(source, place + 2))
            if high >= 0 and low >= 0:
                append_byte(target, <uint8_t> (high * 16 + low))
                place += 3
                continue
        append_byte(target, <uint8_t> byte_at(source, place))
        place += 1
    return 0


cdef int collect_parameter(
    Content* content, Scratch* scratch, Span value, const char* name, Span* charset
) except -1 nogil:
    """The bytes of a parameter into scratch.words, its RFC 2231 sections in the order in which they stand."""
    cdef Buffer* strings = &content.strings
    cdef Buffer* raw = &scratch.decoded
    cdef Py_ssize_t place = find_byte(strings, c";", value.start, value.end)
    cdef Py_ssize_t start
    cdef Py_ssize_t stop
    cdef Py_ssize_t mark
    cdef bint extended
    while place < value.end:
        start = skip_blank(strings, place + 1, value.end)
        stop = start
        while stop < value.end and byte_at(strings, stop) != c"=" and byte_at(strings, stop) != c";":
            stop += 1
        if byte_at(strings, stop) != c"=" or stop >= value.end:
            place = stop
            continue
        raw.size = 0
        place = append_parameter(raw, strings, skip_blank(strings, stop + 1, value.end), value.end)
        place = find_byte(strings, c";", place, value.end)
        while stop > start and is_blank(byte_at(strings, stop - 1)):
            stop -= 1
        mark = find_byte(strings, c"*", start, stop)
        if not equals(strings, start, mark, name):
            continue
        if mark == stop and scratch.words.size:
            continue  # a repeated parameter, or a plain one beside its RFC 2231 form: the first stays
        extended = stop > mark and byte_at(strings, stop - 1) == c"*"
        start = 0
        if extended and scratch.words.size == 0:
            # charset'language'text
            mark = find_byte(raw, c"'", 0, raw.size)
            stop = find_byte(raw, c"'", mark + 1, raw.size)
            if stop < raw.size:
                charset.start = strings.size
                append_lower(strings, raw, 0, mark)
                charset.end = strings.size
                start = stop + 1
        if extended:
            append_percent_decoded(&scratch.words, raw, start, raw.size)
        else:
            append(&scratch.words, raw, 0, raw.size)
    return 0


cdef int parameter_of(
    Content* content, Scratch* scratch, Span value, const char* name, Span* found
) except -1 nogil:
    """One parameter of a field's value (a span of strings), decoded into strings; empty if it is missing."""
    cdef Span charset
    charset.start = charset.end = 0
    scratch.words.size = 0
    collect_parameter(content, scratch, value, name, &charset)
    found.start = content.strings.size
    decode_text(
        content, &scratch.words, 0, scratch.words.size, &content.strings, charset, &content.strings, NULL)
    found.end = content.strings.size
    scratch.words.size = 0
    return 0
