"""Writes src/deciban/text/_characters.h: what the tokeniser must know about each Unicode character.

The table is generated once and committed, because Python's own ``unicodedata`` changes from version to
version while a feature must not. Run it only together with a new feature format:

    python tools/make_characters.py > src/deciban/text/_characters.h

A character has a *record*: its kind, the ASCII letter that it is easily mistaken for, and the distance to
the character that it folds to. Records are few (below 1,000), so a character is found in two steps:
``records[blocks[starts[c >> 7]][c & 127]]``, with equal blocks stored once. ASCII, nearly all of most mail,
has a table of its own that gives the folded byte and the token's flags in one load; another says which bytes
may stand in a key, a digest or an id.
"""

import sys
import unicodedata

SEPARATOR, WORD, UNSPACED, IDEOGRAPH, SYMBOL, INVISIBLE = range(6)
UPPER, STYLED = 8, 16  # bits beside the kind
# Bits of a token, in the high byte of an ASCII record; _tokens.pxd names them too.
TOKEN_UPPER, TOKEN_LOWER, TOKEN_DIGIT, TOKEN_LATIN, TOKEN_BEYOND_ASCII = 1, 2, 4, 8, 128

# Scripts written without spaces between words; Han characters carry meaning alone, the others do not.
UNSPACED_RANGES = [
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # small Katakana
    (0xA9E0, 0xA9FF),  # Myanmar extended
    (0xAA60, 0xAA7F),
    (0xFF66, 0xFF9F),  # halfwidth Katakana
    (0x1B000, 0x1B16F),  # historic Kana
]
IDEOGRAPH_RANGES = [
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
]
# Drawn with no width, or not at all: they split or hide words without being seen.
INVISIBLE_RANGES = [
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),  # zero-width space, joiners, direction marks
    (0x202A, 0x202E),  # direction overrides
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte-order mark
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),  # tags
]
# Letters of other scripts that most fonts draw like a Latin letter. Our own choice: those that fraud uses.
LOOKALIKES = {
    "Cyrillic": (
        "АВЕЅІЈКМНОРСТУХЗҮԚԜаеѕіјорсухёїһԁԛԝӏүвкмнтгпи",
        "abesijkmhopctyx3yqwaesijopcyxeihdqwlybkmhtrnu",
    ),
    "Greek": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχωγηϲϳ", "abezhikmnoptyxabeikvoptuxwynCj".lower()),
    "Armenian": ("օոսցհԼՏՕ", "onugh" + "lso"),
    "other": ("ıɑɡɩʏⅼⅽⅾⅿⅰⅴⅹᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢ", "iagiylcdmivxacdejkmoptuvwz"),
}


def within(ranges: list[tuple[int, int]], code: int) -> bool:
    """Whether a character lies in one of the ranges."""
    return any(first <= code <= last for first, last in ranges)


def kind(code: int) -> int:
    """What the tokeniser does with a character."""
    category = unicodedata.category(chr(code))
    if within(INVISIBLE_RANGES, code):
        return INVISIBLE
    if within(IDEOGRAPH_RANGES, code):
        return IDEOGRAPH
    if category[0] in "LNM":
        return UNSPACED if within(UNSPACED_RANGES, code) else WORD
    if category in ("So", "Sk") and code >= 0x2190:
        return SYMBOL
    return SEPARATOR


def plain(code: int) -> int:
    """The compatible form of a character; itself if that is several."""
    compatible = unicodedata.normalize("NFKC", chr(code))
    return ord(compatible) if len(compatible) == 1 else code


def folded(code: int) -> int:
    """The character that this one is read as: compatible form, then lower case; itself if that is several."""
    lower = chr(plain(code)).casefold()
    return ord(lower) if len(lower) == 1 else code


