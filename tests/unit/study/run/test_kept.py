"""Kept blocks serve the recipe and the inputs that they were made from, undamaged."""

import pytest

from tvgp.study.execution import files, netcdf
from tvgp.study.run import kept


@pytest.fixture
def outputs(tmp_path):
    """The two files of a block."""
    block, timings = tmp_path / "runs" / "block.nc", tmp_path / "timings" / "block.json"
    with netcdf.writing(block) as file:
        file.recipe = "0123"
    files.write_object(timings, {"1": 0.5})
    return block, timings


def test_the_key_follows_recipe_and_content_of_inputs(tmp_path):
    path = tmp_path / "fit.json"
    path.write_text("a")
    first = kept.key("0123", [path])
    assert kept.key("4567", [path]) != first
    path.write_text("b")
    assert kept.key("0123", [path]) != first
    path.write_text("a")
    assert kept.key("0123", [path]) == first


def test_a_block_is_taken_back_whole(tmp_path, outputs):
    folder = tmp_path / "kept"
    contents = [path.read_bytes() for path in outputs]
    assert not kept.take(folder, "k", outputs)
    kept.keep(folder, "k", outputs)
    for path in outputs:
        path.unlink()
    assert not kept.take(folder, "another", outputs)
    assert kept.take(folder, "k", outputs)
    assert [path.read_bytes() for path in outputs] == contents


@pytest.mark.parametrize("name", ["k.nc", "k.json"])
def test_a_damaged_block_is_not_taken(tmp_path, outputs, name):
    folder = tmp_path / "kept"
    kept.keep(folder, "k", outputs)
    (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    assert not kept.take(folder, "k", outputs)
    kept.keep(folder, "k", outputs)
    assert kept.take(folder, "k", outputs)
    (folder / name).unlink()
    assert not kept.take(folder, "k", outputs)


def test_a_damaged_tuned_parameter_is_not_taken(tmp_path):
    output, folder = tmp_path / "tuned.json", tmp_path / "kept"
    files.write_object(output, {"value": 50})
    kept.keep(folder, "k", [output])
    output.unlink()
    assert kept.take(folder, "k", [output]) and files.read_object(output) == {"value": 50}
    (folder / "k.json").write_text((folder / "k.json").read_text().replace("50", "60"))
    assert not kept.take(folder, "k", [output])


def test_only_the_latest_recipe_is_kept(tmp_path, outputs):
    for key in ("old", "new"):
        kept.keep(tmp_path / "kept", key, outputs)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["new.json", "new.nc"]
