"""The engines of several runs, beside those of one run each."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.posterior import Copies, Merged, MergedCopies, Prior, WeightSpace, WeightSpaceCopies, copies

G, B = 21, 3
PRIOR = Prior(np.linspace(0, 1, G)[:, None], kernels.make("se", variance=0.5, length_scale=0.2))
COPIES = Copies(PRIOR, B)
FIRST = np.arange(0, B * G, G)


def assert_close(together, alone, tolerance=1e-9):
    for run, engine in enumerate(alone):
        np.testing.assert_allclose(together.mean[run], engine.mean, atol=tolerance)
        np.testing.assert_allclose(together.variance[run], engine.variance, atol=tolerance)
        assert together.log_det[run, 0] == pytest.approx(engine.log_det, abs=tolerance)


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_merged_engine_of_each_run(share):
    """Few arms with data (the dual form of one run) and all, twice with the same precisions."""
    rng = np.random.default_rng(1)
    together, alone = MergedCopies(COPIES), [Merged(PRIOR) for _ in range(B)]
    p = rng.random((B, G)) * 100 * (rng.random((B, G)) < share)
    p[:, 0] = 1.0
    for s in rng.standard_normal((2, B, G)):
        together.condition_sums(p.ravel(), (p * s).ravel())
        for run, engine in enumerate(alone):
            engine.condition_sums(p[run], p[run] * s[run])
        assert_close(together, alone)
    q = p * rng.random((B, G))
    error, log_det = together.mismatch_sums(q.ravel())
    for run, engine in enumerate(alone):
        expected, value = engine.mismatch_sums(q[run])
        np.testing.assert_allclose(error[run], expected, atol=1e-9)
        assert log_det[run, 0] == pytest.approx(value, abs=1e-9)


def test_precisions_may_be_overwritten_by_the_caller():
    together = MergedCopies(COPIES)
    p = np.ones(B * G)
    together.condition_sums(p, p)
    before = together.variance
    p += 1.0
    together.condition_sums(p, p)
    assert (together.variance < before).all()


def test_merged_engine_conditions_on_one_observation_of_each_run_per_round():
    rng = np.random.default_rng(2)
    arms, values, noise = rng.integers(0, G, (9, B)), rng.standard_normal((9, B)), rng.random((9, B)) + 0.1
    noise[0] = np.inf  # out of the window
    together, alone = MergedCopies(COPIES), [Merged(PRIOR) for _ in range(B)]
    for variances in (noise, noise[:, 1] + 0.1):
        together.condition(arms + FIRST, values, variances)
        for run, engine in enumerate(alone):
            own = variances if variances.ndim == 1 else variances[:, run]
            engine.condition(arms[:, run], values[:, run], own)
        assert_close(together, alone)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_weight_space_engine_of_each_run(epsilon, monkeypatch):
    monkeypatch.setattr(copies, "REFRESH", 16)
    rng = np.random.default_rng(3)
    together = WeightSpaceCopies(COPIES, 0.01, epsilon)
    alone = [WeightSpace(PRIOR, 0.01, epsilon) for _ in range(B)]
    for arms, values in zip(rng.integers(0, G, (40, B)), rng.standard_normal((40, B)), strict=True):
        together.observe(arms + FIRST, values)
        together.advance()
        for engine, arm, value in zip(alone, arms.tolist(), values.tolist(), strict=True):
            engine.observe(arm, value)
            engine.advance()
    assert_close(together, alone, 1e-8)
    together.reset()
    assert_close(together, [WeightSpace(PRIOR, 0.01, epsilon) for _ in range(B)])


def test_rounding_is_removed_at_intervals(monkeypatch):
    """An error put into P on purpose is gone once all is computed afresh."""
    monkeypatch.setattr(copies, "REFRESH", 8)
    monkeypatch.setattr(copies, "_FOLLOWED", 8)
    rng = np.random.default_rng(4)
    weights, merged = WeightSpaceCopies(COPIES, 0.01), MergedCopies(COPIES)
    alone = [WeightSpace(PRIOR, 0.01) for _ in range(B)]
    p, s = np.ones((2, B * G))
    for t in range(12):
        arms, values = rng.integers(0, G, B), rng.standard_normal(B)
        weights.observe(arms + FIRST, values)
        for engine, arm, value in zip(alone, arms.tolist(), values.tolist(), strict=True):
            engine.observe(arm, value)
        p[arms + FIRST] += 1.0
        merged.condition_sums(p, s)
        if t == 3:
            weights._P *= 1.1
            merged._P *= 1.1
    for run, engine in enumerate(alone):
        np.testing.assert_allclose(weights.mean[run], engine.mean, atol=1e-8)
        np.testing.assert_allclose(weights.variance[run], engine.variance, atol=1e-8)
    together = MergedCopies(COPIES)
    together.condition_sums(p, s)
    np.testing.assert_allclose(merged.mean, together.mean, atol=1e-9)
    np.testing.assert_allclose(merged.variance, together.variance, atol=1e-9)
    np.testing.assert_allclose(merged.log_det, together.log_det, atol=1e-9)
