"""EPA ozone: every real layout, the rule for repeats, and the stand-in."""

import csv
import zipfile
from collections import Counter

import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.datasets.standins import ozone as standin

HEAD_18 = (
    "Date,AQS_SITE_ID,POC,Daily Max 8-hour Ozone Concentration,UNITS,DAILY_AQI_VALUE,"
    "DAILY_OBS_COUNT,PERCENT_COMPLETE,AQS_PARAMETER_CODE,AQS_PARAMETER_DESC,CBSA_CODE,CBSA_NAME,"
    "STATE_CODE,STATE,COUNTY_CODE,COUNTY,SITE_LATITUDE,SITE_LONGITUDE"
)
HEAD_20 = HEAD_18.replace("Date,AQS_SITE_ID", "Date,Source,Site ID").replace(
    "VALUE,DAILY_OBS", "VALUE,Site Name,DAILY_OBS"
)
HEAD_21 = (
    "Date,Source,Site ID,POC,Daily Max 8-hour Ozone Concentration,Units,Daily AQI Value,"
    "Local Site Name,Daily Obs Count,Percent Complete,AQS Parameter Code,"
    "AQS Parameter Description,Method Code,CBSA Code,CBSA Name,State FIPS Code,State,"
    "County FIPS Code,County,Site Latitude,Site Longitude"
)


def row(head, day="01/01/2020", site="010010001", value="0.040", **other):
    """One line under one of the headers above."""
    cells = {
        "date": day,
        "site id": site,
        "aqs site id": site,
        "poc": "1",
        "units": "ppm",
        "daily max 8-hour ozone concentration": value,
        "aqs parameter code": "44201",
        "state": "Alabama",
        "site latitude": "34.1",
        "site longitude": "-86.2",
        "source": "AQS",
    } | {key.replace("_", " "): text for key, text in other.items()}
    return ",".join(cells.get(name.lower().replace("_", " "), "") for name in head.split(","))


def load(tmp_path, *tables, **parameters):
    """The field and quality counts of tables given as (header, rows...) tuples."""
    files = []
    for number, lines in enumerate(tables):
        files.append(tmp_path / f"table{number}.csv")
        files[-1].write_text("\n".join(lines) + "\n")
    loader = datasets.make("ozone", **({"state": "Alabama", "coverage": 0.01} | parameters))
    field, quality = loader.load(files)
    return field, {item: count for item, count, _ in quality}


@pytest.mark.parametrize("head", [HEAD_18, HEAD_20, HEAD_21])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_header_generation_and_line_end(tmp_path, head, end):
    path = tmp_path / "ozone.csv"
    path.write_bytes(end.join([head, row(head), row(head, day="1/3/2020", site="10010001")]).encode())
    field, quality = datasets.make("ozone", state="alabama", coverage=0.5).load([path])
    assert field.site.tolist() == ["010010001"]  # the lost leading zero is back
    assert field.value.tolist() == [[40.0], [40.0]]
    assert [str(day) for day in field.time] == ["2020-01-01", "2020-01-03"]
    assert dict((q[0], q[1]) for q in quality)["days without any value"] == 1


def test_repeats_are_resolved_by_the_stated_rule(tmp_path):
    h = HEAD_20
    field, counts = load(
        tmp_path,
        (
            h,
            row(h, value="0.050", source="AirNow"),
            row(h, value="0.040", poc="2"),
            row(h, value="0.041"),
        ),
        (h, row(h, value="0.041")),
    )
    assert field.value.tolist() == [[41.0]]
    assert counts["AirNow repeats of AQS values"] == 1
    assert counts["repeats of a higher POC"] == 1
    assert counts["same value in two files"] == 1


def test_same_instrument_twice_is_an_error_naming_both_lines(tmp_path):
    h = HEAD_20
    with pytest.raises(ValueError, match=r"table0.csv, line 3: site 010010001 .* line 2"):
        load(tmp_path, (h, row(h), row(h)))
    with pytest.raises(ValueError, match=r"table1.csv, line 2: .*table0.csv, line 2"):
        load(tmp_path, (h, row(h)), (h, row(h, value="0.07")))


def test_ppb_and_ppm_meet_in_ppb(tmp_path):
    h = HEAD_20
    field, _ = load(tmp_path, (h, row(h), row(h, day="01/02/2020", value="41", units="ppb")))
    assert field.value.ravel().tolist() == [40.0, 41.0]


