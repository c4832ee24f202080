import os

import numpy as np
import pytest

from deciban import Categorical, Columns, Gaussian, Multinomial, Poisson
from deciban.engines import Dask, Documents, Processes, Rows, Serial, TableFile, tally
from deciban.errors import (
    BadSetting,
    ClusterUnreachable,
    NoSuchSource,
    NotEnoughValues,
    PartitionFailed,
    WorkerDied,
)
from engines.pieces import Deadly
from samples import FAMILIES, rows_for


def partitions(family, count=5, rows=40):
    rng = np.random.default_rng(7)
    labels = np.array(["ham", "spam"])
    return [
        Rows(rows_for(family, rng, rows), labels[rng.integers(0, 2, rows)], f"part {number}")
        for number in range(count)
    ]


def same_bits(left, right):
    """Whether two tallies are equal to the last bit, pivots included."""
    return (
        left == right
        and left.family == right.family
        and all(left.sums[name].tobytes() == right.sums[name].tobytes() for name in left.sums)
        and all(same_bits(a, b) for a, b in zip(left.parts, right.parts, strict=True))
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_every_engine_gives_the_bits_of_the_serial_one(name, engine):
    parts = partitions(FAMILIES[name])
    assert same_bits(tally(parts, FAMILIES[name], engine), tally(parts, FAMILIES[name], Serial()))


@pytest.mark.parametrize("name", FAMILIES)
def test_law_1_the_tally_of_the_parts_is_the_tally_of_the_whole(name, engine):
    family = FAMILIES[name]
    parts = partitions(family)
    whole = family.tally(np.vstack([part.X for part in parts]), np.concatenate([part.y for part in parts]))
    assert tally(parts, family, engine).isclose(whole)
    assert tally(parts[::-1], family, engine).isclose(whole)


def test_the_first_partition_fixes_the_pivot_for_all(engine):
    parts = [Rows([[1e9 + shift], [1e9 + 1 + shift]], ["a", "b"]) for shift in (0, 500, 1000)]
    assert tally(parts, Gaussian(), engine).family.pivot == (1e9 + 0.0,)


def test_progress_counts_the_partitions(engine):
    told = []
    tally(partitions(Poisson()), Poisson(), engine, progress=told.append)
    assert told == [1, 2, 3, 4, 5]


def test_a_partition_that_the_family_refuses_is_named_in_one_line(engine):
    parts = [*partitions(Poisson(), 3), Rows(np.full((2, 4), -1.0), ["ham", "spam"], "the bad one")]
    with pytest.raises(
        PartitionFailed, match=r"^Partition 'the bad one' .*Poisson needs whole numbers"
    ) as caught:
        tally(parts, Poisson(), engine)
    assert "\n" not in str(caught.value)


def test_a_partition_of_other_columns_is_named(engine):
    parts = [*partitions(Poisson(), 2), Rows([[1, 2]], ["ham"], "the narrow one")]
    with pytest.raises(PartitionFailed, match="'the narrow one' does not fit"):
        tally(parts, Poisson(), engine)


def test_an_engine_goes_on_after_a_failure(engine):
    with pytest.raises(PartitionFailed):
        tally([Rows([[-1]], ["a"])], Poisson(), engine)
    assert tally([Rows([[1]], ["a"])], Poisson(), engine).sums["sum"].tolist() == [[1]]


def test_nothing_to_tally_is_an_error():
    with pytest.raises(NotEnoughValues, match="no partition"):
        tally([], Poisson())


def test_folders_of_mail_are_tallied_alike_by_every_engine(tmp_path, engine):
    for number in range(7):
        (tmp_path / f"{number}.eml").write_bytes(b"Subject: free\n\nfree money number %d" % number)
    parts = Documents.split("spam", str(tmp_path), documents=3, columns=2**10)
    assert [len(part.paths) for part in parts] == [3, 3, 1]
    found = tally(parts, Multinomial(), engine)
    assert found.rows.tolist() == [7]
    assert int(found.sums["count"].max()) == 14  # "free", in the subject and in the text
    assert same_bits(found, tally(parts, Multinomial()))


def test_a_folder_without_files_is_an_error(tmp_path):
    with pytest.raises(NoSuchSource, match="no file"):
        Documents.split("spam", str(tmp_path))


def test_a_mail_that_is_gone_is_named(tmp_path, engine):
    with pytest.raises(PartitionFailed, match=r"gone\.eml"):
        tally([Documents("spam", [str(tmp_path / "gone.eml")])], Multinomial(), engine)


def test_csv_and_parquet_files_are_tallied_alike_by_every_engine(tmp_path, engine):
    import polars

    (tmp_path / "1.csv").write_text("size,code,kind\n1.5,1,a\n2.5,2,b\n")
    polars.DataFrame({"size": [4.0, None], "code": ["x", "2"], "kind": ["a", "a"]}).write_parquet(
        tmp_path / "2.parquet"
    )
    parts = [TableFile(str(tmp_path / name), "kind", texts=["code"]) for name in ("1.csv", "2.parquet")]
    family = Columns({"size": Gaussian(), "code": Categorical()})
    found = tally(parts, family, engine)
    assert found.rows.tolist() == [3, 1]
    assert found.parts[0].sums["n"].tolist() == [[2], [1]]  # the gap is not counted
    assert found.parts[1].features.categories[0].tolist() == ["1", "2", "x"]
    assert same_bits(found, tally(parts, family))


def test_a_killed_process_is_told_with_the_partition():
    parts = [*partitions(Gaussian(), 2), Deadly()]
    with pytest.raises(WorkerDied, match=r"worker process died.*first partition without a result is"):
        tally(parts, Gaussian(), Processes(2))


def test_a_killed_worker_of_the_cluster_changes_nothing(client, tmp_path):
    """The worker that reads the third partition is killed by SIGKILL; another one does it again."""
    parts = [Rows(part.X[:, :2], part.y) for part in partitions(Gaussian(), 6)]
    mark = tmp_path / "killed"
    before = set(client.run(os.getpid).values())
    found = tally([*parts[:2], Deadly(mark), *parts[2:]], Gaussian(), Dask(client))
    client.wait_for_workers(2)
    assert mark.exists()
    assert set(client.run(os.getpid).values()) != before
    assert same_bits(found, tally([*parts[:2], Deadly(mark), *parts[2:]], Gaussian()))


def test_a_partition_that_kills_every_worker_is_told():
    dask = pytest.importorskip("dask", reason="needs the extra `cluster`")
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(WorkerDied, match=r"2 workers .* died over one task.*first partition"),
    ):
        tally([*partitions(Poisson(), 1), Deadly()], Poisson(), Dask(client))


def test_a_cluster_is_found_by_its_address(client):
    parts = partitions(Poisson())
    address = client.scheduler.address
    assert same_bits(tally(parts, Poisson(), Dask(address)), tally(parts, Poisson()))


def test_a_cluster_that_is_not_there_is_one_clear_error(monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    monkeypatch.setattr("deciban.engines.dask_cluster.CONNECT_SECONDS", 0.2)
    with pytest.raises(ClusterUnreachable, match=r"tcp://127\.0\.0\.1:1"):
        tally(partitions(Poisson()), Poisson(), Dask("tcp://127.0.0.1:1"))


def test_no_workers_are_refused():
    with pytest.raises(BadSetting, match="at least 1"):
        Processes(0)
