"""Runs in lockstep are the runs that play alone: same arms, rewards, regret and queries, bit by bit."""

import numpy as np
import pytest

from tvgp import environments, kernels, lockstep, policies, streams
from tvgp.ageing import methods
from tvgp.ageing import simulate as ageing
from tvgp.ageing.law import Law
from tvgp.lockstep import Fields
from tvgp.posterior import Copies, Prior
from tvgp.simulate import simulate

G, SEEDS = 21, (1, 2, 3)
KERNEL = kernels.make("se", variance=0.5, length_scale=15.0)
PRIOR = Prior.of(np.linspace(-50, 50, G)[:, None], KERNEL)
# rounds, and planned horizon: above 6,000 sums by age replace lists of observations
LENGTHS = [(90, 90), (260, 7000)]
DRIFTING = {
    "gp_ucb": {},
    "tv_gp_ucb": {"epsilon": 0.02},
    "ui_gp_ucb": {"alpha": 0.7},
    "w_gp_ucb": {"variation_budget": [2.0, 40.0, 400.0]},
    "sw_gp_ucb": {"variation_budget": [2.0, 40.0, 400.0]},
    "sparq_gp_ucb": {"query_scale": 2.0},
    "w_sparq_gp_ucb": {"alpha": 0.7, "query_scale": 2.0},
}


def assert_same(together, alone):
    for one, other in zip(together, alone, strict=True):
        for record in ("arm", "reward", "regret", "expert_queries"):
            np.testing.assert_array_equal(getattr(one, record), getattr(other, record), record)


def drifting(algorithm, seeds, rounds, horizon, runs, **more):
    """The runs of these seeds: in lockstep with `runs`, else one after the other."""
    made = {
        seed: environments.make(
            "drift",
            alpha=0.7,
            n_arms=G,
            n_centres=8,
            length_scale=15.0,
            horizon=rounds,
            rng=streams.generator("lockstep", seed, "environment"),
        )
        for seed in seeds
    }
    values = {"horizon": horizon, **DRIFTING[algorithm], **more}
    budgets = values.pop("variation_budget", None)

    def policy(of, runs=None):
        own = {} if budgets is None else {"variation_budget": of}
        given = {"arms": PRIOR.arms, "kernel": KERNEL, "noise_variance": 0.01}
        if runs is None:
            return policies.make(algorithm, **given, **values, **own)
        return policies.make_together(algorithm, runs, **given, **values, **own)

    def rng(seed):
        return streams.generator("lockstep", seed, "policy")

    fields = {seed: streams.noise_fields(G, "lockstep", seed) for seed in seeds}
    if runs:
        return lockstep.simulate(
            policy(None if budgets is None else np.array([budgets[seed - 1] for seed in seeds]), runs),
            list(made.values()),
            rounds,
            rngs=[rng(seed) for seed in seeds],
            noise=[fields[seed]["noise"] for seed in seeds],
            expert_noise=[fields[seed]["expert_noise"] for seed in seeds],
        )
    return [
        simulate(
            policy(None if budgets is None else budgets[seed - 1]),
            made[seed],
            rounds,
            rng=rng(seed),
            **fields[seed],
        )
        for seed in seeds
    ]


def ageing_runs(method, seeds, rounds, horizon, alpha, together):
    functions = [np.sin(PRIOR.arms[:, 0] / 9 + seed) for seed in seeds]
    law = Law(0.01, alpha)
    names = [("lockstep", f"{alpha:g}", seed) for seed in seeds]
    noise = [streams.NoiseField(G, *each, "noise") for each in names]
    redraws = [streams.generator(*each, "redraws") for each in names]
    rngs = [streams.generator(*each, "policy") for each in names]
    if together:
        copies = Copies(PRIOR, len(seeds))
        f = np.concatenate(functions)
        made = methods.make(method, copies, law, f, horizon, noise=Fields(noise), redraws=redraws)
        return ageing.together(*made, rounds, rngs=rngs)
    each = zip(functions, noise, redraws, rngs, strict=True)
    return [
        ageing.simulate(*methods.make(method, PRIOR, law, f, horizon, noise=z, redraws=r), rounds, rng=rng)
        for f, z, r, rng in each
    ]


@pytest.mark.parametrize("rounds, horizon", LENGTHS)
@pytest.mark.parametrize("algorithm", policies.TOGETHER)
def test_drifting_runs_are_those_that_play_alone(algorithm, rounds, horizon):
    alone = drifting(algorithm, SEEDS, rounds, horizon, None)
    assert_same(drifting(algorithm, SEEDS, rounds, horizon, len(SEEDS)), alone)


@pytest.mark.parametrize("rounds, horizon", LENGTHS)
@pytest.mark.parametrize("method", methods.METHODS)
def test_ageing_runs_are_those_that_play_alone(method, rounds, horizon):
    for alpha in (0.3, 1.5):
        alone = ageing_runs(method, SEEDS, rounds, horizon, alpha, False)
        assert_same(ageing_runs(method, SEEDS, rounds, horizon, alpha, True), alone)


@pytest.mark.parametrize("subset", ["greedy", "swap", "random"])
def test_every_subset_rule_draws_from_the_streams_of_its_runs(subset):
    more = {"subset": subset, "swap_steps": 20}
    alone = drifting("sparq_gp_ucb", SEEDS, 40, 40, None, **more)
    assert_same(drifting("sparq_gp_ucb", SEEDS, 40, 40, 3, **more), alone)


@pytest.mark.parametrize("algorithm", policies.TOGETHER)
def test_a_run_does_not_depend_on_the_others(algorithm):
    """The runs of a block of three, in blocks of two and of one."""
    whole = drifting(algorithm, SEEDS, 70, 70, 3)
    assert_same(whole, drifting(algorithm, SEEDS[:2], 70, 70, 2) + drifting(algorithm, SEEDS[2:], 70, 70, 1))


def test_what_cannot_play_in_lockstep_says_so():
    given = {"arms": PRIOR.arms, "kernel": KERNEL, "noise_variance": 0.01}
    with pytest.raises(ValueError, match="policy gp_ts plays single runs only"):
        policies.make_together("gp_ts", 2, **given)
    with pytest.raises(ValueError, match="version is '2025a', expected 2025b for several runs"):
        policies.make_together("sparq_gp_ucb", 2, version="2025a", **given)
    for name in ("gp_ucb", "ui_gp_ucb"):
        with pytest.raises(ValueError, match="dense engine: not for several runs"):
            policies.make_together(name, 2, engine="dense", **given)
    with pytest.raises(ValueError, match="0 runs, expected 1 or more"):
        policies.make_together("gp_ucb", 0, **given)
    with pytest.raises(ValueError, match="expected a new policy, made by tvgp.policies.make_together"):
        lockstep.simulate(
            policies.make("gp_ucb", **given), [environments.make("ageing", rng=streams.generator("x"))], 5,
            rngs=[], noise=[], expert_noise=[],
        )  # fmt: skip
