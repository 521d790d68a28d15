"""Files are whole or absent, whoever else writes them."""

import pytest

from tvgp.study.execution import files


def test_an_error_leaves_the_older_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.csv"
    files.write_text(path, "old")
    with pytest.raises(RuntimeError), files.replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_an_orphaned_writer_cannot_replace_a_newer_file(tmp_path):
    path = tmp_path / "a.csv"
    with pytest.raises(FileNotFoundError), files.replacing(path) as orphan:
        orphan.write_text("from a job that outlived its study")
        files.write_text(path, "new")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_leftovers_of_a_kill_are_removed_without_a_neighbours(tmp_path):
    (tmp_path / ".part-0123abcd-a.csv").write_text("half")
    neighbour = tmp_path / ".part-0123abcd-b-a.csv"
    neighbour.write_text("being written")
    files.write_text(tmp_path / "a.csv", "whole")
    assert sorted(tmp_path.iterdir()) == [neighbour, tmp_path / "a.csv"]
