"""UI-SparQ-GP-UCB: whole runs against dense matrices, limiting cases, and less variance than its parents."""

import numpy as np
import pytest
from dense_sparq import NOISE, RNG, SINE, DenseSparQ, assert_regression, assert_same_run, build

ALL = {
    "query_scale": 1e9,
    "place": "domain",
    "subset": "greedy",
}  # every arm is asked about after each round from 2 on


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("alpha", [0.4, 1.0, 2.0])
@pytest.mark.parametrize(("answers", "rounds"), [("all", 30), ("latest", 60)])
def test_runs_equal_the_dense_algorithm(answers, rounds, alpha, seed):
    policy = build("ui_sparq_gp_ucb", answers=answers, alpha=alpha, expert_noise_variance=0.02)
    rule = {"all": "all kept", "latest": "own kept"}[answers]
    assert_same_run(policy, DenseSparQ(rule, alpha=alpha, expert_noise=0.02), rounds, seed)


def test_with_worthless_answers_it_is_ui_gp_ucb():
    policy, plain, rng = build("ui_sparq_gp_ucb", expert_noise_variance=1e30), build("ui_gp_ucb"), RNG(0)
    for t in range(1, 61):
        arm = policy.choose(t, rng)
        assert t == 1 or arm == plain.choose(t, rng)
        reward = float(SINE.mean_rewards(t)[arm])
        policy.observe(t, arm, reward)
        plain.observe(t, arm, reward)
        asked = policy.expert_queries(t, rng)
        policy.observe_expert(t, asked, np.full(len(asked), 5.0))
    for ours, theirs in zip(policy.posterior(61), plain.posterior(61), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_without_an_answer_it_is_ui_gp_ucb():
    policy, plain, rng = build("ui_sparq_gp_ucb"), build("ui_gp_ucb"), RNG(0)
    for t in (1, 2, 3, 7, 300, 10**6):
        policy.expert_queries(t, rng)
        for each in (policy, plain):
            each.observe(t, t % 101, 1.0)
    for ours, theirs in zip(policy.posterior(10**6 + 1), plain.posterior(10**6 + 1), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("answers", ["all", "latest"])
def test_querying_every_arm_is_the_regression_on_all_answers(answers):
    """The last query, in round 9, is three rounds old; rounds 10 to 12 are played without one."""
    policy, rng = build("ui_sparq_gp_ucb", alpha=0.4, answers=answers, **ALL), RNG(0)
    data = [], [], []
    for t in range(1, 13):
        policy.observe(t, t, 1.0)
        told = [(t, 1.0)]
        asked = policy.expert_queries(t, rng) if t < 10 else []
        if len(asked):
            f = SINE.mean_rewards(t)
            policy.observe_expert(t, asked, f[asked])
            told += list(zip(asked, f[asked], strict=True)) if answers == "all" or t == 9 else []
        for arm, value in told:
            for column, entry in zip(data, (arm, value, NOISE * (1 + (12 - t) ** 0.4)), strict=True):
                column.append(entry)
    assert len(data[0]) == 12 + {"all": 1 + 101 * 8, "latest": 101}[answers]  # log 1 = 0: one in round 1
    assert_regression(policy, 13, *data)


def test_its_variance_is_below_those_of_its_parents():
    """On the same plays and answers, than UI-GP-UCB, SparQ-GP-UCB and itself with the latest answers."""
    kept, latest = build("ui_sparq_gp_ucb", **ALL), build("ui_sparq_gp_ucb", answers="latest", **ALL)
    injected, sparse, rng = build("ui_gp_ucb"), build("sparq_gp_ucb", **ALL), RNG(0)
    for t in range(1, 41):
        arm = kept.choose(t, rng)
        for each in (kept, latest, injected, sparse):
            each.observe(t, arm, 1.0)
            asked = each.expert_queries(t, rng)
            if len(asked):
                each.observe_expert(t, asked, np.zeros(len(asked)))
        stds = [each.posterior(t + 1)[1] for each in (kept, latest, injected, sparse)]
        assert (stds[0] <= stds[1] + 1e-9).all()
        assert (stds[1] <= np.minimum(stds[2], stds[3]) + 1e-9).all()
