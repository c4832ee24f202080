# The tokeniser, inlined into the modules that make features of words (see _tokens.pyx for the rules).
#
# Safety: every byte of the text is read at an index that was compared with the length just before, and
# every byte of the word is written below TOKEN_BYTES; nothing else touches memory.

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

from deciban.text._hashing cimport hash_begin, hash_bytes

cdef extern from "_characters.h" nogil:
    const uint16_t byte_records[256]
    const uint8_t blob_bytes[256]  # 1 for what may stand in a key, a digest or an id
    const uint8_t record_kinds[]
    const uint8_t record_lookalikes[]
    const int32_t record_distances[]
    const uint16_t block_numbers[8704]
    const uint16_t record_numbers[]

cdef enum Kind:
    KIND_SEPARATOR = 0
    KIND_WORD = 1
    KIND_UNSPACED = 2
    KIND_IDEOGRAPH = 3
    KIND_SYMBOL = 4
    KIND_INVISIBLE = 5
    KIND_MASK = 7
    RECORD_UPPER = 8
    RECORD_STYLED = 16

cdef enum:
    TOKEN_BYTES = 256  # a longer word is cut there: its first 252 to 256 bytes stand for all of it

cdef enum TokenFlag:
    TOKEN_UPPER = 1
    TOKEN_LOWER = 2
    TOKEN_DIGIT = 4
    TOKEN_LATIN = 8
    TOKEN_BEYOND_ASCII = 128
    TOKEN_INVISIBLE = 256     # zero-width characters stood inside the word
    TOKEN_STYLED = 512        # fullwidth, mathematical or circled letters were folded to plain ones
    TOKEN_LOOKALIKE = 1024    # letters of another script that look Latin occur
    TOKEN_DISGUISED = 2048    # ... among Latin ones, so they were read as Latin
    TOKEN_UNSPACED = 4096     # a pair (or a lone character) of a script without spaces
    TOKEN_IDEOGRAPH = 8192    # ... whose first character is a Han character
    TOKEN_SYMBOL = 16384      # one pictograph
    TOKEN_CUT = 32768         # longer than TOKEN_BYTES

cdef struct Token:
    Py_ssize_t start          # where it stands in the text
    Py_ssize_t end
    unsigned int flags
    int length                # of the folded word
    int first                 # length of its first character, for pairs of unspaced scripts
    int characters
    uint64_t state            # the FNV-1a states after the word when begun with the two of Tokens
    uint64_t pair_state
    uint8_t word[TOKEN_BYTES]

cdef struct Tokens:
    const uint8_t* text
    Py_ssize_t length
    Py_ssize_t at
    Py_ssize_t invisible      # zero-width characters so far
    Py_ssize_t invalid        # bytes so far that are no UTF-8
    bint in_run               # the character at ``at`` ended a pair already
    uint64_t seed             # the FNV-1a state that a word's hash begins with; a tag, for example
    uint64_t pair_seed        # ... and one more: the word before and a space, for example


