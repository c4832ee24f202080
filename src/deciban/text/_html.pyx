"""HTML to text, in one pass and without a tree: what a reader sees, what is hidden from him, and the links.

    <p>Buy <b>now</b>, fr<!-- x -->ee<div style="display:none">dear friend</div>

is "Buy now, free" and, hidden, "dear friend".

- Block elements separate words, inline elements and comments do not. White space collapses to one space.
- Comments, scripts and style sheets are dropped and counted. As in a browser, one that never ends goes on
  to the end: nothing is ever scanned twice, so the pass is linear on any input.
- Text is *hidden* inside an element with `display:none`, `visibility:hidden`, `opacity:0`, `mso-hide:all`,
  a font size of 0 or 1 pixel, no height or width with `overflow:hidden`, the attribute `hidden`, or a
  colour that is within 8 of 256 steps of its background on each channel. What an outer element hides by
  size or colour an inner one may show again. Rules of style sheets are not applied: that would need a tree.
- Each start tag leaves a line in `markup`, each target of a link, image or form a row in `links`.

Instead of a stack of open elements there is a counter: inside an element that hides, start tags of the same
name count up and end tags down; at zero it is over. Backgrounds need a small stack of such counters, of
fixed size.
"""

from libc.string cimport memset

from deciban.text._charset cimport append_western
from deciban.text._content cimport *
from deciban.text._growth cimport grown
from deciban.text._name_table cimport NO_NAME, Names, enter_name, name_hash, number_of

from deciban.text.entities import ENTITIES

# What is to be known of an element, as bits.
cdef enum:
    BREAKS = 1      # starts a new line
    SPACES = 2      # stands apart from what is around it
    VOID = 4        # has no content
    RAW = 8         # its content is no text
    PREFORMATTED = 16
    TITLE = 32
    ANCHOR = 64
    IMAGE = 128
    FORM = 256
    BODY = 512
    SCRIPT = 1024

cdef enum:
    BACKGROUNDS = 32
    UNKNOWN_COLOUR = -1
    WHITE = 0xFFFFFF
    SHORT_VALUE = 24    # attribute values up to this length are shown in the markup

cdef enum:  # Reason
    SHOWN = 0
    BY_STYLE
    BY_SIZE
    BY_COLOUR

cdef enum:  # Attribute
    ATTRIBUTE_OTHER = 0
    ATTRIBUTE_TARGET
    ATTRIBUTE_BACKGROUND
    ATTRIBUTE_STYLE
    ATTRIBUTE_COLOUR
    ATTRIBUTE_BGCOLOR
    ATTRIBUTE_HIDDEN
    ATTRIBUTE_ALT

ELEMENTS = {
    BREAKS: (
        "p div br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr caption thead tbody tfoot blockquote "
        "center address article aside footer header main nav section figure figcaption fieldset form head "
        "html pre body option select title img"
    ),
    SPACES: "td th input button textarea label iframe object img",
    VOID: "br hr img input meta link base area col param embed source wbr frame",
    RAW: "script style",
    PREFORMATTED: "pre",
    TITLE: "title",
    ANCHOR: "a area",
    IMAGE: "img",
    FORM: "form",
    BODY: "body",
    SCRIPT: "script",
}
ATTRIBUTES = {
    ATTRIBUTE_TARGET: "href src action",
    ATTRIBUTE_BACKGROUND: "background",
    ATTRIBUTE_STYLE: "style",
    ATTRIBUTE_COLOUR: "color",
    ATTRIBUTE_BGCOLOR: "bgcolor",
    ATTRIBUTE_HIDDEN: "hidden",
    ATTRIBUTE_ALT: "alt",
}
COLOURS = {
    "white": 0xFFFFFF, "black": 0, "red": 0xFF0000, "green": 0x8000, "blue": 0xFF, "yellow": 0xFFFF00,
    "gray": 0x808080, "grey": 0x808080, "silver": 0xC0C0C0, "navy": 0x80, "maroon": 0x800000,
    "purple": 0x800080, "teal": 0x8080, "lime": 0xFF00, "aqua": 0xFFFF, "cyan": 0xFFFF, "fuchsia": 0xFF00FF,
    "magenta": 0xFF00FF, "olive": 0x808000, "orange": 0xFFA500, "snow": 0xFFFAFA, "ivory": 0xFFFFF0,
    "whitesmoke": 0xF5F5F5,
}

