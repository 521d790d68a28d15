"""The engine of TV-GP-UCB in the ageing test bed: the law of its draws, beside the dense weights."""

import copy

import numpy as np
import pytest
from scipy.stats import kstest

from tvgp import kernels
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.ageing.weight_space import AgeingWeightSpace, matched_epsilon
from tvgp.posterior import Prior

PRIOR = Prior(np.linspace(-50, 50, 41)[:, None], kernels.make("se", variance=0.5, length_scale=6.0))
F = 2 * np.exp(-0.01 * (PRIOR.arms[:, 0] - 10) ** 2)
VARIANCE = 0.05


def ages(growth, n):
    """True variances of n observations, oldest first."""
    return growth.variance(np.arange(n - 1, -1, -1.0))


def after(plays, growth, stream, epsilon):
    """The engine after these plays, whose noise comes from a stream."""
    engine = AgeingWeightSpace(PRIOR, growth, F, stream, epsilon)
    for arm in plays:
        pass_round(engine, arm)
    return engine


def pass_round(engine, arm):
    engine.observe(int(arm), 0.0)
    engine.advance()


class Redrawn:
    """A stream whose generator may be replaced, shared by all copies of an engine."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def standard_normal(self, shape, out):
        self.together, self.memory = shape
        return self.rng.standard_normal(shape, out=out)

    def __deepcopy__(self, memo):
        return self


def last_redrawn(plays, growth, epsilon, times):
    """Engines after these plays that differ in the noise of the last round alone: the first of those whose
    noise is drawn at once."""
    stream = Redrawn()
    engine = after(plays[:-1], growth, stream, epsilon)
    assert (len(plays) - 1) % stream.together == 0
    for seed in range(times):
        last, stream.rng = copy.deepcopy(engine), np.random.default_rng(seed)
        pass_round(last, plays[-1])
        yield last, stream.memory


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_mean_has_the_law_of_tv_gp_ucb(alpha):
    """Mean at one arm over 800 redraws: normal with centre a'f and variance sum a_i^2 v_i,

    a the dense weights of TV-GP-UCB. KS at level 1e-4, 3 tests: false-alarm rate 3e-4 in all.
    """
    horizon, epsilon, point = 65, 0.3, 24
    growth = NoiseGrowth(VARIANCE, alpha)
    plays = np.random.default_rng(1).integers(12, 30, size=horizon)
    K = PRIOR.gram[np.ix_(plays, plays)]
    lags = horizon - 1.0 - np.arange(horizon)
    decay = (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays, point] * (1 - epsilon) ** ((lags + 1) / 2)
    a = np.linalg.solve(K * decay + VARIANCE * np.eye(horizon), k)
    spread = np.sqrt(a * a @ ages(growth, horizon))
    engines = [engine for engine, _ in last_redrawn(plays, growth, epsilon, 800)]
    means = [engine.mean[point] for engine in engines]
    assert kstest((np.array(means) - a @ F[plays]) / spread, "norm").pvalue > 1e-4
    variance = PRIOR.diagonal[point] - k @ a
    assert engines[0].variance[point] == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 0.95])
@pytest.mark.parametrize("horizon", [1, 63, 64, 65, 200])
def test_gains_of_each_rounds_noise(epsilon, horizon):
    """One unit of noise on one round moves the mean by a_s sqrt(v_s), a the dense weights."""

    class OneUnit:
        """On the place of round s among those kept, round by round."""

        def __init__(self, s):
            self.s = s

        def standard_normal(self, shape, out):
            rounds, self.size = shape
            return np.tile(np.arange(self.size) == self.s % self.size, (rounds, 1)).astype(float)

    growth = NoiseGrowth(VARIANCE, 1.0)
    plays = np.random.default_rng(1).integers(0, 41, size=horizon)
    lags = horizon - 1.0 - np.arange(horizon)
    decay = (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays] * (1 - epsilon) ** ((lags[:, None] + 1) / 2)
    a = np.linalg.solve(PRIOR.gram[np.ix_(plays, plays)] * decay + VARIANCE * np.eye(horizon), k)
    for s in {horizon - 1, max(horizon - 2, 0), horizon // 2, max(horizon - 70, 0)}:
        unit = OneUnit(s)
        engine = after(plays, growth, unit, epsilon)
        if horizon - s <= unit.size:
            moved = a[s] * np.sqrt(ages(growth, horizon)[s])
            np.testing.assert_allclose(engine.mean - a.T @ F[plays], moved, atol=1e-8)


def test_ring_buffer_wraps_around():
    """Beyond its memory the draws go on as with all gains kept: spread over 400 redraws, z < 4.9

    for the variance of a normal sample, false-alarm rate 1e-6."""
    growth, epsilon = NoiseGrowth(VARIANCE, 1.0), 0.5
    plays = np.random.default_rng(1).integers(12, 30, size=118)
    found = [(engine.mean[24], memory) for engine, memory in last_redrawn(plays, growth, epsilon, 400)]
    means, memory = np.array(found).T
    assert memory.max() == 39
    lags = 117.0 - np.arange(118)
    K = PRIOR.gram[np.ix_(plays, plays)] * (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays, 24] * (1 - epsilon) ** ((lags + 1) / 2)
    a = np.linalg.solve(K + VARIANCE * np.eye(118), k)
    expected = a * a @ ages(growth, 118)
    assert abs(np.var(means) / expected - 1) < 4.9 * np.sqrt(2 / 400)
    assert np.mean(means) == pytest.approx(a @ F[plays], abs=4.9 * np.sqrt(expected / 400))
    with pytest.raises(ValueError, match="noise variance is 3; expected less than 1"):
        matched_epsilon(NoiseGrowth(3, 1), 0.5)
