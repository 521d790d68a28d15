"""`tvgp add-data`: what it guesses, what it writes, and that the overlay is a valid study."""

import argparse
import datetime
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.command import add_data
from tvgp.study.config import jobs, loading, strict_yaml, validation, your_data
from tvgp.study.data import raw_files
from tvgp.study.data.splits import split
from tvgp.study.datasets.tabular import guess_times, names
from tvgp.study.results import readings

SITES = [f"S{k:02d}" for k in range(6)]
DEFINITIONS = loading.read(Path(__file__).parents[4] / "config")


@pytest.fixture(scope="module")
def checkout(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(project / "config", folder / "config")
    return folder


def add(checkout, capsys, *arguments):
    """Run the command in a copy of the checkout; the study that it makes, and what it prints."""
    parser = argparse.ArgumentParser()
    add_data.add_arguments(parser)
    given = parser.parse_args([*map(str, arguments), "--folder", str(checkout)])
    assert add_data.main(given) == 0
    name = given.name
    overlay = checkout / "config" / f"{name}.yaml"
    config = loading.overlaid(DEFINITIONS, [overlay], {})
    overlay.unlink()  # other tests read the folder
    return config, capsys.readouterr().out


def field_of(checkout, config, name):
    settings = config["datasets"][name]
    loader = datasets.configured(settings)
    folder = checkout / settings["raw"]
    field, _ = loader.load(sorted(path for path in folder.iterdir()))
    return field, split(field, **datasets.split_settings(settings))


def places(path, x="lon", y="lat", size=1.0):
    rows = [f"{site},{45 + size * k},{size * (k % 3)},{10 * k}" for k, site in enumerate(SITES)]
    path.write_text("\n".join([f"station,{y},{x},elevation", *rows]) + "\n")
    return path


def monthly(path):
    """Long; year and month apart; 62 % missing; negative; a marker for no value; another column."""
    rng = np.random.default_rng(3)
    rows = ["station,year,month,tavg,flag"]
    for site in SITES:
        for month in range(240):
            if rng.random() < 0.4:
                value = -999.9 if rng.random() < 0.05 else round(10 * np.sin(month / 2) + rng.normal(), 1)
                rows.append(f"{site},{1990 + month // 12},{month % 12 + 1},{value},ok")
    path.write_text("\n".join(rows) + "\n")
    return path


def daily(path):
    """Wide, whole numbers with ties, every twentieth day without a line."""
    rng = np.random.default_rng(4)
    days = np.arange("2021-01-01", "2021-04-01", dtype="datetime64[D]")
    rows = ["date," + ",".join(SITES)]
    for k, day in enumerate(days):
        if k % 20 != 7:
            rows.append(f"{day}," + ",".join(map(str, rng.integers(20, 26, len(SITES)))))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_monthly_temperatures(checkout, tmp_path, capsys):
    config, said = add(
        checkout,
        capsys,
        monthly(tmp_path / "t.csv"),
        places(tmp_path / "s.csv"),
        "--name",
        "t",
        "--units",
        "degC",
        "--title",
        "Air in the hills",
    )
    own, experiment = config["datasets"]["t"], config["experiments"]["t"]
    assert (own["time"], own["site"], own["value"]) == (["year", "month"], "station", "tavg")
    assert own["missing"] == ["-999.9"] and own["step"] == "month" and own["coordinates"] == "km"
    assert experiment["round_label"] == "month" and experiment["units"] == "degC"
    assert experiment["title"] == "Air in the hills"
    field, (train, test) = field_of(checkout, config, "t")
    assert field.value.shape[1] == 6 and -20 < np.nanmin(field.value) < 0
    assert 0.5 < np.isnan(field.value).mean() < 0.7
    assert len(train.time) == round(len(field.time) / 3)
    assert "6 sites" in said and "tvgp run t" in said


def test_values_without_positions_use_the_empirical_kernel(checkout, tmp_path, capsys):
    config, said = add(checkout, capsys, daily(tmp_path / "o.csv"), "--name", "o")
    experiment = config["experiments"]["o"]
    assert config["datasets"]["o"]["coordinates"] == "index" and experiment["model"]["kernel"] == "empirical"
    assert "positions: none" in said
    assert set(jobs.tuned_variants(config, "o")) == set(readings.TUNED.values())


def test_smaller_is_better_on_a_plan_of_the_site(checkout, tmp_path, capsys):
    sites = places(tmp_path / "s.csv", "x", "y")
    config, said = add(checkout, capsys, daily(tmp_path / "p.csv"), sites, "--name", "p", "--minimise")
    assert config["datasets"]["p"]["coordinates"] == "xy"
    field, _ = field_of(checkout, config, "p")
    assert field.value.max() == -20 and "values 20 to 25" in said and "smallest is best" in said


def test_the_overlay_is_a_whole_study_of_its_own(checkout, tmp_path, capsys, schema):
    config, _ = add(checkout, capsys, daily(tmp_path / "v.csv"), places(tmp_path / "s.csv"), "--name", "mine")
    validation.check(config, schema)
    assert (config["results"], config["resources"]) == ("results/mine", "resources/mine")
    assert jobs.selected(config, "experiments") == ["mine"] and jobs.selected(config, "analyses") == []
    published = {
        definition["algorithm"]
        for name, definition in config["policies"].items()
        if name in jobs.variants(config, "mine")
    }
    league = strict_yaml.read(checkout / "config" / "league.yaml")["selection"]["policies"]
    assert published >= {config["policies"][name]["algorithm"] for name in league} - {"best_fixed_arm"}
    assert published >= {"yesterdays_best", "preference_order", "prior_order", "oracle"}
    assert "ozone" in config["policies"]["yesterdays_best"]["experiments"]
    stems = [product.stem for drawing in jobs.drawings(config) for product in drawing.products]
    assert "figures/mine/average_regret" in stems and "tables/regret" in stems


def test_keys_of_the_overlay_come_last(definitions, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "your_data: {name: mine, latitude: lat, longitude: lon, seeds: 3}\n"
        "experiments: {mine: {horizon: 50}}\nresults: results/other\n"
    )
    config = loading.overlaid(definitions, [tmp_path / "mine.yaml"], {})
    assert config["experiments"]["mine"]["horizon"] == 50 and config["experiments"]["mine"]["seeds"] == 3
    assert config["results"] == "results/other" and "your_data" not in config


@pytest.mark.parametrize("places", ["", ", latitude: lat, longitude: lon"])
def test_numbers_of_readings_are_chosen_in_training(definitions, tmp_path, places):
    (tmp_path / "mine.yaml").write_text(f"your_data: {{name: mine, price: 0.5{places}}}\n")
    config = loading.overlaid(definitions, [tmp_path / "mine.yaml"], {})
    tuned = [name for name in jobs.tuned_variants(config, "mine") if name in readings.TUNED.values()]
    assert tuned == list(readings.TUNED.values())
    for moment, name in readings.TUNED.items():
        job = jobs.tune_job(config, "mine", name)
        assert (job.price, job.days, job.run.queries) == (0.5, None, moment)
        played = map(readings.number, jobs.variants(config, "mine"))
        assert set(job.grid) == {number for number in played if number is not None}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("your_data: 5", "your_data: expected a mapping with a key name"),
        ("your_data: {units: K}", "your_data: expected a mapping with a key name"),
        ("your_data: {name: ozone}", "your_data.name: 'ozone' is one of the study's own experiments"),
        ("your_data: {name: mine, colour: red}", "datasets.mine: unknown key 'colour'"),
        ("your_data: {name: mine, coverage: x}", "datasets.mine.coverage: 'x' is not a number"),
        ("your_data: {name: mine, seeds: 0}", "experiments.mine.seeds: 0 is less than"),
        ("your_data: {name: a b}", "is not a name"),
        ("your_data: {name: mine, price: -1}", "your_data.price: -1 is not a positive number"),
        ("your_data: {name: mine, price: 1 EUR}", "your_data.price: '1 EUR' is not a positive number"),
        ("your_data: {name: mine, budget: 0}", "your_data.budget: 0 is not a positive number"),
        ("your_data: {name: mine, budget: true}", "your_data.budget: True is not a positive number"),
    ],
)
def test_faults_of_the_overlay(definitions, schema, tmp_path, text, line):
    (tmp_path / "mine.yaml").write_text(text + "\n")
    with pytest.raises(ValueError) as error:
        config = loading.overlaid(definitions, [tmp_path / "mine.yaml"], {})
        validation.check(config, schema)
    assert line in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "arguments", "line"),
    [
        ("when,a\nsoon,1\nlater,2\n", (), "no column of times among when, a"),
        ("date,a,b\n2021-01-01,1,2\nMean,1,2\n", (), "the format of time 'Mean' is not known"),
        ("date,a,b\n1/2/2021,1,2\n2/2/2021,2,3\n", (), "may be %d/%m/%Y or %m/%d/%Y; give --time-format"),
        (
            "date,a,b\n2021-01-01,x,1\n2021-01-02,y,2\n",
            (),
            "'x' in column 'a' is not numeric; a wide table",
        ),
        (
            "date,site,p,q\n2021-01-01,x,1,1\n2021-01-01,y,2,2\n",
            (),
            "which of p, q is the value? give --value",
        ),
        ("date,a,b\n2021-01-01,1,2\n2021-01-02,1,2\n", ("--time", "day"), "no column 'day'; it has date"),
        ("date,a,b\n2021-01-01,1,2\n2021-01-02,1,2\n", (), "2 of the steps (a day) have a value"),
        ("date,a,b\n2021-01-01,1,2\n", (), "1 lines of values; expected a header"),
        (
            "date,a,b\n2021-01-01,1,2\n",
            ("--name", "A b"),
            "your_data.name: 'A b' is not a name; use a-z, 0-9 and _",
        ),
        ("date,a,b\n2021-01-01,1,2\n", ("--name", "quick"), "quick.yaml is not an overlay of your own data"),
        ("date,a,b\n2021-01-01,1,2\n", ("--name", "intel_lab"), "one of the study's own"),
        (
            "date,site,value,unit\n2021-01-01,x,1,ppm\n2021-01-01,y,900,ppb\n2021-01-02,x,1,ppm\n",
            (),
            "column 'unit' has ppb and ppm; convert the values to one unit",
        ),
        ("date,a,b\n2021-01-01,1,2\n", ("--name", "paper"), "'paper' is the papers' whole study"),
        ("date,a,b\n2021-01-01,1,2\n", ("--delimiter", "tab"), "delimiter is 'tab', expected one character"),
        ("date,a,b\n2021-01-01,1,2\n", ("--lines-above", "-1"), "lines_below must be 0 or more"),
        ("date,a,b\n2021-01-01,1,2\n", ("--lines-below", "-1"), "lines_below must be 0 or more"),
        (
            "date,a,b\n2021-01-01,1,2\n2021-01-02,1,2\n",
            ("--layout", "long"),
            "each time is on one line, as where each site has a column; give --layout wide",
        ),
        (
            "date,a,b\n" + "".join(f"2021-01-{d:02d},{d},{d * d % 7}\n" for d in range(1, 31)),
            ("--units", "$/MWh"),
            "'$/MWh' has a $, which marks mathematics in figures; write USD",
        ),
        ("date,a,b\n2021-01-01,1,2\n", ("--price", "nan"), "your_data.price: nan is not a positive number"),
        ("date,a,b\n2021-01-01,1,2\n", ("--budget", "-2"), "your_data.budget: -2.0 is not a positive"),
    ],
)
def test_faults_of_the_files_leave_nothing_behind(checkout, tmp_path, capsys, content, arguments, line):
    (tmp_path / "v.csv").write_text(content)
    before = sorted(checkout.rglob("*"))
    with pytest.raises(ValueError) as error:
        add(checkout, capsys, tmp_path / "v.csv", "--name", "bad", *arguments)
    assert line in str(error.value) and "\n" not in str(error.value)
    assert sorted(checkout.rglob("*")) == before


