"""The grid and lazy engines, and IGP-UCB, which looks for maxima only."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, posterior, streams
from tvgp.acquisition import best_arm
from tvgp.posterior import Append, Dense, Grid, Lazy, Prior
from tvgp.posterior import lazy as lazy_module
from tvgp.simulate import simulate
from tvgp.theory.widths import improved_width

MATERN = kernels.make("matern32", length_scale=0.2)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks that open, overflow and close often enough for a test."""
    for name, value in {"_BLOCK": 16, "_START": 10, "_LIMIT": 60, "_CHUNK": 100}.items():
        monkeypatch.setattr(lazy_module, name, value)


def prior(seed, n_arms=400, d=2, kernel=MATERN):
    return Prior(np.random.default_rng(seed).uniform(0, 1, (n_arms, d)), kernel)


@pytest.mark.parametrize("noise", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("engine_class", [Grid, Lazy])
def test_lazy_and_grid_engines_equal_dense(engine_class, noise, small_blocks):
    rng = np.random.default_rng(0)
    shared = prior(0, 200)
    engine, reference = engine_class(shared, noise), Dense(shared, noise)
    for arm, value in zip(rng.integers(0, 200, 150), rng.normal(size=150), strict=True):
        engine.observe(int(arm), value)
        reference.observe(int(arm), value)
        engine.advance()
    np.testing.assert_allclose(engine.mean, reference.mean, atol=1e-8)
    np.testing.assert_allclose(engine.variance, reference.variance, atol=1e-8)
    assert engine.log_det == pytest.approx(reference.log_det, abs=1e-7)
    assert engine.n == 150
    engine.reset()
    assert engine.n == 0 and engine.log_det == 0.0 and not engine.mean.any()
    np.testing.assert_array_equal(engine.variance, shared.diagonal)


@pytest.mark.parametrize("engine_class", [Grid, Append])
def test_one_update_for_repeated_observations(engine_class):
    """Their mean, with the noise variance divided by their number."""
    shared, rng = prior(1, 50), np.random.default_rng(1)
    together, apart = engine_class(shared, 0.3), engine_class(shared, 0.3)
    for arm in (3, 17, 3, 40):
        values = rng.normal(size=rng.integers(1, 6))
        together.observe(arm, values.mean(), 0.3 / len(values))
        for value in values:
            apart.observe(arm, value)
    np.testing.assert_allclose(together.mean, apart.mean, atol=1e-10)
    np.testing.assert_allclose(together.variance, apart.variance, atol=1e-10)
    assert together.log_det == pytest.approx(apart.log_det)


@pytest.mark.parametrize("seed", range(6))
def test_lazy_maxima_are_exact(seed, small_blocks):
    """Any sequence of arms, also ones that are no maxima, and widths that grow, jump and fall."""
    rng = np.random.default_rng(seed)
    shared = prior(seed)
    engine, reference = Lazy(shared, 0.3, capacity=20), Append(shared, 0.3)
    for t in range(200):
        width = 1.0 + 0.02 * t + 3.0 * (t % 20 == 5)
        arm = best_arm(reference.mean + width * np.sqrt(reference.variance))
        if t:
            assert engine.best_arm(width) == arm
        arm = arm if t % 7 else int(rng.integers(400))
        value = rng.normal() + 5.0 * (t % 31 == 0)  # surprises loosen the bound
        engine.observe(arm, value)
        reference.observe(arm, value)
    np.testing.assert_allclose(engine.mean, reference.mean, atol=1e-10)


@pytest.mark.parametrize("share", [0.9, 0.03])
@pytest.mark.parametrize("with_mean", [False, True])
def test_lazy_maxima_with_missing_arms_and_a_prior_mean(with_mean, share, small_blocks):
    rng = np.random.default_rng(7)
    shared = prior(7)
    m = rng.normal(size=400) if with_mean else None
    engine, reference = Lazy(shared, 0.3, capacity=20), Append(shared, 0.3)
    for t in range(120):
        here = rng.random(400) < share
        here[rng.integers(400)] = True
        scores = reference.mean + 2.0 * np.sqrt(reference.variance) + (m if with_mean else 0.0)
        arm = best_arm(scores, here)
        if t:
            assert engine.best_arm(2.0, m, here) == arm
        value = rng.normal() + 5.0 * (t % 31 == 0)
        engine.observe(arm, value)
        reference.observe(arm, value)
        if t % 40 == 3:
            with pytest.raises(ValueError, match="no arm is available"):
                engine.best_arm(2.0, m, np.zeros(400, dtype=bool))


def test_lazy_ties_go_to_the_lowest_arm(small_blocks):
    """Far from all data every arm ties, more of them than a block can follow."""
    arms = np.concatenate([np.arange(300.0) * 100.0, [0.001]])[:, None]
    engine, reference = (e(Prior(arms, MATERN), 1.0) for e in (Lazy, Append))
    for t in range(120):
        engine.observe(299 - t, 0.5)
        reference.observe(299 - t, 0.5)
        scores = reference.mean + 3.0 * np.sqrt(reference.variance)
        assert engine.best_arm(3.0) == best_arm(scores)


def test_large_grids_choose_the_grid_engine():
    choice = lambda p, **values: posterior.make(p, 1.0, **values).name  # noqa: E731
    wide = prior(2, 600)
    assert choice(wide, horizon=2000) == "grid"
    assert choice(wide, horizon=600) == "append"
    assert choice(wide, horizon=2000, epsilon=0.1) != "grid"
    many = prior(2, 5000, d=3)
    assert choice(many, horizon=1000) == "append"
    assert choice(many, horizon=10_000) == "append"
    assert choice(many, horizon=1000, maxima_only=True) == "append"
    assert choice(many, horizon=10_000, maxima_only=True) == "lazy"
    smooth = prior(2, 5000, d=1, kernel=kernels.make("se", length_scale=0.3))
    assert choice(smooth, horizon=1000, maxima_only=True) == "weight_space"
    for engine in ("grid", "lazy"):
        with pytest.raises(ValueError, match=f"{engine} engine: epsilon is 0.1"):
            posterior.make(wide, 1.0, horizon=10, epsilon=0.1, engine=engine)


@pytest.mark.parametrize("name", ["igp_ucb", "gp_ucb"])
def test_identical_arms_on_every_engine(small_blocks, name):
    world = environments.make("matern_rkhs", d=2, n_side=12, rng=np.random.default_rng(0))
    runs = {}
    for engine in ("dense", "append", "weight_space", "grid", "lazy"):
        policy = policies.make(
            name,
            arms=world.arms,
            kernel=MATERN,
            noise_variance=1.0,
            norm_bound=world.norm(1),
            delta=0.1,
            horizon=250,
            engine=engine,
        )
        runs[engine] = simulate(
            policy,
            world,
            250,
            rng=streams.generator("maxima"),
            noise=streams.NoiseField(144, "maxima", "noise"),
            expert_noise=streams.NoiseField(144, "maxima", "expert"),
        ).arm
    for arms in runs.values():
        np.testing.assert_array_equal(arms, runs["dense"])


def test_many_arms_are_played_lazily():
    arms = np.random.default_rng(0).random((5000, 3))
    policy = policies.make("gp_ucb", arms=arms, kernel=MATERN, noise_variance=1.0, horizon=10_000)
    assert policy.engine == "lazy"
    rng = streams.generator("lazily")
    for t in range(1, 6):
        arm = policy.choose(t, rng)
        mean, half, _ = policy.confidence_band(t)
        assert t == 1 or arm == best_arm(mean + half)
        policy.observe(t, arm, 0.5)


def test_the_improved_width_is_the_published_formula():
    """Janz20 eq. (2) at lambda = 1."""
    gain = 3.7
    expected = 2.0 + 0.5 * np.sqrt(2 * (gain + 1 + np.log(10)))
    assert improved_width(2.0, 0.1, 2 * gain, 1.0, 0.5) == pytest.approx(expected)
    assert improved_width(2.0, 0.1, 2 * gain, 0.25) == improved_width(2.0, 0.1, 2 * gain, 1.0, 1.0)
    twice = 2.0 + 0.5 * np.sqrt(2 * (2 * gain + 1 + np.log(10)))  # gamma without its 1/2
    assert improved_width(2.0, 0.1, 2 * gain, 1.0, 0.5, 2.0) == pytest.approx(twice)
