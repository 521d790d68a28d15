"""Freeway speeds: layouts, the daily window, the choice of sensors, the stand-in, bad files."""

import example_loading
import numpy as np
import pytest

from tvgp.study import datasets

# two intervals of twelve hours a day, the window is the second
SMALL = {"interval_minutes": 720, "window_start": "12:00", "window_steps": 1, "sensors": None}
LOS_ANGELES = "Los Angeles loop detectors for I-880 South"


def write(tmp_path, *lines, name="speed.csv"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return path


def load(*files, **parameters):
    return example_loading.load("freeway_speed", files, **parameters)


def fails(*files, **parameters):
    return example_loading.fails("freeway_speed", files, **parameters)


def test_the_window_of_every_day(tmp_path):
    path = write(tmp_path, "a,b", "1,2", "3,4", "5,6", "7,8")
    result, counts = load(path, **SMALL)
    assert result.value.tolist() == [[3.0, 4.0], [7.0, 8.0]]
    assert [str(t) for t in result.time] == ["2012-03-01T12:00", "2012-03-02T12:00"]
    assert result.site.tolist() == ["a", "b"]
    assert np.isnan(result.lat).all()
    assert "substitute" not in result.attrs
    assert counts["days"] == 2
    assert counts["times outside the window"] == 2


def test_the_other_layout_with_windows_only(tmp_path):
    path = write(tmp_path, "401,1,2,3,4", "402,5,6,7,8")
    parameters = {"layout": "sensors_by_times", "whole_days": False, "window_steps": 2}
    result, _ = load(path, **SMALL | {"interval_minutes": 5} | parameters)
    assert result.site.tolist() == ["401", "402"]
    assert result.value[:, 1].tolist() == [5.0, 6.0, 7.0, 8.0]
    assert [str(t)[5:] for t in result.time] == [
        "03-01T12:00",
        "03-01T12:05",
        "03-02T12:00",
        "03-02T12:05",
    ]


def test_zeros_and_empty_cells_are_gaps(tmp_path):
    path = write(tmp_path, "a,b,c", "1,1,1", "0,,3.5")
    result, counts = load(path, **SMALL)
    np.testing.assert_array_equal(result.value, [[np.nan, np.nan, 3.5]])
    assert counts["missing values"] == 2


def test_sensors_are_chosen_by_seed_and_recorded(tmp_path):
    ids = [str(400 + i) for i in range(30)]
    path = write(tmp_path, ",".join(ids), *[",".join(str(i + 1) for i in range(30))] * 2)
    chosen = [load(path, **SMALL | {"sensors": 5, "sensor_seed": s})[0] for s in (1, 1, 2)]
    assert chosen[0].site.tolist() == chosen[1].site.tolist() != chosen[2].site.tolist()
    # a column goes with its id
    assert chosen[0].value[0].tolist() == [int(name) - 399 for name in chosen[0].site]


def test_positions_come_from_the_sensor_file(tmp_path):
    speeds = write(tmp_path, "a,b", "1,2", "3,4")
    places = write(
        tmp_path,
        "index,sensor_id,latitude,longitude",
        "0,b,34.2,-118.2",
        "1,a,34.1,-118.1",
        name="graph.csv",
    )
    result, _ = load(places, speeds, **SMALL, substitute=LOS_ANGELES)
    assert result.lat.tolist() == [34.1, 34.2]
    assert result.attrs["substitute"] == LOS_ANGELES


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a,b", "1,2", "3"], "speed.csv, line 3: 1 fields, the header has 2"),
        (["a,b", "1,2", "3,4,5"], "speed.csv, line 3: 3 fields, the header has 2"),
        (
            ["a,b", "1,2", "3,4", "5,6"],
            "speed.csv, line 4: day 2 (2012-03-02) is incomplete, 1 times of 2",
        ),
        (["a,a", "1,2", "3,4"], "sensor id 'a' appears more than once"),
        (["a,b", "1,fast", "3,4"], "speed.csv, line 2: speed 'fast', expected 0 to 150 mph"),
        (["a,b", "1,inf", "3,4"], "speed.csv, line 2: speed 'inf', expected 0 to 150 mph"),
        (["a,b", "1,2", "3,-4"], "speed.csv, line 3: speed '-4', expected 0 to 150 mph"),
        (["a,b", "1,2", "3,400"], "speed.csv, line 3: speed '400', expected 0 to 150 mph"),
        (["61.5,62.25", "1,2", "3,4"], "line 1: '61.5' is not a sensor id (header missing"),
        (["a,b"], "no speeds"),
        (["a,\ufffdb", "1,2"], "is not a sensor id"),
        (["a,\x00b", "1,2"], "line 1: control character"),
        ([""], "speed.csv: the file is empty"),
    ],
)
def test_bad_matrices(tmp_path, lines, message):
    assert message in fails(write(tmp_path, *lines), **SMALL)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["sensor_id,latitude,longitude", "a,34,-118"], "speeds of 2 sensors, but graph.csv has 1"),
        (["sensor_id,latitude,longitude", "a,34,-118", "c,34,-118"], "sensor b has no position in"),
        (
            ["sensor_id,latitude,longitude", "a,34,-118", "b,134,-118"],
            "graph.csv, line 3: latitude and longitude are not a pos",
        ),
        (["sensor_id,latitude,longitude", "a,34,-118", "a,34,-118"], "line 3: sensor a has a sec"),
        (["sensor_id,latitude,longitude", "a,34,-118", "b,0,0"], "graph.csv, line 3: position 0, 0"),
        (
            ["sensor_id,latitude,longitude", "a,48,2", "c,48,2", "b,2,48"],
            "sensor b at latitude 2, longitude 48 is far from the others",
        ),
        (["sensor_id,latitude,longitude", "a\x07,34,-118"], "line 2: control character"),
    ],
)
def test_bad_positions(tmp_path, lines, message):
    speeds = write(tmp_path, "a,b", "1,2", "3,4")
    assert message in fails(speeds, write(tmp_path, *lines, name="graph.csv"), **SMALL)


