"""The fit of Field-GP-UCB's model: its likelihood against the dense formula, recovery, and doubts."""

from dataclasses import replace

import numpy as np
import pytest

from tvgp.fitting import fit_field
from tvgp.fitting.field_model import PanelLikelihood

TRUE = {"slow_share": 0.4, "own_share": 0.5, "l_fast": 2.0, "l_slow": 40.0}
NOISE = 0.3


def covariance(sites):
    """Of f, with variance 1 at all sites."""
    x = np.arange(sites) / 4.0
    return 0.9 * np.exp(-np.abs(np.subtract.outer(x, x))) + 0.1 * np.eye(sites)


def draw(seed, sites, rounds, missing=0.2):
    """Readings of the model, (rounds, sites)."""
    rng, K = np.random.default_rng(seed), covariance(sites)
    q, o = TRUE["slow_share"], TRUE["own_share"]
    total = np.zeros((rounds, sites))
    for C, length in (((1 - q) * K, TRUE["l_fast"]), (q * ((1 - o) * K + o * np.eye(sites)), TRUE["l_slow"])):
        root, a = np.linalg.cholesky(C), np.exp(-1 / length)
        z = root @ rng.normal(size=sites)
        for t in range(rounds):
            total[t] += z
            z = a * z + np.sqrt(1 - a * a) * root @ rng.normal(size=sites)
    total += np.sqrt(NOISE) * rng.normal(size=total.shape)
    total[rng.random(total.shape) < missing] = np.nan
    return total


@pytest.fixture(scope="module")
def long():
    """The fit of six sites and 900 rounds."""
    return fit_field(draw(1, 6, 900), 0.0, covariance(6) + NOISE * np.eye(6))


