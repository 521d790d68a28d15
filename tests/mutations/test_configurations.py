"""A mutated configuration is refused in one line that names it, or taken for what it says.

It is read as make reads it: `snakemake -n --config overlay=FILE`. What this takes must equal what
PyYAML alone reads; the raw files of a dataset whose settings changed must become a field, or the
settings be refused.
"""

import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
import snakemake.cli
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mutations import running
from mutations.test_raw_files import READER, REFUSED, SAME, damaged
from tests.torture.running import pinned, warm
from tvgp.study import datasets
from tvgp.study.config import combinations, jobs, validation

OVERLAY = """\
# A study of seconds.
scale: tiny
results: results/tiny
resources: resources/tiny
data: auto
seeds_per_job: 2

selection:
  experiments: [rkhs_sine]
  policies: [sparq_gp_ucb, sw_gp_ucb_tuned, oracle]
  figures: []
  tables: [regret]
  analyses: []

experiments:
  rkhs_sine:
    title: "A title: with signs, and \u00e4"
    horizon: 12
    alphas: ["1"]
    model: {kernel: se, variance: fit, length_scale: 0.25, delta: 0.05}
    training: {queries: 30, starts: 1}

datasets:
  intel_lab: {train: ["2004-03-01", "2004-03-01"], period: ["2004-03-01", "2004-03-02"]}

policies:
  sw_gp_ucb_tuned: {parameters: {window: {tune: [3, 6]}}}
"""
DATASETS = ("ozone", "intel_lab", "freeway_speed", "berkeley_france")
NAMED = ("overlay.yaml", "config:", "config.", "rkhs_sine", "berkeley_earth", *DATASETS)
CHANGED = ["tuning", "figures.queries", "analyses.query_counts", "experiments.rkhs_sine", "seeds_per_job"]
CHANGED += ["policies.sparq_gp_ucb", "policies.sw_gp_ucb_tuned", *(f"datasets.{name}" for name in DATASETS)]
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


@cache
def definitions():
    """What the files of config/ say, read by PyYAML alone, with combinations as parts."""
    found, folder = {}, running.ROOT / "config"
    parts = (path for name in ("papers", "questions") for path in sorted((folder / name).glob("*.yaml")))
    for path in (folder / "default.yaml", *parts):
        found = merged(found, combinations.written_out(yaml.safe_load(path.read_text(encoding="utf-8"))))
    return found


def merged(base, overlay):
    if not (isinstance(base, dict) and isinstance(overlay, dict)):
        return overlay
    return base | {key: merged(base.get(key), value) for key, value in overlay.items()}


@cache
def places():
    """Path and value of each key that a mutation may set: of the overlay, and of what it is laid over."""
    whole, found = merged(definitions(), yaml.safe_load(OVERLAY)), []
    waiting = [tuple(key.split(".")) for key in (*CHANGED, *(f"selection.{k}" for k in whole["selection"]))]
    for path in waiting:
        value = whole
        for key in path:
            value = value[key]
        found.append((path, value))
        waiting += [(*path, key) for key in value] if isinstance(value, dict) else []
    return found


def put(overlay, path, value):
    for key in path[:-1]:
        overlay = overlay.setdefault(key, {})
    overlay[path[-1]] = value


def dump(config):
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode()


# Each mutation returns (new content of the overlay, oracle).


def any_value(draw, overlay):
    """Anything at all at any place, or another number in the place of one."""
    path, old = draw(st.sampled_from(places()))
    number = isinstance(old, int | float) and draw(st.booleans())
    put(overlay, path, draw(st.sampled_from(NUMBERS) if number else VALUE))
    return dump(overlay), READER


def unknown_key(draw, overlay):
    path, _ = draw(st.sampled_from([place for place in places() if isinstance(place[1], dict)]))
    put(overlay, (*path, "colour"), 3)
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
    path, _ = draw(st.sampled_from([place for place in places() if type(place[1]) in (int, float)]))
    put(overlay, path, "HERE")
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


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=settings().max_examples // 2)  # each takes most of a second
def test_refused_or_taken_for_what_it_says(kind, data, raw_data):
    content, oracle = kind(data.draw, yaml.safe_load(OVERLAY))
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "data").symlink_to(raw_data)
        (project / "overlay.yaml").write_bytes(content)
        error = running.refusal(project, study, NAMED)
        assert not (error and oracle == SAME), f"refused without need: {error}"
        assert error or oracle != REFUSED, "taken though it must be refused"
        if not error:
            expected = merged(definitions(), yaml.safe_load(OVERLAY if oracle == SAME else content))
            taken = json.loads((project / "taken.json").read_text())
            assert taken == json.loads(json.dumps(expected)), "taken for something else"


@pytest.fixture(scope="module")
def raw_data(tmp_path_factory, known_once):
    warm(running.ROOT, merged(definitions(), yaml.safe_load(OVERLAY)))
    folder = tmp_path_factory.mktemp("data")
    periods = {"ozone": {"years": [2021]}, "intel_lab": {"period": ["2004-03-01", "2004-03-02"]}}
    for name in ("ozone", "intel_lab", "freeway_speed", "berkeley_earth"):
        datasets.make(name, **periods.get(name, {})).write_standin(folder / "raw" / name)
    return folder


def study():
    """Read as the Makefile does, dry-run, and bring those datasets to fields whose settings changed."""
    os.environ.update(pinned())
    check = validation.check

    def noted(config, *schema):
        check(config, *schema)
        Path("taken.json").write_text(json.dumps(config))

    validation.check = noted
    profile = str(running.ROOT / "profiles" / "default")
    sys.argv = ["snakemake", "--snakefile", str(running.ROOT / "Snakefile"), "--workflow-profile", profile]
    sys.argv += ["-n", "--quiet", "all", "--cores", "1", "--config", "overlay=overlay.yaml"]
    try:
        snakemake.cli.main(sys.argv[1:])
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    taken = json.loads(Path("taken.json").read_text())
    original = merged(definitions(), yaml.safe_load(OVERLAY))
    for name in DATASETS:
        if taken["datasets"][name] != original["datasets"][name]:
            running.raw_to_parts(name, jobs.dataset_settings(taken, name))
