"""Real data in the package: intact, small, complete, and cut from the files that the README names."""

import re
from functools import cache

import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.data import raw_files, splits
from tvgp.study.datasets import extracts
from tvgp.study.datasets.extracts import cut

EXPECTED = {  # rounds, sites
    "ozone": (287, 28),
    "ozone_nc": (730, 38),
    "intel_lab": (240, 50),
    "berkeley_france": (717, 77),
    "france_stations": (717, 204),
    "france_departments": (1096, 96),
}


@pytest.fixture(scope="module")
def field_of(definitions, tmp_path_factory):
    """A function that reads what the package has of a dataset, once."""

    @cache
    def read(name):
        settings = definitions["datasets"][name]
        files = datasets.write_extract(settings)(tmp_path_factory.mktemp(name))
        manifest = {"source": "real", "files": [raw_files.entry(path) for path in files]}
        return datasets.grid(name, settings, manifest)[0]

    return read


@pytest.mark.parametrize("name", EXPECTED)
def test_the_study_reads_the_package(field_of, name):
    field = field_of(name)
    assert field.value.shape == EXPECTED[name] and field.attrs["source"] == "real"
    assert all(field.attrs[key] not in ("", "not stated") for key in ("licence", "citation"))


def test_the_cells_of_france_say_whose_they_are(definitions, field_of):
    settings = datasets.split_settings(definitions["datasets"]["berkeley_france"])
    train, test = splits.split(field_of("berkeley_france"), **settings)
    assert (len(train.time), len(test.time)) == (150, 567)
    assert test.attrs["substitute"] == "Météo-France for Berkeley Earth"
    assert test.attrs["title"].startswith("Météo-France monthly temperature anomalies")
    month = train.time.astype("datetime64[M]").astype(int) % 12
    means = [np.nanmean(train.value[month == m], axis=0) for m in range(12)]
    np.testing.assert_allclose(means, 0, atol=0.07)  # of cells with a gap; 0 elsewhere
    assert np.median(np.abs(means)) < 1e-12


def test_all_together_are_below_two_megabytes_and_listed():
    members = [path for path in extracts.FOLDER.glob("*/*") if path.suffix in (".csv", ".zip")]
    assert sum(path.stat().st_size for path in members) < 2e6
    assert {str(path.relative_to(extracts.FOLDER)) for path in members} == set(extracts.SHA256)
    text = (extracts.FOLDER / "README.md").read_text()
    assert all(member.rpartition("/")[2] in text for member in extracts.SHA256)


def test_a_changed_extract_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(extracts, "FOLDER", tmp_path)
    (tmp_path / "ozone").mkdir()
    (tmp_path / "ozone" / "ozone_NY_2023.zip").write_bytes(b"PK")
    with pytest.raises(ValueError, match="ozone_NY_2023.zip: missing or changed"):
        extracts.copy("ozone", tmp_path / "out")
    with pytest.raises(
        ValueError, match="no extract 'radon' in the package; known: france_departments, intel_lab"
    ):
        extracts.copy("radon", tmp_path / "out")


def test_the_command_cuts_the_same_bytes_from_the_full_files(real_data, tmp_path):
    for path in cut.make(real_data, tmp_path):
        assert extracts.SHA256[str(path.relative_to(tmp_path))] == raw_files.digest(path)
    text = (extracts.FOLDER / "README.md").read_text()
    for name in (file for files in cut.OZONE.values() for file in files):
        assert raw_files.digest(next(real_data.rglob(name))) in re.findall(r"[0-9a-f]{64}", text)


def test_cut_columns_change_no_value(real_data, tmp_path):
    for name, tables in cut.OZONE.items():
        loader = datasets.make("ozone", state=None, coverage=0.5)
        whole, _ = loader.load([next(real_data.rglob(table)) for table in tables])
        ours, _ = loader.load(extracts.copy(name, tmp_path / name))
        np.testing.assert_array_equal(whole.value, ours.value)
        np.testing.assert_array_equal(whole.lat, ours.lat)
        assert whole.time.tolist() == ours.time.tolist() and whole.site.tolist() == ours.site.tolist()
