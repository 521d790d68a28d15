"""Cases of configurations: an overlay or default.yaml is changed, then read as users have it read.

First `snakemake -n --config overlay=FILE`, as in the Makefile; what it takes then goes through the
stage that it is for: raw files to training and test part, or fit, tuning and runs.
"""

import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace

import netCDF4
import numpy as np
import snakemake.cli
import snakemake.dag  # noqa: F401  imported once here, and not in every child
import snakemake.scheduling.job_scheduler  # noqa: F401
import snakemake.workflow  # noqa: F401
import yaml

from tests.mutations import arena
from tests.mutations.rawmutations import READER, REFUSED, SAME
from tvgp.study import datasets
from tvgp.study.config import jobs, reading, validation
from tvgp.study.run import blocks, build  # noqa: F401

OVERLAY = """\
# A study of seconds: every key that a user might set.
scale: tiny
results: results/tiny
resources: resources/tiny
data: auto
max_download_mb: 20
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
    environment:
      name: rkhs_sine
      parameters: {n_arms: 41, n_centres: 20}
    horizon: 12
    seeds: 3
    alphas: ["1"]
    model:
      kernel: se
      variance: fit
      length_scale: 0.25
      noise_variance: 0.01
      norm_bound: fit
      prior_mean: 0.0
      delta: 0.05
    training: {queries: 30, starts: 1}

policies:
  sw_gp_ucb_tuned:
    parameters:
      window: {tune: [3, 6]}

tuning: {seeds: 1}

figures:
  queries: {parameters: {alpha_tilde: 0.25}}
analyses:
  query_counts: {seeds: 1, seeds_per_job: 1}

datasets:
  ozone:
    source: file
    coordinates: km
    train_fraction: 0.3333
    state: New York
    coverage: 0.75
  intel_lab:
    source: file
    train: ["2004-03-01", "2004-03-01"]
    period: ["2004-03-01", "2004-03-02"]
    bin_minutes: 10
    coverage: 0.9
    plausible: [0, 50]
    least_voltage: 2.3
  freeway_speed:
    source: file
    layout: times_by_sensors
    first_day: "2012-03-01"
    interval_minutes: 5
    window_start: "06:00"
    window_steps: 84
    sensors: 50
    sensor_seed: 880
  berkeley_france:
    source: file
    coordinates: degrees
    region: [0, 44, 4, 48]
    land_fraction: 0.5
    period: ["1963-04", "2025-10"]
    train_fraction: 0.2
"""
DATASETS = ("ozone", "intel_lab", "freeway_speed", "berkeley_france")
JUNK = (
    None,
    True,
    False,
    -1,
    0,
    1,
    7,
    0.5,
    -0.5,
    1e308,
    -1e308,
    5e-324,
    10**9,
    10**17,
    "",
    " ",
    "x" * 5000,
    [],
    {},
    [[]],
    [1, 2],
    ["1", "1"],
    {"a": 1},
    {"from": "fit", "key": "x"},
    {"tune": [1, 1]},
    "../x",
    "/etc/passwd",
    "$(touch x)",
    "a\nb",
    "\u202e\u0661",
    "nan",
    "1e3",
    "NaN",
    "inf",
    "2021-01-01",
    ["2021-01-01", "2020-01-01"],
    ["a", "b"],
    [0, 1, 2, 3],
    [1e308, -1e308],
    "{0}",
    "%s",
    "null",
    "-1",
    "3.5",
    3.0,
    2.5,
)
NUMBERS = (
    0,
    -1,
    1,
    2,
    3,
    7,
    50,
    1000,
    10**5,
    10**7,
    0.0,
    0.5,
    0.99,
    1.0,
    1.5,
    -0.5,
    1e-12,
    1e-300,
    1e6,
    1e9,
    1e11,
    5e-324,
)
LISTS = (
    [],
    [0, 1],
    [1, 0],
    [0.5, 0.5],
    [-1e6, 1e6],
    ["1"],
    ["0.5", "2"],
    ["0"],
    ["2004-03-02"] * 2,
    ["2021-01-01", "2021-12-31"],
    ["1850-01", "1851-01"],
    ["2004", "2004"],
    ["NaT", "NaT"],
    ["2004-03-01T12", "2004-03-02"],
    [-180, -90, 180, 90],
    [0, 44, 0.5, 44.5],
    [7, 3, 5],
    [1, 1e6],
    ["gp_ucb"],
    ["oracle", "oracle"],
    ["oracle"],
)
WORDS = (
    "x",
    "",
    "fit",
    "se",
    "matern32",
    "empirical",
    "random",
    "rooted",
    "auto",
    "standin",
    "km",
    "index",
    "degrees",
    "New Jersey",
    "2012-02-30",
    "12:00",
    "24:00",
    "sensors_by_times",
    "day",
    "metropolitan_france",
    "a" * 300,
    "\u00e9",
    "tiny2",
    "rkhs_sine",
    "gp_markov",
    "field",
)
FORMS = (  # what YAML reads in its own way: (text, replacement)
    ("seeds: 3", "seeds: 003"),
    ("seeds: 3", "seeds: 0x3"),
    ("seeds: 3", "seeds: 1:30"),
    ("seeds: 3", "seeds: 1_0"),
    ("seeds: 3", "seeds: 3\n    seeds: 5"),
    ("delta: 0.05", "delta: 5e-2"),
    ("delta: 0.05", "delta: .nan"),
    ("delta: 0.05", "delta: .inf"),
    ("delta: 0.05", "delta: nan"),
    ("horizon: 12", "horizon: 1e1"),
    ("horizon: 12", "horizon: 12.0"),
    ("scale: tiny", "scale: no"),
    ("seeds: 3", "seeds: -3"),
    ("seeds: 3", "seeds: " + "9" * 400),
    ("seeds: 3", "seeds: 9999999"),
    ("seeds: 3", "seeds: \u0663"),
    ("scale: tiny", "scale: 2021-01-01"),
    ("horizon: 12", "horizon: 010"),
    ('alphas: ["1"]', "alphas: [1]"),
    ('alphas: ["1"]', 'alphas: ["nan"]'),
    ('alphas: ["1"]', 'alphas: ["1", "1"]'),
    ('alphas: ["1"]', 'alphas: ["-1"]'),
    ('period: ["1963-04", "2025-10"]', "period: [1963-04-01, 2025-10-01]"),
    ("sensor_seed: 880", "sensor_seed: 8_80"),
    ("coverage: 0.9", "coverage: .nan"),
    ("least_voltage: 2.3", "least_voltage: .nan"),
    ("plausible: [0, 50]", "plausible: [.nan, .nan]"),
    ("region: [0, 44, 4, 48]", "region: [4, 48, 0, 44]"),
    ("sensors: 50", "sensors: 1:40"),
    ("tune: [3, 6]", "tune: [3, .nan]"),
    ("tune: [3, 6]", "tune: [-3, 6]"),
)
NAMES = ("../x", "/tmp/x", "a/b", "$(touch x)", "a b", "`x`", "a;b", "..", "{x}", "a\\b", "\u00e4")


