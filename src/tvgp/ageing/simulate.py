"""One run of a policy on a fixed function whose observations age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvgp.ageing.merged import AgeingMerged
from tvgp.ageing.weight_space import AgeingWeightSpace
from tvgp.lockstep import Asked
from tvgp.policies.base.together import Together
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.simulate import Run


def simulate(
    policy: UpperConfidencePolicy,
    engine: AgeingMerged | AgeingWeightSpace,
    horizon: int,
    *,
    rng: np.random.Generator,
) -> Run:
    """Play `horizon` rounds on the engine's function; the engine replaces the policy's own.

    rng: the policy's stream. `reward` of the run is f at the arm played, as its observation changes
    from round to round. ValueError for a policy that has played already.
    """
    policy.replace_engine(engine)
    f = engine.f
    arms = np.empty(horizon, dtype=np.int32)
    asked = np.zeros(horizon, dtype=np.int32)
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng)
        engine.begin_round(arm)
        policy.observe(t, arm, f.item(arm))
        queries = policy.expert_queries(t, rng)
        if len(queries):
            policy.observe_expert(t, queries, f[queries])
        arms[t - 1], asked[t - 1] = arm, len(queries)
    return Run(arms, f[arms], f.max() - f[arms], asked)


def together(
    policy: UpperConfidencePolicy,
    engine: Any,
    horizon: int,
    *,
    rngs: Sequence[np.random.Generator],
) -> list[Run]:
    """`simulate` for several runs in lockstep: the same runs (`tvgp.lockstep`).

    policy, engine: from `methods.make` with copies of a prior; rngs: the policy's stream of each run.
    """
    policy.replace_engine(engine)
    player, f, n_runs = Together(policy), engine.f, len(rngs)
    n_arms = len(f) // n_runs
    arms = np.empty((horizon, n_runs), dtype=np.int32)
    asked = Asked(horizon, n_runs, n_arms)
    for t in range(1, horizon + 1):
        chosen = player.choose(t, rngs)
        engine.begin_round(chosen)
        player.observe(t, chosen, f[chosen])
        queries = player.expert_queries(t, rngs)
        if len(queries):
            player.observe_expert(t, queries, f[queries])
            asked.add(t, queries)
        arms[t - 1] = chosen
    each = zip(arms.T, f.reshape(n_runs, n_arms), asked.numbers.T, strict=True)
    arms -= np.arange(0, len(f), n_arms, dtype=np.int32)
    return [Run(own, g[own], g.max() - g[own], queries) for own, g, queries in each]
