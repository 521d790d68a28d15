"""W-DBO: its data set, and the authors' package where that is installed."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.fitting.adam import SpaceTimeFit
from tvgp.policies import w_dbo
from tvgp.simulate import simulate
from tvgp.theory.relevance import overlap_in_space, overlap_in_time, relevance

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


def fake_fit(points, times, values, kernel, time_kernel):
    """Of positive parameters that differ wherever the data do."""
    assert (kernel, time_kernel) == ("matern52", "matern32")
    assert points.min() >= 0 and points.max() <= 1 and times.max() <= 1
    x, t, y = (1 + np.mean(np.abs(np.cos(each))) for each in (points, times, values))
    return SpaceTimeFit(0.4 * x, 3.0 * (y - 1.3), 0.5 * y, 0.2 * x, 0.1 * t)


def plain(arms, means, f, T, rng, initial, alpha, kept=()):
    """The algorithm with fits and noisy_std, without bookkeeping: arms, rounds kept, the last posterior."""
    sides, budget, last, played = np.array([8.0, 2.0, 1.0]), 1.0, None, []
    kernel, time_kernel = kernels.make("matern52"), kernels.make("matern32", length_scale=9.0)
    centre, mean, noise = 0.0, 0.0, 0.04
    for t in range(1, T + 2):
        n, kept = len(kept), list(kept)
        s, x, y = (np.array([each[i] for each in kept]) for i in range(3))
        if n:
            X, x_t = arms[x], time_kernel(s[:, None], np.append(s, t)[:, None])
            weights = np.linalg.solve(
                kernel(X, X) * x_t[:, :-1] + noise * np.eye(n), kernel(X, arms) * x_t[:, -1:]
            )
            mu = means + mean + weights.T @ (y - mean)
            var = kernel.diagonal(arms) - np.sum(kernel(X, arms) * x_t[:, -1:] * weights, axis=0)
        if t > T:
            return played, s, mu, np.sqrt(var)
        late = t > initial
        arm = (
            np.argmax(mu + np.sqrt(0.6 * np.log(2 * n) * (var + noise))) if late else rng.integers(len(arms))
        )
        played.append(int(arm))
        kept.append((t, int(arm), f(t, arm) - means[arm]))
        if t < initial:
            continue
        removing = True
        while removing:
            s, x, y = (np.array([each[i] for each in kept]) for i in range(3))
            if np.ptp(y):
                centre, scale = y.mean(), y.std()
                fit = fake_fit(
                    (arms[x] - [-3, 0, 7]) / sides, s / 40, (y - centre) / scale, "matern52", "matern32"
                )
                lengths = tuple(fit.length_scale * sides)
                kernel = kernels.make("matern52", variance=fit.variance * scale**2, length_scale=lengths)
                time_kernel = kernels.make("matern32", length_scale=40 * fit.l_time)
                noise, mean = fit.noise_variance * scale**2, centre + scale * fit.mean
            if last is not None:
                budget *= (1 + alpha) ** ((t - last) / time_kernel.length_scale)
            last, X = t, arms[x]
            inverse = np.linalg.inv(
                kernel(X, X) * time_kernel(s[:, None], s[:, None]) + noise * np.eye(len(s))
            )
            overlap = overlap_in_space(kernel, X, X, sides) * overlap_in_time(time_kernel, s, t)
            price = 1 + relevance(inverse, y - centre, overlap)
            removing = len(kept) > 2 and price.min() < budget
            if removing:
                budget /= price.min()
                del kept[price.argmin()]


def test_play_with_fits_is_that_of_a_plain_version(monkeypatch):
    """Sides of different lengths, one of them 0; the first rewards are equal, which teaches nothing."""
    monkeypatch.setattr(w_dbo, "fit_by_adam", fake_fit)
    arms = np.column_stack([np.linspace(-3, 5, 12), 2 * (np.arange(12) * 5 % 12 / 11), np.full(12, 7.0)])
    means = np.linspace(0, 0.5, 12)
    f = lambda t, arm: means[arm] + (0.7 if t < 5 else np.sin(arms[arm, 0] + 0.3 * t))  # noqa: E731
    values = {"hyperparameters": "fitted", "horizon": 40, "initial": 4, "alpha": 2.0, "l_time": 9.0}
    values |= {"noisy_std": True, "prior_mean": tuple(means)}
    policy = build(arms, kernels.make("matern52"), 0.04, **values)
    rng, played = np.random.default_rng(0), []
    for t in range(1, 31):
        played.append(policy.choose(t, rng))
        policy.observe(t, played[-1], f(t, played[-1]))
    expected, kept, mean, std = plain(arms, means, f, 30, np.random.default_rng(0), 4, 2.0)
    assert played == expected and len(set(played[4:])) > 3
    np.testing.assert_array_equal(policy.kept, kept)
    assert 3 < len(kept) < 25
    np.testing.assert_allclose(policy.posterior(31), [mean, std], atol=1e-9)
    np.testing.assert_allclose(policy.confidence_band(31)[0], mean, atol=1e-9)


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
