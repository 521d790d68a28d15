"""Names of columns that say what a column holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

WHOLE = "time date datetime date_time timestamp dt date_local datum valid_time".split()
TIME = [*WHOLE, "day", "month", "year"]
DATE = "date date_local datum fecha data".split()
CLOCK = "time uhrzeit zeit hora heure ora time_local".split()
HOUR, START = "hour hr hour_ending stunde".split(), "start start_time from von".split()
MINUTE = "minute minuten".split()  # min may be a minimum
WITHIN_YEAR = "week weeknum quarter".split()
YEAR, YEARDAY = ("year", "yr"), ("doy", "day_of_year")  # of times in columns of their own
PARTS, SHORT_PARTS = ("month", "day", "hour", "minute"), ("mo", "dy", "hr")  # MO alone may be Missouri
SITE = (
    "site site_id station station_id sensor sensor_id aqs_site_id station_code device_id device dev_eui"
    " node_id id name city mote location"
).split()
CODES = (("state_code",), ("county_code",), ("site_num", "site_number"))  # of AirData's daily files
UNITS = ("units_of_measure", "units", "unit")  # column beside the values
EPA = re.compile(r"daily (max|mean) .*concentration$", re.IGNORECASE)  # its value, among counts and indices
UNIT = re.compile(r"(?<![:\s])\s*(\([^()\[\]]+\)|\[[^()\[\]]+\])$")  # (degC) after a name, no place after :
# Texts in brackets that are units, unlike names of places.
KNOWN = re.compile(r"°.*|deg ?[CFK]|%|pp[bmt]v?|[kMGT]Wh?|[hk]Pa|mbar|[cm]m|(k?m|.?g|EUR|€)/\w+[²³]?")
VALUE = ("value", "values", "reading", "measurement", "mean", "arithmetic_mean", "observation")
_OVER_SITES = re.compile("(mean|average|avg|median|min|minimum|max|maximum|sum|total|std|sd)", re.IGNORECASE)
_BESIDE_SITE = re.compile("(.+)[ _.-](flags?|qc|qa|quality|status|count|n|error|std|sd)", re.IGNORECASE)
_LATITUDE = ("latitude", "lat", "northing_deg", "site_latitude", "station_latitude")
_LONGITUDE = ("longitude", "lon", "lng", "long", "site_longitude", "station_longitude")
_DEGREES = re.compile(r" ?[(\[](decimal )?(°|deg|degrees?)?[ _]?([ne]|north|east)?[)\]]$")
_X, _Y = ("x", "easting", "utm_x"), ("y", "northing", "utm_y")


def named(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The name that comes first in `wanted`, whatever its case, whether it has _, - or spaces, and with or
    without the unit of degrees north or east."""
    plain = {re.sub(r"[ -]+", "_", _DEGREES.sub("", name.strip().lower())): name for name in reversed(names)}
    return next((plain[name] for name in wanted if name in plain), None)


def positions(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, str]:
    """latitude and longitude, or x and y, among the columns; nothing where there are none."""
    for a, b, first, second in (("latitude", "longitude", _LATITUDE, _LONGITUDE), ("x", "y", _X, _Y)):
        pair = given.get(a) or named(names, first), given.get(b) or named(names, second)
        if all(pair):
            return {a: str(pair[0]), b: str(pair[1])}
    return {}


def derived(header: Sequence[str]) -> set[int]:
    """Columns of a wide table that are named after a statistic over its sites, or after what is told about
    the values of another column, such as `a_flag` beside `a`."""
    plain = [UNIT.sub("", name) for name in header]
    known, beside = set(plain), [_BESIDE_SITE.fullmatch(name) for name in plain]
    return {
        i
        for i, (name, told) in enumerate(zip(plain, beside, strict=True))
        if _OVER_SITES.fullmatch(name) or told and told[1] in known
    }