@pytest.mark.parametrize("group", [1, 2, 3, 7])
def test_the_likelihood_is_that_of_the_dense_formula(group):
    """Added over groups, with gaps, rounds without any value, and rounds that are left out."""
    sites, rounds = 7, 14
    y, t = (
        draw(0, sites, rounds, 0.4),
        np.cumsum(np.random.default_rng(1).integers(1, 4, rounds)).astype(float),
    )
    y[5] = np.nan
    C = covariance(sites) + NOISE * np.eye(sites)
    z = np.array([np.log(2.0), np.log(0.2), np.log(20.0), np.log(2.0 / 3.0)])
    likelihood = PanelLikelihood(y, t, C, 0.5, group)
    K, _ = likelihood.model(z)
    np.testing.assert_allclose(K, C - 0.2 * np.eye(sites), atol=1e-12)
    groups, expected = -(-sites // group), 0.0
    for first in range(groups):
        rows, columns = np.nonzero(np.isfinite(y[:, first::groups]))
        columns = first + groups * columns
        lags = np.abs(np.subtract.outer(t[rows], t[rows]))
        same = columns[:, None] == columns
        A = K[np.ix_(columns, columns)] * (
            0.6 * np.exp(-lags / 2) + 0.4 * np.exp(-lags / 40) * np.where(same, 1.0, 0.5)
        )
        A += 0.2 * np.eye(len(A))
        values = y[rows, columns]
        expected -= 0.5 * (values @ np.linalg.solve(A, values) + np.linalg.slogdet(2 * np.pi * A)[1])
    assert likelihood.terms([z])[0].sum() == pytest.approx(expected, rel=1e-11)


def test_known_parameters_are_within_their_standard_errors():
    """8 panels of 8 sites and 250 rounds. The mean of 32 independent squares is below 2.21 in all but 1e-4
    of cases; 40 panels of 12 sites had 1.17, since scores of different groups are correlated over rounds."""
    K, scores = covariance(8) + NOISE * np.eye(8), []
    truth = {
        "l_fast": np.log(2.0),
        "l_slow": np.log(40.0),
        "slow_share": np.log(0.4 / 0.6),
        "noise_variance": np.log(NOISE),
    }
    for seed in range(8):
        fit = fit_field(draw(seed, 8, 250), 0.0, K)
        found = {
            "l_fast": np.log(fit.l_fast),
            "l_slow": np.log(fit.l_slow),
            "slow_share": np.log(fit.slow_share / (1 - fit.slow_share)),
            "noise_variance": np.log(fit.noise_variance),
        }
        scores.append([(found[name] - truth[name]) / fit.standard_errors.get(name, np.nan) for name in truth])
    assert np.isfinite(scores).mean() > 0.9
    assert 0.5 < np.nanmean(np.square(scores)) < 2.21


def test_one_scale_has_no_slow_part():
    y = draw(0, 6, 200)
    fit = fit_field(y, 0.0, covariance(6) + NOISE * np.eye(6), scales=1)
    assert fit.slow_share == 0 and fit.l_slow == fit.l_fast and not fit.doubts()
    assert set(fit.standard_errors) == {"l_fast", "noise_variance"}
    both = fit_field(y, 0.0, covariance(6) + NOISE * np.eye(6))
    assert both.log_likelihood > fit.log_likelihood + 20


def test_a_static_model_has_no_scales_to_fit():
    y = draw(0, 6, 200)
    fit = fit_field(y, 0.0, covariance(6) + NOISE * np.eye(6), scales=0)
    assert fit.slow_share == 0 and np.exp(-1000 / fit.l_fast) == pytest.approx(1.0, abs=1e-5)
    assert not any("l_fast" in each for each in fit.bounds_hit) and "l_fast" not in fit.standard_errors
    assert fit.doubts() == []
    one = fit_field(y, 0.0, covariance(6) + NOISE * np.eye(6), scales=1)
    assert one.log_likelihood > fit.log_likelihood + 100


def test_a_short_panel_is_said_to_tell_little(long):
    fit = fit_field(draw(0, 6, 30), 0.0, covariance(6) + NOISE * np.eye(6))
    (doubt,) = [each for each in fit.doubts() if "slow" in each]
    value, low, high = fit.half_life("slow")
    assert value == pytest.approx(np.log(2) * fit.l_slow) and low < value < high
    assert doubt.startswith("the half-life of the slow part is ") and doubt.endswith(
        "fits 30 rounds of training as well"
    )
    assert long.doubts() == []


def test_half_lives_have_intervals_of_their_own_scale(long):
    """ln 2 times l, times and over exp(1.96 standard errors of log l)."""
    told = replace(long, l_fast=2.0, l_slow=40.0, standard_errors={"l_fast": 0.1, "l_slow": 0.5})
    for part, length, error in (("fast", 2.0, 0.1), ("slow", 40.0, 0.5)):
        half, factor = np.log(2.0) * length, np.exp(1.959964 * error)
        assert told.half_life(part) == pytest.approx((half, half / factor, half * factor), rel=1e-6)
    assert told.epsilon == pytest.approx(1.0 - np.exp(-1.0 / 2.0) ** 2)


@pytest.mark.parametrize(
    ("fast", "slow", "rounds", "doubted"),
    [
        (0.1, 0.1, 900, []),
        (0.7, 0.1, 900, ["fast"]),  # a factor of 15 between its ends
        (0.1, 0.7, 900, ["slow"]),
        (0.1, 0.1, 30, ["slow"]),  # 23 to 34 rounds
        (0.1, 0.1, 1, ["slow"]),  # a fast part may last longer than the panel
    ],
)
def test_doubted_half_lives_span_a_factor_of_ten(fast, slow, rounds, doubted, long):
    """Or, of the slow part, more rounds than there are."""
    errors = {"l_fast": fast, "l_slow": slow}
    told = replace(long, l_fast=2.0, l_slow=40.0, standard_errors=errors, rounds=rounds)
    assert [doubt.split()[4] for doubt in told.doubts()] == doubted


def test_a_bound_that_is_hit_is_named():
    """Readings that do not change last for as long as they may, all rounds."""
    y = draw(0, 6, 1, 0.0) + 1e-3 * np.random.default_rng(0).normal(size=(40, 6))
    fit = fit_field(y, 0.0, covariance(6) + NOISE * np.eye(6), scales=1)
    assert "l_fast at its upper bound" in fit.bounds_hit and fit.l_fast == pytest.approx(40.0)


@pytest.mark.parametrize("errors", [{"l_slow": 6.0}, {}])
def test_a_flat_likelihood_gives_an_interval_without_ends(errors, long):
    told = replace(long, standard_errors={"l_fast": 0.1, **errors})
    assert told.half_life("slow")[1:] == (0.0, np.inf)
    (doubt,) = told.doubts()
    assert "slow part" in doubt and doubt.endswith("but anything fits 900 rounds of training as well")


@pytest.fixture(scope="module")
def whole():
    """The fit of twelve sites."""
    return fit_field(draw(5, 12, 400), 0.0, covariance(12) + NOISE * np.eye(12))


@pytest.mark.parametrize("dropped", [(0, 1), (4, 9)])
def test_two_sites_less_hardly_move_the_scales(dropped, whole):
    """The scales of 12 sites and of ten of them differ by less than twice the standard errors."""
    y, sites = draw(5, 12, 400), np.setdiff1d(np.arange(12), dropped)
    C = (covariance(12) + NOISE * np.eye(12))[np.ix_(sites, sites)]
    fewer = fit_field(y[:, sites], 0.0, C)
    for name in ("l_fast", "l_slow"):
        change = np.log(getattr(fewer, name) / getattr(whole, name))
        assert abs(change) < 2 * whole.standard_errors[name]


def test_the_parts_of_the_fit_are_those_of_the_policy():
    C = covariance(6) + NOISE * np.eye(6)
    fit = fit_field(draw(0, 6, 200), 0.0, C, own_share=0.2)
    assert fit.parameters().keys() == TRUE.keys() and fit.own_share == 0.2
    np.testing.assert_allclose(fit.covariance, C - fit.noise_variance * np.eye(6), atol=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"covariance": np.eye(3)}, r"values have shape \(30, 6\), covariance \(3, 3\)"),
        ({"times": np.zeros(30)}, r"times have shape \(30,\), expected 30 increasing numbers"),
        ({"values": np.full((30, 6), np.nan)}, "0 values, at least 10 are needed"),
        ({"scales": 3}, "scales is 3, expected 0, 1 or 2"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"values": draw(0, 6, 30), "level": 0.0, "covariance": covariance(6)} | change
    with pytest.raises(ValueError, match=message):
        fit_field(**given)
