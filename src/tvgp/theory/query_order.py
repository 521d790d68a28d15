"""What no method escapes whose queries about f_t come after the choice of x_t.

Of what is known before the choice of x_{t+1} the best is f_t itself, everywhere and exactly. The regret is
then at least that of the maximum of E[f_{t+1} | f_t]:

    E max f_{t+1} - E f_{t+1}(argmax E[f_{t+1} | f_t])

in both models the maximum of f_t, as the rest of f_{t+1} is independent of f_t and has mean 0. However many
the queries:

| model | floor of a round | of T rounds |
| --- | --- | --- |
| f forgets at the rate eps (TV-GP-UCB) | (1 - sqrt(1 - eps)) E max f | linear |
| f is a Wiener process (UI-TVBO) | about sqrt(q / 4t) E max f_1 | (sqrt(1 + q T) - 1) E max f_1 |
| f stands still and observations age | 0 | 0 |

So no rate is sublinear in that order where f is stationary, while the third allows any and the second none
below sqrt(T). Where f_{t+1} may be read before the choice the floor is 0. Where f can be foreseen (a periodic
f, a drift with momentum) none of this holds.
"""

from __future__ import annotations

import math

import numpy as np

from tvgp.posterior import Prior
from tvgp.posterior.sampling import PriorDraws, prior_root


def expected_maximum(prior: Prior, rng: np.random.Generator, draws: int = 10_000) -> float:
    """E max_x f(x) of f ~ GP(0, k) over the arms, by simulation; its standard error is below 1 % of the
    prior's standard deviation."""
    source = PriorDraws(prior_root(prior, noise_variance=np.inf))
    return float(np.mean([source.next(rng).max() for _ in range(draws)]))


def forgetting_floor(epsilon: float, maximum: float) -> float:
    """(1 - sqrt(1 - eps)) E max f: regret per round under f_{t+1} = sqrt(1 - eps) f_t + sqrt(eps) g
    (Bogunovic16, section 2). maximum: E max f; in its units.

    >>> round(forgetting_floor(0.03, 2.0), 4)
    0.0302
    """
    return (1.0 - math.sqrt(1.0 - epsilon)) * maximum


def wiener_floor(q: float, t: int, maximum: float) -> float:
    """(sqrt(1 + q t) - sqrt(1 + q (t - 1))) E max f_1: regret of round t + 1 under f_{t+1} = f_t + sqrt(q) g
    (UI-TVBO's model). maximum: E max f_1; in its units.

    >>> round(wiener_floor(0.03, 1, 2.0), 4)
    0.0298
    """
    return (math.sqrt(1.0 + q * t) - math.sqrt(1.0 + q * (t - 1))) * maximum
