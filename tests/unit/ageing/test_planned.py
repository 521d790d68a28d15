"""Query schedules given beforehand: W-SparQ's own windows, and nothing dropped."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies
from tvgp.ageing.planned import PlannedQueries, PlannedWindows
from tvgp.policies import ui_sparq_gp_ucb, w_sparq_gp_ucb
from tvgp.posterior import Prior
from tvgp.simulate import simulate
from tvgp.streams import noise_fields
from tvgp.theory import schedules

SINE = environments.make("rkhs_sine", n_arms=41)
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
PRIOR = Prior.of(SINE.arms, KERNEL)


def run(policy, horizon):
    return simulate(policy, SINE, horizon, rng=np.random.default_rng(0), **noise_fields(41, "planned"))


def test_planned_windows_equal_w_sparq():
    starts = schedules.window_starts(90, 1.0)
    sizes = np.array([schedules.query_size(t, 6.0) for t in starts.tolist()])
    parameters = w_sparq_gp_ucb.Parameters(horizon=90)
    planned = run(PlannedWindows(PRIOR, 0.01, parameters, starts, sizes), 90)
    theirs = run(
        policies.make("w_sparq_gp_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, horizon=90), 90
    )
    np.testing.assert_array_equal(planned.arm, theirs.arm)
    np.testing.assert_array_equal(planned.expert_queries, theirs.expert_queries)


def test_observations_outside_the_windows_are_kept():
    """Variances 0.01 (1 + lag^2); the one of the start itself is not added."""
    parameters = w_sparq_gp_ucb.Parameters(horizon=9, alpha=2.0)
    policy = PlannedWindows(PRIOR, 0.01, parameters, np.array([4]), np.array([2]))
    rng, K = np.random.default_rng(0), PRIOR.gram
    for t in range(1, 7):
        policy.observe(t, t, float(t))
        asked = policy.expert_queries(t, rng)
        assert len(asked) == (2 if t == 4 else 0)
        if len(asked):
            policy.observe_expert(t, asked, asked.astype(float))
            drawn = asked
        if t in (3, 6):
            arms = np.array([1, 2, 3]) if t == 3 else np.array([*drawn, 5, 6])
            lags = np.array([2.0, 1, 0]) if t == 3 else np.array([2.0, 2, 1, 0])
            A = K[np.ix_(arms, arms)] + np.diag(0.01 * (1 + lags**2))
            expected = K[arms].T @ np.linalg.solve(A, arms.astype(float))
            np.testing.assert_allclose(policy.posterior(t)[0], expected, atol=1e-8)


def test_everything_keeps_all_observations_with_their_ages():
    policy = PlannedQueries(PRIOR, 0.01, ui_sparq_gp_ucb.Parameters(horizon=9), np.array([2]), np.array([2]))
    rng, K = np.random.default_rng(0), PRIOR.gram
    for t in range(1, 5):
        policy.observe(t, 9 * t, float(t))
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, np.array([7.0, 8.0]))
    arms, values = np.array([9, 18, 9, 18, 27, 36]), np.array([1.0, 2, 7, 8, 3, 4])
    A = K[np.ix_(arms, arms)] + np.diag(0.01 * (1 + np.array([3.0, 2, 2, 2, 1, 0])))
    expected = K[arms].T @ np.linalg.solve(A, values)
    np.testing.assert_allclose(policy.posterior(5)[0], expected, atol=1e-8)


@pytest.mark.parametrize("method", [PlannedWindows, PlannedQueries])
def test_skipped_queries_come_with_the_next_observation(method):
    """Of the starts 2, 4 and 5 two are skipped: the later one counts. Only the window forgets."""
    parameters = (w_sparq_gp_ucb if method is PlannedWindows else ui_sparq_gp_ucb).Parameters(horizon=20)
    policy = method(PRIOR, 0.01, parameters, np.array([2, 4, 5, 9]), np.array([1, 2, 3, 1]))
    rng, asked = np.random.default_rng(0), {}
    for t in (1, 2, 3, 7, 8, 12, 13):
        policy.observe(t, t, float(t))
        arms = policy.expert_queries(t, rng)
        asked[t] = len(arms)
        if len(arms):
            policy.observe_expert(t, arms, arms.astype(float))
            drawn = arms
    assert asked == {1: 0, 2: 1, 3: 0, 7: 3, 8: 0, 12: 1, 13: 0}
    if method is PlannedWindows:
        arms, lags = np.array([*drawn, 13]), np.array([1.0, 0.0])
        A = PRIOR.gram[np.ix_(arms, arms)] + np.diag(0.01 * (1 + lags))
        expected = PRIOR.gram[arms].T @ np.linalg.solve(A, arms.astype(float))
        np.testing.assert_allclose(policy.posterior(13)[0], expected, atol=1e-8)
