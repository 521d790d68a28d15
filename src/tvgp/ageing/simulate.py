"""One run of a policy on a fixed function whose observations age."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tvgp.ageing.merged import AgeingMerged
from tvgp.ageing.weight_space import AgeingWeightSpace
from tvgp.contracts import Moment, SequentialQueries, require_moment
from tvgp.policies.base.sequential import SequentialPolicy
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.simulate import Run, ask


def simulate(
    policy: UpperConfidencePolicy | SequentialPolicy,
    engine: AgeingMerged | AgeingWeightSpace,
    horizon: int,
    *,
    rng: np.random.Generator,
    queries: Moment = "after",
    on_round: Callable[[int], None] | None = None,
) -> Run:
    """Play `horizon` rounds on the engine's function; the engine replaces the policy's own.

    rng: the policy's stream. `reward` of the run is f at the arm played, as its observation changes
    from round to round. queries: "after" the play or "before" the choice, as in `tvgp.simulate`. The
    variance of an answer is that of lag 0 in the choice that follows, in both orders. on_round: called with
    every round that is over. ValueError for another word, and a policy that has played already.
    """
    require_moment(queries)
    policy.replace_engine(engine)
    f, one_by_one = engine.f, isinstance(policy, SequentialQueries)
    arms = np.empty(horizon, dtype=np.int32)
    asked, places = np.zeros((2, horizon), dtype=np.int32)
    for t in range(1, horizon + 1):
        answer = partial(engine.answer, t)
        told = [ask(policy, one_by_one, t, rng, None, answer)] if queries != "after" else []
        arm = policy.choose(t, rng)
        engine.begin_round(arm)
        policy.observe(t, arm, f.item(arm))
        if queries != "before":
            told.append(ask(policy, one_by_one, t, rng, None, answer))
        about = np.concatenate(told)
        arms[t - 1], asked[t - 1], places[t - 1] = arm, len(about), len({arm, *about})
        if on_round is not None:
            on_round(t)
    return Run(arms, f[arms], f.max() - f[arms], asked, places)