def test_minutes_may_have_a_column(checkout, tmp_path, capsys):
    rows = [f"2021,1,{1 + k // 96},{k // 4 % 24},{15 * (k % 4)},{k % 7},{k % 5}" for k in range(960)]
    (tmp_path / "v.csv").write_text("\n".join(["year,month,day,hour,minute,a,b", *rows]) + "\n")
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "quarter_hours")
    field, _ = field_of(checkout, config, "quarter_hours")
    assert field.value.shape == (960, 2)
    assert config["datasets"]["quarter_hours"]["step"] == "15 minutes"


@pytest.mark.parametrize(
    ("header", "time"),
    [
        ("YEAR,DOY", ["YEAR", "DOY"]),
        ("YEAR,MO,DY", ["YEAR", "MO", "DY"]),
        ("year,month,day,doy", ["year", "month", "day"]),
    ],
)
def test_positions_name_sites_and_days_may_be_counted(header, time, checkout, tmp_path, capsys):
    """As in the files of NASA POWER: no column of sites, days of the year, or parts of a date in short."""
    rows = [f"LAT,LON,{header},T2M"]
    for lat, lon in ((48.0, 2.0), (48.5, 2.0), (48.0, 2.5)):
        for k in range(60):
            day = datetime.date(2021, 1, 1) + datetime.timedelta(k)
            parts = {"doy": k + 1, "year": 2021, "mo": day.month, "dy": day.day}
            parts |= {"month": day.month, "day": day.day}
            cells = [parts[name] for name in header.lower().split(",")]
            rows.append(",".join(map(str, [lat, lon, *cells, lat + lon * np.sin(k)])))
    (tmp_path / "v.csv").write_text("\n".join(rows) + "\n")
    name = "power_" + "_".join(time).lower()
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", name)
    own = config["datasets"][name]
    assert (own["time"], own["site"]) == (time, ["LAT", "LON"])
    field, _ = field_of(checkout, config, name)
    assert field.value.shape == (60, 3) and field.value[30, 1] == pytest.approx(48.0 + 2.5 * np.sin(30))


