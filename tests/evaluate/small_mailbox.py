"""A small labelled mailbox that any filter can learn: spam sells, ham meets, and some of each is vague."""

from random import Random

SPAM_WORDS = [
    "viagra",
    "winner",
    "casino",
    "cheap",
    "pills",
    "click",
    "prize",
    "loan",
    "guaranteed",
    "unsubscribe",
]
HAM_WORDS = [
    "meeting",
    "agenda",
    "patch",
    "review",
    "lunch",
    "minutes",
    "compile",
    "report",
    "tuesday",
    "thanks",
]
COMMON_WORDS = [f"word{number}" for number in range(60)]


def mail(rng: Random, spam: bool) -> bytes:
    words = rng.choices(SPAM_WORDS if spam else HAM_WORDS, k=4) + rng.choices(COMMON_WORDS, k=12)
    rng.shuffle(words)
    headers = f"From: {rng.choice(COMMON_WORDS)}@example.org\nSubject: {' '.join(words[:3])}\n"
    return f"{headers}\n{' '.join(words)}\n".encode()


def write_mailbox(folder, count=60, seed=1):
    """``count`` files, every third spam, with an index; the path of the index."""
    rng = Random(seed)
    lines = []
    for number in range(count):
        spam = number % 3 == 0
        (folder / f"{number:03}").write_bytes(mail(rng, spam))
        lines.append(f"{'spam' if spam else 'ham'}\t{number:03}\n")
    index = folder / "index.tsv"
    index.write_text("".join(lines))
    return index