@dataclass
class Case:
    """One changed configuration; carrier: an overlay, or the project's own default.yaml."""

    number: int
    what: str
    content: bytes
    oracle: str
    told: str
    raw: dict
    carrier: str = "overlay"
    place: str = ""
    family: str = "config"

    @property
    def kind(self):
        return f"config: {self.what}"

    @property
    def names(self):
        return [
            "overlay.yaml",
            "default.yaml",
            "config:",
            "config.",
            "rkhs_sine",
            *DATASETS,
            "berkeley_earth",
        ]

    @property
    def about(self):
        return f"{self.carrier}, {self.what} ({self.told}), {self.oracle}"

    def prepare(self, project: Path):
        checkout = project / "checkout"
        checkout.mkdir(parents=True)
        shutil.copy2(arena.ROOT / "Snakefile", checkout)
        shutil.copytree(arena.ROOT / "config", checkout / "config")
        for name in ("workflow", "profiles", "src"):
            os.symlink(arena.ROOT / name, checkout / name)
        overlay = project / "overlay.yaml"
        overlay.write_text(OVERLAY, encoding="utf-8")
        target = overlay if self.carrier == "overlay" else checkout / "config" / "default.yaml"
        target.write_bytes(self.content)
        for folder, files in self.raw.items():
            (project / folder).mkdir(parents=True)
            for name, content in files.items():
                (project / folder / name).write_bytes(content)
        return lambda: study_of(checkout, overlay, project)

    def compare(self, project: Path) -> str:
        """What is wrong with the configuration that the study took."""
        taken = json.loads((project / "taken.json").read_text())
        default = project / "checkout" / "config" / "default.yaml"
        overlay = project / "overlay.yaml"
        if self.oracle == SAME:
            plain = [arena.ROOT / "config" / "default.yaml", OVERLAY]
        else:
            plain = [default, overlay]
        expected = {}
        papers = sorted((project / "checkout" / "config" / "papers").glob("*.yaml"))
        for source in (plain[0], *papers, plain[1]):
            text = source if isinstance(source, str) else source.read_bytes().decode("utf-8-sig")
            expected = merged(expected, yaml.safe_load(text))
        if json.loads(json.dumps(expected)) != taken:
            return "the study took another configuration than the files say"
        return ""


