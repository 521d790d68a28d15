"""One run of a policy on a fixed function whose observations age."""

from __future__ import annotations

import numpy as np

from tvgp.ageing.merged import AgeingMerged
from tvgp.ageing.weight_space import AgeingWeightSpace
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
    asked, places = np.zeros((2, horizon), dtype=np.int32)
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng)
        engine.begin_round(arm)
        policy.observe(t, arm, f.item(arm))
        queries = policy.expert_queries(t, rng)
        if len(queries):
            policy.observe_expert(t, queries, f[queries])
        arms[t - 1], asked[t - 1], places[t - 1] = arm, len(queries), len({arm, *queries})
    return Run(arms, f[arms], f.max() - f[arms], asked, places)
