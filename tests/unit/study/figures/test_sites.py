"""The figures of a record before and after the methods: shares of the best site, correlation by lag."""

import example_results
import numpy as np
import pytest
import xarray as xr

from tvgp.fitting import lag_correlations
from tvgp.study import results
from tvgp.study.figures import plays_by_site, readings, sites

FIGURES = ("sites", "plays_by_site")


def test_best_share_counts_only_sites_with_a_value():
    value = np.array([[1.0, 2, np.nan], [3, np.nan, 1], [np.nan] * 3, [0, 0, -1]])
    np.testing.assert_allclose(sites.best_share(value), [2 / 3, 1 / 3, 0])


@pytest.fixture
def record(tmp_path) -> xr.Dataset:
    """60 rounds of ozone with readings, a tenth of them missing."""
    data = xr.load_dataset(example_results.write(tmp_path, "ozone", "real", horizon=60, seeds=2))
    rng = np.random.default_rng(3)
    value = rng.normal(size=(60, data.sizes["arm"])) + np.arange(data.sizes["arm"])
    value[rng.random(value.shape) < 0.1] = np.nan
    data["reading"] = ("round", "arm"), value
    data["time"] = "round", np.datetime_as_string(np.datetime64("2021-01-01") + np.arange(60))
    data["site"] = "arm", [f"site {i}" for i in range(data.sizes["arm"])]
    data["arms"] = 100 * data["arms"]  # as if projected
    return data


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("positions", ["degrees", "none"])
def test_figures_of_sites_with_and_without_positions(record, name, positions):
    if positions == "none":
        record["lat"] *= np.nan
    figure = {"sites": sites, "plays_by_site": plays_by_site}[name].draw(record)
    labels = {axes.get_xlabel() for axes in figure.axes}
    assert ("longitude (°E)" in labels) == (name == "sites" and positions == "degrees")


def test_rows_of_plays_sum_to_one(record, monkeypatch):
    """Where all sites are shown; columns in the order of the first row."""
    monkeypatch.setattr(plays_by_site, "SHOWN", record.sizes["arm"])
    (axes,) = plays_by_site.draw(record).axes
    shares = axes.images[0].get_array()
    assert len(axes.get_yticklabels()) == len(shares) > 1
    assert len(axes.get_xticklabels()) == shares.shape[1] > 16
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (np.diff(shares[0]) <= 0).all()


def test_small_best_values_are_shown_as_measured(record):
    record["reading"].attrs["long_name"] = "minus depth"
    above = readings.draw(record).axes[0]
    *each, best = (line.get_ydata() for line in above.lines)
    np.testing.assert_array_equal(np.column_stack(each), -record.reading)
    np.testing.assert_array_equal(best, -np.nanmax(record.reading, axis=1))
    assert "the smallest (bold)" in readings.caption(record)
    assert "has the smallest reading" in sites.caption(record)
    dots = sites.draw(record).axes[0].collections[1]
    assert dots.get_array().max() == pytest.approx(-np.nanmean(record.reading, axis=0).min())


@pytest.fixture
def holed(record) -> xr.Dataset:
    """The same with a hole of 90 days after round 30."""
    days = np.datetime64("2021-01-01") + np.r_[0:30, 120:150]
    record["time"] = "round", np.datetime_as_string(days)
    return record


@pytest.mark.parametrize(
    ("label", "start", "gap", "expected"),
    [
        ("day", "2021-01-01", 3, 4),  # every third day
        ("3-day step", "2021-01-01", 3, 2),
        ("month", "2021-01", 2, 3),
        ("6-month step", "2021-01", 6, 2),
        ("half-hour", "2021-01-01T00:00", 60, 3),
        ("round", "2021-01-01", 3, 2),
        ("day", "2021-01-01T00:00", 60, 2),  # a label that does not fit
    ],
)
def test_rounds_are_counted_in_steps_of_the_record(record, label, start, gap, expected):
    times = np.datetime64(start) + gap * np.arange(record.sizes["round"])
    record["time"] = "round", np.datetime_as_string(times)
    record.attrs["round_label"] = label
    assert results.elapsed(record)[1] == expected


def test_lines_join_rounds_of_every_third_day(record):
    days = np.datetime64("2021-01-01") + 3 * np.arange(record.sizes["round"])
    record["time"] = "round", np.datetime_as_string(days)
    record.attrs["round_label"] = "day"
    assert results.elapsed(record)[1] == 4
    for line in readings.draw(record).axes[0].lines:
        assert len(line.get_ydata()) == record.sizes["round"]


def test_lines_and_lags_know_holes_of_the_record(holed):
    assert results.elapsed(holed)[[0, 29, 30]].tolist() == [1, 30, 121]
    for line in readings.draw(holed).axes[0].lines:
        assert len(line.get_ydata()) == 61 and np.isnan(line.get_ydata()[30])
    expected = lag_correlations(holed.reading.values, results.elapsed(holed), sites.LAGS, sites.PAIRS)
    shown = sites.draw(holed).axes[1].lines[0].get_ydata()
    np.testing.assert_array_equal(shown, expected)


def test_a_map_across_the_date_line_has_degrees_east(record):
    n = record.sizes["arm"]
    record["lon"] = "arm", np.where(np.arange(n) < n // 2, 178.0, -178.0)
    figure = sites.draw(record)
    figure.draw_without_rendering()
    shown = [float(text.get_text().replace("−", "-")) for text in figure.axes[0].get_xticklabels()]
    assert all(-180 <= each < 180 for each in shown) and max(shown) > 0 > min(shown)
