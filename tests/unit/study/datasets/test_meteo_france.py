"""Météo-France's monthly temperatures: published files, cells, anomalies, bad files."""

import gzip

import example_loading
import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.config import loading
from tvgp.study.data import raw_files

HEAD = "NUM_POSTE;NOM_USUEL;LAT;LON;ALTI;AAAAMM;TX;TM;QTM"
BREST, MILLAU, NICE = (
    "29075001;BREST;48.44;-4.41;94",
    "12145001;MILLAU;44.12;3.02;712",
    "06088001;NICE;43.65;7.21;2",
)


def rows(station, *values, first=202101, quality=1):
    return [f"{station};{first + n};;{value};{quality}" for n, value in enumerate(values)]


def write(tmp_path, *lines, name="MENSQ_29.csv.gz", head=HEAD):
    path = tmp_path / name
    path.write_bytes(gzip.compress("\n".join([head, *lines, ""]).encode()))
    return path


def load(*files, **parameters):
    return example_loading.load("meteo_france", files, **parameters)


def fails(*files, **parameters):
    return example_loading.fails("meteo_france", files, **parameters)


def test_stations_of_several_files(tmp_path):
    north = write(tmp_path, *rows(BREST, 7.1, 8.2, 9.3), *rows(MILLAU, 2, "", 4))
    south = write(tmp_path, *rows(NICE, 9, 10, 11), *rows(BREST, 8.2, first=202102), name="MENSQ_06.csv.gz")
    result, counts = load(north, south, coverage=0.5)
    assert result.site.tolist() == ["06088001", "12145001", "29075001"]
    np.testing.assert_array_equal(result.value, [[9, 2, 7.1], [10, np.nan, 8.2], [11, 4, 9.3]])
    assert [str(t) for t in result.time] == ["2021-01-01", "2021-02-01", "2021-03-01"]
    assert result.lat.tolist() == [43.65, 44.12, 48.44] and result.lon.tolist() == [7.21, 3.02, -4.41]
    assert result.attrs["source"] == "real" and "substitute" not in result.attrs
    assert counts["same value in two files"] == 1 and counts["values read"] == 9
    result, counts = load(north, south, highest=500, substitute="France for Spain")
    assert result.site.tolist() == ["06088001", "29075001"] and counts["stations too high"] == 1
    assert result.attrs["substitute"] == "France for Spain"
    assert load(north, south)[1]["stations dropped"] == 1


def test_doubtful_values_other_times_and_islands_are_left_out(tmp_path):
    overseas = "97411111;REUNION;-20.9;55.5;8"
    path = write(
        tmp_path, *rows(BREST, 7, 8, 9), *rows(NICE, 7, 8, 99 - 66, quality=2), *rows(overseas, 25, 25, 25)
    )
    result, counts = load(path, period=["2021-02", "2021-12"])
    assert result.value.tolist() == [[8.0], [9.0]]
    assert counts["doubtful values"] == 3
    assert counts["stations outside the region"] == 1
    assert counts["values outside the period"] == 2


def test_cells_average_anomalies_so_that_a_gap_shifts_nothing(tmp_path):
    base = ["2021-01", "2021-02"]
    high = "29075002;HIGH;48.9;-4.9;300"
    path = write(tmp_path, *rows(BREST, 7, 8), *rows(high, 1, 2), *rows(NICE, 9, 10))
    later = rows(BREST, 7.5, 8.5, first=202201) + rows(high, 2.5, "", first=202201)
    later = write(tmp_path, *later, *rows(NICE, 9, 11, first=202201), name="MENSQ_later.csv.gz")
    result, counts = load(path, later, degrees=1, base=base, coverage=0.7)
    assert result.site.tolist() == ["43.5N_7.5E", "48.5N_4.5W"]
    assert result.lat.tolist() == [43.5, 48.5] and result.lon.tolist() == [7.5, -4.5]
    np.testing.assert_allclose(result.value, [[0, 0], [0, 0], [0, 1], [1, 0.5]])
    assert (counts["stations kept"], counts["sites"]) == (3, 2)
    assert result.attrs["long_name"] == "monthly mean temperature anomaly against 2021-01 to 2021-02"
    assert "anomaly" not in result.attrs  # that would be the split's


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2907501;BREST;48;-4;9;202102;;8;1", "line 3: NUM_POSTE '2907501' is not a code of 8 digits"),
        ("29075001;BREST;48;-4;9;202113;;8;1", "line 3: AAAAMM '202113' is not a year and month"),
        ("29075001;BREST;48;-4;9;202102;;80;1", "line 3: TM '80', expected -40 to 45 degree C"),
        ("29075001;BREST;48;-4;9;202102;;8,2;1", "line 3: TM '8,2', expected -40 to 45 degree C"),
        ("29075001;BREST;480;-4;9;202102;;8;1", "line 3: LAT '480', LON '-4' is not a position"),
        ("29075001;BREST;48;-4;;202102;;8;1", "line 3: ALTI '' is not an altitude in m"),
        ("29075001;BREST;48;-4;9;202101;;8;1", "line 3: station 29075001 has a second value for 2021-01, 8;"),
        ("29075001;BREST;48;-4;9;202102;;8", "line 3: 8 fields, the header has 9"),
        ("29075001;BR\x07EST;48;-4;9;202102;;8;1", "line 3: control character"),
    ],
)
def test_bad_lines(tmp_path, line, message):
    assert f"MENSQ_29.csv.gz, {message}" in fails(write(tmp_path, *rows(BREST, 7), line))


