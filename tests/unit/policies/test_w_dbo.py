"""W-DBO: its data set, and the authors' package where that is installed."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
SINE = environments.make("rkhs_sine", n_arms=101)


def build(arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, **values):
    return policies.make("w_dbo", arms=arms, kernel=kernel, noise_variance=noise_variance, **values)


def play(policy, rounds):
    noise = streams.noise_fields(101, "test")
    return simulate(policy, SINE, rounds, rng=streams.generator("test"), **noise)


def test_the_data_set_stays_bounded():
    policy, sizes = build(l_time=20.0), []
    play(policy, 150)
    for t in range(151, 250):
        policy.observe(t, t % 101, np.sin(t))
        sizes.append(len(policy.kept))
    assert 20 < min(sizes) and max(sizes) < 80
    assert policy.kept[-1] == 249 and (np.diff(policy.kept) > 0).all()


@pytest.mark.parametrize(("alpha", "kept"), [(0.0, 60), (1e9, 2)])
def test_alpha_sets_what_is_removed(alpha, kept):
    """Nothing without a budget; all but two observations with a huge one."""
    policy = build(alpha=alpha, initial=3, l_time=5.0)
    play(policy, 60)
    assert len(policy.kept) == kept


def test_an_exact_repetition_of_precise_data_is_irrelevant():
    """Rounds 2 to 4 repeat arm 30; long after them, round 5 alone tells of arm 80."""
    policy = build(initial=2, l_time=1e5, alpha=0.25, noise_variance=1e-6, fewest=2)
    told = {2: 30, 3: 30, 4: 30, 5: 80, 400: 80}
    for t, arm in told.items():
        policy.observe(t, arm, 1.0)
    assert len(policy.kept) < 5 and {told[t] for t in policy.kept.tolist()} == {30, 80}


def test_the_first_plays_are_random_and_nothing_is_removed_then():
    policy = build(initial=10, l_time=0.1)
    run = play(policy, 10)
    assert len(set(run.arm)) > 6 and len(policy.kept) == 10
    policy.observe(11, 3, 0.0)
    assert len(policy.kept) == 2


def test_the_control_removes_the_oldest():
    policy = build(initial=3, l_time=5.0, removed="oldest")
    play(policy, 60)
    np.testing.assert_array_equal(policy.kept, np.arange(61 - len(policy.kept), 61))
    assert len(policy.kept) < 30


@pytest.mark.parametrize(("step", "fits"), [(1, [2, 4, 8, 12, 16]), (2, [3, 5, 9, 13, 17]), (7, [8, 15])])
def test_fits_come_where_rounds_are_skipped(step, fits, monkeypatch):
    """Every four rounds, or at the first one told since then; nothing is removed."""
    policy, rounds = build(initial=2, hyperparameters="fitted", refit_every=4, alpha=0.0), []
    monkeypatch.setattr(policy, "_refit", lambda: rounds.append(int(policy.kept[-1])))
    for t in range(1, 19, step):
        policy.observe(t, t, float(t))
    assert rounds == fits


def test_the_noise_may_enter_the_width():
    plain, noisy = build(initial=0), build(initial=0, noisy_std=True)
    for policy in (plain, noisy):
        policy.observe(1, 50, 0.3)
    (_, half, width), (_, noisy_half, noisy_width) = (p.confidence_band(2) for p in (plain, noisy))
    np.testing.assert_allclose((noisy_half / noisy_width) ** 2, (half / width) ** 2 + 0.01)
    assert width == noisy_width == pytest.approx(np.sqrt(0.2 * np.log(2)))


def test_a_fitted_time_scale_has_a_lower_limit():
    policy = build(hyperparameters="fitted", initial=5, horizon=1000, shortest=40.0, fewest=5)
    play(policy, 12)
    assert policy.l_time >= 40.0 and len(policy.kept) >= 5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time_kernel": "periodic"}, "time_kernel is 'periodic', expected matern32, ou, se"),
        ({"removed": "newest"}, "removed is 'newest', expected least or oldest"),
        ({"fewest": 1}, "fewest is 1, expected 2 or more"),
        ({"engine": "append"}, "engine is 'append', expected auto or dense"),
        ({"kernel": KERNEL * KERNEL}, "kernel product has no closed form, expected se or matern"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)


def test_the_package_of_the_authors_keeps_the_same_data():
    """wdbo_algo on the same observations: hyper-parameters to 1 in 1,000, the same rounds kept."""
    package = pytest.importorskip("wdbo_algo.optimizer")
    gpytorch = pytest.importorskip("gpytorch")
    horizon, arms = 60, np.linspace(-3.0, 5.0, 41)[:, None]
    matern = gpytorch.kernels.MaternKernel
    theirs = package.WDBOOptimizer(np.array([[-3.0, 5.0]]), matern, matern, [2.5], [1.5], 8, 2.0)
    ours = build(
        arms,
        kernels.make("matern52", length_scale=1.0),
        hyperparameters="fitted",
        horizon=horizon,
        initial=8,
        alpha=2.0,
    )
    rng, rewards = np.random.default_rng(0), []
    for t in range(1, 17):
        arm = int(rng.integers(41))
        reward = float(np.sin(arms[arm, 0] + 0.2 * t) + 0.1 * rng.standard_normal())
        rewards.append(reward)
        theirs.tell(arms[arm], t / horizon, reward)
        theirs.clean(t / horizon)
        ours.observe(t, arm, reward)
        rounds = np.round(theirs._xx_tt[:, 1] * horizon).astype(int)
        np.testing.assert_array_equal(ours.kept, rounds)
        if t >= 8:
            assert ours.l_time / horizon == pytest.approx(theirs._lT, rel=1e-3)
            scale = np.var(np.array(rewards)[ours.kept - 1])
            assert ours._model.noise / scale == pytest.approx(theirs._noise, rel=1e-3)
            assert ours._model.kernel.variance / scale == pytest.approx(theirs._lambda, rel=1e-3)
    assert len(rounds) < 14
