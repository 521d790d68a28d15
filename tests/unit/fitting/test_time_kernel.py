"""The choice of a time kernel by marginal likelihood."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.fitting.time_kernel import LENGTHS, TimeLikelihood, best_frequency, choose, frequencies, periodic

ARMS = np.linspace(-15, 15, 41)[:, None]
K = kernels.make("se", variance=0.5, length_scale=3.0)(ARMS, ARMS)
NOISE = 0.01


def value_under(likelihood, kernel, *least):
    """l under a time kernel."""
    lags = likelihood.lags[:, None].astype(float)
    return likelihood.of_table(kernel(lags, np.zeros((1, 1)))[:, 0], *least)


def drawn(kernel, n, seed):
    """n observations of a draw of GP(0, k k_T), one per round, of uniform arms."""
    rng = np.random.default_rng(seed)
    arms, rounds = rng.integers(0, 41, n), np.arange(1, n + 1)
    at = rounds[:, None].astype(float)
    A = K[np.ix_(arms, arms)] * kernel(at, at) + NOISE * np.eye(n)
    y = np.linalg.cholesky(A) @ rng.normal(size=n)
    return K[np.ix_(arms, arms)], y, np.full(n, NOISE), rounds


@pytest.mark.parametrize("rounds", [np.arange(30), np.sort(np.random.default_rng(1).integers(0, 1000, 30))])
def test_the_likelihood_is_that_of_the_textbook(rounds):
    rng = np.random.default_rng(0)
    arms, y, v = rng.integers(0, 41, 30), rng.normal(size=30), NOISE * rng.uniform(1, 3, 30)
    gram, at = K[np.ix_(arms, arms)], rounds[:, None].astype(float)
    likelihood = TimeLikelihood(gram, y, v, rounds)
    for kernel in (periodic(0.11), kernels.make("se", length_scale=5.0)):
        A = gram * kernel(at, at) + np.diag(v)
        expected = -0.5 * y @ np.linalg.solve(A, y) - 0.5 * np.linalg.slogdet(A)[1]
        assert value_under(likelihood, kernel) == pytest.approx(expected, rel=1e-9)


def test_hopeless_kernels_get_an_upper_bound_on_the_likelihood():
    gram, y, v, rounds = drawn(periodic(0.05), 100, 0)
    likelihood = TimeLikelihood(gram, y, v, rounds)
    best, bounds = value_under(likelihood, periodic(0.05)), 0
    for frequency in np.linspace(0.01, 0.12, 12):
        exact, found = (
            value_under(likelihood, periodic(frequency)),
            value_under(likelihood, periodic(frequency), best),
        )
        assert exact <= found < best or found == exact
        bounds += found != exact
    assert bounds > 5  # most are far below


def test_the_score_is_the_derivative_of_the_likelihood():
    gram, y, v, rounds = drawn(periodic(0.05), 50, 0)
    likelihood, at = TimeLikelihood(gram, y, v, rounds), rounds[:, None].astype(float)

    def value(kernel, share):
        A = gram * (np.eye(50) + share * kernel(at, at)) + np.diag(v)
        return -0.5 * y @ np.linalg.solve(A, y) - 0.5 * np.linalg.slogdet(A)[1]

    grid, step = np.linspace(0.02, 0.12, 30), 1e-5
    scores = likelihood.scores(grid)
    for i in (3, 17, 29):
        slopes = [
            (value(periodic(f), step) - value(periodic(f), -step)) / (2 * step) for f in (grid[i], grid[0])
        ]
        assert scores[i] - scores[0] == pytest.approx(slopes[0] - slopes[1], rel=1e-6)


@pytest.mark.parametrize("period", [11.7, 20.94, 62.8])
@pytest.mark.parametrize("seed", range(3))
def test_the_period_of_a_periodic_function_is_found(period, seed):
    """Within 1/(4 n) in frequency; slow periods too, which aperiodic kernels follow as well."""
    chosen = choose(*drawn(kernels.make("periodic", period=period), 200, seed)).kernel
    assert chosen.name == "periodic" and abs(1 / chosen.period - 1 / period) < 1 / 800


@pytest.mark.parametrize("period", [9.3, 20.94, 50.0])
@pytest.mark.parametrize("seed", range(2))
def test_score_peaks_lead_to_the_best_frequency_of_the_grid(period, seed):
    record = drawn(periodic(1 / period) * kernels.make("matern12", length_scale=300.0), 120, seed)
    likelihood = TimeLikelihood(*record)
    grid = frequencies(120)
    best = max(grid, key=lambda f: value_under(likelihood, periodic(f)))
    value, kernel = best_frequency(likelihood)
    assert kernel == periodic(best)
    assert value == pytest.approx(value_under(likelihood, periodic(best)), abs=1e-8)


@pytest.mark.parametrize("name", ["matern12", "se"])
@pytest.mark.parametrize("length", [4.0, 30.0])
def test_the_best_length_scale_of_the_whole_grid_is_chosen(name, length):
    record = drawn(kernels.make(name, length_scale=length), 120, 0)
    likelihood = TimeLikelihood(*record)
    candidates = [kernels.make(name, length_scale=each) for name in ("matern12", "se") for each in LENGTHS]
    assert choose(*record).kernel == max(candidates, key=lambda each: value_under(likelihood, each))


@pytest.mark.parametrize("kernel", [kernels.make("matern12", length_scale=30.0), periodic(0.05)])
def test_reusing_earlier_results_changes_no_choice(kernel):
    """And spares most of the work; the factor is that of the choice."""
    gram, y, v, rounds = drawn(kernel, 260, 0)
    known: dict = {}
    for n in (40, 70, 130, 260):
        data = gram[:n, :n], y[:n], v[:n], rounds[:n]
        chosen = choose(*data, known)
        kernel, lower = chosen.kernel, chosen.lower
        assert kernel == choose(*data).kernel
        at = rounds[:n, None].astype(float)
        np.testing.assert_allclose(lower @ lower.T, data[0] * kernel(at, at) + np.diag(v[:n]), atol=1e-12)
        assert not np.triu(lower, 1).any()
    assert sum(m == 260 for m, _ in known.values()) < 20


@pytest.mark.parametrize("length", [2.0, 20.0, 200.0])
def test_ou_tails_bound_the_likelihood_from_above(length):
    """With gaps and several observations per round."""
    rng = np.random.default_rng(0)
    rounds = np.sort(rng.integers(0, 120, 100))
    arms, y, v = rng.integers(0, 41, 100), 0.1 * rng.normal(size=100), NOISE * rng.uniform(1, 3, 100)
    likelihood = TimeLikelihood(K[np.ix_(arms, arms)], y, v, rounds)
    table = np.exp(-likelihood.lags / length)
    bounds = [
        likelihood.of_first(m, table) + likelihood.markov_tails(table[None])[0, m] for m in range(1, 101)
    ]
    assert (np.diff(bounds) <= 1e-9).all()
    assert likelihood.markov_tails(table[None])[0, 0] < likelihood.tails[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_static_function_has_a_constant_or_slow_time_kernel(seed):
    chosen = choose(*drawn(kernels.make("constant"), 150, seed)).kernel
    assert chosen.name == "constant" or chosen.length_scale >= 150


def test_a_period_above_half_of_the_rounds_is_not_offered():
    assert (1 / frequencies(100)).max() <= 50 and (1 / frequencies(5000)).max() <= 250
    np.testing.assert_allclose(np.diff(frequencies(100)), 1 / 800)
    assert len(frequencies(14)) == 0