def test_events_of_sensors_are_a_long_table(checkout, tmp_path, capsys):
    """Each at a time of its own, as home automation exports them."""
    rows = ["entity_id,state,last_changed"]
    for sensor in range(3):
        for k in range(60):
            state = "unavailable" if k == 7 else f"{sensor + np.sin(k):.2f}"
            clock = f"{1 + k // 24:02}T{k % 24:02}:0{sensor}:{37 * k % 60:02}Z"
            rows.append(f"sensor.room_{sensor},{state},2023-01-{clock}")
    (tmp_path / "v.csv").write_text("\n".join(rows) + "\n")
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "rooms")
    own = config["datasets"]["rooms"]
    assert (own["time"], own["site"], own["value"]) == ("last_changed", "entity_id", "state")
    field, _ = field_of(checkout, config, "rooms")
    assert field.value.shape == (59, 3) and np.isfinite(field.value).all()


def test_words_beside_one_sensor_name_no_sites(checkout, tmp_path, capsys):
    """Words that say something about the values of another column are not of a site."""
    rows = [f"2021-01-{1 + k:02},{np.sin(k)},{np.cos(k)},{'ok' if k % 3 else 'doubtful'}" for k in range(30)]
    (tmp_path / "v.csv").write_text("\n".join(["date,a,b,a_flag", *rows]) + "\n")
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "flags")
    assert config["datasets"]["flags"]["layout"] == "wide"


