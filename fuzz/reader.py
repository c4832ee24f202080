"""A coverage-guided fuzzer for the reader: python -m fuzz.reader [INPUTS] [SEED], or `make fuzz`.

It runs on the instrumented build. An input that reaches something new (an edge between two basic blocks, or
a known one twice as often as before) joins the pool, and inputs are made by mutating those of the pool.
Each is read twice, with generous and with small limits, and held to what must hold for any message;
AddressSanitizer watches over memory. Without INPUTS it goes on until it is stopped. What it is about to
read stands in build/fuzz/current, so the input that ended it can be read again; the pool is kept in
build/fuzz/pool and taken up by the next run without a fixed seed.
"""

import random

from deciban.text import Limits, read
from deciban.text._tags import with_fields
from fuzz.explore import HOME, explore, main
from tests.text.attacks import ATTACKS
from tests.text.mails import TOKENS
from tests.text.test_reader import SMALL, check_integrity

LONGEST = 4_000


def mutated(source: random.Random, pool: list[bytes]) -> bytes:
    """An input of the pool with a few changes."""
    raw = bytearray(source.choice(pool))
    for _ in range(1 << source.randrange(4)):
        place = source.randrange(len(raw) + 1)
        match source.randrange(7):
            case 0 if raw:
                raw[min(place, len(raw) - 1)] = source.randrange(256)
            case 1:
                raw[place:place] = source.choice(TOKENS)
            case 2:
                del raw[place : place + source.randrange(1, 40)]
            case 3:
                raw[place:place] = raw[place : place + source.randrange(1, 40)] * source.randrange(1, 4)
            case 4:
                other = source.choice(pool)
                start = source.randrange(len(other) + 1)
                raw[place:place] = other[start : start + source.randrange(1, 200)]
            case 5:
                token = source.choice(TOKENS)
                raw[place : place + len(token)] = token
            case _:
                raw[place:place] = source.randbytes(source.randrange(1, 5))
    return bytes(raw[:LONGEST])


def seeds() -> list[bytes]:
    """What the pool begins with: small attacks, and one ordinary mail."""
    mail = (
        b"From: me\nSubject: =?utf-8?q?caf=C3=A9?=\nContent-Type: multipart/mixed; boundary=x\n\n"
        b"--x\n\nHello\n"
        b"--x\nContent-Type: text/html; charset=gb2312\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"<p>=D6=D0</p>\n--x\n"
        b"Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\nAAAA\n--x--\n"
    )
    return [mail, b"", *(attack(200) for attack in ATTACKS.values())]


def check(raw: bytes) -> None:
    """What must hold for any message, with generous and with small limits."""
    for limits in (Limits(), SMALL):
        check_integrity(read(raw, limits), limits)
    message = read(raw)
    for fields in (b"", b"X-Deciban: spam\n"):
        changed = with_fields(raw, fields)
        assert with_fields(changed, fields) == changed
        assert not message.is_mail or read(changed).digest == message.digest


def fuzz(inputs: int | None, seed: int | None) -> None:
    """Reads so many inputs, or goes on for ever."""
    explore(check, mutated, seeds(), inputs, seed, "current", HOME / "pool")


if __name__ == "__main__":
    main("fuzz.reader", fuzz, "current")