def merged(base, overlay):
    if not (isinstance(base, dict) and isinstance(overlay, dict)):
        return overlay
    return base | {key: merged(base.get(key), value) for key, value in overlay.items()}


def study_of(checkout: Path, overlay: Path, project: Path) -> None:
    """Read, dry-run, and run the stages that the overlay is for."""
    taken = {}
    check = validation.check

    def noted(config, schema):
        check(config, schema)
        taken.update(config)
        Path("taken.json").write_text(json.dumps(config))

    validation.check = noted
    arguments = [
        "--snakefile",
        str(checkout / "Snakefile"),
        "--workflow-profile",
        str(checkout / "profiles" / "default"),
        "--directory",
        str(project),
        "-n",
        "--quiet",
        "all",
        "--cores",
        "1",
        "--config",
        f"overlay={overlay}",
    ]
    sys.argv = ["snakemake", *arguments]
    try:
        snakemake.cli.main(arguments)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    os.chdir(project)
    original = merged(reading.read(arena.ROOT / "config"), yaml.safe_load(OVERLAY))
    for dataset in DATASETS:
        if taken["datasets"][dataset] != original["datasets"][dataset]:
            settings = jobs.dataset_settings(taken, dataset)
            arena.raw_to_parts(dataset, settings)
    parts = ("experiments", "policies", "tuning")
    if any(taken.get(part) != original[part] for part in parts):
        runs(taken)