def test_a_column_of_one_name_is_not_the_sites(checkout, tmp_path, capsys):
    rows = [
        f"temperature,sensor=s{k},{1600000000 + 3600 * t}000000000,{k + np.sin(t)}"
        for t in range(60)
        for k in range(3)
    ]
    (tmp_path / "v.csv").write_text("\n".join(["name,tags,time,value", *rows]) + "\n")
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "influx")
    own = config["datasets"]["influx"]
    assert (own["site"], own["time_format"], own["step"]) == ("tags", "unix nanoseconds", "hour")


def test_two_files_of_one_name_are_refused(checkout, tmp_path, capsys):
    (tmp_path / "other").mkdir()
    values, other = daily(tmp_path / "v.csv"), places(tmp_path / "other" / "v.csv")
    with pytest.raises(ValueError, match="would be kept under the name of .*; rename one of the two"):
        add(checkout, capsys, values, other, "--name", "twice")


def test_sites_of_another_name_are_refused(checkout, tmp_path, capsys):
    values = daily(tmp_path / "v.csv")
    values.write_text(values.read_text().replace("S0", "T0"))
    with pytest.raises(ValueError, match="no column has the names of the sites in the values"):
        add(checkout, capsys, values, places(tmp_path / "s.csv"), "--name", "other")


def test_two_columns_of_names_of_sites_are_asked_for(checkout, tmp_path, capsys):
    """As numbers of stations beside those of the lines."""
    values = daily(tmp_path / "v.csv")
    values.write_text(values.read_text().replace("S0", ""))
    rows = "".join(f"{k},{5 - k},{45 + k},{k % 3}\n" for k in range(6))
    sites = tmp_path / "s.csv"
    sites.write_text(f"line,station,lat,lon\n{rows}")
    with pytest.raises(ValueError, match="'line' and 'station' both have names of sites .* give --site-id"):
        add(checkout, capsys, values, sites, "--name", "twice")
    config, _ = add(checkout, capsys, values, sites, "--name", "twice", "--site-id", "station")
    field, _ = field_of(checkout, config, "twice")
    np.testing.assert_array_equal(field.lat, [50, 49, 48, 47, 46, 45])


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2021-01-01", "2021-01-02 10:00"], None),
        (["2021-03"], None),
        (["2021-Q1", "2021Q4"], None),
        (["2020-W53", "2021-W01"], None),
        (["13/02/2021", "01/02/2021"], "%d/%m/%Y"),
        (["1/13/2021 7:05"], "%m/%d/%Y %H:%M"),
        (["01.02.2021 10:00:30"], "%d.%m.%Y %H:%M:%S"),
        (["20210131"], "%Y%m%d"),
        (["202111"], "%Y%m"),
        (["1609459200"], "unix seconds"),
        (["1609459200000", "1609459200500"], "unix milliseconds"),
        (["1609459200000000"], "unix microseconds"),
        (["1609459200000000000"], "unix nanoseconds"),
        (["2021001", "2021365"], "%Y%j"),
        (["2021 1", "2021 13"], "%Y %j"),
        (["2021 300 5"], "%Y %j %H"),
        (["07/04/2021 12:00:00 AM", "07/13/2021 11:00:00 PM"], "%m/%d/%Y %I:%M:%S %p"),
        (["13.7.2021 1:00pm", "14.7.2021 11:00am"], "%d.%m.%Y %I:%M%p"),
        (["2021 11"], "%Y %m"),
        (["2021 7 23", "2021 7 24"], "%Y %m %d"),  # not an hour 24
        (["2021 7 23 24"], "%Y %m %d %H"),
        (["2021072305", "2021072306"], "%Y%m%d%H"),
        (["2021 7 23 5 15"], "%Y %m %d %H %M"),
    ],
)
def test_time_formats_are_guessed(texts, form):
    assert guess_times.time_format(texts, "line {}".format) == form


@pytest.mark.parametrize(
    ("gap", "step"),
    [
        (31, "minute"),
        (30, "30 seconds"),
        (600, "10 minutes"),
        (3600, "hour"),
        (86400, "day"),
        (604800, "week"),
        (2700, "45 minutes"),
        (4 * 3600, "4 hours"),
        (8 * 86400, "8 days"),
        (10 * 86400, "10 days"),
        (84 * 86400, "12 weeks"),
    ],
)
def test_steps_of_regular_readings_with_gaps(gap, step):
    kept = np.random.default_rng(0).random(400) < 0.6
    times = np.datetime64("2021-01-01", "s") + (gap * np.arange(400)[kept]).astype("timedelta64[s]")
    assert guess_times.step(times, np.zeros(len(times), dtype=int)) == step


@pytest.mark.parametrize(("days", "step"), [(28, "4 weeks"), (30, "30 days"), (364, "52 weeks")])
def test_as_many_days_each_are_no_calendar_months(days, step):
    time = np.datetime64("2001-01-03", "s") + days * np.arange(40) * np.timedelta64(1, "D")
    assert guess_times.step(time, np.zeros(40)) == step


@pytest.mark.parametrize(
    ("months", "step"), [(1, "month"), (2, "2 months"), (3, "3 months"), (6, "6 months"), (12, "year")]
)
def test_steps_of_calendar_months(months, step):
    time = (np.datetime64("2001-01") + months * np.arange(40)).astype("datetime64[s]")
    assert guess_times.step(time, np.zeros(40)) == step


