"""Result files: whole or absent, the same bytes for the same content, incomplete grids refused."""

import hashlib

import numpy as np
import pytest

from tvgp.study.collect import collection
from tvgp.study.collect.job import CollectJob
from tvgp.study.execution import files
from tvgp.study.run import blocks as results
from tvgp.study.run.job import Experiment

GRID = collection.Grid(("a", "b"), ("1",), (1, 2, 3))
ATTRIBUTES = {
    "experiment": "toy",
    "alpha": "1",
    "job": {"horizon": 4},
    "fingerprint": "f",
    "versions": {"numpy": "2"},
    "commit": "c",
}


def _write(path, policy, seeds, horizon=4, errors=False, **attributes):
    rng = np.random.default_rng(list(seeds))
    shape = (len(seeds), horizon)
    block = results.BlockResult(
        seeds=np.array(seeds),
        arm=rng.integers(0, 5, shape),
        reward=rng.normal(size=shape),
        regret=rng.uniform(size=shape),
        expert_queries=rng.integers(0, 3, shape),
        places=rng.integers(1, 4, shape),
        squared_error=rng.uniform(size=(len(seeds), 5)) if errors else None,
        wall_seconds=rng.uniform(size=len(seeds)),
        engine="append",
        data="synthetic",
        n_arms=5,
        asked=rng.integers(0, 9, (len(seeds), 5)) if errors else None,
    )
    results.write_block(path, block, ATTRIBUTES | {"policy": policy} | attributes)
    return path, block


def _all_blocks(folder, **kwargs):
    return [
        _write(folder / f"{policy}-{seeds[0]}.nc", policy, seeds, **kwargs)[0]
        for policy in "ab"
        for seeds in ((1, 2), (3,))
    ]


def test_a_block_survives_the_file(tmp_path):
    path, block = _write(tmp_path / "deep" / "x.nc", "a", (1, 2), errors=True)
    read = results.read_block(path)
    assert read.attributes["job"] == {"horizon": 4}
    assert read.attributes["engine"] == "append"
    for name in ("arm", "reward", "regret", "expert_queries", "places", "squared_error", "asked"):
        np.testing.assert_array_equal(read.values[name], getattr(block, name))


def test_the_same_block_gives_the_same_bytes(tmp_path):
    sums = {
        hashlib.sha256(_write(tmp_path / name, "a", (1,))[0].read_bytes()).hexdigest()
        for name in ("x.nc", "y.nc")
    }
    assert len(sums) == 1


def test_collect_puts_blocks_in_place_in_any_order(tmp_path):
    blocks = _all_blocks(tmp_path, errors=True)
    forward = collection.joined(blocks, "toy", GRID)
    backward = collection.joined(blocks[::-1], "toy", GRID)
    for name in (*collection.PER_ROUND, *collection.PER_ARM, "engine"):
        np.testing.assert_array_equal(forward[name], backward[name])
    one = results.read_block(tmp_path / "b-3.nc")
    np.testing.assert_array_equal(forward["regret"][1, 0, 2], one.values["regret"][0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d, b: b[:-1], "1 of 6 runs are missing, first policy b, alpha 1, seed 3"),
        (lambda d, b: [], "no run files"),
        (lambda d, b: [*b, _write(d / "z.nc", "a", (2,))[0]], "z.nc: another file already has seed 2"),
        (lambda d, b: [*b, _write(d / "z.nc", "c", (2,))[0]], "policy 'c' is not in the config"),
        (lambda d, b: [*b, _write(d / "z.nc", "a", (9,))[0]], "seed 9 is not in the config"),
        (
            lambda d, b: [*b[:-1], _write(d / "z.nc", "b", (3,), horizon=5)[0]],
            "z.nc: 5 rounds, but .* has 4",
        ),
        (
            lambda d, b: [*b[:-1], _write(d / "z.nc", "b", (3,), experiment="other")[0]],
            "z.nc: belongs to experiment other",
        ),
        (lambda d, b: [*b, d / "none.nc"], "none.nc: no such file"),
    ],
)
def test_collect_refuses_incomplete_or_mixed_blocks(tmp_path, change, message):
    blocks = change(tmp_path, _all_blocks(tmp_path))
    with pytest.raises(ValueError, match=message):
        collection.joined(blocks, "toy", GRID)


def test_a_truncated_block_is_named(tmp_path):
    path, _ = _write(tmp_path / "x.nc", "a", (1,))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="x.nc: damaged"):
        results.read_block(path)


def test_collected_file_and_summary(tmp_path):
    job = CollectJob(
        experiment=Experiment("toy", "moving_bump", {}, None, 4, None, False),
        policies=["a", "b"],
        labels=["A", "B"],
        groups=["control"] * 2,
        algorithms=["uniform"] * 2,
        ours=["", "width"],
        queries=["after", "before"],
        alphas=["1"],
        seeds=3,
        title="Toy",
        units="1",
        round_label="day",
    )
    path = tmp_path / "toy.nc"
    arms = {"arms": np.arange(5.0)[:, None]}
    fit, tuned = {"epsilon": 0.1}, [{"policy": "b", "value": 2}]
    collection.collect(path, _all_blocks(tmp_path), job, arms, {"period": 3.5}, fit, tuned, "0123")
    values, attributes = collection.read(path)
    assert values["regret"].shape == (2, 1, 3, 4)
    assert list(values["label"]) == ["A", "B"]
    assert attributes["card"] == '{"period": 3.5}'
    assert attributes["fit"] == '{"epsilon": 0.1}' and attributes["recipe"] == "0123"
    assert attributes["tuned"] == '{"b": {"policy": "b", "value": 2}}'


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    files.write_text(path, "old")
    with pytest.raises(RuntimeError), files.replacing(path) as temporary:
        temporary.write_text("half of the n")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_wall_seconds_of_all_runs_from_undamaged_files(tmp_path):
    block = tmp_path / "ozone" / "gp_ucb" / "alpha-fit" / "seeds-9-10.json"
    files.write_object(block, {"9": 0.5, "10": 0.25})
    collection.write_timing(tmp_path / "timing.csv", [block])
    assert (tmp_path / "timing.csv").read_text().splitlines()[1:] == [
        "ozone,gp_ucb,fit,9,0.5000",
        "ozone,gp_ucb,fit,10,0.2500",
    ]
    block.write_text(block.read_text().replace("0.25", "0.35"))
    with pytest.raises(ValueError, match="seeds-9-10.json: damaged"):
        collection.write_timing(tmp_path / "timing.csv", [block])
