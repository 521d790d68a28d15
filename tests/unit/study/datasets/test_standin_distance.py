"""How far the Berkeley Earth stand-in is from real series, as data/raw/README.md states it."""

import re

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

from tvgp.study import datasets
from tvgp.study.data import regions
from tvgp.study.data.field import coordinates
from tvgp.study.datasets import extracts

FILES = (
    "local/45.81N-5.77E-TAVG-Trend.txt",
    "local/47.42N-5.92E-TAVG-Trend.txt",
    "local/49.03N-2.45E-TAVG-Trend.semicolon.txt",
    "regional/france-europe-TAVG-Trend.txt",
)
CELLS = ((45.5, 5.5), (47.5, 5.5), (49.5, 2.5))
PERIOD = ("1963-04", "2013-08")
MONTHS = np.arange(PERIOD[0], np.datetime64(PERIOD[1]) + 1, dtype="datetime64[M]")
GRID = "berkeley_gridded/france_box_equalarea_2016-09_2019-08.csv"
APART = ((1, 300), (300, 700), (700, 1300))  # km
LINE = re.compile(r"\s*(\d{4})[-\s]+(\d{1,2})[;\s]+(-?[\d.]+)")


def real_series(folder):
    """(605, 4) anomalies at three points and over France."""
    columns = []
    for name in FILES:
        lines = (folder / "berkeley_cities" / name).read_text(encoding="latin-1").splitlines()
        rows = {m[1] + "-" + m[2].zfill(2): float(m[3]) for m in map(LINE.match, lines) if m}
        columns.append([rows[str(month)] for month in MONTHS])
    return np.array(columns).T


def standin_series(folder):
    """(605, 4) anomalies of the stand-in at the nearest cells and over France."""
    box = [-5.0, 41.0, 10.0, 52.0]
    loader = datasets.make("berkeley_earth", region=box, land_fraction=0.01, period=list(PERIOD))
    field, _ = loader.load(loader.write_standin(folder))
    place = {
        position: i for i, position in enumerate(zip(field.lat.tolist(), field.lon.tolist(), strict=True))
    }
    france = regions.inside(field.lon, field.lat, "metropolitan_france")
    points = [field.value[:, place[cell]] for cell in CELLS]
    return np.column_stack([*points, field.value[:, france].mean(axis=1)])


def grid(folder):
    """The real grid: (36, 39) anomalies, latitudes and longitudes."""
    table = pd.read_csv(folder / GRID)
    return table.iloc[:, 2:].to_numpy().T, table["latitude"].to_numpy(), table["longitude"].to_numpy()


def standin_grid(folder, lat, lon):
    """The stand-in at the cells nearest to these points, in the same months."""
    box = [-7.0, 40.0, 12.0, 53.0]
    loader = datasets.make("berkeley_earth", region=box, land_fraction=0, period=["2016-09", "2019-08"])
    field, _ = loader.load(loader.write_standin(folder))
    nearest = [np.argmin(np.hypot(field.lat - y, field.lon - x)) for y, x in zip(lat, lon, strict=True)]
    return field.value[:, nearest]


def grid_rows(values, lat, lon):
    """The numbers of the table on all cells: variance, and correlation by distance."""
    distance = pdist(coordinates(lat, lon, "km"))
    correlation = squareform(np.corrcoef(values.T), checks=False)
    means = [correlation[(low <= distance) & (distance < high)].mean() for low, high in APART]
    return [f"{x:.2f}" for x in (values.var(axis=0).mean(), *means)]


def rows(series):
    """The numbers of the table, in its order."""
    t = MONTHS.astype(int) / 12
    rest = [x - np.polyval(np.polyfit(t, x, 1), t) for x in series.T]
    memory = [np.corrcoef(x[1:], x[:-1])[0, 1] for x in rest]
    late = np.datetime64("1980-01") <= MONTHS
    trend = [10 * np.polyfit(t[late], x[late], 1)[0] for x in series.T]
    c, v = np.corrcoef(series.T), series.var(axis=0)
    between = [c[0, 1], c[0, 2], c[1, 2]]
    return [
        ", ".join(f"{x:.2f}" for x in row)
        for row in (v[:3], v[3:], memory[:3], memory[3:], trend[:3], between)
    ]


def test_the_readme_states_the_distance(project, real_data, tmp_path):
    text = (project / "data/raw/README.md").read_text()
    stated = re.findall(r"^\| (?:variance|correlation|trend)[^|]*\| ([^|]*) \| ([^|]*) \|$", text, re.M)
    real, lat, lon = grid(real_data)
    found = rows(real_series(real_data)) + grid_rows(real, lat, lon)
    ours = rows(standin_series(tmp_path)) + grid_rows(standin_grid(tmp_path, lat, lon), lat, lon)
    assert stated == list(zip(found, ours, strict=True))


def test_the_readme_states_how_close_meteo_france_is(project, real_data, tmp_path):
    """Correlations of the nearest cells, without each calendar month's mean."""
    text = (project / "data/raw/README.md").read_text()
    low, high, number = re.search(r"correlate with\s+(\S+) to (\S+) at (\d+) cells", text).groups()
    real, lat, lon = grid(real_data)
    field, _ = datasets.make("meteo_france", degrees=1, period=["2016-09", "2019-08"]).load(
        extracts.copy("meteo_france", tmp_path)
    )
    inland = regions.inside(lon, lat, "metropolitan_france")
    found = []
    for y, x, series in zip(lat[inland], lon[inland], real.T[inland], strict=True):
        near = (np.abs(field.lat - y) < 1) & (np.abs(field.lon - x) < 1)
        both = np.array([series, field.value[:, near].mean(axis=1)]).reshape(2, 3, 12)
        found.append(np.corrcoef((both - both.mean(axis=1, keepdims=True)).reshape(2, -1))[0, 1])
    assert [f"{min(found):.3f}", f"{max(found):.3f}", str(len(found))] == [low, high, number]
