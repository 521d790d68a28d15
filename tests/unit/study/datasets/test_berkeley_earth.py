"""Berkeley Earth: decimal years, windows of any grid, joined files, and the stand-in."""

import example_loading
import netCDF4
import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.data import regions
from tvgp.study.datasets import berkeley_earth
from tvgp.study.datasets.berkeley_earth import months_of

BOX = [0.0, 44.0, 4.0, 48.0]  # 4 x 4 cells of one degree


def write(path, years=(2000, 2001), step=1.0, down=False, east=False, mask=True, change=None):
    """A global file in the real layout; `change(file)` makes it special before it is closed."""
    lat = np.arange(-90 + step / 2, 90, step)[:: -1 if down else 1]
    lon = np.arange(-180 + step / 2, 180, step) + (180 if east else 0)
    months = np.arange(years[0] * 12, years[1] * 12 + 12)
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", len(months)), ("latitude", len(lat)), ("longitude", len(lon))):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",))[:] = months // 12 + (months % 12 + 0.5) / 12
        file.createVariable("latitude", "f4", ("latitude",))[:] = lat
        file.createVariable("longitude", "f4", ("longitude",))[:] = lon
        if mask:
            land = file.createVariable("land_mask", "f8", ("latitude", "longitude"))
            land[:] = np.where((lon + 180) % 360 - 180 < 3, 1.0, 0.25) * np.ones((len(lat), 1))
        variable = file.createVariable(
            "temperature",
            "f4",
            ("time", "latitude", "longitude"),
            fill_value=np.nan,
            zlib=True,
            chunksizes=(len(months), 10, 10),
        )
        variable.setncatts({"units": "degree C", "valid_min": -50.0, "valid_max": 50.0})
        # A number that tells month, row and column: only the window is filled, as in a thin record
        around = [(lon + 180) % 360 - 180 > -10, (lon + 180) % 360 - 180 < 10]
        columns, rows = (
            np.flatnonzero(np.all(around, axis=0)),
            np.flatnonzero((lat > 40) & (lat < 60)),
        )
        west = ((lon[columns] + 180) % 360) - 180
        for column, degree in zip(columns, west, strict=True):
            cell = lat[rows] / 10 + degree / 100
            variable[:, rows, column] = (months % 12)[:, None] / 10 + cell[None, :]
        if change:
            change(file)
    return path


def load(*files, **parameters):
    return example_loading.load("berkeley_earth", files, **({"region": BOX} | parameters))


def test_month_of_every_decimal_year_since_1850():
    number = np.arange(1850 * 12, 2026 * 12)
    years = number // 12 + (number % 12 + 0.5) / 12
    np.testing.assert_array_equal(months_of(years, "file"), number - 1970 * 12)
    wrong = np.round((years - np.floor(years)) * 12).astype(int) != number % 12 + 1
    assert 0.3 < wrong.mean() < 0.7  # what rounding would do


@pytest.mark.parametrize(
    ("years", "message"),
    [
        ([2000.5, np.nan], r"time\[1\] is not a number"),
        ([2000.0], "boundary of two months"),
        ([2000.0417, 2000.0417], "2000-01, occurs twice"),
        ([2000.125, 2000.0417], "2000-01, is out of order"),
        ([730000.5], "decimal years"),
    ],
)
def test_times_that_are_not_decimal_years(years, message):
    with pytest.raises(ValueError, match=message):
        months_of(np.array(years), "file")


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("east", [False, True])
def test_window_is_the_same_on_every_grid(tmp_path, down, east):
    path = write(tmp_path / "a.nc", down=down, east=east)
    field, counts = load(path, region=[-2.0, 44.0, 4.0, 48.0])
    assert counts["cells in the region"] == 24 and counts["sea cells"] == 4
    assert field.value.shape == (24, 20)
    expected = (np.arange(24) % 12)[:, None] / 10 + field.lat / 10 + field.lon / 100
    np.testing.assert_allclose(field.value, expected, atol=1e-5)
    assert field.site[0] == "44.5N_1.5W" and str(field.time[0]) == "2000-01-01"


