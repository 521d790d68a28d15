"""Parameters learnt while playing: gradients, values that data determine, when fits happen, how they fail."""

import re

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from tvgp import kernels
from tvgp.fitting import learning
from tvgp.fitting.learning import GROWTH, Learner, LogPosterior

SE = kernels.make("se")
SQUARE = np.array([[0.0, 0.0], [2.0, 10.0]])


def drifting(n=150, epsilon=0.05, seed=0, noise=0.05, scale=3.0, mean=20.0, burst=10**6):
    """A draw of the model at random points of the square, with length-scales 0.6 and 2.5; burst: data before
    a pause."""
    rng = np.random.default_rng(seed)
    X, t = rng.uniform(*SQUARE, (n, 2)), np.arange(1.0, n + 1)
    t += 1e5 * (np.arange(n) // burst)
    k = kernels.make("se", variance=scale**2, length_scale=(0.6, 2.5))
    lags = np.abs(t[:, None] - t)
    A = k(X, X) * (1 - epsilon) ** (lags / 2) + noise * scale**2 * np.eye(n)
    return X, t, mean + np.linalg.cholesky(A) @ rng.standard_normal(n)


@pytest.mark.parametrize("time_family", [None, "matern12", "matern32", "se"])
@pytest.mark.parametrize("family", ["se", "matern12", "matern32", "matern52"])
def test_gradients_match_finite_differences(family, time_family):
    rng = np.random.default_rng(1)
    X, z = rng.uniform(size=(30, 3)), rng.standard_normal(30)
    X[5] = X[4]
    groups = np.array([0, 0, 1])
    posterior = LogPosterior(X, np.arange(30.0), z, family, time_family, groups, 0.4)
    for _ in range(3):
        logs = posterior.medians + 0.3 * rng.standard_normal(len(posterior.medians))
        value, gradient = posterior.loss(logs)
        numeric = approx_fprime(logs, lambda logs: posterior.loss(logs)[0], 1e-6)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)
        assert np.isfinite(value)


def test_the_loss_is_minus_the_log_posterior():
    """Differences of it against a dense density, in which m is a further normal variable at its maximum."""
    rng = np.random.default_rng(2)
    X, t, z = rng.uniform(size=(12, 2)), np.arange(12.0), rng.standard_normal(12)
    posterior = LogPosterior(X, t, z, "matern52", "matern12", np.arange(2), 0.5)

    def dense(logs):
        l1, l2, s, noise, l_time = np.exp(logs)
        k = kernels.make("matern52", variance=s, length_scale=(l1, l2))
        A = k(X, X) * np.exp(-np.abs(t[:, None] - t) / l_time) + noise * np.eye(12)
        P, one = np.linalg.inv(A), np.ones(12)
        m = one @ P @ z / (one @ P @ one + 1)
        assert posterior.mean(logs) == pytest.approx(m)
        off = logs - posterior.medians
        # log l_c = u + v_c, u of standard deviation 1 and v_c of 0.3
        prior = np.diag([0.09, 0.09, 1.0, 2.25, 2.25])
        prior[:2, :2] += 1.0
        pull = off @ np.linalg.solve(prior, off)
        return 0.5 * ((z - m) @ P @ (z - m) + np.linalg.slogdet(A)[1] + m * m + pull)

    medians = np.log([0.5, 0.5, 1.0, 0.02, 100.0])
    np.testing.assert_allclose(posterior.medians, medians)
    for _ in range(3):
        logs = medians + 0.5 * rng.standard_normal(5)
        assert posterior.loss(logs)[0] == pytest.approx(dense(logs))


def test_data_determine_the_values_in_their_own_units():
    learnt = Learner(SE, SQUARE, ("epsilon",)).update(*drifting(300), 300)
    np.testing.assert_allclose(np.log(learnt.kernel.length_scale), np.log([0.6, 2.5]), atol=0.3)
    assert learnt.kernel.variance == pytest.approx(9.0, rel=0.5)
    assert learnt.noise_variance == pytest.approx(0.45, rel=0.5)
    assert learnt.drift["epsilon"] == pytest.approx(0.05, rel=0.5) and abs(learnt.mean - 20) < 3


def test_mean_and_epsilon_follow_from_what_else_is_learnt():
    """The most probable mean, by the dense formula, and epsilon = 1 - exp(-2 / l_time)."""
    X, t, y = drifting(40)
    learnt, same = (Learner(SE, SQUARE, (name,)).update(X, t, y, 40) for name in ("l_time", "epsilon"))
    l_time = learnt.drift["l_time"]
    assert same.drift["epsilon"] == pytest.approx(1 - np.exp(-2 / l_time))
    A = learnt.kernel(X, X) * np.exp(-np.abs(t[:, None] - t) / l_time) + learnt.noise_variance * np.eye(40)
    weights = y.var() * np.linalg.solve(A, np.ones(40))
    mean = y.mean() + weights @ (y - y.mean()) / (weights.sum() + 1)
    assert learnt.mean == pytest.approx(mean) and abs(mean - y.mean()) > 0.01