def test_sites_without_training_values_are_excluded_where_needed(checkout, tmp_path, capsys):
    values = daily(tmp_path / "v.csv")
    head, *rows = values.read_text().splitlines()
    late = [",".join([*row.split(",")[:-1], ""]) if k < 30 else row for k, row in enumerate(rows)]
    values.write_text("\n".join([head, *late]) + "\n")
    sites = places(tmp_path / "s.csv")
    plain, _ = add(checkout, capsys, values, sites, "--name", "all", "--coverage", "0.5")
    assert "exclude" not in plain["datasets"]["all"]
    config, said = add(
        checkout, capsys, values, sites, "--name", "some", "--coverage", "0.5", "--anomaly", "site_mean"
    )
    assert config["datasets"]["some"]["exclude"] == [SITES[-1]]
    assert "excluded, too few or equal training values: 1 sites, S05\n" in said
    field, (train, _) = field_of(checkout, config, "some")
    np.testing.assert_allclose(np.nanmean(train.value, axis=0), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--anomaly", "monthly"], "anomaly 'monthly' is not one of: site_mean, site_month, harmonic"),
        (["--anomaly", "harmonic"], "6 of 6 sites cannot be used: split: anomaly harmonic: training spans"),
        (["--plausible", "-0.001", "0.001"], "no value within"),
    ],
)
def test_a_choice_that_leaves_no_site_says_why(checkout, tmp_path, capsys, arguments, line):
    values = daily(tmp_path / "v.csv")
    with pytest.raises(ValueError, match=re.escape(line)):
        add(checkout, capsys, values, "--name", "none", "--coverage", "0.5", *arguments)


def test_constant_values_and_a_time_on_two_lines_have_their_line(checkout, tmp_path, capsys):
    path, days = tmp_path / "v.csv", [f"2021-01-{day:02d}" for day in range(1, 31)]
    path.write_text("time,a,b\n" + "".join(f"{day},3,3\n" for day in days))
    with pytest.raises(ValueError, match="2 of 2 sites cannot be used: site a has no two different training"):
        add(checkout, capsys, path, "--name", "none")
    path.write_text("time,a,b\n" + "".join(f"{day},3,{k}\n" for k, day in enumerate([*days, days[4]])))
    with pytest.raises(
        ValueError,
        match=r"time '2021-01-05' is on two lines; correct it, name the zone of clocks that were put back"
        r" \(--time-zone\), or give --layout wide",
    ):
        add(checkout, capsys, path, "--name", "none")


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_sites_that_are_left_out_are_named_with_the_reason(checkout, tmp_path, capsys, layout):
    rare, empty = [f"r{k}" for k in range(10)], ["e1", "e0"]
    names = [*SITES, *rare, *empty, "astray"]
    cells = [["" if n in empty or n in rare and k else value(k) for n in names] for k in range(30)]
    wide = table(f"time,{','.join(names)}", lambda k: "," + ",".join(cells[k]))
    head, *rows = wide.splitlines()
    lines = [f"{row[:10]},{n},{c}" for row in rows for n, c in zip(names, row.split(",")[1:], strict=True)]
    (tmp_path / "v.csv").write_text(wide if layout == "wide" else "\n".join(["time,site,value", *lines]))
    sites = places(tmp_path / "s.csv")
    sites.write_text(sites.read_text() + "".join(f"{n},46,2,5\n" for n in (*rare, *empty)) + "astray,,,\n")
    given = ["--name", layout, "--coverage", "0.5"]
    config, out = add(checkout, capsys, tmp_path / "v.csv", sites, *given)
    loader, raw = (
        datasets.configured(config["datasets"][layout]),
        checkout / config["datasets"][layout]["raw"],
    )
    described = {item: (count, action) for item, count, action in loader.load([*raw.iterdir()])[1]}
    for item, count, action in (
        ("sites without a position", 1, "left out: astray"),
        ("sites without any value", 2, "left out: e0, e1"),
        (
            "sites dropped",
            10,
            "values in less than 50% of the steps (`coverage`; 0.03 keeps all): r0, r1, r2, r3, r4, r5, r6,"
            " r7 and 2 more",
        ),
    ):
        assert described[item] == (count, action) and f"{item}: {count} ({action})\n" in out


def table(head, cells, times=None):
    """30 daily rows of the cells."""
    times = times or [f"2021-01-{day:02d}" for day in range(1, 31)]
    return "\n".join([head, *(f"{t}{cells(k)}" for k, t in enumerate(times))]) + "\n"


def value(k):
    return f"{(7 * k) % 30 + 0.25:g}"


def test_two_sites_with_few_gaps_are_kept(checkout, tmp_path, capsys):
    cells = [("" if k in (3, 4, 25) else f"{value(k)}") for k in range(30)]
    (tmp_path / "v.csv").write_text(table("time,a,b", lambda k: f",{cells[k]},{k}"))
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "pair")
    assert config["datasets"]["pair"]["coverage"] == 0.9