def test_coverage_drops_sites_and_period_drops_days(tmp_path):
    h = HEAD_18
    days = [f"01/{d:02d}/2020" for d in range(1, 11)]
    lines = [row(h, day=d) for d in days] + [row(h, day=d, site="010010002") for d in days[:5]]
    field, counts = load(tmp_path, (h, *lines), coverage=0.6)
    assert field.site.tolist() == ["010010001"] and counts["sites dropped"] == 1
    field, counts = load(tmp_path, (h, *lines), coverage=0.6, period=["2020-01-01", "2020-01-05"])
    assert field.value.shape == (5, 2) and counts["rows outside the period"] == 5


def test_events_are_included_and_other_averages_left_out(tmp_path):
    cells = dict.fromkeys(standin.HEADER, "") | {
        "State Code": "01",
        "County Code": "001",
        "Site Num": "0001",
        "Parameter Code": "44201",
        "POC": "1",
        "Latitude": "34.1",
        "Longitude": "-86.2",
        "State Name": "Alabama",
        "Sample Duration": "8-HR RUN AVG BEGIN HOUR",
        "Pollutant Standard": "Ozone 8-hour 2015",
        "Date Local": "2020-07-01",
        "Units of Measure": "Parts per million",
    }
    variants = [
        {"Event Type": "Excluded", "1st Max Value": "0.060"},
        {"Event Type": "Included", "1st Max Value": "0.090"},
        {"Event Type": "Included", "1st Max Value": "0.089", "Pollutant Standard": "Ozone 2008"},
        {"Event Type": "None", "1st Max Value": "0.099", "Sample Duration": "1 HOUR"},
    ]
    lines = [",".join(standin.HEADER)]
    lines += [",".join((cells | change).values()) for change in variants]
    field, counts = load(tmp_path, lines)
    assert field.value.tolist() == [[90.0]]
    assert counts["repeats without exceptional events"] == 1
    assert counts["repeats under an older standard"] == 1
    assert counts["rows of other averaging times"] == 1


def test_files_without_rows_of_the_state_change_nothing(tmp_path):
    h = HEAD_20
    other, own = row(h, state="Ohio"), (h, row(h), row(h, day="01/02/2020", value="0.05"))
    field, counts = load(tmp_path, (h, other), own, (h,))
    assert field.value.tolist() == [[40.0], [50.0]] and field.value.dtype == float
    assert counts["rows read"] == 3 and counts["rows of other states"] == 1


REAL = "epa_daily/download_daily"


def test_real_new_york_2023(real_data):
    field, quality = datasets.make("ozone").load([real_data / REAL / "ozone_NY_2023.csv"])
    assert field.value.shape == (287, 28) and np.isfinite(field.value).sum() == 7707
    assert (str(field.time[0]), str(field.time[-1])) == ("2023-01-01", "2023-10-14")
    assert 38 < np.nanmean(field.value) < 42 and field.attrs["source"] == "real"


def test_real_north_carolina_two_years(real_data):
    files = [real_data / REAL / f"ozone_NC_{year}.csv" for year in (2019, 2020)]
    field, quality = datasets.make("ozone", state="North Carolina", coverage=0.6).load(files)
    assert field.value.shape == (730, 38)
    assert np.isfinite(field.value).sum() == 10592 + 9976


def test_real_illinois_has_two_instruments(real_data):
    loader = datasets.make("ozone", state="Illinois")
    field, quality = loader.load([real_data / REAL / "ozone_IL_2000_multi_poc.csv"])
    assert np.isfinite(field.value).sum() == 415 - 142
    assert ("repeats of a higher POC", 142, "left out") in quality


def test_real_bronx_and_airdata_sample(real_data):
    bronx = real_data / REAL / "ozone_NY_bronx_360050133_2018.csv"
    assert np.isfinite(datasets.make("ozone").load([bronx])[0].value).sum() == 362
    sample = real_data / "epa_daily/airdata/daily_44201_2021_sample.csv"
    field, _ = datasets.make("ozone", state="Alabama").load([sample])
    assert field.site.tolist() == ["010499991"]
    assert field.value.ravel().tolist() == [32.0, 29.0, 37.0, 39.0, 33.0]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("standin")
    loader = datasets.make("ozone", years=[2021, 2022])
    files = loader.write_standin(folder)
    return files, *loader.load(files)