def test_the_better_end_of_two_ascents_counts(monkeypatch):
    """From the last values and from the medians; here they end where they begin."""
    learner, medians = (Learner(SE, SQUARE, ("epsilon",)) for _ in range(2))
    learner.update(*drifting(40), 40)
    stay = staticmethod(lambda posterior, start: (posterior.loss(start)[0], start))
    monkeypatch.setattr(Learner, "_ascend", stay)
    known, usual = learner.update(*drifting(40), 50), medians.update(*drifting(40), 40)
    assert known != usual
    learner._logs = learner._logs + np.array([0.0, 0.0, -7.0, -7.0, 0.0])  # of s and sigma^2
    assert learner.update(*drifting(40), 70) == usual


def test_the_last_value_of_each_round_teaches_ageing_noise():
    """Whatever the order in which rounds were told."""
    X, t, y = drifting(30)
    order = np.argsort(np.random.default_rng(0).random(30))
    both = [np.concatenate([each, each[order]]) for each in (X, t)]
    found = learning._predictive("gamma", SE, *both, np.append(np.zeros(30), y[order] - 20.0), 0.5, 1.0)
    assert found == learning._predictive("gamma", SE, X, t, y - 20.0, 0.5, 1.0)


@pytest.mark.parametrize("name", ["alpha", "gamma"])
def test_two_rounds_of_batches_teach_the_kernel_alone(name, recwarn):
    """A drift is not told by two rounds; the rest of the model is."""
    rng = np.random.default_rng(5)
    X, rounds = rng.uniform(size=(12, 1)), np.repeat([1, 2], 6)
    values = np.sin(9.0 * X[:, 0]) + 0.1 * rng.standard_normal(12)
    learnt = Learner(SE, np.array([[0.0], [1.0]]), (name,)).update(X, rounds, values, 12)
    assert learnt.drift == {}
    assert learnt.kernel != SE
    assert not recwarn


def test_units_of_values_and_rounds_do_not_matter():
    X, t, y = drifting(60)
    one = Learner(SE, SQUARE, ("l_time",)).update(X, t, y, 60)
    other = Learner(SE, 7 * SQUARE, ("l_time",)).update(7 * X, 24 * t, 1000 * y - 5, 60)
    np.testing.assert_allclose(other.kernel.length_scale, 7 * np.array(one.kernel.length_scale), rtol=1e-3)
    assert other.kernel.variance == pytest.approx(1e6 * one.kernel.variance, rel=1e-2)
    assert other.drift["l_time"] == pytest.approx(24 * one.drift["l_time"], rel=1e-2)


@pytest.mark.parametrize("unit", [10**5, 10**12])
def test_gamma_is_learnt_in_any_unit_of_time(unit):
    """Such as milliseconds; the newest of them are older by almost a distance of the data."""
    X, t, y = drifting(60)
    one, other = (
        Learner(SE, SQUARE, ("gamma",)).update(X, each * t, y, 60).drift["gamma"] ** each
        for each in (1, unit)
    )
    assert other == pytest.approx(one, abs=0.1)


@pytest.mark.parametrize("pause", [10**5, 10**9])
def test_a_long_pause_hides_no_drift(pause):
    """The kernel of time is learnt within the stretches before and after it."""
    X, t, y = drifting(120, epsilon=0.1)
    found = Learner(SE, SQUARE, ("epsilon",)).update(X, t + pause * (t > 60), y, 120)
    assert 0.03 < found.drift["epsilon"] < 0.3


@pytest.mark.parametrize(
    ("size", "epsilon"), [(4, 1e-7), (15, 1e-7), (60, 1e-7), (30, 0.1), (60, 0.1), (60, 0.01)]
)
def test_bursts_far_apart_tell_drift_within_and_between_them(size, epsilon):
    """Data a round apart, with 100,000 rounds after each `size` of them."""
    X, t, y = drifting(120, epsilon, burst=size)
    found = Learner(SE, SQUARE, ("epsilon",)).update(X, t, y, 120).drift["epsilon"]
    assert epsilon / 5 < found < 5 * epsilon


@pytest.mark.parametrize("name", ["alpha", "gamma"])
def test_ageing_noise_is_larger_under_drift(name):
    """gamma falls and alpha grows with the drift."""
    found = [
        Learner(SE, SQUARE, (name,)).update(*drifting(120, epsilon=epsilon), 120).drift[name]
        for epsilon in (0.001, 0.2)
    ]
    assert (found[0] > found[1]) == (name == "gamma")


