"""Real tables: scikit-learn's, and Spambase where ../shared is there."""

import tarfile
from pathlib import Path

import pytest

SPAMBASE = Path(__file__).resolve().parents[3] / "shared" / "data" / "spambase.tar.gz"


@pytest.fixture
def wine_file(tmp_path):
    """178 Italian wines of three growers, 13 measurements each."""
    from sklearn.datasets import load_wine

    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).frame.to_csv(path, index=False)
    return path


@pytest.fixture
def cancer_file(tmp_path):
    """569 biopsies, 30 measurements each."""
    from sklearn.datasets import load_breast_cancer

    path = tmp_path / "cancer.csv"
    load_breast_cancer(as_frame=True).frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def spambase_file(tmp_path_factory):
    """4,601 mails by how often words are in them; the file has no header."""
    if not SPAMBASE.exists():
        pytest.skip("needs ../shared/data/spambase.tar.gz")
    folder = tmp_path_factory.mktemp("spambase")
    with tarfile.open(SPAMBASE) as archive:
        member = next(one for one in archive if one.name.endswith("spambase.data"))
        (folder / "spambase.csv").write_bytes(archive.extractfile(member).read())
    return folder / "spambase.csv"
