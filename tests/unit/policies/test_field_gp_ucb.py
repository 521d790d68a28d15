"""Field-GP-UCB: what its shares mean, several readings in a round, and the same after a restart."""

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.live import Live
from tvgp.policies import field_gp_ucb
from tvgp.posterior import Prior

N = 6
ARMS = np.arange(float(N))[:, None]
ROOT = np.random.default_rng(3).normal(size=(N, N))
COVARIANCE = ROOT @ ROOT.T + np.eye(N)
KERNEL = kernels.make("empirical", covariance=COVARIANCE)
MEANS = [3.0, 1.0, -2.0, 0.5, 0.0, 4.0]
# cov(f_1, f_2): that of the fast part, and of the slow one, of which a quarter is each site's own
NEXT = 0.6 * np.exp(-1 / 1.5) * COVARIANCE
NEXT = NEXT + 0.4 * np.exp(-1 / 60) * (0.75 * COVARIANCE + 0.25 * np.diag(COVARIANCE.diagonal()))
MODEL = {"prior_mean": MEANS, "slow_share": 0.4, "own_share": 0.25, "l_fast": 1.5, "l_slow": 60.0}


def build(**values):
    return policies.make("field_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.2, **MODEL | values)


def test_the_shares_keep_the_variance_and_split_the_covariance():
    """One reading at each site in turn shows its row of the covariance with the next round."""
    np.testing.assert_allclose(build().posterior(1), [MEANS, np.sqrt(COVARIANCE.diagonal())])
    for site in range(N):
        policy = build()
        policy.observe(1, site, MEANS[site] + 2.0)
        mean, std = policy.posterior(2)
        weights = NEXT[site] / (COVARIANCE[site, site] + 0.2)
        np.testing.assert_allclose(mean - MEANS, 2.0 * weights, atol=1e-12)
        np.testing.assert_allclose(std**2, COVARIANCE.diagonal() - NEXT[site] * weights, atol=1e-12)


def test_what_is_known_after_long_gaps_is_the_slow_part():
    """After 20 rounds w_t is forgotten, s_t is not; after 1e6 all is."""
    policy = build()
    policy.observe(1, 5, 9.0)
    later = policy.posterior(21)[0] - MEANS
    own = 0.4 * np.exp(-20 / 60) * COVARIANCE[5, 5] / (COVARIANCE[5, 5] + 0.2) * (9.0 - 4.0)
    assert later[5] == pytest.approx(own, rel=1e-4)
    np.testing.assert_allclose(policy.posterior(10**6)[0], MEANS, atol=1e-12)


def test_readings_within_a_round_are_of_one_time():
    """Time passes once, after both, each with its own noise."""
    policy, gram = build(), 0.9 * COVARIANCE + 0.1 * np.diag(COVARIANCE.diagonal())
    policy.observe_batch(1, np.array([2, 0]), np.array([1.5, 2.5]), np.array([0.2, 0.1]))
    A = gram[np.ix_([2, 0], [2, 0])] + np.diag([0.2, 0.1])
    weights = np.linalg.solve(A, NEXT[[2, 0]])
    mean, std = policy.posterior(2)
    np.testing.assert_allclose(mean - MEANS, weights.T @ [3.5, -0.5], atol=1e-12)
    left = COVARIANCE.diagonal() - np.einsum("ng,ng->g", NEXT[[2, 0]], weights)
    np.testing.assert_allclose(std**2, left, atol=1e-12)


def test_a_saved_system_goes_on_where_it_was(tmp_path):
    """Site means, an empirical covariance and time scales are plain numbers."""
    live = Live("field_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.2, **MODEL)
    for t in range(1, 9):
        live.tell(t, live.ask(t, size=2), np.random.default_rng(t).normal(size=2))
    live.save(tmp_path / "live.db")
    belief, arms = live.posterior(9), live.ask(9, size=3)
    live.close()
    again = Live.load(tmp_path / "live.db")
    np.testing.assert_array_equal(belief, again.posterior(9))
    np.testing.assert_array_equal(arms, again.ask(9, size=3))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slow_share": 1.5}, "slow_share is 1.5, expected between 0 and 1"),
        ({"own_share": -0.1}, "own_share is -0.1, expected between 0 and 1"),
        ({"l_fast": np.inf}, "l_fast is inf, expected positive, in rounds"),
        ({"l_slow": 0.0}, "l_slow is 0.0, expected positive, in rounds"),
        ({"engine": "dense"}, "engine is 'dense', expected auto or state_space"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)


def test_a_prior_of_low_rank_stays_so():
    """Its multiples are priors, whose factors have few columns, not full matrices."""
    arms = np.linspace(-15, 15, 61)[:, None]
    smooth = kernels.make("se", variance=0.5, length_scale=6.0)
    parts = field_gp_ucb.products(Prior(arms, smooth), field_gp_ucb.Parameters(own_share=0.0))
    assert [part.factor(61).shape[1] < 30 for part, _ in parts] == [True, True]
