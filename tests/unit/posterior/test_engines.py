"""Engines against scikit-learn, mpmath and each other."""

import math

import mpmath
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from tvgp import kernels
from tvgp.kernels import forgetting_correlation
from tvgp.posterior import Append, Dense, Grid, Lazy, Merged, Prior, WeightSpace, make, make_batch
from tvgp.posterior.merged.forms import Dual
from tvgp.posterior.triangles import cholesky_of_one_plus

SKLEARN = {
    "se": sk.RBF,
    "matern12": lambda scale: sk.Matern(scale, nu=0.5),
    "matern32": lambda scale: sk.Matern(scale, nu=1.5),
    "matern52": lambda scale: sk.Matern(scale, nu=2.5),
}
SEQUENTIAL = [Append, WeightSpace, Dense]


class DualForm(Merged):
    """Takes the dual form always."""

    def cheapest(self, n, total):
        return Dual


def _prior(rng, name="se", n_arms=60, d=1, length_scale=None):
    arms = rng.uniform(-1, 1, (n_arms, d))
    length_scale = length_scale or rng.uniform(0.1, 1.0)
    return Prior(arms, kernels.make(name, variance=rng.uniform(0.2, 4), length_scale=length_scale))


def _assert_close(engine, mean, variance, log_det=None, tolerance=1e-8):
    np.testing.assert_allclose(engine.mean, mean, atol=tolerance)
    np.testing.assert_allclose(engine.variance, variance, atol=tolerance)
    if log_det is not None:
        assert engine.log_det == pytest.approx(log_det, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", sorted(SKLEARN))
def test_every_engine_equals_scikit_learn(name, seed):
    rng = np.random.default_rng(seed)
    prior = _prior(rng, name, d=1 + seed % 2)
    n = int(rng.integers(1, 90))
    played = rng.integers(0, 60, n)  # repeated arms included
    values = rng.normal(size=n)
    noises = rng.uniform(0.01, 0.5, n)

    def reference(noise_variances):
        kernel = sk.ConstantKernel(prior.kernel.variance, "fixed") * SKLEARN[name](prior.kernel.length_scale)
        gp = GaussianProcessRegressor(kernel, alpha=noise_variances, optimizer=None)
        gp.fit(prior.arms[played], values)
        mean, std = gp.predict(prior.arms, return_std=True)
        return mean, std**2

    for engine in (make_batch(prior), DualForm(prior), Dense(prior)):
        engine.condition(played, values, noises)
        _assert_close(engine, *reference(noises))
    for engine_class in SEQUENTIAL:
        engine = engine_class(prior, 0.05)
        for arm, value in zip(played, values, strict=True):
            engine.observe(int(arm), value)
        _assert_close(engine, *reference(np.full(n, 0.05)))


@pytest.mark.parametrize("epsilon", [0.001, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("engine_class", [Append, WeightSpace])
def test_forgetting_equals_the_batch_formula(engine_class, epsilon):
    """TV-GP-UCB: recursive scaling and the Kalman form equal Bogunovic16 eq. (8)-(9)."""
    rng = np.random.default_rng(5)
    prior = _prior(rng)
    engine = engine_class(prior, 0.02, epsilon)
    arms, values = rng.integers(0, 60, 150), rng.normal(size=150)
    for arm, value in zip(arms, values, strict=True):
        engine.observe(int(arm), value)
        engine.advance()
    times = np.arange(150.0)
    D = forgetting_correlation(times[:, None] - times, epsilon)
    K = prior.gram[np.ix_(arms, arms)] * D + 0.02 * np.eye(150)
    k = prior.gram[arms] * forgetting_correlation(150.0 - times, epsilon)[:, None]
    mean = k.T @ np.linalg.solve(K, values)
    variance = prior.diagonal - np.einsum("ng,ng->g", k, np.linalg.solve(K, k))
    _assert_close(engine, mean, variance, np.linalg.slogdet(K / 0.02)[1])


@pytest.mark.parametrize("engine_class", SEQUENTIAL)
def test_epsilon_one_is_the_prior_and_reset_forgets(engine_class):
    rng = np.random.default_rng(0)
    prior = _prior(rng)
    engine = engine_class(prior, 0.1, 1.0)
    engine.observe(3, 2.0)
    engine.advance()
    _assert_close(engine, np.zeros(60), prior.diagonal, tolerance=1e-12)
    engine.reset()
    assert engine.n == 0 and engine.log_det == 0.0


def test_one_observation_shrinks_with_its_lag():
    """TV with one observation: the mean shrinks by (1 - eps)^(lag / 2)."""
    prior = _prior(np.random.default_rng(1))
    engine, still = Append(prior, 0.1, 0.2), Append(prior, 0.1)
    for e in (engine, still):
        e.observe(7, 1.5)
        for _ in range(9):
            e.advance()
    np.testing.assert_allclose(engine.mean, 0.8**4.5 * still.mean, atol=1e-12)


def test_append_renormalises_and_drops_over_long_forgetting():
    rng = np.random.default_rng(2)
    prior = _prior(rng, n_arms=20)
    append, kalman = Append(prior, 0.1, 0.6), WeightSpace(prior, 0.1, 0.6)
    for _ in range(3000):
        arm, value = int(rng.integers(20)), rng.normal()
        for engine in (append, kalman):
            engine.observe(arm, value)
            engine.advance()
    _assert_close(append, kalman.mean, kalman.variance)
    assert len(append._V) < 1000, "rows without weight must be dropped"


def test_weight_space_refresh_keeps_the_posterior():
    rng = np.random.default_rng(3)
    prior = _prior(rng)
    long, batch = WeightSpace(prior, 0.3), Merged(prior)
    arms, values = rng.integers(0, 60, 9000), rng.normal(size=9000)
    for arm, value in zip(arms, values, strict=True):
        long.observe(int(arm), value)
    batch.condition(arms, values, np.full(9000, 0.3))
    _assert_close(long, batch.mean, batch.variance, batch.log_det)


@pytest.mark.parametrize("noise_exponent", [-10, -5, 0, 5, 10])
@pytest.mark.parametrize("scale_exponent", [-3, 0, 3])
def test_extreme_scales_against_fifty_digits(noise_exponent, scale_exponent):
    """Length-scales 1e-3..1e3 of the domain, noise 1e-10..1e10, repeated and near-equal arms."""
    arms = np.array([[0.0], [1e-9], [0.25], [0.5], [0.5 + 1e-7], [1.0]])
    prior = Prior(arms, kernels.make("se", variance=1.0, length_scale=10.0**scale_exponent))
    played = np.array([0, 1, 2, 2, 4, 5, 0])
    values = np.array([1.0, 1.0, -0.5, -0.4, 0.3, 0.2, 1.1])
    noise = 10.0**noise_exponent
    with mpmath.workdps(50):
        K = mpmath.matrix(6, 6)
        for i in range(6):
            for j in range(6):
                r = (mpmath.mpf(arms[i, 0]) - mpmath.mpf(arms[j, 0])) / mpmath.mpf(10.0**scale_exponent)
                K[i, j] = mpmath.exp(-r * r / 2)
        A = mpmath.matrix(7, 7)
        for i in range(7):
            for j in range(7):
                A[i, j] = K[int(played[i]), int(played[j])] + (mpmath.mpf(noise) if i == j else 0)
        inverse = A**-1
        y = mpmath.matrix([mpmath.mpf(v) for v in values])
        mean, variance = [], []
        for g in range(6):
            k = mpmath.matrix([K[int(i), g] for i in played])
            mean.append(float((k.T * inverse * y)[0]))
            variance.append(float(1 - (k.T * inverse * k)[0]))
    noises = np.full(7, noise)
    merged = Merged(prior)
    merged.condition(played, values, noises)
    append = make(prior, noise, horizon=7, engine="append")
    for arm, value in zip(played, values, strict=True):
        append.observe(int(arm), value)
    for engine in (merged, append):
        assert np.isfinite(engine.mean).all() and (engine.variance >= 0).all()
        np.testing.assert_allclose(engine.variance, variance, atol=1e-8)
        # condition number of K + Sigma times rounding bounds what any float64 method can give
        np.testing.assert_allclose(engine.mean, mean, atol=max(1e-8, 1e-15 / noise))


def test_five_hundred_equal_arms():
    prior = Prior(np.zeros((500, 1)), kernels.make("se", variance=2.0, length_scale=1.0))
    for engine in (make(prior, 1e-4, horizon=500), make(prior, 1e-4, horizon=500, engine="append")):
        for i in range(500):
            engine.observe(i, 1.0)
        np.testing.assert_allclose(engine.variance, 2e-4 / (2 * 500 + 1e-4), rtol=1e-5)
    batch = make_batch(prior)
    batch.condition(np.arange(500), np.ones(500), np.full(500, 1e-4))
    np.testing.assert_allclose(batch.mean, 1.0, atol=1e-6)


@pytest.mark.parametrize("engine_class", [Merged, Dense])
@pytest.mark.parametrize("least", [1e-289, 1e-300, 1e-310, 5e-324])
def test_data_of_vanishing_precision_weigh_nothing(engine_class, least):
    # the inverse of a subnormal precision overflows, as after a long pause of W-GP-UCB
    prior = _prior(np.random.default_rng(2), n_arms=20)
    one, both = engine_class(prior), engine_class(prior)
    p, faded = np.bincount([3], [5.0], 20), np.bincount([3, 11], [5.0, least], 20)
    one.condition_sums(p, p)
    both.condition_sums(faded, faded)
    _assert_close(both, one.mean, one.variance)
    for found, expected in zip(both.mismatch_sums(np.sqrt(least) * faded), one.mismatch_sums(p), strict=True):
        assert np.isfinite(found).all() and np.shape(found) == np.shape(expected)
    both.condition_sums(least * p, least * p)
    _assert_close(both, 0.0, prior.diagonal)


@pytest.mark.parametrize("merged_class", [DualForm, Merged])
def test_merged_engines_equal_dense_under_mismatched_noise(merged_class):
    rng = np.random.default_rng(4)
    prior = _prior(rng, length_scale=0.8)
    arms = rng.integers(0, 60, 200)
    assumed, true = rng.uniform(0.05, 1, 200), rng.uniform(0.05, 1, 200)
    merged, dense = merged_class(prior), Dense(prior)
    for engine in (merged, dense):
        engine.condition(arms, rng.normal(size=200), assumed)
    spread = lambda variances: np.bincount(arms, variances / assumed**2, prior.n_arms)  # noqa: E731
    ours, theirs = merged.mismatch_sums(spread(true)), dense.mismatch(true)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-7)
    same = merged.mismatch_sums(spread(assumed))
    np.testing.assert_allclose(same[0], merged.variance, atol=1e-9)
    assert same[1] == pytest.approx(merged.log_det, abs=1e-7)
    some = np.where(np.arange(prior.n_arms) % 3, spread(true), 0.0)  # of others, nothing counts
    dense.condition_sums(spread(assumed), np.zeros(prior.n_arms))
    for found, expected in zip(merged.mismatch_sums(some), dense.mismatch_sums(some), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    theirs = dense.mismatch_sums(spread(true))
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-7)


@pytest.mark.parametrize("n_arms", [60, 300])
def test_recurring_designs_are_cached(n_arms, monkeypatch):
    """Factorisations that are kept, or not kept (many arms), give what a new engine does; their
    places are taken in turn, and nobody's results change with the next design."""
    rng = np.random.default_rng(5)
    prior = _prior(rng, n_arms=n_arms, length_scale=0.4)
    engine = Merged(prior)
    designs = []
    for _ in range(70):
        arms = rng.choice(n_arms, int(rng.integers(1, 50)), replace=False)
        designs.append(np.bincount(arms, rng.uniform(1, 9, len(arms)), n_arms))
    for i in [0, 0, 1, 0, *range(70), 0, 69, 69, 3, 69]:
        p, values = designs[i], rng.normal(size=n_arms)
        fresh = Merged(prior)
        before = engine.variance, engine.variance.copy()
        for one in (engine, fresh):
            one.condition_sums(p, p * values)
        np.testing.assert_array_equal(engine.mean, fresh.mean)
        np.testing.assert_array_equal(engine.variance, fresh.variance)
        assert (engine.log_det, engine.n) == (fresh.log_det, fresh.n)
        np.testing.assert_array_equal(*before)
        np.testing.assert_array_equal(engine.mismatch_sums(p)[0], fresh.mismatch_sums(p)[0])
        if i == 1:  # a design that cannot be factorised leaves nothing behind
            with monkeypatch.context() as patch:
                patch.setattr("tvgp.posterior.triangles.dpotrf", lambda a, **_: (a, 1))
                with pytest.raises(ValueError, match="Cholesky factorisation failed at row 1"):
                    engine.condition_sums(2 * p, p)
            engine.condition_sums(p, p * values)
            np.testing.assert_array_equal(engine.mean, fresh.mean)
        if i == 3:
            engine.condition_sums(np.zeros(n_arms), np.zeros(n_arms))
            np.testing.assert_array_equal(engine.variance, prior.diagonal)
            assert engine.n == 0 and engine.log_det == 0.0


def test_auto_chooses_the_cheapest_engine():
    line = np.linspace(-50, 50, 501)[:, None]
    smooth = Prior(line, kernels.make("se", variance=0.5, length_scale=3.0))
    rough = Prior(line, kernels.make("matern12", variance=0.5, length_scale=3.0))
    assert make(smooth, 0.01, horizon=500).name == "weight_space"
    assert make(smooth, 0.01, horizon=100).name == "append"
    assert make(smooth, 1e-9, horizon=500).name == "append"
    assert make(rough, 0.01, horizon=500).name == "append"
    with pytest.raises(ValueError, match="unknown engine 'fast'"):
        make(smooth, 0.01, horizon=500, engine="fast")
    with pytest.raises(ValueError, match="noise variance is 0"):
        make(smooth, 0.0, horizon=500)


def test_dense_reports_a_singular_matrix():
    prior = Prior(np.zeros((3, 1)), kernels.make("se"))
    with pytest.raises(ValueError, match="not positive definite.*raise the noise variance"):
        Dense(prior).condition(np.array([0, 1, 2]), np.ones(3), np.full(3, 1e-300))


def test_prior_is_shared_and_checked():
    arms = np.linspace(0, 1, 5)[:, None]
    kernel = kernels.make("se")
    assert Prior.of(arms, kernel) is Prior.of(arms.copy(), kernels.make("se"))
    with pytest.raises(ValueError, match="not finite"):
        Prior(np.array([[np.nan]]), kernel)
    with pytest.raises(ValueError, match="expected \\(n_arms, d\\)"):
        Prior(np.arange(3.0), kernel)


def test_sums_per_arm_equal_the_data():
    prior = Prior(np.linspace(0, 10, 60)[:, None], kernels.make("se", variance=1.0, length_scale=2.0))
    rng = np.random.default_rng(4)
    for n in (5, 40, 400):  # some arms (dual), all arms (primal)
        arms, values = rng.integers(60, size=n), rng.standard_normal(n)
        variances = rng.uniform(0.1, 3.0, n)
        p, s = (np.bincount(arms, w, 60) for w in (1 / variances, values / variances))
        for engine in (make_batch(prior), Dense(prior)):
            engine.condition_sums(p, s)
            found = engine.mean, engine.variance, engine.log_det
            engine.condition(arms, values, variances)
            _assert_close(engine, *found)


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_factorisation_of_one_plus_matrix_in_any_layout(layout):
    half = np.random.default_rng(6).normal(size=(5, 5))
    matrix = half @ half.T
    expected = np.linalg.cholesky(np.eye(5) + matrix)
    buffer = np.empty((10, 10))[::2, ::2]
    buffer[:] = matrix
    given = buffer if layout == "strided" else np.array(matrix, order=layout)
    np.testing.assert_allclose(cholesky_of_one_plus(given), expected, atol=1e-12)


@pytest.mark.parametrize("engine_class", [*SEQUENTIAL, Grid, Lazy])
def test_sequential_engines_break_ties_by_lowest_index(engine_class):
    """Arms beyond the reach of the kernel all tie; a prior mean and a mask move the maximum."""
    prior = Prior(np.arange(30.0)[:, None], kernels.make("matern32", length_scale=0.01))
    engine = engine_class(prior, 0.1)
    engine.observe(0, -1.0)
    engine.observe(3, -1.0)
    mean = np.zeros(30)
    mean[[7, 20]] = 1.0, 1.0 + 5e-10
    assert engine.best_arm(2.0) == 1
    assert engine.best_arm(2.0, mean) == 7
    mean[7] -= 2e-9  # further from the maximum than rounding
    assert engine.best_arm(2.0, mean) == 20
    assert engine.best_arm(2.0, mean, np.arange(30) > 20) == 21
    with pytest.raises(ValueError, match="no arm is available"):
        engine.best_arm(2.0, None, np.zeros(30, dtype=bool))


@pytest.mark.parametrize("engine_class", [Merged, DualForm, Dense])
def test_batch_engines_break_ties_by_lowest_index(engine_class):
    prior = Prior(np.arange(30.0)[:, None], kernels.make("matern32", length_scale=0.01))
    engine = engine_class(prior)
    engine.condition(np.array([0, 3]), np.array([-1.0, -1.0]), np.array([0.1, 0.2]))
    assert engine.best_arm(2.0) == 1
    assert engine.best_arm(2.0, np.arange(30.0) // 10 + 1e-11 * np.arange(30)) == 20
    assert engine.best_arm(2.0, None, np.arange(30) > 20) == 21


@pytest.mark.parametrize("name", ["se", "matern32"])
@pytest.mark.parametrize("values", [{}, {"epsilon": 0.02}, {"injection": 0.05}], ids=str)
def test_the_append_engine_keeps_few_rows_beyond_its_capacity(name, values):
    """Beyond its capacity, exactly: 500 observations of 20 arms."""
    rng = np.random.default_rng(0)
    prior = _prior(rng, name, n_arms=20, length_scale=0.2)
    engine, whole = Append(prior, 0.01, **values, capacity=30), Append(prior, 0.01, **values, capacity=500)
    for t in range(500):
        arm, value = int(rng.integers(20)), np.sin(0.1 * t) + 0.1 * rng.normal()
        for each in (engine, whole):
            each.observe(arm, value, 0.02 if t % 3 else None)
            each.advance(1 + t % 2)
    assert len(engine._V) == len(engine._born) == 64 and engine.n == whole.n == 500
    assert len(whole._V) == 500
    _assert_close(engine, whole.mean, whole.variance, whole.log_det, tolerance=1e-11)


def test_rounding_does_not_add_up_where_rows_are_joined():
    """10,000 observations of 8 arms in 64 rows, noise 1e-6 of the variance: within 2e-6 standard deviations
    of the posterior by arm."""
    rng, arms = np.random.default_rng(0), np.random.default_rng(1).integers(8, size=10_000)
    prior, noise = Prior(np.linspace(0.0, 1.0, 8)[:, None], kernels.make("matern32", length_scale=0.3)), 1e-6
    values = np.sin(arms) + math.sqrt(noise) * rng.standard_normal(len(arms))
    engine, exact = Append(prior, noise, capacity=64), Merged(prior)
    for arm, value in zip(arms.tolist(), values.tolist(), strict=True):
        engine.observe(arm, value)
    exact.condition(arms, values, np.full(len(arms), noise))
    std = np.sqrt(exact.variance)
    assert (abs(engine.mean - exact.mean) < 2e-6 * std).all()
    assert (abs(np.sqrt(engine.variance) - std) < 2e-6 * std).all()
