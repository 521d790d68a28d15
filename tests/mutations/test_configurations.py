"""A mutated configuration is refused in one line that names it, or taken for what it says.

It is read as users have it read: workflow/scripts/read_config.py, then `snakemake -n`. What these
take must equal what PyYAML alone reads, and goes through the stage that it is for: raw files to
training and test part, or fit, tuning and runs.
"""

import json
import os
import runpy
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import netCDF4
import numpy as np
import pytest
import snakemake.cli
import snakemake.dag  # noqa: F401  imported once here, and not in every child
import snakemake.scheduling.job_scheduler  # noqa: F401
import snakemake.workflow  # noqa: F401
import yaml
from hypothesis import given, note
from hypothesis import strategies as st

from tests.mutations import running
from tests.mutations.test_raw_files import READER, REFUSED, SAME, damaged
from tvgp.study import datasets
from tvgp.study.config import jobs, reading, validation

OVERLAY = Path(__file__).with_name("overlay.yaml").read_text(encoding="utf-8")
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.sampled_from(("", " ", "x" * 5000, "fit", "se", "nan", "1e3", "inf", "2021-01-01", "24:00", "km"))
LEAF = SCALAR | WORDS | st.text(st.characters(codec="utf-8"), max_size=20)
KEYS = st.sampled_from(("a", "from", "key", "tune"))
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
NUMBERS = (0, -1, 1, 2, 3, 7, 50, 10**7, 0.0, 0.5, 0.99, 1.0, 1.5, -0.5, 1e-12, 1e-300, 1e6, 1e11, 5e-324)
NAMES = ("../x", "/tmp/x", "a/b", "$(touch x)", "a b", "`x`", "a;b", "..", "{x}", "a\\b", "\u00e4")
FORMS = (
    "003",
    "0x3",
    "1:30",
    "1_0",
    "5e-2",
    ".nan",
    ".inf",
    "nan",
    "no",
    "9" * 400,
    "2021-01-01",
    "010",
    "!!int 3",
)
TAILS = (
    "x: !!python/object/apply:os.system ['touch ../pwned']",
    "x: !!binary aGVsbG8=",
    "x: !include /etc/passwd",
    *("1: 2", "? [a, b]\n: c", "null: 3", "true: x", "x: !!set {a, b}", "<<: [1, 2]", "---\nx: 1"),
    *("a: &a {b: *a}", "a: &a [*a, *a]", "a: *nobody", "x: " + "[" * 60 + "]" * 60, "x: " + "[" * 100_000),
    "# " + "x" * 2_000_000,
)
NOTHING = (b"", b"\n\n", b"null", b"- a\n- b\n", b"42", b"text", b"---\n---\n", b"\0" * 999, b"%PDF-1.4\n")


def paths(value, path=()):
    """The path of every key."""
    found = [path] if path else []
    for key, inner in value.items() if isinstance(value, dict) else ():
        found += paths(inner, (*path, key))
    return found


def at(config, path):
    for key in path:
        config = config[key]
    return config


def dump(config):
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode()


# Each mutation returns (new content of the overlay, oracle).


def any_value(draw, overlay):
    """Anything at all at any place, or another number in the place of one."""
    path = draw(st.sampled_from(paths(overlay)))
    old = at(overlay, path)
    number = isinstance(old, int | float) and draw(st.booleans())
    at(overlay, path[:-1])[path[-1]] = draw(st.sampled_from(NUMBERS) if number else VALUE)
    return dump(overlay), READER


def unknown_key(draw, overlay):
    where = [(), *(path for path in paths(overlay) if isinstance(at(overlay, path), dict))]
    free = (("experiments",), ("policies",), ("datasets",), ("figures",), ("analyses",))
    at(overlay, draw(st.sampled_from([path for path in where if path not in free])))["colour"] = 3
    return dump(overlay), REFUSED


def hostile_name(draw, overlay):
    name, kind = draw(st.sampled_from(NAMES)), draw(st.sampled_from(("experiments", "policies", "tables")))
    if draw(st.booleans()):
        overlay["selection"][kind] = [name]
        return dump(overlay), REFUSED
    key = draw(st.sampled_from(("results", "resources", "scale")))
    overlay[key] = name
    return dump(overlay), READER if name == "a/b" and key != "scale" else REFUSED


def odd_number(draw, overlay):
    """A number in a form that YAML reads in its own way."""
    numbers = [p for p in paths(overlay) if type(at(overlay, p)) in (int, float)]
    path = draw(st.sampled_from(numbers))
    at(overlay, path[:-1])[path[-1]] = "HERE"
    return dump(overlay).replace(b"HERE", draw(st.sampled_from(FORMS)).encode()), REFUSED


def damaged_text(draw, overlay):
    return damaged(draw, OVERLAY.encode()), READER


def digit(draw, overlay):
    place = draw(st.sampled_from([i for i, sign in enumerate(OVERLAY) if sign.isdigit()]))
    return (OVERLAY[:place] + str(draw(st.integers(0, 9))) + OVERLAY[place + 1 :]).encode(), READER


