"""Boxes whose rewards move: laws of the draws, maxima against a thorough search, arms of the same box."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from tvgp import environments, kernels
from tvgp.contracts import ContinuousEnvironment, Environment
from tvgp.environments.base.spread import spread_points
from tvgp.environments.drifting_pid import DriftingPID

BOXES = {
    "drifting_paths": {"dimension": 3, "horizon": 6, "features": 400},
    "drifting_pid": {"horizon": 6},
    "lifted": {"function": "hartmann6", "horizon": 6},
}


def made(name, seed=0, **values):
    rng = {} if name == "lifted" else {"rng": np.random.default_rng(seed)}
    return environments.make(name, **BOXES[name] | values, **rng)


@pytest.mark.parametrize("name", BOXES)
def test_arms_are_points_of_the_box(name):
    box = made(name, n_arms=40)
    assert isinstance(box, ContinuousEnvironment) and isinstance(box, Environment)
    np.testing.assert_allclose(box.mean_rewards(4), box.mean_reward_at(box.arms, 4), rtol=1e-12)
    assert box.arms.shape == (40, box.domain.shape[1]) and ((box.arms >= 0) & (box.arms <= 1)).all()
    assert not np.allclose(box.mean_rewards(1), box.mean_rewards(4))
    again = made(name, n_arms=40)
    assert box.optimum_at(5) == again.optimum_at(5)
    assert [box.optimum_at(t) for t in (1, 5)] == [again.optimum_at(t) for t in (1, 5)]
    with pytest.raises(IndexError):
        box.mean_reward_at(box.arms, 7)


@pytest.mark.parametrize("name", BOXES)
def test_the_maximum_is_that_of_a_thorough_search(name):
    box = made(name)
    d = box.domain.shape[1]
    points, step = np.random.default_rng(1).uniform(size=(1500, d)), 1e-8

    def cost(x, t):
        """-f_t and its slopes, forwards, from one call."""
        y = -box.mean_reward_at(np.vstack([x, x + step * np.eye(d)]), t)
        return y[0], (y[1:] - y[0]) / step

    for t in (1, 6):
        values = box.mean_reward_at(points, t)
        found = [
            minimize(cost, x, (t,), jac=True, bounds=box.domain.T) for x in points[np.argsort(-values)[:4]]
        ]
        best = max(-each.fun for each in found)
        assert best - 0.01 * values.std() < box.optimum_at(t) < best + 0.05 * values.std()


def test_paths_have_the_covariance_of_the_model():
    """v k(x, x') (1 - eps)^(lag/2) over 400 draws, two points, two rounds; to 4 standard errors of .07."""
    points = np.array([[0.2, 0.3, 0.5], [0.4, 0.3, 0.4]])
    values = {"dimension": 3, "features": 50, "epsilon": 0.2, "length_scale": 0.5, "variance": 2.0}
    drawn = []
    for seed in range(400):
        box = made("drifting_paths", seed, **values)
        drawn.append([box.mean_reward_at(points, t) for t in (1, 4)])
    f = np.array(drawn)
    k = kernels.make("matern52", variance=2.0, length_scale=0.5)(points, points)
    for first, second, fade in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, 0.8**1.5)):
        np.testing.assert_allclose(f[:, first].T @ f[:, second] / 400, fade * k, atol=2 * 4 * 0.07)
    assert abs(f.mean()) < 4 * 0.1


def test_the_features_err_as_stated():
    """Root mean square over draws of frequencies, at most 1/sqrt(2 M); the variance does not err."""
    points = np.array([[0.1, 0.5, 0.5], [0.8, 0.4, 0.2]])
    k, errors = kernels.make("matern52", length_scale=0.25 * 3**0.5)(points, points), []
    for seed in range(100):
        phi = made("drifting_paths", seed, features=200)._features(points) / 200**0.5
        np.testing.assert_allclose((phi**2).sum(axis=1), 1.0)
        errors.append(phi[0] @ phi[1] - k[0, 1])
    assert 0.5 / 400**0.5 < np.sqrt(np.mean(np.square(errors))) < 1.3 / 400**0.5


def test_a_pid_loop_settles_and_unstable_gains_cost():
    """A mild controller tracks the step of a nominal plant; the largest gains do not on a strong one."""
    box = DriftingPID(np.array([[1.0, 0.5, 0.5], [4.0, 1.0, 0.2]]), 10, 0.0, 16)
    mild, wild = np.array([[0.65, 0.75, 0.7]]), np.array([[1.0, 1.0, 0.0]])
    assert box.mean_reward_at(mild, 1)[0] > 0.5 > 0.0 > box.mean_reward_at(wild, 2)[0]
    both = box.mean_reward_at(np.vstack([mild, wild]), 1)
    np.testing.assert_array_equal(both[:1], box.mean_reward_at(mild, 1))
    slope = approx_fprime(mild[0], lambda x: box.mean_reward_at(x[None], 1)[0], 1e-6)
    assert np.isfinite(slope).all() and np.abs(slope).max() < 10


def test_lifted_functions_are_the_same_on_box_and_arms():
    box = environments.make("lifted", function="eggholder", n_arms=3000, horizon=10)
    table = np.stack([box.mean_rewards(t) for t in range(1, 11)])
    gap = np.array([box.optimum_at(t) for t in range(1, 11)]) - table.max(axis=1)
    assert (gap >= -1e-9).all() and gap.max() < 0.01 * table.std()


def test_points_are_evenly_spread():
    np.testing.assert_allclose((spread_points(512, 4) < 0.5).mean(axis=0), 0.5, atol=0.02)


@pytest.mark.parametrize("name", ["drifting_paths", "drifting_pid"])
def test_bad_values_of_moving_boxes(name):
    with pytest.raises(ValueError, match=f"{name}: epsilon is 1.5, must lie in"):
        made(name, epsilon=1.5)
    with pytest.raises(ValueError, match=f"{name}: needs a random stream"):
        environments.make(name)
    with pytest.raises(ValueError, match=f"{name}: horizon is 1000000000, must be at most"):
        made(name, horizon=10**9)
