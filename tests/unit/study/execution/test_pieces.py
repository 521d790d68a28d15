"""Pieces bear the digest of what made them, are made again where damaged, and replace those of others."""

import pytest

from tvgp.study.execution import files, netcdf, pieces, provenance

MADE = provenance.recipe({"a": 1}, "code")
OTHER = provenance.recipe({"a": 2}, "code")


@pytest.fixture
def block(tmp_path):
    """The two files of a block."""
    runs, times = tmp_path / "runs" / "seeds-1-2.0123.nc", tmp_path / "timings" / "seeds-1-2.0123.json"
    with netcdf.writing(runs) as file:
        file.recipe = "0123"
    files.write_object(times, {"1": 0.5})
    return runs, times


def test_the_name_follows_recipe_and_content_of_inputs(tmp_path):
    path = tmp_path / "fit.json"
    path.write_text("a")
    first = pieces.named("alpha-0.5/seeds-1-2", MADE, [path])
    assert first.startswith("alpha-0.5/seeds-1-2.")
    assert pieces.named("alpha-0.5/seeds-1-2", OTHER, [path]) != first
    path.write_text("b")
    assert pieces.named("alpha-0.5/seeds-1-2", MADE, [path]) != first
    path.write_text("a")
    assert pieces.named("alpha-0.5/seeds-1-2", MADE, [path]) == first


@pytest.mark.parametrize("place", [0, 1])
def test_a_missing_or_damaged_file_is_not_finished(block, place):
    assert pieces.finished(*block)
    content = block[place].read_bytes()
    for damaged in (content[:-20], b"", content.replace(b"0", b"1", 1)):
        block[place].write_bytes(damaged)
        assert not pieces.finished(*block)
    block[place].unlink()
    assert not pieces.finished(*block)


def test_a_manifest_removes_pieces_of_other_recipes(tmp_path, block):
    runs, _ = block
    others = "seeds-1-2.4567.nc", "seeds-1-2.nc", ".part-01234567-seeds-1-2.4567.nc"
    apart = "seeds-1-20.4567.nc", "seeds-1-2.4567.json", "seeds-1.nc"
    for name in (*others, *apart):
        (runs.parent / name).touch()
    manifest = tmp_path / "manifests" / "run" / "seeds-1-2.json"
    provenance.record_pieces(manifest, [MADE, OTHER], [runs])
    assert pieces.listed(manifest) == [runs]
    assert sorted(path.name for path in runs.parent.iterdir()) == sorted([runs.name, *apart])
    assert files.read_object(manifest)["recipe"] == provenance.joint([MADE, OTHER])["recipe"]
    assert provenance.joint([OTHER, MADE]) != provenance.joint([MADE, OTHER])


def test_pieces_from_another_machine_may_show_late(tmp_path, block, monkeypatch):
    runs, _ = block
    manifest, content = tmp_path / "seeds-1-2.json", runs.read_bytes()
    provenance.record_pieces(manifest, [MADE], [runs])
    runs.unlink()
    monkeypatch.setattr(pieces.time, "sleep", lambda seconds: runs.write_bytes(content))
    pieces.listed(manifest)
    assert runs.exists()
    runs.unlink()
    monkeypatch.setattr(pieces, "LATENCY", 0.0)
    assert pieces.listed(manifest) == [runs]
    with pytest.raises(ValueError, match=f"{runs}: no such file"):
        provenance.require({str(manifest): provenance.joint([MADE])["recipe"]})


def test_a_manifest_without_all_its_pieces_is_incomplete(tmp_path, block):
    manifests = [tmp_path / f"{name}.json" for name in ("runs", "times")]
    for manifest, piece in zip(manifests, block, strict=True):
        provenance.record_pieces(manifest, [MADE], [piece])
    names = [str(path) for path in (*manifests, *block)]
    assert provenance.incomplete(names) == set()
    block[1].unlink()
    assert provenance.incomplete(names[:3]) == {names[1]}
    manifests[1].write_text("")  # damaged, which is named elsewhere
    assert provenance.incomplete(names[:3]) == set()
