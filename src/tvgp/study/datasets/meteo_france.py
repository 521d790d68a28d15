"""Météo-France's monthly mean temperatures: one value per station, or per cell, and month, in degree C.

Reads `MENSQ_<department>_<years>.csv.gz` of "Données climatologiques de base - mensuelles", any number of
them, and zip files of the same tables. Of their columns NUM_POSTE, LAT, LON, ALTI, AAAAMM and TM are needed;
QTM, the quality, is heeded where it is there. A station is where its last row says. Files may repeat months,
but must not disagree.

The series are not homogenised: a station that moves leaves a step. Cells of `degrees` average the stations
in them, their anomalies where `base` is given, so that a station that misses a month shifts nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from tvgp.study.data import cells, csv_tables, raw_files, regions
from tvgp.study.data.anomalies import anomalies
from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds, split

PATTERNS = ("MENSQ_*.csv.gz", "MENSQ_*.zip")

COLUMNS = ("NUM_POSTE", "LAT", "LON", "ALTI", "AAAAMM", "TM")
QUALITY, DOUBTFUL = "QTM", "2"
COLDEST, WARMEST = -40.0, 45.0  # degree C, of a month's mean
HIGHEST = 5000.0  # m


@dataclass(frozen=True)
class Parameters:
    """degrees: width of the cells whose stations are averaged, None for stations; highest: altitude in m
    above which stations are left out, None for none; base: [first, last] month of the mean by calendar month
    that is subtracted from each station, None for temperatures; region: a name in `tvgp.study.data.regions`
    or a box, beyond whose limits stations are left out; period: [first, last] month, None for all; coverage:
    least fraction of months in which a station has a value; substitute: the data that these replace, named
    in figures and captions, or None."""

    degrees: float | None = None
    highest: float | None = None
    base: Sequence[str] | None = None
    region: str | Sequence[float] = (-5.5, 41.0, 10.0, 51.5)  # with Ouessant and Bonifacio
    period: Sequence[str] | None = None
    coverage: float = 0.99
    substitute: str | None = None


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """Convert raw files to a monthly field in degree C, with its quality table (item, count, action).

    ValueError, naming file and line, for an invalid table or two values of one station and month; naming the
    selection if no month or no station is left.
    """
    _check(parameters)
    tally: Counter[str] = Counter()
    found = []
    for path in files:
        raw_files.check(path)
        with csv_tables.tables(path, errors="replace") as tables:
            found += [_read(stream, label, tally) for label, stream in tables]
    rows = _one_per_month(pd.concat(found, ignore_index=True), tally)
    rows = _selected(rows, parameters, tally)
    names = ", ".join(sorted(Path(path).name for path in files))
    field = _stations(rows, parameters, tally, names)
    stations = len(field.site)
    if parameters.base is not None:
        try:
            field = anomalies(split(field, train=parameters.base)[0], field, "site_month")[1]
            del field.attrs["anomaly"]  # of the data, not of the split: long_name names it
        except ValueError as error:
            raise ValueError(f"meteo_france: base {list(parameters.base)}: {error}") from None
    if parameters.degrees is not None:
        field = _averaged(field, parameters.degrees)
    months = field.time.astype("datetime64[M]").astype(int)
    return field, [
        ("raw files", len(files), "read"),
        ("values read", tally["read"], "checked"),
        ("doubtful values", tally["doubtful"], f"{QUALITY} {DOUBTFUL}, left out"),
        ("same value in two files", tally["again"], "kept once"),
        ("values outside the period", tally["outside"], "left out"),
        ("stations outside the region", tally["abroad"], "left out"),
        ("stations too high", tally["high"], f"above {parameters.highest or HIGHEST:g} m, left out"),
        ("stations dropped", tally["sparse"], "too few months"),
        ("stations kept", stations, f"value in at least {parameters.coverage:.0%} of months"),
        ("sites", len(field.site), "cells of stations" if parameters.degrees else "stations"),
        ("months", len(months), f"{str(field.time[0])[:7]} to {str(field.time[-1])[:7]}"),
        ("months without any value", int(np.ptp(months)) + 1 - len(months), "not a round of the study"),
        ("missing site-months", int(np.isnan(field.value).sum()), "arm not available that month"),
    ]


def _check(parameters: Parameters) -> None:
    if not 0 < parameters.coverage <= 1:
        raise ValueError(f"meteo_france: coverage is {parameters.coverage}, must lie in (0, 1]")
    if parameters.degrees is not None and not 0 < parameters.degrees <= 10:
        raise ValueError(f"meteo_france: degrees is {parameters.degrees}, must lie in (0, 10]")
    regions.bounds(parameters.region, "meteo_france")


def _read(stream: TextIO, label: str, tally: Counter) -> pd.DataFrame:
    """The values of one table, each checked: station, month, TM, LAT, LON, ALTI, file and line."""
    records = csv_tables.records(stream, label, delimiter=";")
    header = [name.strip() for name in next(records, (1, []))[1]]
    wanted = (*COLUMNS, QUALITY) if QUALITY in header else COLUMNS
    index = cells.columns(header, wanted, label, ";".join(COLUMNS))
    rows = [
        (line, *(row[i].strip() for i in index.values())) for line, row in records if row[index["TM"]].strip()
    ]
    text = pd.DataFrame(rows, columns=["line", *index], dtype=object).set_index("line")
    tally["read"] += len(text)
    refuse = partial(cells.refuse, table=text, label=label)
    station, month = text["NUM_POSTE"], text["AAAAMM"]
    refuse(~station.str.fullmatch("[0-9]{8}"), fault="NUM_POSTE {NUM_POSTE!r} is not a code of 8 digits")
    dated = month.str.fullmatch("(1[7-9]|20)[0-9]{2}(0[1-9]|1[0-2])")
    refuse(~dated, fault="AAAAMM {AAAAMM!r} is not a year and month in 1700-2099")
    mean, lat, lon, high = cells.numbers(text[["TM", "LAT", "LON", "ALTI"]]).T
    limits = f"expected {COLDEST:g} to {WARMEST:g} degree C"
    refuse(~((mean >= COLDEST) & (mean <= WARMEST)), fault=f"TM {{TM!r}}, {limits}")
    on_earth = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    refuse(~on_earth, fault="LAT {LAT!r}, LON {LON!r} is not a position on Earth")
    refuse(~(np.abs(high) <= HIGHEST), fault="ALTI {ALTI!r} is not an altitude in m")
    doubtful = (text[QUALITY] == DOUBTFUL).to_numpy() if QUALITY in text else np.zeros(len(text), bool)
    tally["doubtful"] += int(doubtful.sum())
    time = cells.each(month, lambda name: np.datetime64(f"{name[:4]}-{name[4:]}", "D"), "datetime64[D]")
    columns = {"station": station, "month": time, "TM": mean, "lat": lat, "lon": lon, "high": high}
    return pd.DataFrame(columns | {"file": label, "line": text.index})[~doubtful]


def _one_per_month(rows: pd.DataFrame, tally: Counter) -> pd.DataFrame:
    """One row per station and month, in order. ValueError for two in one file, or two values."""
    rows = rows.sort_values(["station", "month", "file", "line"], ignore_index=True)
    before = rows.shift()
    again = (rows["station"] == before["station"]) & (rows["month"] == before["month"])
    wrong = again & ((rows["file"] == before["file"]) | (rows["TM"] != before["TM"]))
    for index in np.flatnonzero(wrong)[:1]:
        row, first = rows.loc[index], rows.loc[index - 1]
        raise ValueError(
            f"{row['file']}, line {row['line']}: station {row['station']} has a second value for"
            f" {row['month']:%Y-%m}, {row['TM']:g}; see {first['file']}, line {first['line']}:"
            f" {first['TM']:g}"
        )
    tally["again"] = int(again.sum())
    return rows[~again]


def _selected(rows: pd.DataFrame, parameters: Parameters, tally: Counter) -> pd.DataFrame:
    """The rows of the stations in the region, not too high, within the period."""
    if parameters.period is not None:
        first, last = period_bounds(parameters.period, "meteo_france period")
        inside = rows["month"].between(first, last)
        tally["outside"] = int((~inside).sum())
        rows = rows[inside]
    places = rows.groupby("station")[["lat", "lon", "high"]].transform("last")
    west, south, east, north = regions.bounds(parameters.region)
    here = places["lat"].between(south, north) & places["lon"].between(west, east)
    low = places["high"] <= (HIGHEST if parameters.highest is None else parameters.highest)
    tally["abroad"] = rows["station"][~here].nunique()
    tally["high"] = rows["station"][here & ~low].nunique()
    return rows.assign(lat=places["lat"], lon=places["lon"])[here & low]


def _stations(rows: pd.DataFrame, parameters: Parameters, tally: Counter, names: str) -> Field:
    """Monthly temperatures of the stations with enough values."""
    value = rows.pivot(index="month", columns="station", values="TM")
    share = value.notna().mean()
    kept = value.loc[:, share >= parameters.coverage].dropna(how="all")
    if kept.empty:
        raise ValueError(
            f"meteo_france: {len(share)} stations of the region and the period in {names}, none with a value"
            f" in {parameters.coverage:.0%} of {len(value)} months; change `coverage`, `period` or `highest`"
        )
    tally["sparse"] = len(share) - kept.shape[1]
    lat, lon = rows.groupby("station")[["lat", "lon"]].last().loc[kept.columns].to_numpy().T
    anomaly = "" if parameters.base is None else f" anomaly against {' to '.join(parameters.base)}"
    attrs = {
        "title": "Météo-France monthly mean temperatures",
        "units": "degree C",
        "long_name": f"monthly mean temperature{anomaly}",
        "frequency": "month",
        "licence": "Licence Ouverte 2.0 (Etalab), as a third party's documentation states",
        "citation": "Source: Météo-France, Données climatologiques de base - mensuelles, data.gouv.fr",
        "source": "real",
    }
    if parameters.substitute:
        attrs["substitute"] = parameters.substitute
    time, sites = kept.index.to_numpy("datetime64[D]"), kept.columns.to_numpy(str)
    return Field(kept.to_numpy(), time, sites, lat, lon, attrs)


def _averaged(field: Field, degrees: float) -> Field:
    """Means over the stations in each cell, south to north and west to east; sites are the cells' centres."""
    corner = np.floor(np.stack([field.lat, field.lon], axis=1) / degrees)
    places, cell = np.unique(corner, axis=0, return_inverse=True)
    lat, lon = ((places + 0.5) * degrees).T
    value = pd.DataFrame(field.value.T).groupby(cell.ravel()).mean().to_numpy().T
    sites = [regions.place(*where) for where in zip(lat, lon, strict=True)]
    return Field(value, field.time, np.array(sites), lat, lon, field.attrs)