def test_quarter_degree_file(tmp_path):
    field, _ = load(write(tmp_path / "a.nc", years=(2000, 2000), step=0.25))
    assert field.value.shape == (12, 12 * 16)


def test_decade_files_are_joined_and_may_overlap(tmp_path):
    one = write(tmp_path / "a.nc", years=(2000, 2001))
    two = write(tmp_path / "b.nc", years=(2001, 2003))
    field, counts = load(two, one, period=["2000-06", "2002-02"])
    assert field.value.shape[0] == 21 and counts["months in two files"] == 12
    assert (str(field.time[0]), str(field.time[-1])) == ("2000-06-01", "2002-02-01")

    def warmer(file):
        file["temperature"][3, 130:140, 180:190] = 9.0

    write(tmp_path / "b.nc", years=(2001, 2003), change=warmer)
    with pytest.raises(ValueError, match=r"b.nc: 2001-04 differs from .*a.nc; keep only one"):
        load(one, two)
    write(tmp_path / "b.nc", years=(2002, 2003), step=0.5)
    with pytest.raises(ValueError, match="not on the same grid"):
        load(one, two)


def test_missing_and_invalid_values_are_gaps(tmp_path):
    def gaps(file):
        file["temperature"][5, 134, 180] = np.nan  # 44.5 N, 0.5 E
        file["temperature"][:, 135, 180] = np.nan  # never measured
        file["temperature"][7, 136, 180] = 55.0  # beyond valid_max
        del file["temperature"].units

    path = write(tmp_path / "a.nc", change=gaps)
    field, counts = load(path)
    assert len(field.site) == 9 and counts["cells dropped"] == 3
    field, counts = load(path, coverage=0.9)
    assert len(field.site) == 11 and counts["missing cell-months"] == 2
    assert counts["values outside the file's valid range"] == 1


def test_without_land_mask(tmp_path):
    path = write(tmp_path / "a.nc", mask=False)
    with pytest.raises(ValueError, match="a.nc: no variable 'land_mask'; set land_fraction: 0"):
        load(path)
    assert load(path, land_fraction=0)[0].value.shape[1] == 16


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"period": ["1990-01", "2000-12"]}, "a.nc covers 2000-01 to 2001-12; change `period`"),
        ({"period": ["1990-01", "1991-12"]}, "a.nc covers 2000-01 to 2001-12; change `period`"),
        ({"region": [60, 10, 70, 20]}, "no cell of .* is left of 100 in the region"),
        ({"region": "atlantis"}, "neither one of metropolitan_france nor a box"),
        ({"land_fraction": 2}, "land_fraction is 2"),
    ],
)
def test_empty_selections(tmp_path, parameters, message):
    with pytest.raises(ValueError, match=message) as error:
        load(write(tmp_path / "a.nc"), **parameters)
    assert "\n" not in str(error.value)


def test_only_the_window_is_read(tmp_path, monkeypatch):
    """A global file at full resolution must not be read whole."""
    path, sizes, block = write(tmp_path / "a.nc", step=0.5), [], berkeley_earth._block

    def counted(*arguments):
        sizes.append(block(*arguments).size)
        return block(*arguments)

    monkeypatch.setattr(berkeley_earth, "_block", counted)
    load(path)
    assert max(sizes) == 24 * 8 * 8


def test_outline_of_france():
    names = {  # longitude, latitude, inside
        "Paris": (2.35, 48.86, True),
        "Brest": (-4.3, 48.4, True),
        "Nice": (7.2, 43.75, True),
        "Lille": (3.06, 50.63, True),
        "Toulouse": (1.44, 43.6, True),
        "Ajaccio": (8.8, 41.95, True),
        "London": (0.1, 51.5, False),
        "Lausanne": (6.63, 46.52, False),
        "Turin": (7.7, 45.07, False),
        "Barcelona": (2.2, 41.4, False),
        "Brussels": (4.35, 50.85, False),
        "Sea": (-4.0, 46.0, False),
        "Freiburg": (7.9, 48.0, False),
        "Elba": (10.3, 42.8, False),
    }
    for name, (lon, lat, expected) in names.items():
        found = regions.inside(np.array([lon]), np.array([lat]), "metropolitan_france")
        assert bool(found[0]) == expected, name
    lon, lat = np.meshgrid(np.arange(-6, 11, 0.1), np.arange(41, 52, 0.1))
    area = np.sum(regions.inside(lon, lat, "metropolitan_france") * np.cos(np.radians(lat)))
    assert area * 11.12**2 == pytest.approx(552_000, rel=0.04)  # km2, IGN


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    loader = datasets.make("berkeley_earth", period=["1963-04", "2025-10"])
    files = loader.write_standin(tmp_path_factory.mktemp("standin"))
    return files[0], loader.load(files)[0]