def test_fits_are_due_at_geometric_numbers():
    learner = Learner(SE, SQUARE, ("epsilon",))
    X, t, y = drifting(200)
    due = [n for n in range(1, 201) if learner.update(X[:n], t[:n], y[:n], n) is not None]
    assert due[0] == 4
    assert len(due) <= 2 + np.log(200 / 4) / np.log(GROWTH)
    assert all(later >= GROWTH * n for n, later in zip(due[4:], due[5:], strict=False))


def test_a_failed_fit_keeps_the_values_and_warns(monkeypatch):
    learner, data = Learner(SE, SQUARE, ("epsilon",)), drifting(40)

    def fail(self, logs):
        raise np.linalg.LinAlgError("the covariance of the data is singular")

    monkeypatch.setattr(LogPosterior, "loss", fail)
    with pytest.warns(UserWarning, match="parameters stay as they are after 40 observations: the covariance"):
        assert learner.update(*data, 40) is None
    monkeypatch.setattr(LogPosterior, "loss", lambda self, logs: (np.nan, np.full(len(logs), np.nan)))
    with pytest.warns(
        UserWarning, match="parameters stay as they are after 50 observations: the search ended"
    ):
        assert learner.update(*data, 50) is None
    monkeypatch.undo()
    assert learner.update(*data, 70) is not None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "values",
    [
        np.zeros(30),
        np.full(30, 1e90),
        np.repeat([0.0, 1e60], 15),
        np.append(np.zeros(29), 1e-60),
        np.append(np.zeros(29), 1.0),
        np.linspace(0, 1, 30),
    ],
)
@pytest.mark.parametrize("place", ["apart", "same"])
def test_hostile_data_never_fail(values, place):
    X, t, _ = drifting(30)
    X = X if place == "apart" else np.ones_like(X)
    for rounds in (t, np.ones(30), 10**9 * t):
        learnt = Learner(SE, SQUARE, ("epsilon",)).update(X, rounds, values, 30)
        assert (
            learnt is None or np.isfinite([learnt.kernel.variance, learnt.noise_variance, learnt.mean]).all()
        )


@pytest.mark.parametrize("value", [0.0, 0.1, 1.1, -7.7])
def test_equal_values_teach_nothing(value):
    """Though the mean of 30 of them, and so their variance, is rounded."""
    assert Learner(SE, SQUARE, ("epsilon",)).update(*drifting(30)[:2], np.full(30, value), 30) is None


@pytest.mark.parametrize("spread", [1e-200, 1e-80, 1e80])
def test_values_that_float64_cannot_square_twice_are_named(spread):
    values = np.linspace(0.0, spread, 30)
    message = f"values differ by {spread:.0e}, expected 1e-70 to 1e+70; use another unit"
    with pytest.warns(UserWarning, match=re.escape(message)):
        assert Learner(SE, SQUARE, ("epsilon",)).update(*drifting(30)[:2], values, 30) is None


def test_values_that_begin_to_differ_are_learnt_at_once():
    learner, (X, t, _) = Learner(SE, SQUARE, ("epsilon",)), drifting(31)
    assert learner.update(X[:30], t[:30], np.ones(30), 30) is None
    assert learner.update(X, t, np.append(np.ones(30), 2.0), 31) is not None


def test_only_se_and_matern_are_learnt():
    with pytest.raises(ValueError, match=re.escape("of the family se or matern, not constant")):
        Learner(kernels.make("constant"), SQUARE)


@pytest.mark.parametrize(("n_arms", "median"), [(None, 0.4 * 2**0.5), (400, 400**-0.25)])
def test_few_data_leave_length_scales_near_their_prior(n_arms, median):
    X, t = np.array([[0.0, 0.0], [2.0, 10.0], [0.1, 9.0]]), np.arange(3.0)
    learnt = Learner(SE, SQUARE, n_arms=n_arms).update(X, t, np.array([0.0, 1.0, -1.0]), 4)
    np.testing.assert_allclose(np.log(learnt.kernel.length_scale / np.array([2, 10]) / median), 0.0, atol=0.7)


def test_the_table_of_priors_is_the_code():
    text = learning.__doc__
    for name, value in (
        ("s |", "1"),
        ("sigma^2 |", "0.02"),
        ("length-scale of k_T, in observations (eps = 0.02) |", "100"),
        ("l_c / l, of a coordinate or of all that share a side of a box |", "1 | 0.3"),
    ):
        assert f"| {name} {value} |" in text
