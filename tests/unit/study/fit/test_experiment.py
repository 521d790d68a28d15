"""Training data and the assembled fit of an experiment."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tvgp import kernels, streams
from tvgp.fitting import from_environment, from_field, log_marginal_likelihood, observations, site_offsets
from tvgp.fitting.observations import one_per_round
from tvgp.study.fit import experiment
from tvgp.study.fit.units import units_of


class Drifting:
    """sin(x + t/20), one arm missing in every third round."""

    arms = np.linspace(0, 6, 61)[:, None]
    noise_std = 0.1
    noise_law = "gaussian"

    def mean_rewards(self, t):
        f = np.sin(self.arms[:, 0] + 0.05 * t)
        if t % 3 == 0:
            f[10] = np.nan
        return f


def field(rounds=60, sites=9):
    rng = streams.generator("test_fitting_experiment field")
    coordinates = rng.uniform(0, 6, (sites, 2))
    t = np.arange(1, rounds + 1)[:, None]
    values = 40 + 5 * np.sin(coordinates.sum(axis=1) + 0.1 * t)
    values += rng.standard_normal(values.shape)
    values[rng.random(values.shape) < 0.2] = np.nan
    values[5] = np.nan
    return values, coordinates


def fit(training, given=None, units=("1", "1", "round"), **options):
    rng, units = streams.generator("toy", "fit"), units_of(*units)
    return experiment.fit_experiment("toy", training, rng=rng, given=given or {}, units=units, **options)


def test_random_queries_of_an_environment():
    environment = Drifting()
    training = from_environment(environment, streams.generator("q"), rounds=3000)
    assert np.array_equal(training.times, np.arange(1, 3001))
    arms = np.round(training.points[:, 0] * 10).astype(int)
    truth = np.array([environment.mean_rewards(t)[a] for t, a in enumerate(arms, start=1)])
    assert np.isfinite(truth).all()  # never a missing arm
    # 4-sigma limits: false alarm 6e-5 for the mean, and for the variance of the noise
    noise = (training.values - truth) / 0.1
    assert abs(noise.mean()) < 4 / np.sqrt(3000) and abs(noise.var() - 1) < 4 * np.sqrt(2 / 3000)
    # uniform over 61 arms: chi-square with 60 degrees of freedom, mean 60, sd 11; 5 sd
    counts = np.bincount(arms, minlength=61)
    assert ((counts - 3000 / 61) ** 2 / (3000 / 61)).sum() < 115


def test_queries_of_an_environment_have_its_law_of_noise():
    environment = Drifting()
    normal = from_environment(environment, streams.generator("q"), rounds=500)
    environment.noise_law = "uniform"
    uniform = from_environment(environment, streams.generator("q"), rounds=500)
    means = np.array([environment.mean_rewards(t) for t in range(1, 501)])
    truth = means[np.arange(500), np.round(normal.points[:, 0] * 10).astype(int)]
    largest = [np.abs(found.values - truth).max() / 0.1 for found in (normal, uniform)]
    assert largest[0] > 2.0 > np.sqrt(3.0) >= largest[1] > 1.7


def test_masked_values_of_a_field_are_missing():
    values, coordinates = field()
    masked = np.ma.array(np.nan_to_num(values, nan=-999.0), mask=np.isnan(values))
    plain, ours = (
        from_field(each, coordinates, streams.generator("f"), source="real") for each in (values, masked)
    )
    assert np.array_equal(plain.values, ours.values) and np.array_equal(
        plain.slices, ours.slices, equal_nan=True
    )
    with pytest.raises(ValueError, match=r"values\[2\] is not a finite number"):
        observations.check_observations(
            coordinates[:3], np.arange(3), np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1])
        )


def test_training_data_of_a_field(monkeypatch):
    values, coordinates = field()
    whole = from_field(values, coordinates, streams.generator("f"), source="real").sequences[0][1]
    monkeypatch.setattr(observations, "_SEQUENCE_ROUNDS", 20)
    monkeypatch.setattr(observations, "_SITES", 5)
    training = from_field(values, coordinates, streams.generator("f"), source="real", max_points=100)
    assert training.available == np.isfinite(values).sum()
    # 4 stretches of 5 of the 59 rounds that have a value, all values of 5 sites
    rounds = np.unique(training.times)
    assert rounds.tolist() == [1, 2, 3, 4, 5, *range(20, 25), *range(38, 43), *range(56, 61)]
    kept = [np.any(np.all(training.points == c, axis=1)) for c in coordinates]
    assert sum(kept) == 5
    assert len(training.values) == np.isfinite(values[rounds.astype(int) - 1][:, kept]).sum()
    site = {tuple(c): i for i, c in enumerate(coordinates)}
    for points, times, y in ((training.points, training.times, training.values), *training.sequences):
        for x, t, v in zip(points, times, y, strict=True):
            assert values[int(t) - 1, site[tuple(x)]] == v
    assert len(training.sequences) == 8
    for _, times, _ in training.sequences:
        assert times.min() >= 41 and len(times) == 20
    first, second, *_ = training.sequences
    assert not np.array_equal(first[0], second[0])  # other sites
    assert 6 not in whole and len(whole) == 59  # no site at all in round 6


def test_a_field_above_the_limit_keeps_its_fullest_sites():
    values, coordinates = field()
    whole = from_field(values, coordinates, streams.generator("f"), source="real", max_points=540)
    assert len(whole.values) == whole.available == np.isfinite(values).sum()
    values[:, [0, 2, 5]] = np.nan
    values[10, [0, 2, 5]] = 1.0  # one value each
    sparse = from_field(values, coordinates, streams.generator("f"), source="real", max_points=36)
    assert {tuple(c) for c in sparse.points} == {tuple(c) for c in coordinates[[1, 3, 4, 6, 7, 8]]}
    assert len(np.unique(sparse.times)) == 8  # 4 stretches of 2 rounds, the shortest that shows a change


def test_a_limit_takes_equally_full_sites_at_random():
    """The root of the limit of them."""
    values, coordinates = np.zeros((60, 9)), field()[1]
    found = set()
    for name in "abcde":
        training = from_field(values, coordinates, streams.generator(name), source="real", max_points=36)
        found.add(frozenset(map(tuple, training.points)))
    assert {len(sites) for sites in found} == {6} and len(found) > 1


def test_the_variance_of_a_field_is_at_most_that_of_its_values():
    """The likelihood alone takes lasting levels of the sites, with changes of the region from round to round,
    for a slow field of a larger variance."""
    rng = np.random.default_rng(0)
    coordinates = rng.uniform(0, 1, (6, 2))
    root = np.linalg.cholesky(kernels.make("se", length_scale=0.5)(coordinates, coordinates))
    values = 5 * rng.standard_normal(6) + 3 * rng.standard_normal((60, 6)) @ root.T
    training = from_field(values, coordinates, streams.generator("f"), source="real")
    given = {"alpha": 1.0, "gamma": 0.9}
    result = fit(training, given=given, starts=2)
    assert result["kernel"]["variance"] == pytest.approx(np.var(values), rel=1e-6)
    assert f"variance at its upper bound {np.var(values):.6g}" in result["bounds_hit"]
    larger = fit(training, given=given | {"variance": 30 * np.var(values)}, starts=2)
    assert larger["log_marginal_likelihood"] > result["log_marginal_likelihood"] + 20
    assert larger["epsilon"] < 0.1 * result["epsilon"]


def test_site_offsets_do_not_depend_on_gaps():
    wave, levels = 10 * np.sin(np.arange(60))[:, None], np.array([1.0, -3.0, 5.0, -3.0, 9.0])
    values = wave + levels
    values[:30, 0] = values[20:50, 2] = values[7] = values[:, 4] = np.nan
    found = site_offsets(values)
    assert found == pytest.approx([1.0, -3.0, 5.0, -3.0, np.nan], nan_ok=True)


def test_one_available_site_a_round():
    values = np.full((300, 6), np.nan)
    values[:, 2] = 1.0  # all but one or two are missing
    values[100:, 5] = 2.0
    values[7] = np.nan
    rows, columns = one_per_round(values, streams.generator("one"))
    assert np.array_equal(rows, np.delete(np.arange(300), 7))
    assert set(columns[:99]) == {2} and set(columns[99:]) == {2, 5}
    # 200 fair draws: 4 sd are 28 of 100, false alarm 6e-5
    assert abs(np.sum(columns[99:] == 5) - 100) < 28


def test_synthetic_experiment_with_a_known_kernel():
    training = from_environment(Drifting(), streams.generator("q"), rounds=80)
    given = {"variance": 1.0, "length_scale": 1.5, "noise_variance": 0.01, "norm_bound": 5.0}
    result = fit(training, given=given)
    assert result["kernel"] == {"name": "se", "variance": 1.0, "length_scale": 1.5}
    assert result["noise_variance"] == 0.01 and result["norm_bound"] == 5.0
    assert result["estimated"] == ["epsilon", "alpha", "gamma"]
    assert result["prior_mean"] == 0.0 and result["source"] == "synthetic"
    assert result["points"] == 80
    kernel = kernels.make("se", variance=1.0, length_scale=1.5)
    value = log_marginal_likelihood(kernel, *training.sequences[0], 0.01, result["epsilon"], gradient=False)
    assert result["log_marginal_likelihood"] == pytest.approx(value, abs=1e-9)
    # one observation per round: the one-step likelihood of the TV model is the joint one
    assert result["predictive"]["epsilon"] == pytest.approx(value, abs=1e-9)


def test_real_experiment_is_complete_and_repeatable():
    values, coordinates = field()

    training = from_field(values, coordinates, streams.generator("f"), source="real", max_points=120)

    def run():
        again = from_field(values, coordinates, streams.generator("f"), source="real", max_points=120)
        return fit(again, units=("ppb", "km", "day"))

    result = run()
    text = json.dumps(result, allow_nan=False)
    assert text == json.dumps(run(), allow_nan=False)
    assert result["estimated"] == [
        "prior_mean",
        "variance",
        "length_scale",
        "noise_variance",
        "epsilon",
        "alpha",
        "gamma",
        "norm_bound",
    ]
    assert result["prior_mean"] == pytest.approx(np.nanmean(values))
    assert result["points"] == len(training.values) < 120
    assert result["points_available"] == np.isfinite(values).sum()
    assert result["sequence_rounds"] == 59
    assert result["optimiser"]["status"] == "converged" and result["optimiser"]["starts"] == 5
    assert result["units"]["variance"] == "(ppb)^2" and result["units"]["length_scale"] == "km"
    assert "wall" not in text and "second" not in text


def fitted(change=lambda values: values):
    """The fit to a field of changed values."""
    values, coordinates = field()
    return fit(from_field(change(values), coordinates, streams.generator("f"), source="real", max_points=120))


@pytest.fixture(scope="module")
def plain():
    return fitted()


def test_units_of_the_values_scale_the_fit(plain):
    small, large = plain, fitted(lambda values: 1000 * values)
    assert large["kernel"]["variance"] == pytest.approx(1e6 * small["kernel"]["variance"], rel=1e-2)
    for name in ("epsilon", "alpha", "gamma", "norm_bound"):
        assert large[name] == pytest.approx(small[name], rel=1e-2)


def test_every_stage_is_centred(plain):
    values, coordinates = field()
    near, far = plain, fitted(lambda values: values + 1000)
    assert far["prior_mean"] == pytest.approx(near["prior_mean"] + 1000)
    for name in ("log_marginal_likelihood", "noise_variance", "alpha", "gamma", "norm_bound"):
        assert far[name] == pytest.approx(near[name], rel=1e-3)
    for name, value in near["predictive"].items():
        assert far["predictive"][name] == pytest.approx(value, rel=1e-3)
    # a given mean wins; centred wrongly, the same kernel explains the data worse
    training = from_field(values, coordinates, streams.generator("f"), source="real")
    given = {n: near[n] for n in ("noise_variance", "epsilon", "alpha", "gamma")}
    given |= {n: near["kernel"][n] for n in ("variance", "length_scale")}
    right, wrong = (fit(training, given=given | {"prior_mean": m}) for m in (40.0, 0.0))
    assert wrong["prior_mean"] == 0.0 and "prior_mean" not in wrong["estimated"]
    assert wrong["log_marginal_likelihood"] < right["log_marginal_likelihood"]
    assert wrong["norm"]["estimate"] > right["norm"]["estimate"]


def test_bounds_hit_of_every_stage_are_collected(monkeypatch):
    training = from_environment(Drifting(), streams.generator("q"), rounds=60)
    first, then = experiment.fit_marginal_likelihood, experiment.fit_predictive
    ends = {"alpha": (2.5, 3.0), "gamma": (0.1, 0.2)}

    def narrow(*arguments, **options):
        return first(*arguments, **options, bounds={"epsilon": (0.5, 0.9)})

    monkeypatch.setattr(experiment, "fit_marginal_likelihood", narrow)
    monkeypatch.setattr(experiment, "fit_predictive", lambda *a: then(*a, bounds=ends[a[-1]]))
    monkeypatch.setattr(experiment, "NORM_CAP", 0.5)
    given = {"variance": 1.0, "length_scale": 1.5, "noise_variance": 0.01}
    result = fit(training, given=given)
    assert result["bounds_hit"] == [
        "epsilon at its lower bound 0.5",
        "alpha at its lower bound 2.5",
        "gamma at its upper bound 0.2",
        "norm_bound at its cap 0.5",
    ]
    assert result["norm_bound"] == 0.5 and result["norm"]["estimate"] > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": {"sigma": 1.0}}, "unknown parameter 'sigma'"),
        ({"given": {"alpha": float("nan")}}, "given alpha is nan"),
        ({"given": {"gamma": 2.0}}, "gamma is 2.0"),
        ({"kernel_name": "rbf"}, "unknown kernel 'rbf'"),
    ],
)
def test_bad_options(options, message):
    training = from_environment(Drifting(), streams.generator("q"), rounds=30)
    with pytest.raises(ValueError, match=message):
        fit(training, **options)


def test_bad_fields():
    values, coordinates = field()
    rng = streams.generator("f")
    with pytest.raises(ValueError, match="every entry is missing"):
        from_field(np.full_like(values, np.nan), coordinates, rng, source="real")
    with pytest.raises(ValueError, match="field has shape"):
        from_field(values[:, :3], coordinates, rng, source="real")
    with pytest.raises(ValueError, match="times have shape .60,., expected 60 increasing numbers"):
        from_field(values, coordinates, rng, source="real", times=np.arange(60) // 2)
    with pytest.raises(ValueError, match="time 1, site 2 is infinite"):
        values[1, 2] = np.inf
        from_field(values, coordinates, rng, source="real")
    training = from_environment(Drifting(), rng, rounds=30)
    with pytest.raises(ValueError, match=r"values\[3\] is not a finite number"):
        broken = training.values.copy()
        broken[3] = np.nan
        fit(replace(training, values=broken))
