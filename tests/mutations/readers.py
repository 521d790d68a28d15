"""Simple readers, written apart from the project's: what a raw file says, if it says anything.

Each returns (times as text, site ids, values, positions if there are any) by the rules that
data/raw/README.md states, and raises whatever it likes on a file that it cannot read.
"""

import csv
import gzip
import io
import math
import re
import statistics
import zipfile
from collections import Counter, defaultdict
from datetime import datetime, timedelta

import netCDF4
import numpy as np

PPB = {"parts per million": 1000, "ppm": 1000, "parts per billion": 1, "ppb": 1}


def ozone(folder, settings):
    rows = []
    for path in sorted(folder.iterdir()):
        for text in _texts(path):
            table = csv.reader(io.StringIO(text, newline=""))
            header = [name.strip().lower().replace("_", " ") for name in next(table)]
            for cells in table:
                if cells:
                    assert len(cells) == len(header), "a short or long row"
                    rows.append({k: v.strip() for k, v in zip(header, cells, strict=True)})
    best = {}
    for row in rows:
        state = row.get("state name", row.get("state", ""))
        if settings["state"] and state.lower() != settings["state"].lower():
            continue
        value = row.get("1st max value", row.get("daily max 8-hour ozone concentration"))
        if value == "" or not row.get("sample duration", "8-HR").upper().startswith("8-HR"):
            continue
        ppb = float(value) * PPB[row.get("units of measure", row.get("units")).lower()]
        site = row.get("site id", row.get("aqs site id"))
        if site is None:
            parts = ("state code", 2), ("county code", 3), ("site num", 4)
            site = "".join(_code(row[name], width) for name, width in parts)
        day = _day(row.get("date local", row.get("date")))
        years = re.findall(r"\b(?:19|20)\d\d\b", row.get("pollutant standard", ""))
        rank = (
            row.get("event type", "").lower() in ("excluded", "events excluded"),
            row.get("source", "").lower() == "airnow",
            -max(map(int, years), default=0),
            int(float(row["poc"])),
        )
        key = day, _code(site, 9)
        assert math.isfinite(ppb) and 0 <= ppb <= 500
        lat, lon = (float(row.get(f"site {n}", row.get(n))) for n in ("latitude", "longitude"))
        assert abs(lat) <= 90 and abs(lon) <= 180
        if key not in best or rank < best[key][0]:
            best[key] = rank, ppb, (lat, lon)
    days = sorted({day for day, _ in best})
    counts = Counter(site for _, site in best)
    sites = sorted(s for s, n in counts.items() if n >= settings["coverage"] * len(days))
    days = [day for day in days if any((day, site) in best for site in sites)]
    value = [[best.get((day, site), (0, math.nan))[1] for site in sites] for day in days]
    places = [
        Counter(best[d, s][2] for d, s in sorted(best) if s == site).most_common(1)[0][0] for site in sites
    ]
    return [str(day) for day in days], sites, np.array(value, dtype=float), np.array(places)