def test_bad_files_and_selections(tmp_path):
    good = rows(BREST, 7, 8)
    for head, message in (
        (HEAD.replace("TM;", "T;"), "line 1: no column 'TM', expected NUM_POSTE;LAT;LON;ALTI;AAAAMM;TM"),
        (HEAD.replace("TX", "TM"), "line 1: column 'TM' appears 2 times"),
        (HEAD.replace(";", ","), "line 1: no column 'NUM_POSTE'"),
    ):
        assert message in fails(write(tmp_path, head=head))
    path = write(tmp_path, *good)
    whole = path.read_bytes()
    path.write_bytes(whole[:-12])
    assert "MENSQ_29.csv.gz: not a gzip file, damaged or truncated" in fails(path)
    path.write_bytes(b"plain text")
    assert "MENSQ_29.csv.gz: not a gzip file" in fails(path)
    other = write(tmp_path, *rows(BREST, 7.5), name="MENSQ_30.csv.gz")
    assert "MENSQ_30.csv.gz, line 2: station 29075001 has a second value for 2021-01, 7.5; see " in fails(
        write(tmp_path, *good), other
    )
    good_file = write(tmp_path, *good)
    for change, message in (
        ({"coverage": 0}, "coverage is 0, must lie in (0, 1]"),
        ({"degrees": -1}, "degrees is -1, must lie in (0, 10]"),
        ({"region": "gaul"}, "meteo_france: region 'gaul'"),
        (
            {"period": ["1999-01", "1999-12"]},
            "meteo_france: 0 stations of the region and the period in MENSQ_29.csv.gz, none",
        ),
        ({"highest": 50}, "meteo_france: 0 stations"),
        ({"base": ["2022-01", "2022-02"]}, "meteo_france: base ['2022-01', '2022-02']: split: the training"),
        ({"base": ["2021-01", "2021-01"]}, "has no training value in calendar month 2"),
    ):
        assert message in fails(good_file, **change)


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "MENSQ_29.csv.gz"
    path.write_bytes(gzip.compress(b"\n" * (30 << 20)))
    assert "bytes unpack to" in fails(path)


def test_a_published_file(real_data):
    """A line of the file of Paris, by hand: Montsouris in January 2020."""
    result, _ = load(real_data / "meteo_france_monthly/MENSQ_75_previous-1950-2022.csv.gz", coverage=0.9)
    assert result.site.tolist() == ["75114001"]
    assert result.value[result.time == np.datetime64("2020-01-01")].tolist() == [[7.1]]


def test_published_files_take_the_place_of_a_grid_not_there(tmp_path, project):
    """In the folder of Berkeley Earth's file, as cells, labelled as what they stand for."""
    settings = loading.read(project / "config")["datasets"]["berkeley_france"]
    settings |= {"period": ["2021-01", "2021-03"], "train": ["2021-01", "2021-02"]}
    settings["extract_as"] |= {"base": None, "period": ["2021-01", "2021-03"]}
    write(tmp_path, *rows(BREST, 7, 8, 9), *rows(MILLAU, 2, 3, 4))
    write(tmp_path, *rows(NICE, 9, 10, 11), name="MENSQ_06.csv.gz")

    def grid():
        files = raw_files.present(tmp_path, datasets.patterns(settings))
        listed = [{"path": str(path), "sha256": raw_files.digest(path), "bytes": 0} for path in files]
        return datasets.grid("berkeley_france", settings, {"source": "real", "files": listed})[0]

    cells = grid()
    assert len(cells.site) == 3 and cells.attrs["substitute"] == "Météo-France for Berkeley Earth"
    assert "MENSQ_06.csv.gz" in cells.attrs["source_files"]
    datasets.make("berkeley_earth").write_standin(tmp_path)
    settings |= {"period": ["1963-04", "1970-03"]}
    found = grid()
    assert "substitute" not in found.attrs and "MENSQ" not in found.attrs["source_files"]