cdef Names ELEMENT_TABLE
cdef Names ATTRIBUTE_TABLE
cdef Names COLOUR_TABLE
cdef Names ENTITY_TABLE


cdef struct Background:
    uint64_t element
    Py_ssize_t nested
    int32_t colour


cdef struct Style:
    # What the attributes of one start tag say.
    int reason          # why the element would be hidden; SHOWN if it is not
    bint sized          # a font size that can be read
    bint no_extent      # a width or height of 0
    bint clipped        # overflow: hidden
    int32_t colour
    int32_t background
    bint has_background
    Span alt


cdef struct Page:
    const Buffer* source
    int part
    Py_ssize_t links_left
    Py_ssize_t text_start
    Py_ssize_t hidden_start
    int gap                 # what separates the next visible text: 0 nothing, 1 a space, 2 a line end
    int hidden_gap
    bint run_open           # hidden text was written since the element that hides began
    int reason
    uint64_t hiding         # the name of the element that hides
    Py_ssize_t hiding_nested
    Py_ssize_t preformatted
    Py_ssize_t anchor       # row of the link whose text is being read, or -1
    bint no_double_quote    # no further " or ' in the source
    bint no_single_quote
    Background[BACKGROUNDS] backgrounds
    int depth
    bint backgrounds_lost   # more than the stack holds: colours are no longer judged


cdef int fill_tables() except -1:
    """Enters elements, attributes, colours and entities."""
    bits = {}
    for bit, names in ELEMENTS.items():
        for name in names.encode().split():
            bits[name] = bits.get(name, 0) | bit
    for name, value in bits.items():
        enter_name(&ELEMENT_TABLE, name, value)
    for kind, names in ATTRIBUTES.items():
        for name in names.encode().split():
            enter_name(&ATTRIBUTE_TABLE, name, kind)
    for colour, code in COLOURS.items():
        enter_name(&COLOUR_TABLE, colour.encode(), code)
    for entity in ENTITIES.encode().split():
        name, _, code = entity.partition(b"=")
        enter_name(&ENTITY_TABLE, name, int(code))
    return 0


cdef inline bint is_alphanumeric(int byte) noexcept nogil:
    """An ASCII letter or digit."""
    return is_letter(byte) or is_digit(byte)


cdef inline bint is_name_byte(int byte) noexcept nogil:
    """A letter, a digit, or one of - _ : . in the name of a tag or an attribute."""
    return is_alphanumeric(byte) or byte == c"-" or byte == c"_" or byte == c":" or byte == c"."