def record(code: int, lookalikes: dict[int, str]) -> tuple[int, int, int]:
    """Kind and bits, ASCII lookalike or 0, distance to the folded character."""
    character = chr(code)
    if 0xD800 <= code <= 0xDFFF:
        return SEPARATOR, 0, 0
    bits = kind(code)
    # Compatibility ideographs stay: each would need a record of its own, twice the size of everything else.
    target = folded(code) if bits in (WORD, UNSPACED, SYMBOL) else code
    if bits == SYMBOL and kind(target) == WORD:
        bits = WORD  # circled and squared letters
    if kind(target) != bits:
        target = (
            code  # ㆗ is no 中: folding must not change what a character is, so that it can be done twice
        )
    if character.isupper() or unicodedata.category(character) == "Lt":
        bits |= UPPER
    if code >= 0x80 and target < 0x80 and unicodedata.decomposition(character).startswith("<"):
        bits |= STYLED
    # 𝚨 and Ё are mistaken for what Α and ё are mistaken for: one pass must fold all that a second would.
    steps = (code, plain(code), target)
    like = next((lookalikes[step] for step in steps if step in lookalikes), "\0")
    return bits, ord(like), target - code


def byte_record(byte: int) -> int:
    """Folded byte, and token flags in the byte above; 0 for what separates words."""
    character = chr(byte)
    if byte >= 0x80:
        return TOKEN_BEYOND_ASCII << 8
    if not (character.isalnum() or character == "_"):
        return 0
    flags = TOKEN_UPPER | TOKEN_LATIN if character.isupper() else 0
    flags |= TOKEN_LOWER | TOKEN_LATIN if character.islower() else 0
    flags |= TOKEN_DIGIT if character.isdigit() else 0
    return ord(character.lower()) | flags << 8


def numbers(values: list[int]) -> str:
    """Values as the lines of a C initialiser."""
    lines, line = [], ""
    for value in values:
        if len(line) + len(str(value)) > 108:
            lines.append(line)
            line = ""
        line += f"{value},"
    return "\n".join([*lines, line])


def main() -> None:
    """Print the header."""
    lookalikes = {
        ord(c): latin for like, as_ in LOOKALIKES.values() for c, latin in zip(like, as_, strict=True)
    }
    records: dict[tuple[int, int, int], int] = {(SEPARATOR, 0, 0): 0}
    blocks: dict[tuple[int, ...], int] = {}
    starts = []
    for first in range(0, 0x110000, 128):
        block = tuple(
            records.setdefault(record(code, lookalikes), len(records)) for code in range(first, first + 128)
        )
        starts.append(blocks.setdefault(block, len(blocks)))
    rows = list(records)
    print(f"/* Written by tools/make_characters.py from Unicode {unicodedata.unidata_version}; do not edit.")
    print("   A character's record: record_numbers[block_numbers[c >> 7] * 128 + (c & 127)]. */")
    print("#include <stdint.h>")
    print(f"static const uint16_t byte_records[256] = {{\n{numbers([byte_record(b) for b in range(256)])}}};")
    blob = [int(chr(b).isascii() and (chr(b).isalnum() or chr(b) in "+/=_-")) for b in range(256)]
    print(f"static const uint8_t blob_bytes[256] = {{\n{numbers(blob)}}};")
    print(f"static const uint8_t record_kinds[{len(rows)}] = {{\n{numbers([r[0] for r in rows])}}};")
    print(f"static const uint8_t record_lookalikes[{len(rows)}] = {{\n{numbers([r[1] for r in rows])}}};")
    print(f"static const int32_t record_distances[{len(rows)}] = {{\n{numbers([r[2] for r in rows])}}};")
    print(f"static const uint16_t block_numbers[{len(starts)}] = {{\n{numbers(starts)}}};")
    flat = [number for block in blocks for number in block]
    print(f"static const uint16_t record_numbers[{len(flat)}] = {{\n{numbers(flat)}}};")
    print(f"{len(rows)} records, {len(blocks)} blocks", file=sys.stderr)


if __name__ == "__main__":
    main()
