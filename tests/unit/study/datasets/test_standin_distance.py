"""How far the Berkeley Earth stand-in is from real series, as data/raw/README.md states it."""

import re

import numpy as np

from tvgp.study import datasets
from tvgp.study.data import regions

FILES = (
    "local/45.81N-5.77E-TAVG-Trend.txt",
    "local/47.42N-5.92E-TAVG-Trend.txt",
    "local/49.03N-2.45E-TAVG-Trend.semicolon.txt",
    "regional/france-europe-TAVG-Trend.txt",
)
CELLS = ((45.5, 5.5), (47.5, 5.5), (49.5, 2.5))
PERIOD = ("1963-04", "2013-08")
MONTHS = np.arange(PERIOD[0], np.datetime64(PERIOD[1]) + 1, dtype="datetime64[M]")
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
    assert stated == list(zip(rows(real_series(real_data)), rows(standin_series(tmp_path)), strict=True))
