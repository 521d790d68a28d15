"""The canonical field: its file, its projection, and where its data come from."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from test_splits import daily

from tvgp.study import datasets
from tvgp.study.data import raw_files
from tvgp.study.data.field import Field, coordinates, elapsed, projection_error, read_field, write_field


def test_field_file_round_trip_is_exact_and_repeatable(tmp_path):
    field = daily(5)
    field.value[2, 1] = np.nan
    for name in ("one.nc", "two.nc"):
        write_field(tmp_path / name, field)
    assert (tmp_path / "one.nc").read_bytes() == (tmp_path / "two.nc").read_bytes()
    back = read_field(tmp_path / "one.nc")
    np.testing.assert_array_equal(back.value, field.value)
    np.testing.assert_array_equal(back.time, field.time)
    assert back.site.tolist() == ["a", "b"] and back.attrs == field.attrs


def test_xarray_reads_a_field_file(tmp_path):
    xarray = pytest.importorskip("xarray")
    write_field(tmp_path / "field.nc", daily(5))
    with xarray.open_dataset(tmp_path / "field.nc") as data:
        assert str(data.time.values[0])[:10] == "2021-01-01"
        assert data.attrs["kernel_coordinates"] == "km" and set(data.coords) >= {"lat", "lon"}


def test_projection_is_right_within_one_percent():
    lat, lon = np.array([40.7, 42.9]), np.array([-74.0, -78.9])
    x = coordinates(lat, lon, "km")
    p, q = np.radians(lat), np.radians(lon)
    haversine = np.sin((p[1] - p[0]) / 2) ** 2
    haversine += np.cos(p[0]) * np.cos(p[1]) * np.sin((q[1] - q[0]) / 2) ** 2
    distance = 2 * 6371.0088 * np.arcsin(np.sqrt(haversine))
    assert np.linalg.norm(x[1] - x[0]) == pytest.approx(distance, rel=0.01)
    with pytest.raises(ValueError, match="km, degrees"):
        coordinates(lat, lon, "miles")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(
    lon=st.lists(st.floats(-15, 15), min_size=2, max_size=9),
    middle=st.sampled_from([0.0, 100.0, 179.0, 180.0, -180.0, 355.0]),
    turns=st.lists(st.integers(-1, 1), min_size=9, max_size=9),
)
def test_full_turns_of_longitude_change_no_distance(lon, middle, turns):
    lat = np.linspace(40, 50, len(lon))
    expected = pdist(coordinates(lat, np.array(lon), "km"))
    moved = np.array(lon) + middle + 360.0 * np.array(turns[: len(lon)])
    assert pdist(coordinates(lat, moved, "km")) == pytest.approx(expected, abs=1e-6)


def test_the_error_of_a_flat_map():
    """Two sites along the parallel of 50 degrees, projected with the cosine of the mean; on the sphere
    they are nearer than along the parallel, by 4e-6 of the way."""
    lat, lon = np.array([50.0, 50.0, 40.0]), np.array([359.5, 0.5, 0.0])
    mean = np.cos(np.radians(lat.mean())) / np.cos(np.radians(50.0))
    assert projection_error(lat, lon) == pytest.approx(mean - 1, rel=1e-3)
    assert projection_error(lat[:2], lon[:2]) < 1e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": np.array(["2021-01-02", "2021-01-01"], "M8[D]")}, "increase strictly"),
        ({"site": np.array(["a", "a"])}, "duplicate site id"),
        ({"value": np.full((2, 2), np.inf)}, "infinite value"),
        ({"value": np.zeros((3, 2))}, "expected .times, sites"),
        ({"lat": np.array([np.nan, 0.0])}, "not a number"),
    ],
)
def test_parts_that_do_not_fit(change, message):
    good = daily(2)
    parts = {name: getattr(good, name) for name in ("value", "time", "site", "lat", "lon", "attrs")}
    with pytest.raises(ValueError, match=message):
        Field(**(parts | change))


def test_a_file_that_is_not_a_field_is_refused(tmp_path):
    (tmp_path / "field.nc").write_text("<html>")
    with pytest.raises(ValueError, match="field.nc: damaged"):
        read_field(tmp_path / "field.nc")


def test_a_standin_among_real_files_does_not_pass_for_real(tmp_path):
    settings = {"loader": "ozone", "raw": "x", "coordinates": "km", "years": [2021]}
    files = datasets.configured(settings).write_standin(tmp_path)
    manifest = {"source": "real", "files": [raw_files.entry(path) for path in files]}
    field, _ = datasets.grid("ozone", settings, manifest)
    assert field.attrs["source"] == "standin" and field.attrs["coordinates"] == "km"
    listed = json.loads(field.attrs["source_files"])
    assert listed[0]["name"] == "daily_44201_2021.zip" and len(listed[0]["sha256"]) == 64


@pytest.mark.parametrize(
    ("times", "frequency", "expected"),
    [
        (["2020-12-30", "2020-12-31", "2023-01-28", "2023-01-29"], "day", [1, 2, 760, 761]),
        (["2020-01-01", "2020-02-01", "2020-03-01", "2021-03-01"], "month", [1, 2, 3, 15]),
        (["2020-01-15", "2020-02-14", "2020-04-16"], "month", [1, 2, 4]),
        (["2020-01-01", "2020-01-08", "2020-01-29"], "week", [1, 2, 5]),
        (["2004-03-01T06:00", "2004-03-01T06:30", "2004-03-02T06:00"], "30 minutes", [1, 2, 49]),
        (["2012-03-01T06:00", "2012-03-01T06:05"], "5 minutes within a daily window", [1, 2]),
    ],
)
def test_time_is_counted_in_steps_through_gaps(times, frequency, expected):
    time = np.array(times, dtype="datetime64[m]" if "T" in times[0] else "datetime64[D]")
    value = np.zeros((len(time), 1))
    field = Field(value, time, np.array(["a"]), np.zeros(1), np.zeros(1), {"frequency": frequency})
    assert elapsed(field).tolist() == expected


@pytest.mark.parametrize(
    ("days", "frequency", "fault"),
    [
        ([0, 1], "", "frequency is '', expected a step of time"),
        ([0, 1], "fortnight", "frequency is 'fortnight'"),
        ([0, 10], "month", "not one per step of its frequency, month"),
        ([0, 10], "week", "not one per step"),
    ],
)
def test_times_that_are_not_steps_are_refused(days, frequency, fault):
    field = daily(2)
    object.__setattr__(field, "time", field.time[0] + np.array(days))
    field.attrs["frequency"] = frequency
    with pytest.raises(ValueError, match=fault):
        elapsed(field)