cdef inline void begin_tokens(Tokens* tokens, const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """Start at the beginning of a text."""
    tokens.text = text
    tokens.length = length
    tokens.at = 0
    tokens.invisible = 0
    tokens.invalid = 0
    tokens.in_run = False
    tokens.seed = tokens.pair_seed = hash_begin()


cdef inline unsigned int record_of(unsigned int code) noexcept nogil:
    """The number of a character's record; 0, a separator, past the end of Unicode."""
    if code > 0x10FFFF:
        return 0
    return record_numbers[<unsigned int>block_numbers[code >> 7] * 128 + (code & 127)]


cdef inline int decode_character(const uint8_t* text, Py_ssize_t length, unsigned int* code) noexcept nogil:
    """Length of the UTF-8 character (two bytes or more) at the start of ``text``, or 0 where there is none."""
    cdef unsigned int first, value
    cdef int size, i
    if length < 1:
        return 0
    first = text[0]
    if 0xC2 <= first < 0xE0:
        size, value = 2, first & 0x1F
    elif 0xE0 <= first < 0xF0:
        size, value = 3, first & 0x0F
    elif 0xF0 <= first < 0xF5:
        size, value = 4, first & 0x07
    else:
        return 0
    if length < size:
        return 0
    for i in range(1, size):
        if text[i] & 0xC0 != 0x80:
            return 0
        value = value << 6 | (text[i] & 0x3F)
    if (size == 3 and value < 0x800) or (size == 4 and value < 0x10000) or value > 0x10FFFF:
        return 0
    if 0xD800 <= value < 0xE000:
        return 0
    code[0] = value
    return size


cdef inline void push_character(Token* token, unsigned int code) noexcept nogil:
    """Append a character to the word in UTF-8, or mark the word as cut when it does not fit whole."""
    cdef int n = token.length
    token.characters += 1
    if n + 4 > TOKEN_BYTES:
        token.flags |= TOKEN_CUT
    elif code < 0x80:
        token.word[n] = code
        token.length = n + 1
    elif code < 0x800:
        token.word[n] = 0xC0 | code >> 6
        token.word[n + 1] = 0x80 | (code & 0x3F)
        token.length = n + 2
    elif code < 0x10000:
        token.word[n] = 0xE0 | code >> 12
        token.word[n + 1] = 0x80 | (code >> 6 & 0x3F)
        token.word[n + 2] = 0x80 | (code & 0x3F)
        token.length = n + 3
    else:
        token.word[n] = 0xF0 | code >> 18
        token.word[n + 1] = 0x80 | (code >> 12 & 0x3F)
        token.word[n + 2] = 0x80 | (code >> 6 & 0x3F)
        token.word[n + 3] = 0x80 | (code & 0x3F)
        token.length = n + 4


cdef inline void unmask(Tokens* tokens, Token* token) noexcept nogil:
    """Read a word again that mixes Latin letters with lookalikes: раypal, half Cyrillic, becomes paypal."""
    cdef Py_ssize_t at = token.start
    cdef unsigned int code = 0, record
    cdef int size
    token.flags |= TOKEN_DISGUISED
    token.length = 0
    token.characters = 0
    while at < token.end:
        if tokens.text[at] < 0x80:
            push_character(token, byte_records[tokens.text[at]] & 0xFF)
            at += 1
            continue
        size = decode_character(tokens.text + at, token.end - at, &code)
        at += size if size else 1
        record = record_of(code)
        if size == 0 or record_kinds[record] & KIND_MASK == KIND_INVISIBLE:
            continue
        if record_lookalikes[record]:
            push_character(token, record_lookalikes[record])
        else:
            push_character(token, code + record_distances[record])


cdef inline bint unspaced_token(Tokens* tokens, Token* token, int size, unsigned int code) noexcept nogil:
    """The token that begins with an unspaced character or pictograph; False where a pair covered it already."""
    cdef unsigned int record = record_of(code), kind = record_kinds[record] & KIND_MASK, follower_kind
    cdef Py_ssize_t at = tokens.at
    cdef bint covered = tokens.in_run
    token.start = at
    token.flags = TOKEN_BEYOND_ASCII | (TOKEN_SYMBOL if kind == KIND_SYMBOL else TOKEN_UNSPACED)
    if kind == KIND_IDEOGRAPH:
        token.flags |= TOKEN_IDEOGRAPH
    push_character(token, code + record_distances[record])
    token.first = token.length
    at += size
    tokens.at = at
    tokens.in_run = False
    token.end = at
    if kind != KIND_SYMBOL:
        size = decode_character(tokens.text + at, tokens.length - at, &code)
        if size:
            record = record_of(code)
            follower_kind = record_kinds[record] & KIND_MASK
            if follower_kind == KIND_UNSPACED or follower_kind == KIND_IDEOGRAPH:
                push_character(token, code + record_distances[record])
                token.end = at + size
                tokens.in_run = True
                return True
        return not covered
    return True


cdef inline bint token_beyond_ascii(Tokens* tokens, Token* token) noexcept nogil:
    """Continue a word at its first byte beyond ASCII, or look for one there; False: none began yet."""
    cdef Py_ssize_t at = tokens.at
    cdef unsigned int code = 0, record, kind, entry
    cdef int size
    while at < tokens.length:
        entry = byte_records[tokens.text[at]]
        if entry & 0xFF:
            if token.length == 0:
                token.start = at
            push_character(token, entry & 0xFF)
            token.flags |= entry >> 8
            at += 1
            continue
        if entry == 0:
            break
        size = decode_character(tokens.text + at, tokens.length - at, &code)
        if size == 0:
            if token.length:
                break
            tokens.invalid += 1
            at += 1
            continue
        record = record_of(code)
        kind = record_kinds[record] & KIND_MASK
        if kind == KIND_WORD:
            if token.length == 0:
                token.start = at
            token.flags |= TOKEN_BEYOND_ASCII
            token.flags |= TOKEN_UPPER if record_kinds[record] & RECORD_UPPER else TOKEN_LOWER
            if record_kinds[record] & RECORD_STYLED:
                token.flags |= TOKEN_STYLED
            if record_lookalikes[record]:
                token.flags |= TOKEN_LOOKALIKE
            push_character(token, code + record_distances[record])
        elif kind == KIND_INVISIBLE:
            tokens.invisible += 1
            if token.length:
                token.flags |= TOKEN_INVISIBLE
        elif token.length:
            break
        elif kind != KIND_SEPARATOR:
            tokens.at = at
            if unspaced_token(tokens, token, size, code):
                return True
            token.flags = token.length = token.characters = 0
            at = tokens.at
            continue
        at += size
    tokens.at = at
    token.end = at
    if token.length and token.flags & TOKEN_LOOKALIKE and token.flags & TOKEN_LATIN:
        unmask(tokens, token)
    return token.length > 0


cdef inline bint next_token(Tokens* tokens, Token* token) noexcept nogil:
    """The next word of the text, hashed from both seeds, or False at its end."""
    cdef const uint8_t* text = tokens.text
    cdef Py_ssize_t at = tokens.at, length = tokens.length, room, n
    cdef unsigned int entry = 0, flags
    cdef uint64_t state, pair_state
    while True:
        entry = 0
        while at < length:
            entry = byte_records[text[at]]
            if entry:
                break
            at += 1
        if entry == 0:
            tokens.at = at
            return False
        token.start = at
        room = min(length - at, TOKEN_BYTES)
        flags = 0
        n = 0
        # Folded and hashed in one loop: the end of a word cannot be predicted, and a second loop over its bytes
        # would miss it again. Both chains of multiplications run in the shadow of the walk.
        state, pair_state = tokens.seed, tokens.pair_seed
        while n < room:
            entry = byte_records[text[at + n]]
            if entry & 0xFF == 0:
                break
            token.word[n] = entry & 0xFF
            state = (state ^ (entry & 0xFF)) * <uint64_t>0x100000001B3u
            pair_state = (pair_state ^ (entry & 0xFF)) * <uint64_t>0x100000001B3u
            flags |= entry
            n += 1
        at += n
        if n == room:  # the text or the room for a word ends here
            entry = byte_records[text[at]] if at < length else 0
            while entry & 0xFF:
                flags |= entry | (TOKEN_CUT << 8)
                at += 1
                entry = byte_records[text[at]] if at < length else 0
        flags >>= 8
        token.length = <int>n
        token.flags = flags
        token.characters = <int>n
        token.first = 1
        token.state = state
        token.pair_state = pair_state
        tokens.at = at
        if entry == 0:
            token.end = at
            return True
        if token_beyond_ascii(tokens, token):
            token.state = hash_bytes(tokens.seed, token.word, token.length)
            token.pair_state = hash_bytes(tokens.pair_seed, token.word, token.length)
            return True
        at = tokens.at