def test_sites_with_few_gaps_are_all_kept_without_positions(checkout, tmp_path, capsys):
    """Each lacks up to a tenth of its values; half of the sites have .95 of them."""
    gaps = [(), (3,), (4,), (5, 6), (7, 8), (9, 10, 11)]
    cells = lambda k: "".join(f",{'' if k in gaps[i] else (7 * k + i) % 30}" for i in range(6))  # noqa: E731
    (tmp_path / "v.csv").write_text(table("time,a,b,c,d,e,f", cells))
    config, _ = add(checkout, capsys, tmp_path / "v.csv", "--name", "six")
    assert config["datasets"]["six"]["coverage"] == 0.9


def test_sites_at_one_position_are_refused(checkout, tmp_path, capsys):
    (tmp_path / "v.csv").write_text(table("time,a,b", lambda k: f",{value(k)},{k}"))
    (tmp_path / "s.csv").write_text("site,x,y\na,1,2\nb,1,2\n")
    with pytest.raises(ValueError, match="all sites have one position"):
        add(checkout, capsys, tmp_path / "v.csv", tmp_path / "s.csv", "--name", "one")
    assert not (checkout / "config" / "one.yaml").exists()


@pytest.mark.parametrize(
    ("content", "sites", "said"),
    [
        (table(",time,a,b", lambda k: f",{value(k)},{k}").replace("2021", "{k},2021"), "a b", "''"),
        (table("time,doy,a,b", lambda k: f",{k + 1},{value(k)},{k}"), "a b", "'doy'"),
        (table("time,a,b,", lambda k: f",{value(k)},{k},"), "a b", "''"),
        (table("no,time,a,b", lambda k: f",{value(k)},{k}").replace("2021", "{k},2021"), "a b", "'no'"),
        (table("time,id,a,b", lambda k: f",{k + 1},{value(k)},{k}"), "a b", "'id'"),
        (table("time,a,b,Mean,max", lambda k: f",{value(k)},{k},{k / 2},{k}"), "a b", "'Mean', 'max'"),
        (table("time,a,a_qc,b,b_qc", lambda k: f",{value(k)},1,{k},ok"), "a b", "'a_qc', 'b_qc'"),
        (table("time,max,min", lambda k: f",{value(k)},{k}"), "max min", None),
        (table("time,b_n,a", lambda k: f",{value(k)},{k}"), "a b_n", None),
        (table(",a,b", lambda k: f",{value(k)},{k}"), "a b", None),
    ],
)
def test_columns_that_are_no_sites_are_left_out_and_named(checkout, tmp_path, capsys, content, sites, said):
    head, *rows = content.splitlines()
    (tmp_path / "v.csv").write_text(
        "\n".join([head, *(row.replace("{k}", str(k)) for k, row in enumerate(rows))])
    )
    config, out = add(checkout, capsys, tmp_path / "v.csv", "--name", "columns", "--replace")
    assert field_of(checkout, config, "columns")[0].site.tolist() == sites.split()
    assert f"sites: {', '.join(sites.split())}\n" in out
    line = f"columns that are not sites, left out: {said}\n"
    assert line in out if said else "columns that are not sites" not in out


@pytest.mark.parametrize("head", ["time,city,harbour", "time,harbour,station", "time,Location,site_id"])
def test_a_site_called_like_a_column_of_sites_stays_one(checkout, tmp_path, capsys, head):
    path, names = tmp_path / "v.csv", head.split(",")[1:]
    path.write_text(table(head, lambda k: f",{value(k)},{value(k + 1)}"))
    config, _ = add(checkout, capsys, path, "--name", "city", "--replace")
    assert field_of(checkout, config, "city")[0].site.tolist() == sorted(names)
    path.write_text(table(head, lambda k: f",{k % 5},{k % 7}"))
    with pytest.raises(ValueError, match="for one reading per line, else --layout wide"):
        add(checkout, capsys, path, "--name", "city", "--replace")
    config, _ = add(checkout, capsys, path, "--name", "city", "--replace", "--layout", "wide")
    assert field_of(checkout, config, "city")[0].site.tolist() == sorted(names)


def test_numbers_of_sites_that_report_in_turn_are_asked_for(checkout, tmp_path, capsys):
    path = tmp_path / "v.csv"
    path.write_text(table("time,station,rain", lambda k: f",{k % 2},{value(k)}"))
    for given in (["--site", "station"], ["--value", "rain"], ["--layout", "long"]):
        config, _ = add(checkout, capsys, path, "--name", "turn", "--step", "2 days", "--replace", *given)
        assert field_of(checkout, config, "turn")[0].site.tolist() == ["0", "1"]
    with pytest.raises(ValueError, match="give --site station for one reading per line"):
        add(checkout, capsys, path, "--name", "turn", "--replace")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (table("time;a;b", lambda k: f";{k}.020;{k}"), "in column 'a' may be in thousands or a fraction"),
        (
            table("time;a;b", lambda k: f";{k},020;{k}"),
            "give --thousands ',' --decimal ., or --decimal ','",
        ),
        (table("time;a;b", lambda k: f";{900 + k}.020;{k},5"), "is not numeric; a wide table has"),
    ],
)
def test_ambiguous_numbers_are_asked_for(checkout, tmp_path, capsys, content, line):
    (tmp_path / "v.csv").write_text(content.replace(";0", ";1"))
    with pytest.raises(ValueError, match=re.escape(line)):
        add(checkout, capsys, tmp_path / "v.csv", "--name", "signs", "--replace")