def test_standin_has_the_real_format_and_says_what_it_is(made_up, tmp_path):
    path, field = made_up
    with netCDF4.Dataset(path) as file:
        assert file["temperature"].shape[1:] == (180, 360) and "STAND-IN" in file.title
        assert file["temperature"].dimensions == ("time", "latitude", "longitude")
        assert file["climatology"].dimensions == ("month_number", "latitude", "longitude")
        assert set(file["temperature"].ncattrs()) >= {"valid_min", "valid_max", "units"}
    assert field.attrs["source"] == "standin" and path.stat().st_size < 5e6
    again = datasets.make("berkeley_earth").write_standin(tmp_path)
    assert again[0].read_bytes() == path.read_bytes()


def test_standin_is_physically_plausible(made_up):
    _, field = made_up
    assert field.value.shape[0] == 751 and 55 <= field.value.shape[1] <= 70
    year = field.time.astype("datetime64[Y]").astype(int) + 1970
    month = field.time.astype("datetime64[M]").astype(int) % 12
    warming = field.value[year >= 2015].mean() - field.value[year < 1980].mean()
    assert 0.8 < warming < 2.5
    assert field.value[month == 0].std() > 1.3 * field.value[month == 6].std()
    assert 0.4 < field.value.std(axis=1).mean() < 1.2  # spread over France in one month
    early = field.value[year < 1980]
    assert 0.05 < np.corrcoef(early[1:, 0], early[:-1, 0])[0, 1] < 0.5


@pytest.mark.parametrize("scale", [np.float32(0.5), np.float64(0.5), "0.5"])
def test_scaled_values_are_read_in_their_units(tmp_path, scale):
    """scale_factor and add_offset; fill values and the valid range are in packed units."""

    def change(file):
        temperature = file["temperature"]
        temperature[5, 134, 180] = -999.9
        temperature[6, 134, 180] = -888.8
        temperature[7, 134, 180] = 60.0  # above valid_max as packed, plausible as 31
        temperature.setncatts({"scale_factor": scale, "add_offset": 1.0})
        temperature.missing_value = np.array([-999.9, -888.8])  # doubles, the values are floats
        file["latitude"][:] = file["latitude"][:] / 2
        file["latitude"].scale_factor = 2.0

    plain, _ = load(write(tmp_path / "a.nc"), coverage=0.5)
    scaled, counts = load(write(tmp_path / "b.nc", change=change), coverage=0.5)
    np.testing.assert_array_equal(scaled.lat, plain.lat)
    changed = np.isnan(scaled.value)
    assert changed.sum() == 3 and changed[5:8].any(axis=1).all()
    assert counts["values outside the file's valid range"] == 1
    np.testing.assert_allclose(scaled.value[~changed], 0.5 * plain.value[~changed] + 1.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"missing_value": "none"}, "temperature has missing_value 'none', expected a number"),
        ({"scale_factor": [1.0, 2.0]}, "temperature has 2 values of scale_factor, expected one"),
        ({"scale_factor": 0.0}, "temperature has scale_factor 0 and"),
        ({"add_offset": np.nan}, "add_offset nan"),
        ({"valid_min": "low"}, "temperature has valid_min 'low', expected a number"),
    ],
)
def test_attributes_that_are_no_numbers(tmp_path, attributes, message):
    path = write(tmp_path / "a.nc", change=lambda file: file["temperature"].setncatts(attributes))
    with pytest.raises(ValueError, match=message):
        load(path)