cdef bint looks_like_html(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a document without a declared type begins as HTML does."""
    cdef Py_ssize_t place = start
    while place < end and is_blank(byte_at(source, place)):
        place += 1
    return (
        starts_with(source, place, end, b"<!doctype html")
        or starts_with(source, place, end, b"<html")
        or starts_with(source, place, end, b"<head")
        or starts_with(source, place, end, b"<body")
        or starts_with(source, place, end, b"<?xml")
        or starts_with(source, place, end, b"<!--")
        or starts_with(source, place, end, b"<meta")
        or starts_with(source, place, end, b"<title")
        or starts_with(source, place, end, b"<table")
        or starts_with(source, place, end, b"<div")
        or starts_with(source, place, end, b"<p>")
    )


cdef Py_ssize_t append_entity(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """The character reference at "&", or the "&" itself where there is none; the place behind it."""
    cdef Py_ssize_t place = start + 1
    cdef uint32_t code = 0
    cdef int byte
    cdef int known
    if byte_at(source, place) == c"#" and place < end:
        place += 1
        if lower(byte_at(source, place)) == c"x" and place < end:
            place = read_number(source, place + 1, end, 16, &code)
        else:
            place = read_number(source, place, end, 10, &code)
        if place < 0:
            append_byte(target, c"&")
            return start + 1
        # As everywhere on the web, 128–159 mean what cp1252 has there.
        append_western(target, code) if 0 < code < 256 else append_code(target, code if code else 0xFFFD)
    else:
        while place < min(end, start + 12) and is_alphanumeric(byte_at(source, place)):
            place += 1
        known = number_of(&ENTITY_TABLE, name_hash(source, start + 1, place, False))
        if known == NO_NAME or place == start + 1:
            append_byte(target, c"&")
            return start + 1
        append_code(target, known)
    byte = byte_at(source, place) if place < end else -1
    return place + 1 if byte == c";" else place


cdef Py_ssize_t read_number(
    const Buffer* source, Py_ssize_t start, Py_ssize_t end, int radix, uint32_t* code
) noexcept nogil:
    """A number in this radix, at most 8 digits of it; the place behind it, or -1 if there is no digit."""
    cdef Py_ssize_t place = start
    cdef int digit
    while place < end and place < start + 8:
        digit = hex_value(byte_at(source, place))
        if digit < 0 or digit >= radix:
            break
        code[0] = code[0] * radix + digit
        place += 1
    return place if place > start else -1


cdef int append_decoded(
    Buffer* target, const Buffer* source, Py_ssize_t start, Py_ssize_t end, bint joined
) except -1 nogil:
    """An attribute value with its character references decoded; `joined` drops white space, as in a link."""
    cdef Py_ssize_t place = start
    cdef int byte
    while place < end:
        byte = byte_at(source, place)
        if byte == c"&":
            place = append_entity(target, source, place, end)
            continue
        if is_blank(byte):
            byte = -1 if joined else c" "
        if byte >= 0:
            append_byte(target, <uint8_t> byte)
        place += 1
    return 0


cdef inline Buffer* open_run(Content* content, Page* page) except NULL nogil:
    """The buffer that text goes to now, with the gap in front of it written."""
    cdef Buffer* target
    if page.reason == SHOWN:
        target = &content.text
        if page.gap and target.size > page.text_start:
            append_byte(target, c"\n" if page.gap == 2 else c" ")
        page.gap = 0
        return target
    target = &content.hidden
    if not page.run_open:
        content.facts[FACT_HIDDEN_RUNS] += 1
        page.run_open = True
        page.hidden_gap = 2
    if page.hidden_gap and target.size > page.hidden_start:
        append_byte(target, c"\n" if page.hidden_gap == 2 else c" ")
    page.hidden_gap = 0
    return target


cdef inline void leave_gap(Page* page, int gap) noexcept nogil:
    """White space of this kind stands before the next text."""
    if page.reason == SHOWN:
        page.gap = max(page.gap, gap)
    else:
        page.hidden_gap = max(page.hidden_gap, gap)


cdef Py_ssize_t read_run(Content* content, Page* page, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """Text up to the next "<"; the place of that."""
    cdef const Buffer* source = page.source
    cdef Py_ssize_t place = start
    cdef Py_ssize_t word
    cdef Buffer* target
    cdef int byte
    while place < end:
        byte = byte_at(source, place)
        if byte == c"<":
            break
        if is_blank(byte):
            leave_gap(page, 2 if byte == c"\n" and page.preformatted else 1)
            place += 1
            continue
        target = open_run(content, page)
        if byte == c"&":
            place = append_entity(target, source, place, end)
            continue
        word = place
        while place < end and byte != c"<" and byte != c"&" and not is_blank(byte):
            place += 1
            byte = byte_at(source, place)
        append(target, source, word, place)
    return place


cdef int32_t colour_of(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """A colour as 0xRRGGBB: #rrggbb, #rgb, rrggbb, rgb(r, g, b) or one of the common names; else unknown."""
    cdef Py_ssize_t place = start
    cdef uint32_t code = 0
    cdef int known
    cdef bint marked = byte_at(source, place) == c"#"
    if starts_with(source, start, end, b"rgb("):
        return mixed_colour(source, start + 4, end)
    place += marked
    if end - place == 6 and read_number(source, place, end, 16, &code) == end:
        return <int32_t> code
    code = 0
    if marked and end - place == 3 and read_number(source, place, end, 16, &code) == end:
        return <int32_t> ((code >> 8) * 0x110000 | (code >> 4 & 15) * 0x1100 | (code & 15) * 0x11)
    known = number_of(&COLOUR_TABLE, name_hash(source, start, end, True))
    return UNKNOWN_COLOUR if known == NO_NAME else known


cdef int32_t mixed_colour(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The three numbers of rgb(…)."""
    cdef Py_ssize_t place = start
    cdef int32_t colour = 0
    cdef uint32_t channel
    cdef int i
    for i in range(3):
        while place < end and (is_blank(byte_at(source, place)) or byte_at(source, place) == c","):
            place += 1
        channel = 0
        place = read_number(source, place, end, 10, &channel)
        if place < 0 or channel > 255:
            return UNKNOWN_COLOUR
        colour = colour << 8 | <int32_t> channel
    return colour


cdef bint alike(int32_t one, int32_t other) noexcept nogil:
    """Whether two known colours cannot be told apart."""
    cdef int shift
    cdef int32_t difference
    if one < 0 or other < 0:
        return False
    for shift in range(0, 24, 8):
        difference = (one >> shift & 255) - (other >> shift & 255)
        if difference > 8 or difference < -8:
            return False
    return True


cdef bint is_zero(const Buffer* source, Py_ssize_t start, Py_ssize_t end, bint or_one_pixel) noexcept nogil:
    """Whether a length is 0 in any unit (or at most 1px, which no one can read)."""
    cdef Py_ssize_t place = start
    cdef bint zero = True
    while place < end and (is_digit(byte_at(source, place)) or byte_at(source, place) == c"."):
        zero = zero and (byte_at(source, place) == c"0" or byte_at(source, place) == c".")
        place += 1
    if place == start:
        return False
    return zero or or_one_pixel and starts_with(source, start, end, b"1px")


cdef int read_declaration(
    const Buffer* source, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end, Style* style
) except -1 nogil:
    """One "name: value" of a style attribute."""
    cdef Py_ssize_t value = colon + 1
    end = find_byte(source, c"!", value, end)  # !important
    while start < colon and is_blank(byte_at(source, start)):
        start += 1
    while colon > start and is_blank(byte_at(source, colon - 1)):
        colon -= 1
    while value < end and is_blank(byte_at(source, value)):
        value += 1
    while end > value and is_blank(byte_at(source, end - 1)):
        end -= 1
    if equals(source, start, colon, b"color"):
        style.colour = colour_of(source, value, end)
        if equals(source, value, end, b"transparent"):
            style.reason = BY_COLOUR
    elif equals(source, start, colon, b"background") or equals(source, start, colon, b"background-color"):
        style.background = colour_of(source, value, end)
        style.has_background = not equals(source, value, end, b"transparent")
    elif equals(source, start, colon, b"font-size"):
        style.sized = not is_zero(source, value, end, True)
        if not style.sized and style.reason == SHOWN:
            style.reason = BY_SIZE
    elif equals(source, start, colon, b"overflow"):
        style.clipped = starts_with(source, value, end, b"hidden")
    elif equals(source, start, colon, b"height") or equals(source, start, colon, b"width"):
        style.no_extent |= is_zero(source, value, end, False)
    elif (
        equals(source, start, colon, b"display") and starts_with(source, value, end, b"none")
        or equals(source, start, colon, b"visibility") and starts_with(source, value, end, b"hidden")
        or equals(source, start, colon, b"mso-hide") and starts_with(source, value, end, b"all")
        or equals(source, start, colon, b"opacity") and is_zero(source, value, end, False)
        or equals(source, start, colon, b"max-height") and is_zero(source, value, end, False)
    ):
        style.reason = BY_STYLE
    return 0


cdef int read_style(const Buffer* source, Py_ssize_t start, Py_ssize_t end, Style* style) except -1 nogil:
    """The declarations of a style attribute."""
    cdef Py_ssize_t place = start
    cdef Py_ssize_t semicolon
    cdef Py_ssize_t colon
    while place < end:
        semicolon = find_byte(source, c";", place, end)
        colon = find_byte(source, c":", place, semicolon)
        if colon < semicolon:
            read_declaration(source, place, colon, semicolon, style)
        place = semicolon + 1
    if style.no_extent and style.clipped:
        style.reason = BY_STYLE
    return 0


cdef int add_link(Content* content, Page* page, Py_ssize_t start, Py_ssize_t end, int kind) except -1 nogil:
    """One more row of the link table, as long as the limit allows."""
    cdef Links* links = &content.links
    cdef Link link
    if page.links_left <= 0:
        content.facts[FACT_LIMIT_LINKS] += 1
        return 0
    page.links_left -= 1
    if links.count == links.room:
        links.rows = <Link*> grown(links.rows, &links.room, links.count + 1, 16, sizeof(Link))
    link.target.start = content.strings.size
    append_decoded(&content.strings, page.source, start, end, True)
    link.target.end = content.strings.size
    link.text.start = link.text.end = content.text.size
    link.kind = kind
    link.part = page.part
    links.rows[links.count] = link
    links.count += 1
    return 0


cdef void close_anchor(Content* content, Page* page) noexcept nogil:
    """The text of the open link ends here."""
    if 0 <= page.anchor < content.links.count:
        content.links.rows[page.anchor].text.end = content.text.size
    page.anchor = -1


cdef int note_attribute(
    Content* content, const Buffer* source, Py_ssize_t name, Py_ssize_t name_end,
    Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """One attribute in the markup, with its value if that is short."""
    cdef Py_ssize_t place
    append_byte(&content.markup, c" ")
    append_lower(&content.markup, source, name, name_end)
    if start == end or end - start > SHORT_VALUE:
        return 0
    for place in range(start, end):
        if byte_at(source, place) <= 32:
            return 0
    append_byte(&content.markup, c"=")
    return append_lower(&content.markup, source, start, end)


cdef int use_attribute(
    Content* content, Page* page, int element, int attribute, Py_ssize_t start, Py_ssize_t end, Style* style
) except -1 nogil:
    """What one attribute means for links and for what is seen."""
    cdef const Buffer* source = page.source
    if attribute == ATTRIBUTE_TARGET:
        add_link(content, page, start, end, (
            LINK_ANCHOR if element & ANCHOR else LINK_IMAGE if element & IMAGE
            else LINK_FORM if element & FORM else LINK_OTHER))
    elif attribute == ATTRIBUTE_BACKGROUND:
        style.has_background = True
        add_link(content, page, start, end, LINK_IMAGE)
    elif attribute == ATTRIBUTE_BGCOLOR:
        style.has_background = True
        style.background = colour_of(source, start, end)
    elif attribute == ATTRIBUTE_COLOUR:
        style.colour = colour_of(source, start, end)
    elif attribute == ATTRIBUTE_HIDDEN:
        style.reason = BY_STYLE
    elif attribute == ATTRIBUTE_STYLE:
        read_style(source, start, end, style)
    elif attribute == ATTRIBUTE_ALT:
        style.alt.start = start
        style.alt.end = end
    return 0


cdef Py_ssize_t value_end(Page* page, Py_ssize_t start, Py_ssize_t end, Py_ssize_t* after) noexcept nogil:
    """The end of an attribute value, whose quote (if any) stands before `start`; `after` gets where to go on.

    A quote that is never closed counts as none, and once one was sought in vain it is not sought again.
    """
    cdef const Buffer* source = page.source
    cdef int quote = byte_at(source, start - 1)
    cdef Py_ssize_t place
    if quote == c"\"" and not page.no_double_quote or quote == c"'" and not page.no_single_quote:
        place = find_byte(source, <uint8_t> quote, start, end)
        if place < end:
            after[0] = place + 1
            return place
        if quote == c"\"":
            page.no_double_quote = True
        else:
            page.no_single_quote = True
    place = start
    while place < end and byte_at(source, place) != c">" and not is_blank(byte_at(source, place)):
        place += 1
    after[0] = place
    return place


cdef Py_ssize_t read_attributes(
    Content* content, Page* page, int element, Py_ssize_t start, Py_ssize_t end, Style* style
) except -1 nogil:
    """All attributes of a start tag; the place behind its ">"."""
    cdef const Buffer* source = page.source
    cdef Py_ssize_t place = start
    cdef Py_ssize_t name
    cdef Py_ssize_t name_end
    cdef Py_ssize_t value
    cdef Py_ssize_t stop
    cdef int known
    while place < end and byte_at(source, place) != c">":
        if not is_name_byte(byte_at(source, place)):
            place += 1
            continue
        name = place
        while place < end and is_name_byte(byte_at(source, place)):
            place += 1
        name_end = place
        while place < end and is_blank(byte_at(source, place)):
            place += 1
        value = stop = place
        if place < end and byte_at(source, place) == c"=":
            place += 1
            while place < end and is_blank(byte_at(source, place)):
                place += 1
            if place < end and (byte_at(source, place) == c"\"" or byte_at(source, place) == c"'"):
                place += 1
            value = place
            stop = value_end(page, value, end, &place)
        note_attribute(content, source, name, name_end, value, stop)
        known = number_of(&ATTRIBUTE_TABLE, name_hash(source, name, name_end, True))
        use_attribute(content, page, element, known, value, stop, style)
    return min(place + 1, end)


cdef int32_t background_of(const Page* page) noexcept nogil:
    """The colour behind the text at this place."""
    if page.backgrounds_lost:
        return UNKNOWN_COLOUR
    return page.backgrounds[page.depth - 1].colour if 0 < page.depth <= BACKGROUNDS else WHITE


cdef void push_background(Page* page, uint64_t name, const Style* style, bint whole_page) noexcept nogil:
    """Enters an element into the stack of backgrounds, or counts it if the top one has its name."""
    if not style.has_background:
        if 0 < page.depth <= BACKGROUNDS and page.backgrounds[page.depth - 1].element == name:
            page.backgrounds[page.depth - 1].nested += 1
        return
    if page.depth >= BACKGROUNDS:
        page.backgrounds_lost = True
        return
    page.backgrounds[page.depth].element = 0 if whole_page else name
    page.backgrounds[page.depth].nested = 0
    page.backgrounds[page.depth].colour = style.background
    page.depth += 1


cdef void pop_background(Page* page, uint64_t name) noexcept nogil:
    """An end tag: the top background goes if it is of this element."""
    if not 0 < page.depth <= BACKGROUNDS or page.backgrounds[page.depth - 1].element != name:
        return
    if page.backgrounds[page.depth - 1].nested > 0:
        page.backgrounds[page.depth - 1].nested -= 1
    else:
        page.depth -= 1


cdef void judge_visibility(Page* page, uint64_t name, const Style* style) noexcept nogil:
    """Whether an element that begins hides what it holds, or shows what an outer one hid."""
    cdef int reason = style.reason
    if reason == SHOWN and alike(style.colour, background_of(page)):
        reason = BY_COLOUR
    if page.reason == SHOWN:
        if reason != SHOWN:
            page.reason = reason
            page.hiding = name
            page.hiding_nested = 0
            page.run_open = False
        return
    if reason == SHOWN and (
        page.reason == BY_SIZE and style.sized
        or page.reason == BY_COLOUR and (style.colour >= 0 or style.has_background)
    ):
        page.reason = SHOWN
        return
    if name == page.hiding:
        page.hiding_nested += 1


cdef Py_ssize_t skip_raw(
    const Buffer* source, uint64_t name, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """The place of the end tag that closes a script or a style sheet."""
    cdef Py_ssize_t place = find_bytes(source, b"</", 2, start, end)
    cdef Py_ssize_t stop
    while place < end:
        stop = place + 2
        while stop < end and is_name_byte(byte_at(source, stop)):
            stop += 1
        if name_hash(source, place + 2, stop, True) == name:
            return place
        place = find_bytes(source, b"</", 2, stop, end)
    return end


cdef Py_ssize_t read_start_tag(Content* content, Page* page, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """A start tag whose name begins here; the place where text goes on."""
    cdef const Buffer* source = page.source
    cdef Py_ssize_t place = start
    cdef uint64_t name
    cdef int element
    cdef Style style
    cdef Py_ssize_t first_link = content.links.count
    memset(&style, 0, sizeof(Style))
    style.colour = style.background = UNKNOWN_COLOUR
    while place < end and is_name_byte(byte_at(source, place)):
        place += 1
    name = name_hash(source, start, place, True)
    element = number_of(&ELEMENT_TABLE, name)
    element = 0 if element == NO_NAME else element
    content.facts[FACT_HTML_TAGS] += 1
    append_lower(&content.markup, source, start, place)
    if element & ANCHOR:
        close_anchor(content, page)
    place = read_attributes(content, page, element, place, end, &style)
    append_byte(&content.markup, c"\n")
    if element & RAW:
        content.facts[FACT_HTML_SCRIPTS if element & SCRIPT else FACT_HTML_STYLES] += 1
        return skip_raw(source, name, place, end)
    if element & TITLE and content.is_mail:
        style.reason = BY_STYLE
    if element & (BREAKS | SPACES):
        leave_gap(page, 1 if element & SPACES else 2)
    if element & VOID:
        return read_alternative(content, page, element, &style, place)
    push_background(page, name, &style, element & BODY)
    judge_visibility(page, name, &style)
    if element & TITLE and page.reason != SHOWN:
        # No trick: a title is simply not shown in a mail.
        page.run_open = True
        page.hidden_gap = 2
    page.preformatted += element & PREFORMATTED
    if element & ANCHOR and content.links.count > first_link:
        page.anchor = content.links.count - 1
    return place


cdef Py_ssize_t read_alternative(
    Content* content, Page* page, int element, const Style* style, Py_ssize_t place
) except -1 nogil:
    """The text that stands for an image: what most readers see first, as their programs do not load it."""
    if element & IMAGE and style.alt.end > style.alt.start and style.reason == SHOWN:
        append_decoded(open_run(content, page), page.source, style.alt.start, style.alt.end, False)
        leave_gap(page, 1)
    return place


cdef Py_ssize_t read_end_tag(Content* content, Page* page, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """An end tag whose name begins here; the place behind its ">"."""
    cdef const Buffer* source = page.source
    cdef Py_ssize_t place = start
    cdef uint64_t name
    cdef int element
    while place < end and is_name_byte(byte_at(source, place)):
        place += 1
    name = name_hash(source, start, place, True)
    element = number_of(&ELEMENT_TABLE, name)
    element = 0 if element == NO_NAME else element
    if page.reason != SHOWN and name == page.hiding:
        if page.hiding_nested > 0:
            page.hiding_nested -= 1
        else:
            page.reason = SHOWN
    pop_background(page, name)
    if element & (BREAKS | SPACES):
        leave_gap(page, 1 if element & SPACES else 2)
    if element & ANCHOR:
        close_anchor(content, page)
    if element & PREFORMATTED and page.preformatted > 0:
        page.preformatted -= PREFORMATTED
    return min(find_byte(source, c">", place, end) + 1, end)


cdef Py_ssize_t read_markup(Content* content, Page* page, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """Whatever begins with the "<" at this place; the place where text goes on."""
    cdef const Buffer* source = page.source
    cdef int byte = byte_at(source, start + 1) if start + 1 < end else -1
    if is_letter(byte):
        return read_start_tag(content, page, start + 1, end)
    if byte == c"/":
        return read_end_tag(content, page, start + 2, end)
    if byte == c"!" or byte == c"?":
        if starts_with(source, start, end, b"<!--"):
            content.facts[FACT_HTML_COMMENTS] += 1
            # "<!-->" is a whole comment, so the search begins inside of the opening.
            return min(find_bytes(source, b"-->", 3, start + 2, end) + 3, end)
        return min(find_byte(source, c">", start, end) + 1, end)
    append_byte(open_run(content, page), c"<")
    return start + 1


cdef int read_html(Content* content, const Buffer* source, int part, Py_ssize_t links) except -1 nogil:
    """Appends what an HTML source (UTF-8) holds to text, hidden, markup and links."""
    cdef Page page
    cdef Py_ssize_t place = 0
    memset(&page, 0, sizeof(Page))
    page.source = source
    page.part = part
    page.links_left = links - content.links.count
    page.text_start = content.text.size
    page.hidden_start = content.hidden.size
    page.anchor = -1
    while place < source.size:
        if byte_at(source, place) == c"<":
            place = read_markup(content, &page, place, source.size)
        else:
            place = read_run(content, &page, place, source.size)
    close_anchor(content, &page)
    return 0


fill_tables()