def test_marks_for_no_value_are_named(checkout, tmp_path, capsys):
    path = tmp_path / "v.csv"
    path.write_text(table("time,a,b", lambda k: f",{-99 if k == 4 else value(k)},{k}"))
    config, out = add(checkout, capsys, path, "--name", "marks")
    assert "no value where the file has -99\n" in out and config["datasets"]["marks"]["missing"] == ["-99"]
    path.write_text(table("time,a,b", lambda k: f",{-99 if k == 4 else 40 * k - 300},{k}"))
    config, out = add(checkout, capsys, path, "--name", "marks", "--replace")
    assert "values that often mean no value: 1 (-99, kept; name them in `missing` if they do)" in out


def test_offsets_and_equal_readings_are_named(checkout, tmp_path, capsys):
    rows = (
        table("time,site,v", lambda k: f"T00:00+02:00,a,{k}") + table("", lambda k: f"T00:00+02:00,b,{k}")[1:]
    )
    (tmp_path / "v.csv").write_text(rows + "2021-01-30T00:00+02:00,b,29\n")
    _, out = add(checkout, capsys, tmp_path / "v.csv", "--name", "named")
    assert (
        "times with an offset from UTC: 30 (read as UTC)" in out and "same value twice: 1 (kept once)" in out
    )


@pytest.mark.parametrize(
    ("columns", "known"),
    [
        ("Latitude (°N),Longitude (°E)", True),
        ("SITE_LATITUDE,SITE_LONGITUDE", True),
        ("lat [deg],lon [deg]", True),
        ("Latitude (°N),Longitude (°W)", False),
    ],
)
def test_position_columns_are_known_by_name(columns, known):
    assert bool(names.positions(columns.split(","), {})) == known


def test_times_of_a_few_hours_are_found_and_asked_for(checkout, tmp_path, capsys):
    times = [f"0{1 + k // 24}/02/2021 {k % 24:02d}:00" for k in range(40)]
    (tmp_path / "v.csv").write_text(table("Date et heure,a,b", lambda k: f",{value(k)},{k}", times))
    with pytest.raises(ValueError, match="may be %d/%m/%Y %H:%M or %m/%d/%Y %H:%M; give --time-format"):
        add(checkout, capsys, tmp_path / "v.csv", "--name", "hours")


def test_a_season_is_pointed_out(checkout, tmp_path, capsys):
    _, said = add(checkout, capsys, monthly_wave(tmp_path / "w.csv"), "--name", "w")
    assert "a yearly wave makes up 9" in said and "--anomaly harmonic" in said


@pytest.mark.parametrize(
    ("step", "called"),
    [
        ("15 minutes", "15-minute step"),
        ("30 minutes", "half-hour"),
        ("3 months", "3-month step"),
        ("day", "day"),
        ("fortnight", "round"),
    ],
)
def test_rounds_are_called_after_their_step(definitions, schema, step, called):
    config = loading.overlaid(definitions, [], {your_data.KEY: {"name": "own", "step": step}})
    assert config["experiments"]["own"]["round_label"] == called
    if step != "fortnight":
        validation.check(config, schema)


def test_dead_sensors_jumps_and_holes_are_pointed_out(checkout, tmp_path, capsys):
    rng = np.random.default_rng(6)
    values = 20 + rng.normal(size=(90, len(SITES))).cumsum(axis=0) / 4
    days = np.arange("2021-01-01", "2021-04-01", dtype="datetime64[D]")

    def said(values, days=days):
        rows = [f"{day}," + ",".join(f"{v:.2f}" for v in row) for day, row in zip(days, values, strict=True)]
        (tmp_path / "v.csv").write_text("\n".join(["time," + ",".join(SITES), *rows]) + "\n")
        arguments = ("--name", "dead", "--units", "degC", "--replace", "--minimise", "--step", "day")
        return add(checkout, capsys, tmp_path / "v.csv", *arguments)[1]

    plain = said(values)
    for word in ("dead sensor", "change of unit", "no value at all", "the same values"):
        assert word not in plain
    dead = values.copy()
    dead[30:60, 2] = 85
    assert "dead sensor: S02 (85, 30 steps); the key exclude" in said(dead)
    twins = values.copy()
    twins[:, 4] = twins[:, 1]
    assert f"the same values in every step: {SITES[4]} and {SITES[1]}; the key exclude" in said(twins)
    counts = np.random.default_rng(7).poisson(0.7, (90, len(SITES)))  # medians of 0 and 1 in turn
    counts[40:50] += 1
    assert "change of unit" not in said(counts)
    jump = values.copy()
    jump[50:] *= 1.8
    jump[50:] += 32
    assert re.search(
        r"changes by 4\d.* degC at 2021-02-20 and stays there, as after a change of unit", said(jump)
    )
    peak = values.copy()
    peak[50] += 40
    assert "change of unit" not in said(peak)
    kept = np.r_[0:40, 60:90]
    holed = said(values[kept], days[kept])
    assert "70 steps (day)" in holed and "; no value at all in 20 of the steps between" in holed


