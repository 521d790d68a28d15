"""Names become paths and shell words: anything but a-z, 0-9 and _ is refused, naming the key."""

import copy
from pathlib import Path

import pytest

from tvgp.study.config import loading, validation

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
HOSTILE = (
    "",
    " ",
    "a b",
    "a'b",
    'a"b',
    "a/b",
    "/a",
    "..",
    "../a",
    "a/../b",
    "$(touch x)",
    "`touch x`",
    "a;b",
    "a|b",
    "a&b",
    "a>b",
    "a*b",
    "a\\b",
    "a\nb",
    "a\n",
    "a\0b",
    "~",
    "-rf",
    "A",
    "\u00e4",
    "{a}",
    "%s",
    "a.b",
)
NUMBERS = (
    "",
    " ",
    "1 ",
    "1\n",
    "-1",
    "1e3",
    "nan",
    "inf",
    "01",
    "1/2",
    "..",
    "$(id)",
    "1;id",
    "\u0661",
)


@pytest.fixture(scope="module")
def study():
    """An experiment on data with an entry of each kind: checked in a tenth of the time of all."""
    whole, chosen = loading.read(ROOT / "config"), {}
    entries = {
        "experiments": "ozone",
        "policies": "uniform",
        "datasets": "ozone",
        "figures": "average_regret",
        "tables": "regret",
        "analyses": "query_counts",
    }
    for kind, name in entries.items():
        chosen[kind] = {name: whole[kind][name]}
    selection = {kind: [name] for kind, name in entries.items() if kind != "datasets"}
    return {**whole, **chosen, "selection": selection, "leave_out": {}}


def refusal(config) -> str:
    with pytest.raises(ValueError) as error:
        validation.check(config, SCHEMA)
    text = str(error.value)
    assert text.startswith("config: ") and "\n" not in text
    return text


def test_harmless_names_are_accepted(study):
    validation.check(study, SCHEMA)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_definitions_and_references_are_refused(study, name):
    for kind in ("experiments", "policies", "datasets", "figures", "tables", "analyses"):
        config = dict(study)
        some = next(iter(study[kind].values()))
        config[kind] = {name: some, **study[kind]}
        assert kind in refusal(config)
    for kind in ("experiments", "policies", "figures", "tables", "analyses"):
        selection = {**study["selection"], kind: [name]}
        assert "selection" in refusal({**study, "selection": selection})
    config = dict(study, experiments=copy.deepcopy(study["experiments"]))
    config["experiments"]["ozone"]["dataset"] = name
    assert "experiments.ozone" in refusal(config)
    assert "scale" in refusal({**study, "scale": name})


@pytest.mark.parametrize("number", NUMBERS, ids=ascii)
def test_hostile_alphas_are_refused(study, number):
    config = dict(study, experiments=copy.deepcopy(study["experiments"]))
    config["experiments"]["ozone"]["alphas"] = [number]
    assert "experiments.ozone.alphas" in refusal(config)


@pytest.mark.parametrize(
    "folder",
    ["", "/tmp", "..", "../a", "a/..", "a/../b", "~", "a b", "$(id)", "a;b", "a\n", "a\nb"],
)
def test_folders_stay_inside_the_project(study, folder):
    for key in ("results", "resources"):
        assert key in refusal({**study, key: folder})