def test_standin_has_the_real_format_and_says_what_it_is(made_up, tmp_path):
    files, field, _ = made_up
    assert [file.name for file in files] == ["daily_44201_2021.zip", "daily_44201_2022.zip"]
    with zipfile.ZipFile(files[0]) as archive:
        assert b"STAND-IN" in archive.comment
        text = archive.read("daily_44201_2021.csv").decode()
    rows = list(csv.reader(text.splitlines()))
    assert len(rows[0]) == 29 and all(row[22].startswith("STAND-IN") for row in rows[1:])
    assert text.splitlines()[1].startswith('"36","001","9001","44201",1,42.65,')
    assert Counter(row[13] for row in rows[1:]).keys() == {"None", "Included", "Excluded"}
    assert {row[24] for row in rows[1:]} == {"New York", "New Jersey"}
    assert field.attrs["source"] == "standin"
    again = datasets.make("ozone", years=[2021]).write_standin(tmp_path)
    assert again[0].read_bytes() == files[0].read_bytes()


def test_standin_is_physically_plausible(made_up):
    _, field, _ = made_up
    value, month = field.value, field.time.astype("datetime64[M]").astype(int) % 12
    assert value.shape[0] == 730 and 25 <= value.shape[1] <= 30
    assert 30 < np.nanmean(value) < 45 and 8 < np.nanstd(value) < 14
    assert np.nanmean(value[month == 5]) > np.nanmean(value[month == 0]) + 8
    centred = np.ma.masked_invalid(value - np.nanmean(value, axis=0))
    lag = np.ma.corrcoef(centred[1:, 0], centred[:-1, 0])[0, 1]
    near = np.ma.corrcoef(centred[:, 1], centred[:, 2])[0, 1]  # both in the Bronx
    far = np.ma.corrcoef(centred[:, 1], centred[:, 4])[0, 1]  # Bronx and the far west
    assert 0.4 < lag < 0.8 and near > 0.8 and 0.3 < far < near
    weekend = (field.time.astype(int) + 3) % 7 >= 5
    urban, rural = field.site.tolist().index("360059001"), field.site.tolist().index("360319001")
    gain = [np.nanmean(value[weekend, s]) - np.nanmean(value[~weekend, s]) for s in (urban, rural)]
    assert gain[0] > gain[1] + 1


def test_standin_is_of_new_york_only(tmp_path):
    with pytest.raises(ValueError, match="no stand-in for 'Ohio'"):
        datasets.make("ozone", state="Ohio").write_standin(tmp_path)


def test_unknown_parameter_names_the_known_ones():
    with pytest.raises(ValueError, match="no parameter 'covrage'; it has: coverage, "):
        datasets.configured({"loader": "ozone", "raw": "x", "covrage": 1})


def test_sites_without_a_position_are_left_out_by_name(tmp_path):
    """EPA writes "." for a position it does not know, as in files of the year 2000."""
    unknown = {"site_latitude": ".", "site_longitude": "."}
    lines = (
        row(HEAD_20),
        row(HEAD_20, site="010010002", site_name="Old Mill", **unknown),
        row(HEAD_20, site="010010003"),
        row(HEAD_20, site="010010003", day="01/02/2020", **unknown),  # known by its other row
    )
    field, counts = load(tmp_path, (HEAD_20, *lines))
    assert field.site.tolist() == ["010010001", "010010003"] and counts["sites without a position"] == 1
    _, quality = datasets.make("ozone", state="Alabama", coverage=0.01).load([tmp_path / "table0.csv"])
    assert ("sites without a position", 1, "left out: 010010002 Old Mill") in quality
    with pytest.raises(ValueError, match="no site in table0.csv has a position"):
        load(tmp_path, (HEAD_20, row(HEAD_20, **unknown)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"site_latitude": "-86.2", "site_longitude": "34.1"}, "latitude -86.2, longitude 34.1 is not in"),
        ({"site_latitude": "0", "site_longitude": "0"}, "latitude 0, longitude 0 is not in"),
        ({"day": "01/01/2098"}, "date 01/01/2098 lies outside"),
        ({"source": "AQ\x1bS"}, r"line 2: control character '\\x1b'"),
        ({"state": "Ala\x00bama"}, r"line 2: control character '\\x00'"),
    ],
)
def test_positions_dates_and_characters_that_cannot_be(tmp_path, cells, message):
    with pytest.raises(ValueError, match=message):
        load(tmp_path, (HEAD_20, row(HEAD_20, **cells)))