def monthly_wave(path):
    rng = np.random.default_rng(5)
    rows = ["time," + ",".join(SITES)]
    for month in range(120):
        values = -5 + 10 * np.cos(2 * np.pi * month / 12) + rng.normal(0, 1, len(SITES))
        rows.append(f"{2000 + month // 12}-{month % 12 + 1:02d}," + ",".join(f"{v:.2f}" for v in values))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_flipped_digit_of_added_data_is_refused(checkout, tmp_path, capsys, monkeypatch):
    config, _ = add(checkout, capsys, daily(tmp_path / "values.csv"), "--name", "pinned")
    monkeypatch.chdir(checkout)
    settings, patterns = config["datasets"]["pinned"], datasets.make("table").patterns

    def read():
        return raw_files.obtain(settings, patterns, None, None, None, print)

    assert read()[0] == "real"
    copy = checkout / "data/raw/pinned/values.csv"
    copy.write_text(copy.read_text().replace("1", "2", 1))
    with pytest.raises(ValueError, match="values.csv: its sha256 differs .* restore the file, or correct"):
        read()


def test_replace_spares_files_in_place_and_overlays_of_the_study(checkout, tmp_path, capsys):
    values = daily(tmp_path / "v.csv")
    add(checkout, capsys, values, "--name", "again")
    copy = checkout / "data" / "raw" / "again" / "v.csv"
    add(checkout, capsys, copy, "--name", "again")  # the file is where it belongs
    assert copy.read_bytes() == values.read_bytes()
    with pytest.raises(ValueError, match="v.csv exists; choose another --name, or add --replace"):
        add(checkout, capsys, values, "--name", "again")
    add(checkout, capsys, values, "--name", "again", "--replace")
    with pytest.raises(ValueError, match=r"quick.yaml is not an overlay of your own data"):
        add(checkout, capsys, values, "--name", "quick", "--replace")


def test_replace_keeps_what_no_option_sets(checkout, tmp_path, capsys):
    values, overlay = daily(tmp_path / "v.csv"), checkout / "config" / "kept.yaml"
    parser = argparse.ArgumentParser()
    add_data.add_arguments(parser)
    given = [str(values), "--name", "kept", "--folder", str(checkout)]
    add_data.main(parser.parse_args([*given, "--units", "K"]))
    own = strict_yaml.read(overlay)
    own["your_data"] |= {"train_fraction": 0.25, "exclude": ["S00"]}
    own["experiments"] = {"kept": {"seeds": 2}}
    overlay.write_text(strict_yaml.text(own))
    capsys.readouterr()
    config, said = add(checkout, capsys, *given[:3], "--replace")
    assert config["datasets"]["kept"]["train_fraction"] == 0.25
    assert config["experiments"]["kept"]["seeds"] == 2
    assert "keys that differ from the overlay before: units, exclude" in said


def test_the_document_lists_every_key_and_its_overlay_is_valid(project, definitions, schema, tmp_path):
    page = (project / "docs" / "your_data.md").read_text(encoding="utf-8")
    table = page.split("## Keys")[1].split("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")]
    listed = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert listed >= datasets.parameters("table") | {"name", "horizon", "seeds", "kernel", "anomaly", "train"}
    (tmp_path / "mine.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    config = loading.overlaid(definitions, [tmp_path / "mine.yaml"], {})
    validation.check(config, schema)


def test_a_reading_costs_a_tenth_of_the_spread_unless_told(checkout, tmp_path, capsys, schema):
    values = daily(tmp_path / "v.csv")
    config, said = add(checkout, capsys, values, "--name", "calls", "--units", "K")
    train = field_of(checkout, config, "calls")[1][0].value
    price = float(f"{0.1 * np.std(train, axis=1).mean():.1g}")
    assert f"a reading before the choice costs {price:g} K; --price and --budget change it" in said
    (asking,) = [name for name in jobs.variants(config, "calls") if readings.price(name)]
    assert readings.price(asking) == price
    assert config["policies"][asking]["parameters"] == {"model": "field", "price": price}
    fixed = {f"field_reads_{n}" for n in (1, 2, 3, 5, 10)} | {"field_gp_ucb"}
    assert fixed <= set(jobs.variants(config, "calls"))
    assert "ozone" in config["policies"]["field_reads_1"]["experiments"]
    validation.check(config, schema)


@pytest.mark.parametrize(
    ("arguments", "name", "line"),
    [
        (("--price", "0.125"), "pandora_at_0_125", "costs 0.125"),
        (("--price", "20"), "pandora_at_20_0", "costs 20"),
        (("--budget", "2.5"), "pandora_budget_2_5", "before the choice: 2.5 per step on average"),
    ],
)
def test_a_price_or_a_budget_is_that_of_the_index(checkout, tmp_path, capsys, schema, arguments, name, line):
    config, said = add(
        checkout, capsys, daily(tmp_path / "v.csv"), "--name", "asked", "--replace", *arguments
    )
    assert name in jobs.variants(config, "asked") and line in said
    key = arguments[0].removeprefix("--")
    assert config["policies"][name]["parameters"][key] == float(arguments[1])
    assert config["policies"][name]["queries"] == "before"
    validation.check(config, schema)


def test_without_price_and_budget_no_site_is_read_before(definitions, tmp_path):
    (tmp_path / "mine.yaml").write_text("your_data: {name: mine}\n")
    config = loading.overlaid(definitions, [tmp_path / "mine.yaml"], {})
    assert not [name for name in jobs.variants(config, "mine") if name.startswith(("field", "pandora"))]