def runs(config: dict) -> None:
    """Fit, tune and run the selected variants of the one experiment, first block of seeds."""
    for name in jobs.selected(config, "experiments")[:1]:
        fit = Path(f"{config['results']}/fits/{name}.json")
        arena.script(
            "fit",
            f"logs/fit/{name}.log",
            input=arena.Files(),
            output=arena.Files(fit=str(fit)),
            params=SimpleNamespace(job=asdict(jobs.fit_job(config, name))),
        )
        for policy in jobs.variants(config, name):
            files = {"fit": str(fit)}
            if jobs.tuned_parameter(config, policy):
                tuned = f"{config['results']}/tuned/{policy}.json"
                job = asdict(jobs.tune_job(config, name, policy))
                arena.script(
                    "tune",
                    f"logs/tune/{name}.log",
                    input=arena.Files(**files),
                    output=arena.Files(tuned=tuned),
                    params=SimpleNamespace(job=job),
                )
                files["tuned"] = tuned
            first, last = 1, min(2, config["experiments"][name]["seeds"])
            alpha = config["experiments"][name]["alphas"][0]
            output = f"{config['results']}/runs/{policy}.nc"
            arena.script(
                "run",
                f"logs/run/{name}.log",
                input=arena.Files(**files),
                output=arena.Files(runs=output, timings="times.csv"),
                wildcards=SimpleNamespace(first=first, last=last, alpha=alpha),
                params=SimpleNamespace(job=asdict(jobs.run_job(config, name, policy, alpha)), code="0"),
            )
            with netCDF4.Dataset(output) as file:
                shape = (last - first + 1, config["experiments"][name]["horizon"])
                regret = np.ma.filled(file["regret"][:], np.nan)
                reward = np.ma.filled(file["reward"][:], np.nan)
                assert regret.shape == shape, f"{regret.shape} runs for {shape}"
                assert np.isfinite(regret).all() and np.isfinite(reward).all(), "not finite"
                assert (regret >= -1e-9).all(), "negative regret"


# ---------------------------------------------------------------- mutations


