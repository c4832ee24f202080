"""A made-up corpus laid out as TREC's are: data/, and full/, delay/ and partial/ with an index each."""

from random import Random

from tests.evaluate.small_mailbox import mail


def write_trec_corpus(folder, count=60, seed=1):
    """The folder with the three indices; delay tells after ten messages, partial tells every other."""
    rng = Random(seed)
    (folder / "data").mkdir(parents=True)
    lines = {"full": [], "delay": [], "partial": []}
    for number in range(1, count + 1):
        spam = number % 3 == 0
        label, name = ("spam" if spam else "ham"), f"../data/inmail.{number}"
        (folder / "data" / f"inmail.{number}").write_bytes(mail(rng, spam))
        lines["full"].append(f"{label} {name}")
        lines["delay"].append(f"{label.capitalize()} {name}")
        if number > 10:
            earlier = number - 10
            word = "SPAM" if earlier % 3 == 0 else "HAM"
            lines["delay"].append(f"{word} ../data/inmail.{earlier} user genre")
        lines["partial"].append(f"{label if number % 2 else label.capitalize()} {name}")
    for name, its in lines.items():
        (folder / name).mkdir()
        (folder / name / "index").write_text("\n".join([*its, f"unknown ../data/inmail.{count}"]) + "\n")
    return folder