def lines(draw, overlay):
    """A line twice, or two that change places."""
    rows = OVERLAY.splitlines(keepends=True)
    one, two = (draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    rows[one], rows[two] = rows[two], rows[one]
    return "".join(
        rows[:one] + rows[one : one + 1] * draw(st.integers(1, 2)) + rows[one + 1 :]
    ).encode(), READER


def tail(draw, overlay):
    return f"{OVERLAY}{draw(st.sampled_from(TAILS))}\n".encode(), REFUSED


def nothing(draw, overlay):
    foreign = st.sampled_from(("utf-16", "utf-16-le", "latin-1", "utf-32", "cp037")).map(OVERLAY.encode)
    return draw(st.sampled_from(NOTHING) | foreign), REFUSED


def same(draw, overlay):
    forms = (
        OVERLAY.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + OVERLAY.encode(),
        json.dumps(overlay, indent=1).encode(),
        dump(overlay),
        OVERLAY.replace("\n", "   # note\n", 1).encode() + b"# end",
    )
    return forms[draw(st.integers(0, len(forms) - 1))], SAME


KINDS = (any_value, unknown_key, hostile_name, odd_number, damaged_text, digit, lines, tail, nothing, same)


@given(data=st.data())
def test_refused_or_taken_for_what_it_says(data, raw_data):
    kind = data.draw(st.sampled_from(KINDS))
    content, oracle = kind(data.draw, yaml.safe_load(OVERLAY))
    note(f"{kind.__name__}, to be {oracle}")
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "data").symlink_to(raw_data)
        (project / "overlay.yaml").write_bytes(content)
        error = running.refusal(project, lambda: study(project), NAMED)
        assert not (error and oracle == SAME), f"refused without need: {error}"
        assert error or oracle != REFUSED, "taken though it must be refused"
        if not error:
            expected = merged(definitions(), yaml.safe_load(OVERLAY if oracle == SAME else content))
            taken = json.loads((project / "taken.json").read_text())
            assert taken == json.loads(json.dumps(expected)), "taken for something else"


DATASETS = ("ozone", "intel_lab", "freeway_speed", "berkeley_france")
NAMED = ("overlay.yaml", "config:", "config.", "rkhs_sine", "berkeley_earth", *DATASETS)


@pytest.fixture(scope="module")
def raw_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    periods = {"ozone": {"years": [2021]}, "intel_lab": {"period": ["2004-03-01"] * 2}}
    for name in ("ozone", "intel_lab", "freeway_speed", "berkeley_earth"):
        datasets.make(name, **periods.get(name, {})).write_standin(folder / "raw" / name)
    return folder


@cache
def definitions():
    """What the files of config/ say, read by PyYAML alone."""
    found = {}
    for path in reading.files(running.ROOT / "config"):
        found = merged(found, yaml.safe_load(path.read_text(encoding="utf-8")))
    return found


def merged(base, overlay):
    if not (isinstance(base, dict) and isinstance(overlay, dict)):
        return overlay
    return base | {key: merged(base.get(key), value) for key, value in overlay.items()}


def study(project):
    """Read, dry-run, and go through the stages that the overlay changes."""
    taken, check = {}, validation.check

    def noted(config, *schema):
        check(config, *schema)
        taken.update(config)
        Path("taken.json").write_text(json.dumps(config))

    validation.check = noted
    sys.argv = ["read_config.py", "overlay.yaml"]
    runpy.run_path(str(running.SCRIPTS / "read_config.py"))
    profile = str(running.ROOT / "profiles" / "default")
    sys.argv = ["snakemake", "--snakefile", str(running.ROOT / "Snakefile"), "--workflow-profile", profile]
    sys.argv += ["-n", "--quiet", "all", "--cores", "1", "--configfile", "overlay.yaml"]
    try:
        snakemake.cli.main(sys.argv[1:])
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    os.chdir(project)
    original = merged(definitions(), yaml.safe_load(OVERLAY))
    for dataset in DATASETS:
        if taken["datasets"][dataset] != original["datasets"][dataset]:
            running.raw_to_parts(dataset, jobs.dataset_settings(taken, dataset))
    changed = any(taken.get(part) != original[part] for part in ("experiments", "policies", "tuning"))
    if (
        changed
        and "rkhs_sine" in taken["selection"]["experiments"]
        and not large(taken["experiments"]["rkhs_sine"])
    ):
        runs(taken, "rkhs_sine")


def large(value):
    """Whether a legitimate study would take longer than a test."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, int | float) and value > 100 or any(map(large, values))


def runs(config, name):
    """Fit, tune and run the selected variants of an experiment, the first block of seeds."""
    experiment, last = config["experiments"][name], min(2, config["experiments"][name]["seeds"])
    fit, alpha = running.Files(fit="fit.json", cost="fit.csv"), experiment["alphas"][0]
    job = jobs.fit_job(config, name)
    running.script("fit", input=running.Files(), output=fit, params=SimpleNamespace(job=job))
    for policy in jobs.variants(config, name):
        files = {"fit": "fit.json"}
        if jobs.tuned_parameter(config, policy):
            output = running.Files(tuned="tuned.json", cost="tune.csv")
            job = jobs.tune_job(config, name, policy)
            running.script(
                "tune", input=running.Files(**files), output=output, params=SimpleNamespace(job=job)
            )
            files["tuned"] = "tuned.json"
        running.script(
            "run",
            input=running.Files(**files),
            output=running.Files(runs="runs.nc", timings="times.csv", cost="run.csv"),
            wildcards=SimpleNamespace(first=1, last=last, alpha=alpha),
            params=SimpleNamespace(job=jobs.run_job(config, name, policy, alpha), code="0"),
        )
        with netCDF4.Dataset("runs.nc") as file:
            regret = np.ma.filled(file["regret"][:], np.nan)
        assert regret.shape == (last, experiment["horizon"]) and (regret >= -1e-9).all()