def leaves(value, path=()):
    """Paths of everything that can be set to something else."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += leaves(inner, (*path, key))
    return found


def put(config, path, value):
    for key in path[:-1]:
        config = config[key]
    config[path[-1]] = value


def junk(rng, default):
    overlay = yaml.safe_load(OVERLAY)
    paths = leaves(overlay)
    path, value = paths[int(rng.integers(len(paths)))], JUNK[int(rng.integers(len(JUNK)))]
    put(overlay, path, value)
    told = f"{'.'.join(path)}: {str(value)[:40]!r}"
    return "any value anywhere", dump(overlay), READER, told


def kindred(rng, default):
    """Another value of the same type."""
    overlay = yaml.safe_load(OVERLAY)
    paths = [p for p in leaves(overlay) if not isinstance(at(overlay, p), dict)]
    path = paths[int(rng.integers(len(paths)))]
    options = {int: NUMBERS, float: NUMBERS, list: LISTS}.get(type(at(overlay, path)), WORDS)
    value = options[int(rng.integers(len(options)))]
    put(overlay, path, value)
    return "another value", dump(overlay), READER, f"{'.'.join(path)}: {str(value)[:40]!r}"


def unknown(rng, default):
    overlay = yaml.safe_load(OVERLAY)
    maps = [()] + [p for p in leaves(overlay) if isinstance(at(overlay, p), dict) and at(overlay, p)]
    closed = [p for p in maps if p not in (("experiments",), ("policies",), ("datasets",))]
    path = closed[int(rng.integers(len(closed)))]
    at(overlay, path)["n_arm" if rng.random() < 0.5 else "colour"] = 3
    return "unknown key", dump(overlay), REFUSED, ".".join(path)


def at(config, path):
    for key in path:
        config = config[key]
    return config


def lacking(rng, default):
    """A key of default.yaml that is not there: refused, or filled in by the overlay."""
    config = yaml.safe_load(default)
    paths = [p for p in leaves(config) if len(p) < 3 and p[0] != "selection"]
    path = paths[int(rng.integers(len(paths)))]
    del at(config, path[:-1])[path[-1]]
    return "key missing", dump(config), READER, ".".join(path), "default"


def hostile(rng, default):
    overlay, name = yaml.safe_load(OVERLAY), NAMES[int(rng.integers(len(NAMES)))]
    kind = str(rng.choice(["experiments", "policies", "datasets", "figures", "tables", "analyses"]))
    form = int(rng.integers(4))
    if form == 0:
        overlay[kind] = overlay.get(kind, {}) | {name: {"title": "x"}}
    elif form == 1 and kind != "datasets":
        overlay["selection"][kind] = [name]
    elif form == 2:
        overlay[str(rng.choice(["results", "resources", "scale"]))] = name
    else:
        overlay["datasets"]["ozone"]["raw"] = name
    folders = overlay["results"], overlay["resources"], overlay["datasets"]["ozone"].get("raw")
    harmless = name == "a/b" and name in folders
    return (
        "path traversal in names",
        dump(overlay),
        READER if harmless else REFUSED,
        f"{name!r}, {form}",
    )


def form(rng, default):
    old, new = FORMS[int(rng.integers(len(FORMS)))]
    assert old in OVERLAY
    return "numbers in odd forms", OVERLAY.replace(old, new, 1).encode(), REFUSED, new[:60]


def text_bits(rng, default):
    carrier, text = [("overlay", OVERLAY.encode()), ("default", default)][int(rng.integers(2))]
    content = bytearray(text)
    for place in rng.integers(0, len(content), size=int(rng.integers(1, 3))):
        content[place] ^= 1 << int(rng.integers(7))
    return "bits flipped", bytes(content), READER, "", carrier


def text_cut(rng, default):
    carrier, text = [("overlay", OVERLAY.encode()), ("default", default)][int(rng.integers(2))]
    size = int(rng.integers(0, len(text)))
    return "cut short", text[:size], READER, f"at {size}", carrier


def text_hole(rng, default):
    carrier, text = [("overlay", OVERLAY.encode()), ("default", default)][int(rng.integers(2))]
    start = int(rng.integers(0, len(text)))
    stop = start + int(rng.integers(1, 200))
    return "a piece missing", text[:start] + text[stop:], READER, f"{start} to {stop}", carrier


def lines(rng, default):
    rows = OVERLAY.splitlines(keepends=True)
    row = int(rng.integers(1, len(rows)))
    if rng.random() < 0.5:
        rows.insert(row, rows[row])
        what = "a line twice"
    else:
        other = int(rng.integers(1, len(rows)))
        rows[row], rows[other] = rows[other], rows[row]
        what = "two lines swapped"
    return what, "".join(rows).encode(), READER, f"line {row + 1}"


def number(rng, default):
    places = [i for i, c in enumerate(OVERLAY) if c.isdigit()]
    place = places[int(rng.integers(len(places)))]
    digit = str((int(OVERLAY[place]) + 1 + rng.integers(8)) % 10)
    line = OVERLAY[:place].count("\n")
    content = OVERLAY[:place] + digit + OVERLAY[place + 1 :]
    return "another number", content.encode(), READER, content.splitlines()[line].strip()


def coded(rng, default):
    code = str(rng.choice(["utf-16", "utf-16-le", "latin-1", "utf-32", "cp037"]))
    return "another encoding", OVERLAY.encode(code), REFUSED, code


def same(rng, default):
    kind = int(rng.integers(5))
    content = [
        lambda: OVERLAY.replace("\n", "\r\n").encode(),
        lambda: b"\xef\xbb\xbf" + OVERLAY.encode(),
        lambda: json.dumps(yaml.safe_load(OVERLAY), indent=1).encode(),
        lambda: yaml.safe_dump(yaml.safe_load(OVERLAY), sort_keys=False).encode(),
        lambda: OVERLAY.replace("\n", "   # note\n", 1).encode() + b"# end",
    ][kind]()
    return (
        "another form of the same",
        content,
        SAME,
        ["CRLF", "mark", "JSON", "flow", "notes"][kind],
    )


def nothing(rng, default):
    contents = (
        b"",
        b"\n\n",
        b"null",
        b"- a\n- b\n",
        b"42",
        b"text",
        b"---\n---\n",
        b"\0" * 999,
        b"<!DOCTYPE html><html><body>404</body></html>",
        bytes(range(256)) * 40,
        b'{"error": "limit"',
        b"{}{}",
        b"%PDF-1.4\n",
        b"PK\x03\x04",
    )
    content = contents[int(rng.integers(len(contents)))]
    return "no configuration", content, REFUSED, repr(content[:20])


def nulls(rng, default):
    place = int(rng.integers(len(OVERLAY)))
    sign = str(rng.choice(["\0", "\x07", "\x1b[2J", "\x85", "\u2028", "\ufffe"]))
    content = OVERLAY[:place] + sign + OVERLAY[place:]
    return "control characters", content.encode(), READER, repr(sign)


def deep(rng, default):
    kind, depth = int(rng.integers(4)), int(rng.choice([60, 3000, 100_000]))
    tail = {
        0: "[" * depth + "]" * depth,
        1: "{a: " * min(depth, 3000) + "1" + "}" * min(depth, 3000),
        2: "- " * min(depth, 3000) + "1",
        3: "[" * depth,
    }[kind]
    return "nested too deep", (OVERLAY + f"extra: {tail}\n").encode(), REFUSED, f"{kind}, {depth}"


def aliases(rng, default):
    kind = int(rng.integers(5))
    if kind == 0:  # billion laughs, in lists
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    elif kind == 1:  # in mappings
        lines = ["a0: &a0 {k: 1, l: 2, m: 3}"]
        lines += [f"a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(9))}}}" for n in range(1, 12)]
    elif kind == 2:
        lines = ["a: &a {b: *a}"]
    elif kind == 3:
        lines = ["a: &a [*a, *a]"]
    else:
        lines = ["a: *nobody"]
    return "aliases", (OVERLAY + "\n".join(lines) + "\n").encode(), REFUSED, f"form {kind}"


def tags(rng, default):
    tails = (
        "x: !!python/object/apply:os.system ['touch ../pwned']",
        "x: !!binary aGVsbG8=",
        "__use_yte__: true\n?open('../pwned', 'w'): 1",
        "x: !include /etc/passwd",
        "1: 2",
        "? [a, b]\n: c",
        "null: 3",
        "true: x",
        "x: !!set {a, b}",
        "<<: [1, 2]",
        "---\nx: 1",
    )
    tail = tails[int(rng.integers(len(tails)))]
    if "yte" in tail:
        return "tags and odd keys", (tail + "\n" + OVERLAY).encode(), REFUSED, tail[:30]
    return "tags and odd keys", (OVERLAY + tail + "\n").encode(), REFUSED, tail[:30]


def large(rng, default):
    kind = int(rng.integers(2))
    tail = "# " + "x" * 50_000_000 if kind else "".join(f"k{n}: {n}\n" for n in range(300_000))
    return "an enormous file", (OVERLAY + tail).encode(), REFUSED, f"form {kind}"


def dump(config):
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=200).encode()


KINDS = (
    junk,
    form,
    kindred,
    unknown,
    junk,
    hostile,
    kindred,
    number,
    form,
    text_bits,
    kindred,
    text_hole,
    lacking,
    lines,
    aliases,
    junk,
    deep,
    tags,
    kindred,
    nothing,
    coded,
    same,
    hostile,
    number,
    nulls,
    kindred,
    text_cut,
    form,
    large,
    kindred,
)


def cases(folder: Path, shared: Path, seed: int):
    """A function from a number to its case; kinds take turns."""
    folder.mkdir(parents=True)
    raw = {}
    for dataset, values in (
        ("ozone", {"years": [2021]}),
        ("intel_lab", {"period": ["2004-03-01", "2004-03-02"]}),
        ("freeway_speed", {}),
        ("berkeley_earth", {}),
    ):
        written = datasets.make(dataset, **values).write_standin(folder / dataset)
        raw[f"data/raw/{dataset}"] = {path.name: path.read_bytes() for path in written}
    default = (arena.ROOT / "config" / "default.yaml").read_bytes()

    def case(number: int) -> Case:
        rng = np.random.default_rng([seed, number, 2])
        kind = KINDS[(number + 5 * seed) % len(KINDS)]
        what, content, oracle, told, *carrier = kind(rng, default)
        return Case(number, what, content, oracle, told, raw, *carrier)

    return case
