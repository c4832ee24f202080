"""Names of charsets, as mail declares them, and the Python codec that reads each.

Only names of this table are ever looked up: a mail must not be able to choose any codec it likes, since some
of Python's are no charsets at all (zlib, punycode) and not linear. Where a charset has a superset that mail
programs write under its name (GB2312 and GBK, EUC-KR and cp949, Shift JIS and cp932), the superset reads it.

>>> codec_named(b"GB2312"), codec_named(b"x-sjis"), codec_named(b"zlib")
('gb18030', 'cp932', '')
"""

_NAMES = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 utf-8-sig x-utf-8 cp65001",
    "ascii": "us-ascii ascii ansi-x3.4-1968 iso646-us 7bit",
    "cp1252": (
        "windows-1252 cp1252 x-cp1252 cp-1252 win-1252 iso-8859-1 iso8859-1 iso88591 latin1 latin-1 l1 "
        "iso-8859-1-windows-3.1-latin-1 ansi 8bit"
    ),
    "gb18030": (
        "gb18030 gb2312 gbk x-gbk gb-2312 gb-2312-80 csgb2312 euc-cn euccn cn-gb cp936 ms936 gb2312-charset"
    ),
    "hz": "hz hz-gb-2312 hz-gb",
    "big5hkscs": "big5 big-5 cn-big5 csbig5 x-x-big5 big5-hkscs cp950",
    "cp949": "euc-kr euckr ks-c-5601-1987 ks-c-5601 ksc5601 ks-c-5601-1989 korean cp949 windows-949 uhc",
    "johab": "johab",
    "iso2022_kr": "iso-2022-kr csiso2022kr",
    "iso2022_jp_2": "iso-2022-jp iso-2022-jp-1 iso-2022-jp-2 csiso2022jp",
    "iso2022_jp_ext": "iso-2022-jp-ext iso-2022-jp-ms",
    "cp932": "shift-jis shiftjis sjis x-sjis ms-kanji csshiftjis windows-31j cp932",
    "euc_jp": "euc-jp eucjp x-euc-jp cseucpkdfmtjapanese",
    "koi8_r": "koi8-r koi8 cskoi8r koi8-ru",
    "koi8_u": "koi8-u",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251 win-1251",
    "cp1253": "windows-1253 cp1253",
    "cp1254": "windows-1254 cp1254 iso-8859-9 iso8859-9 latin5",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256",
    "cp1257": "windows-1257 cp1257",
    "cp1258": "windows-1258 cp1258",
    "iso8859_2": "iso-8859-2 iso8859-2 latin2",
    "iso8859_3": "iso-8859-3 latin3",
    "iso8859_4": "iso-8859-4 latin4",
    "iso8859_5": "iso-8859-5 iso8859-5",
    "iso8859_6": "iso-8859-6 iso-8859-6-i iso-8859-6-e",
    "iso8859_7": "iso-8859-7 iso8859-7 greek",
    "iso8859_8": "iso-8859-8 iso-8859-8-i iso-8859-8-e hebrew",
    "iso8859_10": "iso-8859-10 latin6",
    "iso8859_13": "iso-8859-13",
    "iso8859_14": "iso-8859-14",
    "iso8859_15": "iso-8859-15 iso8859-15 latin9 latin-9",
    "iso8859_16": "iso-8859-16",
    "cp874": "windows-874 cp874 tis-620 tis620 iso-8859-11",
    "cp437": "cp437 ibm437",
    "cp850": "cp850 ibm850",
    "cp852": "cp852 ibm852",
    "cp866": "cp866 ibm866",
    "mac_roman": "macintosh mac x-mac-roman macroman",
    "mac_cyrillic": "x-mac-cyrillic",
    "utf-7": "utf-7 utf7 unicode-1-1-utf-7 x-unicode-2-0-utf-7",
    "utf-16": "utf-16 utf16 unicode ucs-2 iso-10646-ucs-2",
    "utf-16-le": "utf-16le utf-16-le",
    "utf-16-be": "utf-16be utf-16-be",
    "utf-32": "utf-32 utf32",
}
_CODECS = {name.encode(): codec for codec, names in _NAMES.items() for name in names.split()}


def codec_named(declared: bytes) -> str:
    """The codec for a declared charset; empty if there is none of that name."""
    return _CODECS.get(declared.strip(b"\"' \t").lower().replace(b"_", b"-").removeprefix(b"charset="), "")
