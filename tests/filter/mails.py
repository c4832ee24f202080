"""Small made-up mails with a label each, told apart by their words."""

from deciban.sources import RawMessage

WORDS = {
    "spam": "free money cheap pills winner casino",
    "ham": "lunch meeting tomorrow family garden train",
    "work": "report quarter budget invoice project deadline",
    "news": "weather election football cinema science travel",
    "shop": "order parcel delivery receipt refund basket",
}


def mail(label: str, number: int) -> RawMessage:
    """The n-th mail of a label, always the same."""
    words = WORDS[label].split()
    chosen = " ".join(words[(number * 7 + place) % len(words)] for place in range(4))
    data = (
        f"From: {label}{number}@example.org\nSubject: {chosen} unique{label}subject{number}\n"
        f"Date: Mon, 2 Jan 2006 15:04:{number % 60:02} +0000\nMessage-ID: <{label}-{number}@example.org>\n\n"
        f"{chosen} and also number {number} bodyword{label}{number}\n"
    )
    return RawMessage(f"{label}.mbox@{number}", data.encode())
