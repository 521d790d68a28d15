"""Every file of the study that a later job reads notices a single flipped bit, wherever it is."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study import analyses, results
from tvgp.study.collect import collection
from tvgp.study.data import field, raw_files
from tvgp.study.execution import files, netcdf
from tvgp.study.run import blocks

FLIPS = 80  # per kind of file


def _block(path):
    shape = (2, 30)
    rng = np.random.default_rng(0)
    block = blocks.BlockResult(
        seeds=np.array([1, 2], dtype=np.int32),
        arm=rng.integers(0, 5, shape),
        reward=rng.normal(size=shape),
        regret=rng.uniform(size=shape),
        expert_queries=rng.integers(0, 3, shape),
        places=rng.integers(1, 4, shape),
        squared_error=rng.uniform(size=(2, 5)),
        wall_seconds=np.ones(2),
        engine="append",
        data="synthetic",
        n_arms=5,
    )
    origin = {"job": {"alpha": "1"}, "fingerprint": "f", "versions": {"numpy": "2"}, "commit": "c"}
    names = {"experiment": "toy", "policy": "a", "alpha": "1", "algorithm": "uniform"}
    blocks.write_block(path, block, names | origin)


def _collected(path):
    _block(path.with_name("block.nc"))
    grid = collection.Grid(("a",), ("1",), (1, 2))
    arrays = collection.joined([path.with_name("block.nc")], "toy", grid)
    labels = {name: ["A"] for name in ("label", "group", "algorithm")}
    arms = {"arms": np.arange(5.0)[:, None]}
    collection.write(path, arrays, grid, labels, arms, {"experiment": "toy", "fit": {"epsilon": 0.1}})


def _analysis(path):
    values = xr.Dataset({"x": ("round", np.arange(40.0))}, attrs={"analysis": "growth"})
    analyses.write(path, values, {"job": {"part": "a"}})


def _field(path):
    time = np.arange("2021-01-01", "2021-02-10", dtype="datetime64[D]")
    value = np.random.default_rng(1).normal(size=(40, 2))
    site, lat, lon = np.array(["a", "b"]), np.array([40.0, 41.0]), np.array([-74.0, -73.0])
    field.write_field(path, field.Field(value, time, site, lat, lon, {"units": "ppb"}))


def _json(path):
    files.write_object(path, {"kernel": {"name": "se", "variance": 0.5}, "epsilon": 0.03, "note": "é"})


def _manifest(path):
    raw = path.with_name("a.csv")
    raw.write_text("text")
    raw_files.write_manifest(path, "ozone", ("real", [raw_files.entry(raw)], "found"))


KINDS = {
    "block": (_block, lambda path: (blocks.read_block(path).values, blocks.read_block(path).attributes)),
    "collected": (_collected, collection.read),
    "collected for figures": (_collected, lambda path: results.read(path).to_dict()),
    "analysis": (_analysis, lambda path: results.read(path).to_dict()),
    "part of an analysis": (_analysis, lambda path: analyses._read(path).to_dict()),
    "field": (_field, lambda path: vars(field.read_field(path))),
    "fit, tuned value, checks": (_json, files.read_object),
    "manifest": (_manifest, raw_files.read_manifest),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_changes_nothing_or_is_one_line(tmp_path, kind):
    write, read = KINDS[kind]
    path = tmp_path / ("file.json" if read in (files.read_object, raw_files.read_manifest) else "file.nc")
    write(path)
    whole, expected = path.read_bytes(), read(path)
    rng = np.random.default_rng(19)
    for bit in rng.integers(0, 8 * len(whole), FLIPS):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        try:
            np.testing.assert_equal(read(path), expected)
        except ValueError as error:
            assert str(error).startswith(f"{path}: damaged") and "\n" not in str(error)
            assert "delete the file and run the same command again" in str(error)
    for size in rng.integers(0, len(whole), 20):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="damaged"):
            read(path)
    path.unlink()
    with pytest.raises(ValueError, match=f"{path}: no such file"):
        read(path)
    write(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("write", [_block, _collected, _analysis, _field])
def test_all_numbers_have_a_checksum_of_their_own(tmp_path, write):
    """For readers outside the study, which do not know of the digest at the end of a file."""
    write(tmp_path / "file.nc")
    with netcdf.reading(tmp_path / "file.nc") as file:
        for variable in file.variables.values():
            assert variable.dtype is str or variable.filters()["fletcher32"], variable.name
