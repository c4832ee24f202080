import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.spatial.distance import pdist
from sklearn.pipeline import make_pipeline

from deciban import NeighborsClassifier, RandomProjection
from deciban.errors import BadSetting

KINDS = [{"kind": "gaussian"}, {"kind": "sparse"}, {"kind": "sparse", "density": 1 / 3}]


@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_the_variance_of_an_entry_is_one_divided_by_the_target_dimension(settings):
    model = RandomProjection(200, random_state=0, **settings).fit(np.zeros((2, 3000)))
    entries = model.components_
    entries = entries.toarray() if sparse.issparse(entries) else entries
    assert entries.shape == (200, 3000)
    assert entries.mean() == pytest.approx(0, abs=5e-4)
    assert entries.var() == pytest.approx(1 / 200, rel=0.02)
    if settings["kind"] == "sparse":
        share = settings.get("density", 1 / np.sqrt(3000))
        assert np.mean(entries != 0) == pytest.approx(share, rel=0.03)
        assert np.unique(np.abs(entries)).tolist() == [0, pytest.approx(np.sqrt(1 / (share * 200)))]


@pytest.mark.parametrize("settings", KINDS, ids=str)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_squared_distances_stay_within_epsilon(settings, kind):
    X = np.random.default_rng(1).normal(size=(60, 4000))
    model = RandomProjection(epsilon=0.4, random_state=2, **settings)
    projected = model.fit_transform(kind(X))
    assert projected.shape == (60, 280)
    ratios = pdist(projected, "sqeuclidean") / pdist(X, "sqeuclidean")
    assert ratios.min() > 0.6
    assert ratios.max() < 1.4
    assert ratios.mean() == pytest.approx(1, abs=0.03)


def test_a_seed_gives_the_same_projection():
    X = np.random.default_rng(0).normal(size=(10, 30))
    first, second, other = (
        RandomProjection(5, kind="sparse", random_state=s).fit_transform(X) for s in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_neighbours_are_found_after_projecting():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2000)), np.arange(200) % 2
    X[y == 1] += 1
    model = make_pipeline(RandomProjection(100, random_state=0), NeighborsClassifier(k=5)).fit(
        X[:150], y[:150]
    )
    assert model.score(X[150:], y[150:]) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "Allow a larger epsilon"),
        ({"epsilon": 1.0}, "epsilon must be between"),
        ({"dimensions": 0}, "dimensions must be"),
        ({"dimensions": "many"}, "dimensions must be"),
        ({"dimensions": 2, "kind": "dense"}, "kind must be"),
        ({"dimensions": 2, "kind": "sparse", "density": 0}, "density must be"),
        ({"dimensions": 2, "kind": "sparse", "density": "few"}, "density must be"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        RandomProjection(**settings).fit(np.zeros((10, 20)))