def test_two_matrices_and_odd_parameters(tmp_path):
    path = write(tmp_path, "a,b", "1,2", "3,4")
    other = write(tmp_path, "a,b", "1,2", "3,4", name="other.csv")
    assert "found other.csv, speed.csv; expected one matrix" in fails(path, other, **SMALL)
    for change, message in (
        ({"layout": "wide"}, "layout 'wide' is not one of"),
        ({"interval_minutes": 7}, "expected a divisor of 1440"),
        ({"window_start": "6 am"}, "expected hh:mm"),
        ({"window_start": "06:00"}, "not a multiple of 720 minutes"),
        ({"window_steps": 9}, "do not fit into a day"),
        ({"first_day": "March"}, "is not a date"),
        ({"sensors": 3}, "2 sensors, `sensors` is 3"),
    ):
        assert message in fails(path, **SMALL | change)


def test_the_standin_has_the_format_and_the_mark(tmp_path):
    loader = datasets.make("freeway_speed")
    files = loader.write_standin(tmp_path / "a")
    again = loader.write_standin(tmp_path / "b")
    assert [f.read_bytes() for f in files] == [f.read_bytes() for f in again]
    result, _ = load(*files, substitute=LOS_ANGELES)
    assert result.attrs["source"] == "standin"
    assert "substitute" not in result.attrs
    assert result.value.shape == (7 * 84, 50)
    assert str(result.time[84]) == "2012-03-02T06:00"


def test_the_real_files(real_data):
    folder = real_data / "traffic"
    files = (folder / "los_speed.csv", folder / "graph_sensor_locations.csv")
    result, counts = load(*files, substitute=LOS_ANGELES)
    assert result.value.shape == (7 * 84, 50)
    assert counts["sensors in the file"] == 207
    assert counts["missing values"] == 0
    assert result.attrs["source"] == "real"
    # the first column of the file is sensor 773869, its values at 06:00 are on line 2 + 72
    whole, _ = load(*files, sensors=None)
    lines = files[0].read_text().splitlines()
    assert whole.site[0] == "773869"
    assert whole.value[0].tolist() == [float(x) for x in lines[73].split(",")]
    assert whole.value[84].tolist() == [float(x) for x in lines[73 + 288].split(",")]
