"""The lines of recorded.txt: features, verdicts and model files. `python -m tests.recorded` writes it anew.

A change that only moves code leaves every line as it is. A change that is meant to alter some writes the file
anew, and its difference is reviewed like any other. Features are exact, and so are the bits of a state and of
its exams; numbers that depend on BLAS have six digits, and the test leaves the last one open.
"""

import json
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    Geometric,
    Mixture,
    MixtureClassifier,
    Multinomial,
    NaiveBayes,
    NeighborsClassifier,
    Poisson,
    TextClassifier,
)
from deciban.filter import Filter, Settings
from deciban.ledger import Selection
from deciban.sample import Mail, sample_mails
from deciban.sources import RawMessage
from deciban.text import extract, read
from tests.filter.mails import classify, teach, why

PATH = Path(__file__).with_name("recorded.txt")
CORNERS = (
    b"",
    b"Subject: no body",
    b"\n\xff\xfe\0 no header \r\r\n",
    b"From: Ann <ann@example.org>\nContent-Type: text/html\n\n"
    b"<a href='http://example.org/x?y=1'>Caf&eacute;</a><!-- no -->",
    b'Content-Type: multipart/mixed; boundary="b"\n\n'
    b"--b\n\ntext\n--b\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n--b--\n",
)


def recorded() -> Iterator[str]:
    """Every line of the record, each beginning with what it is about."""
    mails = sample_mails(seed=0)
    yield from _features(mails)
    yield from bits(mails)
    yield from _verdicts(mails)
    yield from _model_files(mails)


def _features(mails: list[Mail]) -> Iterator[str]:
    for number, data in enumerate([*CORNERS, *(mail.data for mail in mails[::20])]):
        message = read(data)
        views = extract(message, ["sender-in-contacts"] if number % 2 else [])
        sums = [f"{len(view)} {_digest(bytes(view))}" for view in (views.words, views.letters)]
        yield f"features of mail {number} {message.digest.hex()} words {sums[0]} letters {sums[1]}"


def bits(mails: list[Mail]) -> Iterator[str]:
    """Digests of the state and the exams of two filters, one of two labels and one of three."""
    for labels in (2, 3):
        with (
            tempfile.TemporaryDirectory() as folder,
            Filter.open(f"{folder}/mail.deciban", Settings(bits=12, salt=20)) as filter_,
        ):
            for number, mail in enumerate(mails[:90]):
                label = "shop" if labels == 3 and number % 5 == 0 else mail.label
                teach(filter_, label, [RawMessage(f"box@{number}", mail.data)])
            exams = repr([exam for _, _, exam in filter_.exams()]).encode()
            yield f"bits of {labels} labels: state {_digest(filter_.state())} exams {_digest(exams)}"


def _verdicts(mails: list[Mail]) -> Iterator[str]:
    """One filter taught mail by mail, with a third label, a correction and something forgotten."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Filter.open(f"{folder}/mail.deciban", Settings(bits=14, salt=20)) as filter_,
    ):
        for number, mail in enumerate(mails[:120]):
            label = "shop" if mail.label == "ham" and mail.kind.startswith(("order", "shop")) else mail.label
            teach(filter_, label, [RawMessage(f"box@{number}", mail.data)])
        teach(filter_, "spam", [RawMessage("again@0", mails[7].data)])
        filter_.forget(Selection(source="box@11"))
        bulk = [RawMessage(f"bulk@{number}", mail.data) for number, mail in enumerate(mails[120:160])]
        teach(filter_, "ham", bulk)
        for number, mail in enumerate(mails[160:200]):
            verdict = classify(filter_, mail.data)
            odds = " ".join(f"{label} {_number(p)}" for label, p in sorted(verdict.probabilities.items()))
            yield f"verdict {number} {verdict.label} {_number(verdict.decibans)} dB of {odds}"
        for item in why(filter_, mails[160].data).evidence[:30]:
            yield f"evidence {item.view} {item.name!r} {_number(item.decibans)} dB"


def _model_files(mails: list[Mail]) -> Iterator[str]:
    dice = np.random.default_rng(5)
    truth = np.arange(60) % 3
    whole = dice.poisson(1 + truth[:, None] * [1, 2, 0.5], (60, 3))
    real = dice.gamma(2 + truth[:, None], 1.5, (60, 3)) + 0.1
    mixed = np.column_stack([whole[:, 0], real[:, 1:], whole[:, 1] % 4])
    columns = Columns({(0,): Poisson(), (1,): Gaussian(), (2,): Gamma(), (3,): Categorical()})
    labels = np.array(["ham", "shop", "spam"])[truth]
    texts = [read(mail.data).text for mail in mails[:60]]
    for learner, rows in (
        (NaiveBayes(Bernoulli()), whole > 1),
        (NaiveBayes(Categorical()), whole % 4),
        (NaiveBayes(Multinomial()), whole),
        (NaiveBayes(Poisson()), whole),
        (NaiveBayes(Geometric()), whole),
        (NaiveBayes(Gaussian()), real),
        (NaiveBayes(Gamma()), real),
        (NaiveBayes(columns), mixed),
        (MixtureClassifier(Gaussian(), 2, random_state=1), real),
        (NeighborsClassifier(3), real),
        (TextClassifier(n_features=2**10), texts),
    ):
        yield from _of_file(learner.fit(rows, labels))
    yield from _of_file(Mixture(Gaussian(), 3, random_state=1).fit(real))


def _of_file(learner: Any) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        learner.save(path)
        with np.load(path, allow_pickle=False) as content:
            header = json.loads(bytes(content["header"]))
            for name in ("objective_history_", "n_iter_"):  # how long EM climbs may depend on BLAS
                header.get("learned", {}).pop(name, None)
            family = header.get("tally", {}).get("family", {})
            name = f"{header['learner']} {family.get('kind', '')}".strip()
            yield f"file of {name} header {json.dumps(_rounded(header), ensure_ascii=False)}"
            for array in sorted(set(content) - {"header"}, key=lambda array: int(array[1:])):
                yield f"file of {name} {array} {_of_array(content[array])}"


def _of_array(values: Any) -> str:
    """Its type and shape, and its sum and that of its squares, or all of it if it is short."""
    shown = [str(values.dtype), "x".join(map(str, values.shape))]
    if values.dtype.kind not in "iufb":
        return " ".join([*shown, *map(str, values.ravel().tolist())])
    flat = values.astype(float).ravel()
    if len(flat) > 12:
        shown.append(f"{np.count_nonzero(flat)} not zero, sum and sum of squares")
        flat = np.array([flat.sum(), (flat * flat).sum()])
    return " ".join([*shown, *(_number(value) for value in flat.tolist())])


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(_number(value))
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def _number(value: float) -> str:
    return f"{value:.6g}" if abs(value) >= 1e-6 else "0"


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


if __name__ == "__main__":
    PATH.write_text("".join(line + "\n" for line in recorded()), encoding="utf-8")
