r"""The line that separates two messages of an mbox: ``From sender date``; and where the next one may stand.

The four mbox formats (mboxo, mboxrd, mboxcl, mboxcl2) differ in how they keep a line of the text that
begins with ``From `` from looking like one. Here a separator must stand after an empty line, which
`mbox.py` sees to, and hold a date: weekday, month, day, time, and a year thereafter.

>>> is_separator(b"From joe@example.org Thu Aug 22 12:36:23 2002\nReceived: by")
True
>>> is_separator(b"From 1594859898984@xxx Thu Jul 16 00:38:18 +0000 2020")    # Google Takeout
True
>>> is_separator(b"From - Thu Aug 22 12:36:23 2002"), is_separator(b"From then on it was Thu Aug 22")
(True, False)

To split an mbox is to search for ``From ``. `bytes.find` goes by the last letter of what it looks for, here a
space, of which mail is full: 1.1 GB/s. A capital F is rare, and memchr looks for it in 32 bytes at once: 6 GB/s,
both on the mail of SpamAssassin.

>>> find_from(b"\n\nFrom me, From you", 3), find_from(b"From", 0)
(11, -1)
"""

from libc.string cimport memchr, memcmp

cdef enum:
    LENGTH = 5          # of "From "
    # A longer line is text: the longest address that SMTP allows has 254 bytes.
    MOST = 1000
    MOST_WORDS = MOST // 2 + 1
    # Between weekday and year: month, day, time, and a zone of one or two words; UUCP adds "remote from host" behind.
    MOST_TO_YEAR = 7

LONGEST = MOST

ctypedef struct LineWord:
    const unsigned char* text
    Py_ssize_t length


def find_from(bytes buffer not None, Py_ssize_t start) -> int:
    """The first place from ``start`` on where ``From `` stands, or -1."""
    cdef const char* data = buffer
    cdef const char* found
    cdef Py_ssize_t last = len(buffer) - LENGTH  # where it can stand at the latest
    cdef Py_ssize_t place = max(start, 0)
    while place <= last:
        found = <const char*> memchr(data + place, b"F", last - place + 1)
        if found == NULL:
            break
        place = found - data
        if memcmp(found, b"From ", LENGTH) == 0:
            return place
        place += 1
    return -1


def is_separator(bytes buffer not None, Py_ssize_t start=0) -> bool:
    """Whether the line that begins there is ``From sender date``."""
    if start < 0 or start > len(buffer):
        return False
    cdef const unsigned char* line = <const unsigned char*>buffer + start
    cdef Py_ssize_t left = len(buffer) - start
    cdef const unsigned char* end
    if left < LENGTH or memcmp(line, b"From ", LENGTH) != 0:
        return False
    end = <const unsigned char*> memchr(line, b"\n", min(left, <Py_ssize_t>MOST + 1))
    if end == NULL:
        if left > MOST:
            return False
        end = line + left
    return has_date(line, end)


def without_separator(bytes buffer not None, Py_ssize_t start, Py_ssize_t stop) -> bytes:
    """The message without its ``From `` line and without the empty line that ends it in an mbox."""
    cdef const char* data = buffer
    cdef const char* line_end
    cdef Py_ssize_t first
    if not 0 <= start <= stop <= len(buffer):
        raise ValueError(f"{start} to {stop} is no part of {len(buffer)} bytes")
    line_end = <const char*> memchr(data + start, b"\n", stop - start)
    if line_end == NULL:
        return b""
    first = line_end - data + 1
    if stop - first >= 1 and memcmp(data + stop - 2, b"\n\n", 2) == 0:
        stop -= 1
    elif stop - first >= 2 and memcmp(data + stop - 3, b"\n\r\n", 3) == 0:
        stop -= 2
    return data[first:stop]


cdef bint has_date(const unsigned char* line, const unsigned char* end) noexcept nogil:
    """Whether some words of a line are a date, looked for from behind, where it stands in nearly every mbox."""
    cdef LineWord[MOST_WORDS] words
    cdef Py_ssize_t count = split_line(line, end, words), at, place
    for at in range(count - 5, 0, -1):
        if not (is_one_of(words[at], b"MonTueWedThuFriSatSun", 7) and is_time(words[at + 3])):
            continue
        if not (is_one_of(words[at + 1], b"JanFebMarAprMayJunJulAugSepOctNovDec", 12) and is_day(words[at + 2])):
            continue
        for place in range(at + 4, min(at + MOST_TO_YEAR + 1, count)):
            if words[place].length == 4 and has_digits_only(words[place]):
                return True
    return False


cdef Py_ssize_t split_line(const unsigned char* line, const unsigned char* end, LineWord* words) noexcept nogil:
    """The words between spaces; how many."""
    cdef Py_ssize_t count = 0
    cdef const unsigned char* begin
    while line < end:
        while line < end and is_space(line[0]):
            line += 1
        begin = line
        while line < end and not is_space(line[0]):
            line += 1
        if line > begin:
            words[count].text = begin
            words[count].length = line - begin
            count += 1
    return count


cdef inline bint is_space(unsigned char character) noexcept nogil:
    return character == c" " or c"\t" <= character <= c"\r"


cdef inline bint is_one_of(LineWord word, const char* names, int count) noexcept nogil:
    """Whether a word is one of some names of three letters."""
    cdef int i
    if word.length != 3:
        return False
    for i in range(count):
        if memcmp(word.text, names + 3 * i, 3) == 0:
            return True
    return False


cdef inline bint has_digits_only(LineWord word) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(word.length):
        if not c"0" <= word.text[i] <= c"9":
            return False
    return True


cdef inline bint is_day(LineWord word) noexcept nogil:
    return word.length <= 2 and has_digits_only(word)


cdef inline bint is_time(LineWord word) noexcept nogil:
    """Whether the word is digits with one or two colons, which do not begin it both."""
    cdef Py_ssize_t i, colons = 0
    for i in range(word.length):
        if word.text[i] == c":":
            colons += 1
        elif not c"0" <= word.text[i] <= c"9":
            return False
    return 0 < colons <= 2 and colons < word.length and not (word.text[0] == c":" and word.text[1] == c":")
