"""The lines of the page play what the study played, round by round, from the files beside it."""

import json

import example_results
import numpy as np
import pytest

from tvgp.live import Live
from tvgp.study import results
from tvgp.study.data import anomalies
from tvgp.study.data.field import Field
from tvgp.study.fit import training
from tvgp.study.fit.job import FitJob
from tvgp.study.report import live
from tvgp.study.run import build
from tvgp.study.run.job import Experiment, RunJob
from tvgp.study.run.world import World

OWN = Experiment("own", None, {}, "own", None, None, False)
SITES, ROUNDS = 6, 25
FILES = ("policy", "reading", "reading_after")
READS = {"model": "field", "price": 0.1}


def record(rounds, first):
    """Levels, a slow and a fast part, a tenth missing, but never all."""
    rng = np.random.default_rng(first)
    value = np.arange(SITES) / 3 + rng.normal(size=(rounds, SITES)).cumsum(axis=0) / 9
    value += rng.normal(size=value.shape)
    value[:, 1:][rng.random((rounds, SITES - 1)) < 0.1] = np.nan
    time = np.datetime64("2021-01-01") + first + np.arange(rounds)
    site = np.array([f"S{k}" for k in range(SITES)])
    attrs = {"coordinates": "index", "source": "real", "frequency": "day"}
    return Field(value, time, site, np.full(SITES, np.nan), np.full(SITES, np.nan), attrs)


def job(policy, algorithm, **options):
    plain = {"parameters": {}, "from_fit": {}, "tuned": None, "delta": 0.05, "exact_norm": False}
    plain |= {"squared_error": False, "model": "chosen", "alpha": "1"}
    return RunJob(OWN, policy, algorithm, **plain | options)


JOBS = {
    "prior_order": job("prior_order", "prior_order", from_fit={"prior_mean": "site_means"}),
    "field_gp_ucb": job("field_gp_ucb", "field_gp_ucb"),
    "field_reads_tuned_after": job(
        "field_reads_tuned_after", "sequential_query_ucb", parameters={"model": "field"}
    ),
    "pandora_at_0_1": job("pandora_at_0_1", "pandora_gp_ucb", queries="before", parameters=READS),
}


@pytest.fixture(scope="module")
def fit():
    model = {"centre": "sensors", "noise_fraction": 0.05, "epsilon": "fit", "independent_days": False}
    return training.fit(FitJob(OWN, "empirical", model, None, "1", "day", models=["chosen"]), record(80, 0))


@pytest.fixture
def collected(tmp_path, monkeypatch, fit):
    """Made-up results in which the rule or the candidate has the least regret."""

    def make(rule, candidate):
        levels = {"prior_order": rule, "field_gp_ucb": candidate, "pandora_at_0_1": 0.05}
        for name, level in (levels | {"field_reads_tuned_after": 0.01}).items():
            variant = name, "control", JOBS[name].algorithm, level
            monkeypatch.setitem(example_results.VARIANTS, name, variant)
        found = results.read(example_results.write(tmp_path, "ozone", "real", horizon=60, seeds=1))
        found.expert_queries.loc[{"policy": "pandora_at_0_1"}] = 1
        found.attrs |= {"block": 5, "fit": json.dumps(fit)}
        return found

    return make


@pytest.mark.parametrize(
    ("levels", "name", "file"),
    [
        ((0.1, 0.3), "prior_order", "policy.db"),
        ((0.3, 0.1), "field_gp_ucb", "policy.db"),
        ((0.3, 0.1), "pandora_at_0_1", "reading.db"),
        ((0.3, 0.1), "field_reads_tuned_after", "reading_after.db"),
    ],
)
def test_the_lines_play_as_the_study(collected, fit, tmp_path, monkeypatch, levels, name, file):
    monkeypatch.chdir(tmp_path)
    data = record(ROUNDS, 80)
    products = {name: tmp_path / f"{name}.db" for name in FILES}
    live.write(products, collected(*levels), data, JOBS)
    text = live.lines(str(tmp_path), "day", maximise=True, anomaly="")
    read = {t: [] for t in range(1, ROUNDS + 1)}

    def value(t, site):
        read[t].append(data.site.tolist().index(site))
        return data.value[t - 1, read[t][-1]]

    given = {"rounds": list(read), "available": lambda t: np.isfinite(data.value[t - 1]), "value": value}
    after = file == "reading_after.db"
    if after:
        *start, loop, query, choice, told = text.splitlines()
        text = "\n".join([*start, choice, told, loop, query])
    exec(text.replace("policy.db", file), given)
    run, _, _ = build.run_once(JOBS[name], World.open(OWN, data), 1, fit)
    chosen = 0 if after else -1  # the choice is the first reading of a round, or the last
    assert [arms[chosen] for arms in read.values()] == run.arm.tolist()
    asked = [len(arms) - 1 for arms in read.values()]
    assert asked == run.expert_queries.tolist() and bool(sum(asked)) == file.startswith("reading")
    assert len(Live.load("live.db").ask(ROUNDS + 1)) == 1
    assert not list(Live.load(tmp_path / file).history())


def test_files_are_written_again_with_the_same_bytes(collected, tmp_path):
    products, made = {name: tmp_path / f"{name}.db" for name in FILES}, []
    for _ in range(2):
        live.write(products, collected(0.3, 0.1), record(ROUNDS, 80), JOBS)
        made.append([path.read_bytes() for path in products.values()])
        (tmp_path / "policy.db-wal").write_bytes(b"of a process that was killed")
    assert made[0] == made[1]
    assert Live.load(products["policy"]).names == [f"S{k}" for k in range(SITES)]


@pytest.mark.parametrize("kind", anomalies.KINDS)
def test_what_was_subtracted_can_be_added_again(collected, tmp_path, kind):
    """usual() of the lines is the measured value less the anomaly, minus both where small is best."""
    whole = record(1100, 0)
    whole.attrs["long_name"] = "minus depth"
    train, test = whole.during(slice(0, 800)), whole.during(slice(800, 1100))
    _, left = anomalies.anomalies(train, test, kind)
    played = left.during(slice(0, ROUNDS))
    products = {name: tmp_path / f"{name}.db" for name in FILES} | {"season": tmp_path / "season.json"}
    live.write(products, collected(0.3, 0.1), played, JOBS)
    text = live.lines(str(tmp_path), "day", maximise=False, anomaly=kind)
    compile(text, "lines", "exec")
    given = {}
    exec(text.partition("\nlive = ")[0], given)
    times = test.time.astype("datetime64[s]").tolist()
    usual = np.array([[given["usual"](site, time) for site in test.site.tolist()] for time in times])
    seen = np.isfinite(test.value)
    np.testing.assert_allclose(usual[seen], -(test.value - left.value)[seen], atol=1e-9)


def test_small_values_are_told_with_a_minus():
    text = live.lines("results/own/live/own", "month", maximise=False, anomaly="")
    assert "-value(t, live.names[arm]))  # minus the value: small ones are good" in text
    compile(text, "lines", "exec")
