import numpy as np
import pytest
import scipy.sparse as sparse

from deciban import Multinomial, NaiveBayes
from deciban.learners import complement_counts
from deciban.learners.complement_counts import ComplementCounts


@pytest.mark.parametrize("cells", [8, 2**20])
def test_scores_are_those_of_complement_naive_bayes(cells, monkeypatch):
    monkeypatch.setattr(complement_counts, "CELLS", cells)  # texts in pieces, and all at once
    X = sparse.random(50, 30, density=0.2, random_state=1, format="csr", dtype=np.float32)
    X = sparse.csr_matrix(sparse.vstack([X, sparse.csr_matrix((2, 30), dtype=np.float32)]))
    truth = np.arange(52) % 3
    counts = ComplementCounts(30, 0.5).learn(X[:20], truth[:20], 3).learn(X[20:], truth[20:], 3)
    bayes = NaiveBayes(Multinomial(), rule="mean", prior=0.5, complement=True).fit(X, truth)
    assert np.allclose(counts.score(X), bayes.predict_joint_log_proba(X), atol=1e-5)


def test_a_later_label_makes_room():
    X = sparse.identity(3, format="csr", dtype=np.float32)
    counts = ComplementCounts(3, 1.0).learn(X[:2], np.array([0, 1]), labels=2)
    counts.learn(X[2:], np.array([2]), labels=3)
    assert counts.score(X).argmax(axis=1).tolist() == [0, 1, 2]
