"""SparQ-GP-UCB: whole runs against the papers' algorithms, its queries, limiting cases."""

import numpy as np
import pytest
from dense_sparq import NOISE, RNG, SINE, DenseSparQ, assert_regression, assert_same_run, build, play

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("subset", ["dpp", "greedy"])
@pytest.mark.parametrize(("version", "horizon"), [("2025a", 155), ("2025b", 100)])
def test_runs_equal_the_dense_algorithm(version, horizon, subset, seed):
    """Of 2025a, until three own observations are kept: from round 149."""
    policy = build("sparq_gp_ucb", version=version, subset=subset, expert_noise_variance=0.02)
    assert_same_run(policy, DenseSparQ(version, subset, expert_noise=0.02), horizon, seed)


def test_queries_of_500_rounds_are_those_of_the_papers():
    """15,859 by min(t, ceil(6 log t)), and one in round 1, where log t = 0."""
    arms, rng = np.linspace(-50, 50, 500)[:, None], RNG(0)
    policy, asked = build("sparq_gp_ucb", arms=arms, subset="random"), []
    for t in range(1, 501):
        policy.observe(t, t - 1, 0.0)
        asked.append(len(policy.expert_queries(t, rng)))
    assert asked[:4] == [1, 2, 3, 4] and asked[-1] == 38 and sum(asked) == 15_860


@pytest.mark.parametrize("subset", ["dpp", "greedy", "swap", "random"])
def test_queries_are_distinct_past_arms(subset):
    played = set()

    def check(each):
        played.add(each.arm)
        asked = set(each.queries.tolist())
        assert len(asked) == len(each.queries) and asked <= played

    play(build("sparq_gp_ucb", subset=subset, swap_steps=20), 60, on_round=check)
    assert len(played) > 20


def test_repeated_arms_are_queried_once():
    policy, rng = build("sparq_gp_ucb"), RNG(0)
    for t in range(1, 50):
        policy.observe(t, t % 3, 0.0)
    assert policy.expert_queries(49, rng).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["sparq_gp_ucb", "w_sparq_gp_ucb"])
@pytest.mark.parametrize("subset", ["dpp", "greedy"])
def test_queries_over_the_domain_do_not_depend_on_the_plays(name, subset):
    asked = []
    for arm in (0, 50):
        policy, rng = build(name, subset=subset, place="domain"), RNG(0)
        asked.append([])
        for t in range(1, 30):
            policy.observe(t, arm, 0.0)
            asked[-1] += policy.expert_queries(t, rng).tolist()
    assert asked[0] == asked[1] and len(set(asked[0])) > 18


@pytest.mark.parametrize("version", ["2025a", "2025b"])
def test_querying_every_arm_is_the_regression_of_the_function(version):
    """Own observations that 2025a keeps are some more of its values."""
    policy, rng = build("sparq_gp_ucb", version=version, query_scale=1e9, place="domain"), RNG(0)
    for t in range(1, 13):
        policy.observe(t, t, 1.0)
        asked = policy.expert_queries(t, rng)
        assert len(asked) == (1 if t == 1 else 101)  # log 1 = 0
        f = SINE.mean_rewards(t)
        policy.observe_expert(t, asked, f[asked])
    arms, values, variances = list(range(101)), f.tolist(), [NOISE] * 101
    if version == "2025a":
        arms, values, variances = [*arms, 11, 12], [*values, 1.0, 1.0], [*variances, 2 * NOISE, NOISE]
    assert_regression(policy, 13, arms, values, variances)


@pytest.mark.parametrize("version", ["2025a", "2025b"])
def test_without_available_past_arms_only_recent_rewards_count(version):
    """There is nothing to ask about: 2025b knows nothing, 2025a the last two rewards."""
    policy, elsewhere = build("sparq_gp_ucb", version=version), np.arange(101) > 50
    for t in range(1, 13):
        policy.observe(t, t, 1.0)
        assert not len(policy.expert_queries(t, RNG(0), elsewhere))
    data = ([11, 12], [1.0, 1.0], [2 * NOISE, NOISE]) if version == "2025a" else ([], [], [])
    assert_regression(policy, 13, *data)


def test_at_a_short_scale_the_width_decides_on_the_bump():
    """docs/differences.md: at its own width SparQ has the regret of uniform play there."""
    bump, kernel = environments.make("moving_bump", n_arms=201), kernels.make("se", length_scale=3.0)
    rewards = [bump.mean_rewards(t) for t in range(1, 501)]
    uniform = np.mean([f.max() - f.mean() for f in rewards])
    fields = streams.noise_fields(201, "sparq", "bump")
    given = {"arms": bump.arms, "kernel": kernel, "noise_variance": NOISE}
    shares = []
    for width in ("information", 2.0):
        policy = policies.make("sparq_gp_ucb", **given, width=width)
        run = simulate(policy, bump, 500, rng=streams.generator("sparq", "bump"), **fields)
        shares.append(run.regret.mean() / uniform)
    assert shares[0] > 0.9 and shares[1] < 0.1
