"""The view `words` in C: what a person would point at to say why a mail is spam. See words.py for the list.

Every feature is named by bytes, tag first: ``subject:free``, ``from:example.org``, ``url:example.org``,
``fact:links:3``; words of the body have no tag. Two neighbouring words are one more feature, with a space
between: ``free money``. Numbers become classes, 0, 1, 2, 3 for 0, 1, 2–3, 4–7 and so on, because a filter
learns nothing from a count that it never sees twice.

The walk is: header fields, parts, links, visible text, hidden text, markup, facts; so when a hostile
message has more features than the limit allows, what is left out is the end of its text, never its headers.
Everything is walked once and looked at through spans that are first cut to the buffer they lie in.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memset, strlen

from deciban.text._content cimport (
    DISPOSITION_ATTACHMENT, ENCODING_BASE64, ENCODING_QUOTED, ENCODING_UNKNOWN, ENCODING_UU, FACT_ATTACHMENTS,
    FACT_BROKEN_BASE64, FACT_BROKEN_ENCODED_WORD, FACT_BROKEN_HEADER, FACT_BROKEN_QUOTED, FACT_HIDDEN_RUNS, FACT_HTML_COMMENTS, FACT_HTML_SCRIPTS, FACT_HTML_STYLES, FACT_HTML_TAGS,
    FACT_LIMIT_BYTES, FACT_LIMIT_DEPTH, FACT_LIMIT_HEADER_BYTES, FACT_LIMIT_HEADERS, FACT_LIMIT_LINKS,
    FACT_LIMIT_PARTS, FACT_LIMIT_TEXT, FACT_NO_BOUNDARY, FACT_NUL_BYTES, FACT_RAW_8BIT_HEADER, FACT_RECEIVED,
    FACT_UNCLOSED_MULTIPART, FACT_UNKNOWN_CHARSET, FACT_UNKNOWN_ENCODING, FACT_WRONG_CHARSET, HEADER_AUTHENTICATION, HEADER_BCC, HEADER_CC, HEADER_CONTENT_DISPOSITION,
    HEADER_CONTENT_TRANSFER_ENCODING, HEADER_CONTENT_TYPE, HEADER_DATE, HEADER_DKIM_SIGNATURE,
    HEADER_ERRORS_TO, HEADER_FROM, HEADER_IN_REPLY_TO, HEADER_MESSAGE_ID, HEADER_MIME_VERSION,
    HEADER_RECEIVED, HEADER_REFERENCES, HEADER_REPLY_TO, HEADER_RESENT, HEADER_RETURN_PATH, HEADER_SENDER,
    HEADER_SUBJECT, HEADER_TO, LINK_ANCHOR, LINK_FORM, LINK_IMAGE, PART_MULTIPART, Buffer, Content, Header, Link,
    Part, Span, fact_of, header_at, link_at, part_at,
)
from deciban.text._harvest cimport (
    WHERE_HEADER, WHERE_HIDDEN, WHERE_LINK, WHERE_MARKUP, WHERE_MESSAGE, WHERE_PART, WHERE_TEXT, Harvest, Tag,
    add_feature, add_hash, is_traced, note_sighting, tag_of,
)
from deciban.text._hashing cimport hash_byte, hash_end
from deciban.text._tokens cimport (
    TOKEN_BYTES, TOKEN_DIGIT, TOKEN_DISGUISED, TOKEN_INVISIBLE, TOKEN_LATIN, TOKEN_LOWER,
    TOKEN_STYLED, TOKEN_UPPER, Token, Tokens, begin_tokens, next_token,
)

cdef enum Style:
    STYLE_PAIRS = 1      # neighbours are features too
    STYLE_PATTERNS = 2   # look for !!!, $dd, CAPS and disguised words
    STYLE_LINKS = 4      # http://… is a link, not words

cdef enum:
    LONG_WORD = 40           # bytes; what is longer is known by its beginning and its length class
    LONGEST_NAME = 128       # bytes of a host, address, file name or attribute that become one feature
    LONGEST_VALUE = 40       # words of a header field without a meaning of its own
    LONGEST_PATH = 32        # words of the path and query of one link
    MOST_LABELS = 8          # parents of a host that are features
    ROOM_FOR_FACTS = 64      # features kept free, so that a message cannot hide its facts behind its text

# What the patterns of one message add up to, said at the end as classes.
ctypedef struct Patterns:
    int64_t words
    int64_t capitals
    int64_t numbers
    int64_t exclamations
    int64_t money
    int64_t invisible
    int64_t styled
    int64_t disguised
    int64_t obfuscated
    int64_t long_words
    int64_t links


cdef inline Patterns no_patterns() noexcept nogil:
    """The beginning: nothing seen."""
    cdef Patterns patterns
    memset(&patterns, 0, sizeof(patterns))
    return patterns


# A stretch of bytes that somebody else owns; made only by `stretch_of`, which cuts it to its buffer.
ctypedef struct Stretch:
    const uint8_t* data
    Py_ssize_t length


cdef inline Stretch stretch_of(const Buffer* buffer, Span span) noexcept nogil:
    """The bytes of a span, as far as they lie in the buffer."""
    cdef Stretch stretch
    cdef Py_ssize_t start = max(span.start, 0), end = min(span.end, buffer.size)
    stretch.data = buffer.data + start if start < end else NULL
    stretch.length = end - start if start < end else 0
    return stretch


cdef inline uint8_t lower(uint8_t byte) noexcept nogil:
    return byte + 32 if c"A" <= byte <= c"Z" else byte


cdef inline bint is_digit(uint8_t byte) noexcept nogil:
    return c"0" <= byte <= c"9"


cdef inline int size_class(int64_t number) noexcept nogil:
    """0, 1, 2, 3, … for 0, 1, 2–3, 4–7, …: how many binary digits a number has."""
    cdef int digits = 0
    while number > 0:
        number >>= 1
        digits += 1
    return digits


cdef int add_number(Harvest* harvest, const char* name, Py_ssize_t length, int number) except -1 nogil:
    """The feature ``name`` + a number of one or two digits, about the message as a whole."""
    cdef Tag tag = tag_of(name, length)
    cdef uint8_t[2] digits
    cdef int n = 0
    if number >= 10:
        digits[0] = c"0" + (number // 10) % 10
        n = 1
    digits[n] = c"0" + number % 10
    return add_feature(harvest, &tag, digits, n + 1, harvest.origin, harvest.origin)


cdef int add_lowered(
    Harvest* harvest, const Tag* tag, Stretch stretch, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """The feature called tag + the lower-cased bytes [start, end) of a stretch, cut at LONGEST_NAME."""
    cdef uint8_t[LONGEST_NAME] name
    cdef Py_ssize_t i, length = min(end, stretch.length, start + LONGEST_NAME) - start
    if length <= 0:
        return 0
    for i in range(length):
        name[i] = lower(stretch.data[start + i])
    return add_feature(harvest, tag, name, length, harvest.origin + start, harvest.origin + start + length)


cdef int add_word(Harvest* harvest, const Tag* tag, const char* word, Py_ssize_t length) except -1 nogil:
    """A feature with a fixed name, about whatever is being walked through."""
    return add_feature(harvest, tag, <const uint8_t*>word, length, harvest.origin, harvest.origin)


# --- words of running text ---------------------------------------------------------------------------


cdef inline bint same(const Token* token, const char* word, int length) noexcept nogil:
    return token.length == length and memcmp(token.word, word, length) == 0


cdef inline uint8_t digit_as_letter(uint8_t byte) noexcept nogil:
    """The letter that a digit or sign stands for in v1agra and ca$h, or 0."""
    if byte == c"0":
        return c"o"
    if byte == c"1" or byte == c"!" or byte == c"|":
        return c"i"
    if byte == c"3":
        return c"e"
    if byte == c"4" or byte == c"@":
        return c"a"
    if byte == c"5" or byte == c"$":
        return c"s"
    if byte == c"7":
        return c"t"
    return 0


cdef int add_obfuscated(
    Harvest* harvest, const Tag* tag, Patterns* patterns, const uint8_t* word, int length,
    Py_ssize_t start, Py_ssize_t end,
) except -1 nogil:
    """A word that was hidden from filters: as itself, so that it meets its plain form, and as hidden."""
    cdef Tag hidden = tag_of(b"obfuscated:", 11)
    patterns.obfuscated += 1
    add_feature(harvest, tag, word, length, start, end)
    return add_feature(harvest, &hidden, word, length, start, end)


cdef int look_for_digits_as_letters(
    Harvest* harvest, const Tag* tag, Patterns* patterns, const Token* token
) except -1 nogil:
    """v1agra, m0ney: a short word whose few digits stand alone between letters and look like letters."""
    cdef uint8_t[24] plain
    cdef int i, digits = 0
    if token.length < 4 or token.length > 24 or is_digit(token.word[0]):
        return 0
    for i in range(token.length):
        plain[i] = token.word[i]
        if is_digit(token.word[i]):
            digits += 1
            plain[i] = digit_as_letter(token.word[i])
            if plain[i] == 0 or i + 1 == token.length or is_digit(token.word[i + 1]):
                return 0
    if digits == 0 or 3 * digits > token.length:
        return 0
    return add_obfuscated(
        harvest, tag, patterns, plain, token.length, harvest.origin + token.start, harvest.origin + token.end
    )


cdef int look_for_sign_as_letter(
    Harvest* harvest, const Tag* tag, Patterns* patterns, Stretch text, const Token* before, const Token* token
) except -1 nogil:
    """ca$h, v!agra, vi@gra: two words of letters with one sign between that looks like a letter."""
    cdef uint8_t[25] joined
    cdef uint8_t letter = digit_as_letter(text.data[before.end]) if before.end < text.length else 0
    cdef int i
    if letter == 0 or before.length + token.length > 24 or (before.flags | token.flags) & TOKEN_DIGIT:
        return 0
    if text.data[before.end] == c"@" and token.end < text.length and text.data[token.end] in (c".", c"-"):
        return 0  # an address
    for i in range(before.length):
        joined[i] = before.word[i]
    joined[before.length] = letter
    for i in range(token.length):
        joined[before.length + 1 + i] = token.word[i]
    return add_obfuscated(
        harvest, tag, patterns, joined, before.length + 1 + token.length,
        harvest.origin + before.start, harvest.origin + token.end,
    )


cdef int look_at_gap(
    Harvest* harvest, const Tag* tag, Patterns* patterns, Stretch text, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """Runs of !, ?, $ and * between two words: !!! and ?! are what people shout with."""
    cdef uint8_t[6] run
    cdef Py_ssize_t at = start
    cdef int length = 0
    cdef uint8_t byte
    while at <= end:
        byte = text.data[at] if at < end and at < text.length else 0
        if byte in (c"!", c"?", c"$", c"*", c"%"):
            if byte == c"!":
                patterns.exclamations += 1
            if length < 6:
                run[length] = byte
                length += 1
        elif length:
            add_feature(harvest, tag, run, length, harvest.origin + at - length, harvest.origin + at)
            length = 0
        at += 1
    return 0


cdef int look_for_money(
    Harvest* harvest, const Tag* tag, Patterns* patterns, Stretch text, Py_ssize_t start
) except -1 nogil:
    """$dd: an amount with every digit written d, so that $1,500,000 and $2,300,000 are one feature."""
    cdef uint8_t[16] shape
    cdef Py_ssize_t at = start
    cdef int length = 1
    shape[0] = c"$"
    while at < text.length and length < 16:
        if is_digit(text.data[at]):
            shape[length] = c"d"
        elif text.data[at] in (c",", c".") and at + 1 < text.length and is_digit(text.data[at + 1]):
            shape[length] = text.data[at]
        else:
            break
        length += 1
        at += 1
    patterns.money += 1
    return add_feature(harvest, tag, shape, length, harvest.origin + start - 1, harvest.origin + at)


cdef int add_digits(Harvest* harvest, const Token* token) except -1 nogil:
    """How long a number is: 11 digits are a telephone number, whichever they are (1-ROCA% on SMS .50 → .43)."""
    cdef Tag tag = tag_of(b"digits:", 7)
    cdef uint8_t[2] length
    cdef int digits = min(token.length, 99)
    length[0] = c"0" + digits // 10
    length[1] = c"0" + digits % 10
    return add_feature(harvest, &tag, length, 2, harvest.origin + token.start, harvest.origin + token.end)


cdef int add_long_word(
    Harvest* harvest, const Tag* tag, Patterns* patterns, const Token* token
) except -1 nogil:
    """A word that is no word: only its first bytes and its length class, or keys and hashes would be features."""
    cdef uint8_t[12] name
    cdef int i
    memcpy_name(name, b"long:", 5)
    for i in range(4):
        name[5 + i] = token.word[i]
    name[9] = c":"
    name[10] = c"0" + size_class(token.end - token.start) % 10
    patterns.long_words += 1
    return add_feature(harvest, tag, name, 11, harvest.origin + token.start, harvest.origin + token.end)


cdef inline void memcpy_name(uint8_t* target, const char* source, int length) noexcept nogil:
    cdef int i
    for i in range(length):
        target[i] = <uint8_t>source[i]


cdef int look_at_word(
    Harvest* harvest, const Tag* tag, Patterns* patterns, Stretch text, const Token* before, const Token* token
) except -1 nogil:
    """The patterns that one word shows, given the word before it."""
    cdef unsigned int flags = token.flags
    cdef uint8_t preceding = text.data[token.start - 1] if 0 < token.start <= text.length else 0
    cdef Tag disguised
    patterns.words += 1
    if flags & TOKEN_DIGIT:
        patterns.numbers += 1
        if not flags & TOKEN_LATIN:
            add_digits(harvest, token)
        if preceding == c"$" and is_digit(token.word[0]):
            look_for_money(harvest, tag, patterns, text, token.start)
        if flags & TOKEN_LATIN:
            look_for_digits_as_letters(harvest, tag, patterns, token)
    elif preceding in (c"$", c"!", c"@", c"|") and before.length and before.end + 1 == token.start:
        look_for_sign_as_letter(harvest, tag, patterns, text, before, token)
    if flags & TOKEN_UPPER and not flags & TOKEN_LOWER and token.length > 1:
        patterns.capitals += 1
    if flags & (TOKEN_INVISIBLE | TOKEN_STYLED | TOKEN_DISGUISED):
        patterns.styled += flags & TOKEN_STYLED != 0
        patterns.disguised += flags & TOKEN_DISGUISED != 0
        disguised = tag_of(b"disguised:", 10)
        add_feature(
            harvest, &disguised, token.word, token.length,
            harvest.origin + token.start, harvest.origin + token.end,
        )
    return 0


# Single letters in a row, v.i.a.g.r.a or f r e e, which join to a word.
ctypedef struct Spelled:
    uint8_t[24] word
    int length
    Py_ssize_t start
    Py_ssize_t end


cdef int end_spelled(Harvest* harvest, const Tag* tag, Patterns* patterns, Spelled* spelled) except -1 nogil:
    """Four letters or more, each alone, were a word."""
    cdef int length = spelled.length
    spelled.length = 0
    if length >= 4:
        add_obfuscated(
            harvest, tag, patterns, spelled.word, length,
            harvest.origin + spelled.start, harvest.origin + spelled.end,
        )
    return 0


cdef inline int spell(
    Harvest* harvest, const Tag* tag, Patterns* patterns, Spelled* spelled, const Token* token
) except -1 nogil:
    """Takes a word into account: a letter with one byte between it and the letter before goes on."""
    cdef bint letter = token.length == 1 and token.flags & TOKEN_LATIN
    if spelled.length and (not letter or token.start != spelled.end + 1 or spelled.length == 24):
        end_spelled(harvest, tag, patterns, spelled)
    if letter:
        if spelled.length == 0:
            spelled.start = token.start
        spelled.word[spelled.length] = token.word[0]
        spelled.length += 1
        spelled.end = token.end
    return 0


cdef inline int add_words(
    Harvest* harvest, const Tag* tag, const Token* before, const Token* token, bint pairs
) except -1 nogil:
    """A word, and the pair that it makes with the word before; the tokeniser hashed both."""
    cdef uint64_t hash = hash_end(token.state)
    cdef Py_ssize_t start = harvest.origin + token.start, end = harvest.origin + token.end
    if add_hash(harvest, hash) and is_traced(harvest, hash):
        note_sighting(harvest, hash, tag, token.word, token.length, NULL, 0, start, end)
    if pairs and before.length:
        hash = hash_end(token.pair_state)
        if add_hash(harvest, hash) and is_traced(harvest, hash):
            note_sighting(
                harvest, hash, tag, before.word, before.length, token.word, token.length,
                harvest.origin + before.start, end,
            )
    return 0


cdef int walk_words(
    Harvest* harvest, const Tag* tag, Stretch text, unsigned int style, Patterns* patterns, Py_ssize_t most
) except -1 nogil:
    """The words of a text, at most so many, with pairs and patterns as the style says."""
    cdef Token[2] pair
    cdef Token* before = &pair[0]
    cdef Token* token = &pair[1]
    cdef Tokens walk
    cdef Spelled spelled
    cdef Py_ssize_t gap = 0, link_end
    begin_tokens(&walk, text.data, text.length)
    walk.seed = tag.state
    before.length = 0
    spelled.length = 0
    while most > 0 and not harvest.full and next_token(&walk, token):
        most -= 1
        # Most gaps are one space, or one line end, and show nothing.
        if style & STYLE_PATTERNS and (token.start - gap > 1 or (token.start > gap and text.data[gap] > 32)):
            look_at_gap(harvest, tag, patterns, text, gap, token.start)
        gap = token.end
        if style & STYLE_LINKS and token.word[0] in (c"h", c"w"):
            link_end = end_of_link(text, token)
            if link_end > token.start:
                patterns.links += 1
                add_link(harvest, text, token.start, link_end)
                walk.at = gap = link_end
                before.length = 0
                continue
        if token.length > LONG_WORD:
            add_long_word(harvest, tag, patterns, token)
            before.length = 0
            continue
        add_words(harvest, tag, before, token, style & STYLE_PAIRS)
        walk.pair_seed = hash_byte(token.state, c" ")
        if style & STYLE_PATTERNS:
            look_at_word(harvest, tag, patterns, text, before, token)
            spell(harvest, tag, patterns, &spelled, token)
        before, token = token, before
    if style & STYLE_PATTERNS:
        end_spelled(harvest, tag, patterns, &spelled)
        look_at_gap(harvest, tag, patterns, text, gap, text.length)
    patterns.invisible += walk.invisible
    return 0


# --- hosts, addresses, links -------------------------------------------------------------------------


# 1 for what may stand in a host name or an address: a row of comparisons instead would often be mispredicted.
cdef uint8_t[256] atom_bytes
for _byte in range(256):
    atom_bytes[_byte] = _byte >= 0x80 or chr(_byte).isalnum() or chr(_byte) in ".-_+@="
del _byte


cdef inline bint in_atom(uint8_t byte) noexcept nogil:
    """Whether a byte may stand in a host name or an address."""
    return atom_bytes[byte]


cdef int add_host(
    Harvest* harvest, const Tag* tag, Stretch text, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """A host and its parents (a.example.org, example.org, org), or an IP address and its networks."""
    cdef Py_ssize_t at
    cdef int labels = 1
    cdef bint numeric = True
    for at in range(start, end):
        if text.data[at] != c"." and not is_digit(text.data[at]):
            numeric = False
            break
    add_lowered(harvest, tag, text, start, end)
    if numeric:
        for at in range(end - 1, start, -1):
            if text.data[at] == c".":
                labels += 1
                if labels <= 3:
                    add_lowered(harvest, tag, text, start, at)
        return 0
    for at in range(end - 1, start - 1, -1):
        if text.data[at] == c".":
            labels += 1
            if at + 1 < end:
                add_lowered(harvest, tag, text, at + 1, end)
            if labels > MOST_LABELS:
                break
    return 0


cdef int walk_atoms(
    Harvest* harvest, const Tag* tag, Stretch text, bint hosts, int64_t* addresses
) except -1 nogil:
    """Addresses, whole and by host, and on request every other host name or IP address of a field."""
    cdef Py_ssize_t at = 0, start, end, sign, dots
    while at < text.length and not harvest.full:
        if not in_atom(text.data[at]):
            at += 1
            continue
        start, sign, dots = at, -1, 0
        while at < text.length and in_atom(text.data[at]):
            if text.data[at] == c"@":
                sign = at
            elif text.data[at] == c".":
                dots += 1
            at += 1
        end = at
        while end > start and text.data[end - 1] == c".":
            end -= 1
            dots -= 1
        if end - start > LONGEST_NAME:
            continue
        if sign > start and sign + 1 < end:
            addresses[0] += 1
            if not hosts:
                add_lowered(harvest, tag, text, start, end)
            add_host(harvest, tag, text, sign + 1, end)
        elif hosts and dots > 0 and sign < 0:
            add_host(harvest, tag, text, start, end)
    return 0


cdef Py_ssize_t end_of_link(Stretch text, const Token* token) noexcept nogil:
    """Where the link ends that begins with this word (http://…, https://…, www.…), or 0 if none does."""
    cdef Py_ssize_t at = token.end
    if same(token, b"http", 4) or same(token, b"https", 5):
        if at + 3 >= text.length or memcmp(text.data + at, b"://", 3) != 0:
            return 0
        at += 3
    elif not (same(token, b"www", 3) and at + 1 < text.length and text.data[at] == c"."):
        return 0
    while at < text.length and text.data[at] > 32 and text.data[at] < 0x80:
        if text.data[at] in (c'"', c"'", c"<", c">", c")", c"]", c"}", c"|", c"\\", c"^", c"`"):
            break
        at += 1
    while at > token.end and text.data[at - 1] in (c".", c",", c";", c":", c"!", c"?"):
        at -= 1
    return at


# A link taken apart: places of its scheme's end and of its host; the path is what follows the authority.
ctypedef struct LinkPlaces:
    Py_ssize_t scheme_end   # just after the colon; the start if there is no scheme
    Py_ssize_t host
    Py_ssize_t host_end
    Py_ssize_t path
    bint user               # something@ stands before the host
    bint port


cdef LinkPlaces take_link_apart(Stretch text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The places of a link's pieces; a host longer than LONGEST_NAME ends there."""
    cdef LinkPlaces places
    cdef Py_ssize_t at = start
    places.scheme_end = start
    while at < end and (c"a" <= lower(text.data[at]) <= c"z"):
        at += 1
    if at < end and text.data[at] == c":":
        places.scheme_end = at + 1
    at = places.scheme_end
    while at < end and text.data[at] == c"/":
        at += 1
    places.host = at
    places.user = places.port = False
    places.host_end = -1
    end = min(end, at + LONGEST_NAME)
    while at < end and text.data[at] not in (c"/", c"?", c"#", c"&"):
        if text.data[at] == c"@":
            places.user = True
            places.host = at + 1
            places.host_end = -1
        elif text.data[at] == c":" and places.host_end < 0:
            places.host_end = at
        at += 1
    places.port = places.host_end >= 0
    if places.host_end < 0:
        places.host_end = at
    places.path = at
    return places


cdef int add_link(Harvest* harvest, Stretch text, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """``url:`` features of a link: host and parents, and what is odd about it; ``path:`` words of the rest."""
    cdef Tag tag = tag_of(b"url:", 4), path = tag_of(b"path:", 5)
    cdef LinkPlaces places
    cdef Py_ssize_t origin = harvest.origin, host_length
    cdef Patterns unused = no_patterns()
    cdef Stretch rest
    end = min(end, text.length)
    places = take_link_apart(text, start, end)
    add_lowered(harvest, &tag, text, start, places.scheme_end)  # http:, https:, mailto:, javascript:, cid:
    if places.user:
        add_word(harvest, &tag, b"user@", 5)
    if places.port:
        add_word(harvest, &tag, b":port", 5)
    host_length = places.host_end - places.host
    if host_length > 0 and memchr(text.data + places.host, c".", host_length) != NULL:
        add_host(harvest, &tag, text, places.host, places.host_end)
        if is_digit(text.data[places.host_end - 1]):
            add_word(harvest, &tag, b"ip", 2)
        if memchr(text.data + places.host, c"%", host_length) != NULL:
            add_word(harvest, &tag, b"%", 1)
    if places.path < end:
        rest.data = text.data + places.path
        rest.length = end - places.path
        harvest.origin = origin + places.path
        walk_words(harvest, &path, rest, 0, &unused, LONGEST_PATH)
        harvest.origin = origin
    return 0


cdef int gather_links(const Content* content, Harvest* harvest) except -1 nogil:
    """Every link of the HTML parts, and whether its text names another host than it leads to."""
    cdef Tag tag = tag_of(b"url:", 4)
    cdef Py_ssize_t i
    cdef Link link
    cdef Stretch target, shown
    harvest.where = WHERE_LINK
    harvest.origin = 0
    for i in range(content.links.count):
        if harvest.full:
            break
        link = link_at(content, i)
        harvest.number = i
        target = stretch_of(&content.strings, link.target)
        add_link(harvest, target, 0, target.length)
        if link.kind == LINK_IMAGE:
            add_word(harvest, &tag, b"image", 5)
        elif link.kind == LINK_FORM:
            add_word(harvest, &tag, b"form", 4)
        elif link.kind == LINK_ANCHOR:
            shown = stretch_of(&content.text, link.text)
            if leads_elsewhere(shown, target):
                add_word(harvest, &tag, b"elsewhere", 9)
    return 0


cdef Stretch host_of(Stretch text) noexcept nogil:
    """The host of a text that is a link and nothing else; empty for any other text."""
    cdef Stretch host
    cdef Py_ssize_t at = 0, start
    host.data = NULL
    host.length = 0
    while at < text.length and text.data[at] <= 32:
        at += 1
    start = at
    while at < text.length and c"a" <= lower(text.data[at]) <= c"z":
        at += 1
    if at + 2 < text.length and memcmp(text.data + at, b"://", 3) == 0:
        start = at + 3
    elif at - start != 3 or at >= text.length or text.data[at] != c".":
        return host
    at = start
    while at < text.length and in_atom(text.data[at]):
        at += 1
    host.data = text.data + start
    host.length = min(at - start, LONGEST_NAME)
    return host


cdef Stretch owner_of(Stretch host) noexcept nogil:
    """The last two labels of a host, or three where the last but one is short: example.org, example.co.uk."""
    cdef Stretch owner = host
    cdef Py_ssize_t at, end = host.length
    cdef int labels = 0
    for at in range(host.length - 1, -1, -1):
        if host.data[at] == c".":
            labels += 1
            if labels >= 2 and (end - at > 4 or labels > 2):
                owner.data = host.data + at + 1
                owner.length = host.length - at - 1
                break
            end = at
    return owner


cdef bint leads_elsewhere(Stretch shown, Stretch target) noexcept nogil:
    """Whether an anchor shows a host of one owner and leads to another's."""
    cdef Stretch seen = owner_of(host_of(shown)), real = owner_of(host_of(target))
    cdef Py_ssize_t i
    if seen.length == 0 or real.length == 0:
        return False
    if seen.length != real.length:
        return True
    for i in range(seen.length):
        if lower(seen.data[i]) != lower(real.data[i]):
            return True
    return False


# --- header fields -----------------------------------------------------------------------------------


cdef int gather_date(Harvest* harvest, Stretch value) except -1 nogil:
    """Weekday, hour and time zone; day, month and year would only teach when the lessons were collected."""
    cdef Tag tag = tag_of(b"date:", 5)
    cdef Py_ssize_t at
    if value.length > 3 and value.data[3] == c",":
        add_lowered(harvest, &tag, value, 0, 3)
    for at in range(2, value.length):
        if value.data[at] == c":" and is_digit(value.data[at - 1]):
            add_lowered(harvest, &tag, value, at - 2, at + 1)  # "13:"
            break
    for at in range(value.length - 5, -1, -1):
        if value.data[at] in (c"+", c"-") and is_digit(value.data[at + 1]):
            add_lowered(harvest, &tag, value, at, at + 5)
            break
    return 0


cdef int gather_signature(Harvest* harvest, Stretch value) except -1 nogil:
    """Who signed (d=example.org); the rest of a signature is noise by design."""
    cdef Tag tag = tag_of(b"signed:", 7)
    cdef Py_ssize_t at, end
    for at in range(1, value.length - 2):
        if value.data[at] == c"d" and value.data[at + 1] == c"=" and value.data[at - 1] in (c" ", c";", c"\t"):
            end = at + 2
            while end < value.length and in_atom(value.data[end]):
                end += 1
            return add_host(harvest, &tag, value, at + 2, end)
    return 0


cdef int gather_results(Harvest* harvest, Stretch value) except -1 nogil:
    """spf=pass, dkim=fail …: what the receiving server found out about the sender."""
    cdef Tag tag = tag_of(b"auth:", 5)
    cdef Py_ssize_t at = 0, start
    cdef bint equals
    while at < value.length:
        start, equals = at, False
        while at < value.length and in_atom(value.data[at]) and value.data[at] != c"@":
            equals = equals or value.data[at] == c"="
            at += 1
        if equals and at - start <= 24:
            add_lowered(harvest, &tag, value, start, at)
        if at == start:
            at += 1
    return 0


cdef int gather_header(
    const Content* content, Harvest* harvest, Header header, Patterns* patterns, int64_t* recipients
) except -1 nogil:
    """The features of one header field of the message itself."""
    cdef Stretch name = stretch_of(&content.strings, header.name), value = stretch_of(&content.strings, header.value)
    cdef uint8_t[LONGEST_NAME] tag_name
    cdef Tag tag, presence = tag_of(b"header:", 7), plain = tag_of(b"", 0)
    cdef Patterns no_second_look = no_patterns()
    cdef int64_t unused = 0
    cdef Py_ssize_t i, length = min(name.length, LONGEST_NAME - 1)
    cdef int kind = header.kind
    add_feature(harvest, &presence, name.data, length, harvest.origin, harvest.origin)
    for i in range(length):
        tag_name[i] = name.data[i]
    tag_name[length] = c":"
    tag = tag_of(<const char*>tag_name, length + 1)
    if kind == HEADER_SUBJECT:
        # Also as words of the text, where most of their evidence was learned.
        walk_words(harvest, &plain, value, STYLE_PAIRS, &no_second_look, value.length)
        walk_words(harvest, &tag, value, STYLE_PAIRS | STYLE_PATTERNS, patterns, value.length)
    elif kind == HEADER_RECEIVED:
        walk_atoms(harvest, &tag, value, True, &unused)
    elif kind == HEADER_DATE:
        gather_date(harvest, value)
    elif kind == HEADER_DKIM_SIGNATURE:
        gather_signature(harvest, value)
    elif kind == HEADER_AUTHENTICATION:
        gather_results(harvest, value)
    elif kind in (HEADER_MESSAGE_ID, HEADER_IN_REPLY_TO, HEADER_REFERENCES):
        walk_atoms(harvest, &tag, value, True, &unused)
    elif kind in (HEADER_FROM, HEADER_SENDER, HEADER_REPLY_TO, HEADER_RETURN_PATH, HEADER_ERRORS_TO, HEADER_TO,
                  HEADER_CC, HEADER_BCC, HEADER_RESENT):
        walk_atoms(harvest, &tag, value, False, recipients if kind in (HEADER_TO, HEADER_CC) else &unused)
        walk_words(harvest, &tag, value, 0, patterns, LONGEST_VALUE)
    elif kind not in (HEADER_CONTENT_TYPE, HEADER_CONTENT_TRANSFER_ENCODING, HEADER_CONTENT_DISPOSITION):
        walk_words(harvest, &tag, value, 0, patterns, LONGEST_VALUE)
    return 0


cdef bint answers_nothing(const Content* content) noexcept nogil:
    """Whether the subject begins with Re: although the message refers to no other."""
    cdef Py_ssize_t i
    cdef Header header
    cdef Stretch value
    cdef bint reply = False
    for i in range(content.headers.count):
        header = header_at(content, i)
        if header.part == 0 and header.kind in (HEADER_IN_REPLY_TO, HEADER_REFERENCES):
            return False
        if header.part == 0 and header.kind == HEADER_SUBJECT:
            value = stretch_of(&content.strings, header.value)
            reply = (
                value.length > 2 and lower(value.data[0]) == c"r" and lower(value.data[1]) == c"e"
                and value.data[2] == c":"
            )
    return reply


cdef int gather_headers(const Content* content, Harvest* harvest, Patterns* patterns) except -1 nogil:
    """The header fields of the message itself; those of its parts speak through `gather_parts`."""
    cdef Tag tag = tag_of(b"fact:", 5)
    cdef int64_t recipients = 0
    cdef Py_ssize_t i
    cdef Header header
    harvest.where = WHERE_HEADER
    harvest.origin = 0
    for i in range(content.headers.count):
        if harvest.full:
            return 0
        header = header_at(content, i)
        if header.part == 0 and not (harvest.skips_results and header.kind == HEADER_AUTHENTICATION):
            harvest.number = i
            gather_header(content, harvest, header, patterns, &recipients)
    harvest.where = WHERE_MESSAGE
    harvest.number = 0
    add_number(harvest, b"fact:recipients:", 16, size_class(recipients))
    if answers_nothing(content):
        add_word(harvest, &tag, b"answers-nothing", 15)
    return 0


# --- parts, markup, facts ----------------------------------------------------------------------------


cdef int gather_file_name(Harvest* harvest, Stretch name) except -1 nogil:
    """The words of an attachment's name and its extensions, .pdf.exe being two."""
    cdef Tag tag = tag_of(b"attachment:", 11)
    cdef Patterns unused = no_patterns()
    cdef Py_ssize_t at
    walk_words(harvest, &tag, name, 0, &unused, LONGEST_VALUE)
    for at in range(name.length - 1, max(name.length - 12, 0) - 1, -1):
        if name.data[at] == c".":
            add_lowered(harvest, &tag, name, at, name.length)
    return 0


cdef int gather_parts(const Content* content, Harvest* harvest) except -1 nogil:
    """The MIME tree: types, charsets, encodings, what stands in what, and attachments."""
    cdef Tag mime = tag_of(b"mime:", 5), charset = tag_of(b"charset:", 8), attached = tag_of(b"attached:", 9), inner
    cdef uint8_t[LONGEST_NAME] nesting
    cdef Py_ssize_t i, j
    cdef Part part
    cdef Stretch media_type, name
    harvest.where = WHERE_PART
    harvest.origin = 0
    for i in range(content.parts.count):
        if harvest.full:
            return 0
        part = part_at(content, i)
        harvest.number = i
        media_type = stretch_of(&content.strings, part.media_type)
        add_lowered(harvest, &mime, media_type, 0, media_type.length)
        name = stretch_of(&content.strings, part.charset)
        add_lowered(harvest, &charset, name, 0, name.length)
        if part.encoding == ENCODING_BASE64:
            add_word(harvest, &mime, b"base64", 6)
        elif part.encoding == ENCODING_QUOTED:
            add_word(harvest, &mime, b"quoted-printable", 16)
        elif part.encoding == ENCODING_UU:
            add_word(harvest, &mime, b"uuencode", 8)
        elif part.encoding == ENCODING_UNKNOWN:
            add_word(harvest, &mime, b"unknown", 7)
        if part.disposition == DISPOSITION_ATTACHMENT:
            add_lowered(harvest, &attached, media_type, 0, media_type.length)
        if part.parent >= 0:
            name = stretch_of(&content.strings, part_at(content, part.parent).media_type)
            memcpy_name(nesting, b"mime:", 5)
            for j in range(min(name.length, LONGEST_NAME - 6)):
                nesting[5 + j] = name.data[j]
            j = min(name.length, LONGEST_NAME - 6)
            nesting[5 + j] = c">"
            inner = tag_of(<const char*>nesting, 6 + j)  # mime:multipart/alternative>text/html
            add_lowered(harvest, &inner, media_type, 0, media_type.length)
        gather_file_name(harvest, stretch_of(&content.strings, part.file_name))
    return 0


cdef int gather_markup(const Content* content, Harvest* harvest) except -1 nogil:
    """HTML start tags and each of their attributes: ``html:font``, ``html:font color=#ff0000``."""
    cdef uint8_t[LONGEST_NAME] name
    cdef Tag html = tag_of(b"html:", 5)
    cdef const Buffer* markup = &content.markup
    cdef Py_ssize_t at = 0, start, length, element
    harvest.where = WHERE_MARKUP
    harvest.number = 0
    harvest.origin = 0
    while at < markup.size and not harvest.full:
        start, length = at, 0
        while at < markup.size and markup.data[at] > 32:
            if length < LONGEST_NAME // 2:
                name[length] = markup.data[at]
                length += 1
            at += 1
        add_feature(harvest, &html, name, length, start, at)
        element = length
        while at < markup.size and markup.data[at] != c"\n":
            start = at
            at += 1
            length = element
            name[length] = c" "
            length += 1
            while at < markup.size and markup.data[at] > 32:
                if length < LONGEST_NAME:
                    name[length] = markup.data[at]
                    length += 1
                at += 1
            if length > element + 1:
                add_feature(harvest, &html, name, length, start + 1, at)
        at += 1
    return 0


cdef const char* defect_name(int fact) noexcept nogil:
    """What a limit or defect that the reader reports is called as a feature."""
    if fact == FACT_LIMIT_BYTES:
        return b"limit-bytes"
    if fact == FACT_LIMIT_HEADERS:
        return b"limit-headers"
    if fact == FACT_LIMIT_HEADER_BYTES:
        return b"limit-header-bytes"
    if fact == FACT_LIMIT_PARTS:
        return b"limit-parts"
    if fact == FACT_LIMIT_DEPTH:
        return b"limit-depth"
    if fact == FACT_LIMIT_TEXT:
        return b"limit-text"
    if fact == FACT_LIMIT_LINKS:
        return b"limit-links"
    if fact == FACT_BROKEN_HEADER:
        return b"broken-header"
    if fact == FACT_BROKEN_ENCODED_WORD:
        return b"broken-encoded-word"
    if fact == FACT_RAW_8BIT_HEADER:
        return b"raw-8bit-header"
    if fact == FACT_BROKEN_BASE64:
        return b"broken-base64"
    if fact == FACT_BROKEN_QUOTED:
        return b"broken-quoted"
    if fact == FACT_UNKNOWN_ENCODING:
        return b"unknown-encoding"
    if fact == FACT_UNKNOWN_CHARSET:
        return b"unknown-charset"
    if fact == FACT_WRONG_CHARSET:
        return b"wrong-charset"
    if fact == FACT_NO_BOUNDARY:
        return b"no-boundary"
    if fact == FACT_UNCLOSED_MULTIPART:
        return b"unclosed-multipart"
    if fact == FACT_NUL_BYTES:
        return b"nul-bytes"
    return b"other-defect"


cdef int gather_facts(const Content* content, Harvest* harvest, const Patterns* patterns) except -1 nogil:
    """Numbers about the message as a whole, each as a class."""
    cdef Tag tag = tag_of(b"fact:", 5)
    cdef int fact
    cdef const char* name
    harvest.where = WHERE_MESSAGE
    harvest.number = 0
    harvest.origin = 0
    add_number(harvest, b"fact:size:", 10, size_class(content.canonical.size))
    add_number(harvest, b"fact:text:", 10, size_class(content.text.size))
    add_number(harvest, b"fact:links:", 11, size_class(content.links.count + patterns.links))
    add_number(harvest, b"fact:received:", 14, size_class(fact_of(content, FACT_RECEIVED)))
    add_number(harvest, b"fact:attachments:", 17, size_class(fact_of(content, FACT_ATTACHMENTS)))
    add_number(harvest, b"fact:tags:", 10, size_class(fact_of(content, FACT_HTML_TAGS)))
    add_number(harvest, b"fact:comments:", 14, size_class(fact_of(content, FACT_HTML_COMMENTS)))
    add_number(harvest, b"fact:scripts:", 13, size_class(fact_of(content, FACT_HTML_SCRIPTS)))
    add_number(harvest, b"fact:styles:", 12, size_class(fact_of(content, FACT_HTML_STYLES)))
    add_number(harvest, b"fact:hidden:", 12, size_class(fact_of(content, FACT_HIDDEN_RUNS)))
    add_number(harvest, b"fact:capitals:", 14, size_class(64 * patterns.capitals // max(patterns.words, 1)))
    add_number(harvest, b"fact:numbers:", 13, size_class(64 * patterns.numbers // max(patterns.words, 1)))
    add_number(harvest, b"fact:exclamations:", 18, size_class(patterns.exclamations))
    add_number(harvest, b"fact:money:", 11, size_class(patterns.money))
    add_number(harvest, b"fact:obfuscated:", 16, size_class(patterns.obfuscated))
    add_number(harvest, b"fact:long-words:", 16, size_class(patterns.long_words))
    if patterns.invisible:
        add_number(harvest, b"fact:invisible:", 15, size_class(patterns.invisible))
    if patterns.styled:
        add_number(harvest, b"fact:styled:", 12, size_class(patterns.styled))
    if patterns.disguised:
        add_number(harvest, b"fact:disguised:", 15, size_class(patterns.disguised))
    for fact in range(FACT_RECEIVED):
        if fact_of(content, fact):
            name = defect_name(fact)
            add_word(harvest, &tag, name, strlen(name))
    if harvest.full:
        add_word(harvest, &tag, b"limit-features", 14)
    return 0


cdef int gather_words(const Content* content, Harvest* harvest) except -1 nogil:
    """All features of the view but the facts known from outside."""
    cdef Tag plain = tag_of(b"", 0), hidden = tag_of(b"hidden:", 7)
    cdef Patterns patterns = no_patterns()
    cdef Stretch text
    harvest.limit -= ROOM_FOR_FACTS
    gather_headers(content, harvest, &patterns)
    gather_parts(content, harvest)
    gather_links(content, harvest)
    harvest.where = WHERE_TEXT
    harvest.number = 0
    harvest.origin = 0
    text.data = content.text.data
    text.length = content.text.size
    walk_words(harvest, &plain, text, STYLE_PAIRS | STYLE_PATTERNS | STYLE_LINKS, &patterns, text.length)
    harvest.where = WHERE_HIDDEN
    text.data = content.hidden.data
    text.length = content.hidden.size
    walk_words(harvest, &hidden, text, 0, &patterns, text.length)
    gather_markup(content, harvest)
    harvest.limit += ROOM_FOR_FACTS
    return gather_facts(content, harvest, &patterns)


cdef int gather_outside_fact(Harvest* harvest, bytes name) except -1:
    """A fact that somebody else knows about the message: ``fact:sender-in-contacts``."""
    cdef Tag tag = tag_of(b"fact:", 5)
    harvest.where = WHERE_MESSAGE
    harvest.number = 0
    harvest.origin = 0
    return add_feature(harvest, &tag, name, len(name), 0, 0)
