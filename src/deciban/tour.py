"""A short tour of the library, run by `make tour`: learn, classify, explain, forget."""

from __future__ import annotations

import numpy as np

from deciban import Bernoulli, Columns, Gaussian, NaiveBayes, Poisson

WORDS = ["free", "meeting", "winner", "thanks", "invoice"]
MAILS = {
    "spam": ["free winner", "free free invoice", "winner", "free winner thanks"],
    "ham": ["meeting thanks", "invoice thanks", "meeting", "meeting free thanks"],
}


def present(mail: str) -> list[int]:
    """Which of the words a mail has."""
    return [int(word in mail.split()) for word in WORDS]


def main() -> None:
    """Show the tour."""
    X = np.array([present(mail) for mails in MAILS.values() for mail in mails])
    y = np.array([label for label, mails in MAILS.items() for _ in mails])

    print("1. Eight mails, five words. What is learned is a tally: how many mails have each word.\n")
    tally = Bernoulli().tally(X, y, features=WORDS)
    print("        " + "".join(f"{word:>9}" for word in WORDS) + "    mails")
    for label, ones, rows in zip(tally.labels, tally.sums["ones"], tally.rows, strict=True):
        print(f"   {label:5}" + "".join(f"{count:9}" for count in ones) + f"{rows:9}")

    print(
        "\n2. A new mail says “free meeting”. The evidence of the words, in decibans (10 dB = ten to one):\n"
    )
    model = NaiveBayes(Bernoulli()).fit(X, y)
    print(_indented(str(model.why([present("free meeting")], names=WORDS)[0])))

    print("\n3. The last spam was taught by mistake. Forgetting is subtraction, exact to the last digit:\n")
    model.forget(X[3:4], y[3:4])
    same = NaiveBayes(Bernoulli()).fit(np.delete(X, 3, axis=0), np.delete(y, 3)).tally_ == model.tally_
    print(f"   the tally equals that of the seven other mails: {same}")

    print("\n4. Every column can have a family of its own. Visits are counts, temperatures scatter:\n")
    patients = np.array([[36.6, 0], [36.9, 1], [38.9, 4], [39.4, 6], [36.7, 0], [38.7, 5]])
    state = ["well", "well", "ill", "ill", "well", "ill"]
    clinic = NaiveBayes(Columns({0: Gaussian(), 1: Poisson()})).fit(patients, state)
    for row in ([37.9, 2], [np.nan, 5]):
        chances = dict(zip(clinic.classes_, clinic.predict_proba([row])[0], strict=True))
        shown = ", ".join(f"{label} {chance:.0%}" for label, chance in chances.items())
        print(f"   temperature {row[0]}, visits {row[1]}: {shown}")

    print(
        "\nWhere to look next: README.md, docs/algebra.md, and src/deciban/tally.py, where the code begins."
    )


def _indented(text: str) -> str:
    return "\n".join("   " + line for line in text.splitlines())


if __name__ == "__main__":
    main()