def intel_readings(folder, settings):
    data = next(path for path in folder.iterdir() if path.name.startswith("data.txt"))
    content = gzip.decompress(data.read_bytes()) if data.suffix == ".gz" else data.read_bytes()
    first, last = (datetime.fromisoformat(day) for day in settings["period"])
    width = settings["bin_minutes"]
    bins = int((last - first).days + 1) * 1440 // width
    found = defaultdict(list)
    for line in content.decode("ascii").splitlines():
        parts = line.split()
        if line.startswith("# STAND-IN") or len(parts) < 8:
            continue
        assert len(parts) == 8
        day = datetime.strptime(parts[0], "%Y-%m-%d")
        mote = int(parts[3])
        if not 1 <= mote <= 54 or not first <= day <= last:
            continue
        clock = datetime.strptime(parts[1].partition(".")[0], "%H:%M:%S")
        numbers = [float(text) for text in parts[4:]]
        assert all(map(math.isfinite, numbers))
        low, high = settings["plausible"]
        if low <= numbers[0] <= high and numbers[3] >= settings["least_voltage"]:
            minute = (day - first).days * 1440 + clock.hour * 60 + clock.minute
            found[mote, minute // width].append(numbers[0])
    counts = Counter(mote for mote, _ in found)
    motes = sorted(mote for mote, n in counts.items() if n >= settings["coverage"] * bins)
    assert motes, "no mote left"
    places = [line.split() for line in (folder / "mote_locs.txt").read_bytes().decode("ascii").split("\n")]
    places = {int(p[0]): (float(p[2]), float(p[1])) for p in places if p and p[0] != "#"}
    assert all(mote in places for mote in counts)
    times = [str(first + timedelta(minutes=width * row))[:16] for row in range(bins)]
    value = [
        [statistics.fmean(found[m, row]) if (m, row) in found else math.nan for m in motes]
        for row in range(bins)
    ]
    found = np.array([places[mote] for mote in motes])
    return times, [str(mote) for mote in motes], np.array(value), found


def intel_matrices(folder, settings):
    parts = []
    for name in ("intelTemperatureTrain.csv", "intelTemperatureTest.csv"):
        text = (folder / name).read_bytes().decode("utf-8-sig")
        rows = [line.split(",") for line in re.split(r"\r\n|\r|\n", text) if line]
        parts.append(np.array([[float(_bare(cell)) for cell in row] for row in rows]))
    value = np.hstack(parts).T
    low, high = settings["plausible"]
    assert np.isfinite(value).all() and value.min() >= low and value.max() <= high
    first = datetime.fromisoformat(settings["period"][0])
    times = [str(first + timedelta(minutes=30 * row))[:16] for row in range(len(value))]
    return times, [f"row {n}" for n in range(1, value.shape[1] + 1)], value


def freeway(folder, settings):
    text = (folder / "los_speed.csv").read_bytes().decode("utf-8-sig")
    rows = [line.split(",") for line in re.split(r"\r\n|\r|\n", text) if line]
    sites = [_bare(cell).strip() for cell in rows[0]]
    value = np.array([[float(_bare(c)) if _bare(c).strip() else 0.0 for c in r] for r in rows[1:]])
    assert np.isfinite(value).all() and value.min() >= 0 and value.max() <= 150
    text = next(_texts(folder / "graph_sensor_locations.csv"))
    table = list(csv.DictReader(io.StringIO(text, newline=None)))
    places = {r["sensor_id"].strip(): (float(r["latitude"]), float(r["longitude"])) for r in table}
    assert set(places) == set(sites) and len(places) == len(table)
    first = datetime.fromisoformat(settings["first_day"])
    times, kept = [], []
    for row in range(len(value)):
        moment = first + timedelta(minutes=5 * row)
        if 360 <= moment.hour * 60 + moment.minute < 360 + 5 * settings["window_steps"]:
            times.append(str(moment)[:16])
            kept.append(value[row])
    value = np.array(kept)
    found = np.array([places[site] for site in sites])
    return times, sites, np.where(value == 0, np.nan, value), found


def berkeley(folder, settings):
    west, south, east, north = settings["region"]
    with netCDF4.Dataset(next(folder.glob("*.nc"))) as file:
        lat, lon = (np.asarray(file[name][:], dtype=float) for name in ("latitude", "longitude"))
        lon = (lon + 180) % 360 - 180
        years = np.asarray(file["time"][:], dtype=float)
        assert len(set(lat)) == len(lat) and len(set(lon)) == len(lon)
        order = sorted(
            (float(lat[i]), float(lon[j]), i, j)
            for i in np.flatnonzero((lat >= south) & (lat <= north))
            for j in np.flatnonzero((lon >= west) & (lon <= east))
        )
        months = [f"{int(y)}-{int((y - int(y)) * 12) + 1:02d}-01" for y in years.tolist()]
        first, last = (f"{month}-01" for month in settings["period"])
        rows = [row for row, month in enumerate(months) if first <= month <= last]
        assert [months[row] for row in rows] == sorted({months[row] for row in rows})
        top, left = (min(cell[k] for cell in order) for k in (2, 3))
        box = [slice(low, max(cell[k] for cell in order) + 1) for k, low in ((2, top), (3, left))]
        land = np.ma.filled(file["land_mask"][*box].astype(float), np.nan)
        block = file["temperature"][rows[0] : rows[-1] + 1, *box]
        block = np.ma.filled(np.ma.asarray(block).astype(float), np.nan)
        block[np.abs(block) > 9e36] = np.nan  # the fill value of the NetCDF library
    sites, columns = [], []
    for y, x, i, j in order:
        column, dry = block[:, i - top, j - left], land[i - top, j - left] >= 0.5
        if dry and np.isfinite(column).mean() >= settings["coverage"]:
            sites.append(f"{abs(y):.6g}{'NS'[y < 0]}_{abs(x):.6g}{'EW'[x < 0]}")
            columns.append(column)
    value = np.array(columns).T
    assert not (np.abs(value) > 60).any()
    return [months[row] for row in rows], sites, value


def meteo_france(folder, settings):
    found, places = {}, {}
    for path in sorted(folder.iterdir()):
        for row in csv.DictReader(
            io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8-sig"), newline=None), delimiter=";"
        ):
            assert None not in row and None not in row.values(), "a short or long row"
            if row["TM"].strip():
                key = row["AAAAMM"].strip(), row["NUM_POSTE"].strip()
                value = float(row["TM"])
                assert key not in found and -40 <= value <= 45
                found[key] = value
                places.setdefault(key[1], {})[key[0]] = float(row["LAT"]), float(row["LON"])
    months = sorted({month for month, _ in found})
    counts = Counter(station for _, station in found)
    sites = sorted(s for s, n in counts.items() if n >= settings["coverage"] * len(months))
    last = {site: places[site][max(places[site])] for site in sites}
    sites = [site for site in sites if 41 <= last[site][0] <= 51.5 and -5.5 <= last[site][1] <= 10]
    months = [month for month in months if any((month, site) in found for site in sites)]
    value = [[found.get((month, site), math.nan) for site in sites] for month in months]
    times = [f"{month[:4]}-{month[4:]}-01" for month in months]
    return times, sites, np.array(value, dtype=float), np.array([last[site] for site in sites])


def _texts(path):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.lower().endswith(".csv"):
                    yield archive.read(name).decode("utf-8-sig", "replace")
    elif path.suffix == ".csv":
        yield path.read_bytes().decode("utf-8-sig", "replace")


def _bare(cell):
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _code(text, width):
    digits = text[:-2] if text.endswith(".0") else text
    assert digits.isascii() and digits.isdigit()
    return digits.zfill(width)


def _day(text):
    month = "%m/%d/%Y" if "/" in text else "%Y-%m-%d"
    return datetime.strptime(text, month).date()
