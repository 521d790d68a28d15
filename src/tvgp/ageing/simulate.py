"""The observation model of Mauduit25b taken literally: f is fixed, observations grow noisy.

At time t an observation made at s is seen with fresh independent noise of variance
v = sigma^2 (1 + (t - s)^alpha) (their eq. 8); an expert's answer given at s likewise. Posteriors
depend on the data of an arm through the sum of y_i / w_i only, w the variances a method assumes:

    p = sum 1/w_i,  sum y_i / w_i = p f + sqrt(q) z,  q = sum v_i / w_i^2,  z ~ N(0, 1)

so that one normal number per arm and round stands for one per past observation; q = p where the
assumed variances are right. What a method keeps and assumes is a rule (`tvgp.ageing.rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from tvgp.acquisition import best_arm, random_best_arm
from tvgp.posterior import BatchEngine, Prior, make_batch
from tvgp.simulate import Run
from tvgp.streams import NoiseField
from tvgp.theory.widths import information_width


class Kept(NamedTuple):
    """The data a rule keeps, n observations, in the form in which they enter the sums.

    arms (n,); weights: 1/w_i (n,); spread: v_i / w_i^2 (n,), None where the assumed variances w are
    the true ones v, so that it equals the weights.
    """

    arms: np.ndarray
    weights: np.ndarray
    spread: np.ndarray | None = None

    def sums(self, n_arms: int) -> tuple[np.ndarray, np.ndarray]:
        """p and q of all arms, (n_arms,)."""
        p = np.bincount(self.arms, self.weights, n_arms)
        return p, p if self.spread is None else np.bincount(self.arms, self.spread, n_arms)

    @property
    def assumed(self) -> np.ndarray:
        """Noise variances that the method assumes, (n,)."""
        return 1.0 / self.weights

    @property
    def actual(self) -> np.ndarray:
        """True noise variances, (n,)."""
        return self.assumed if self.spread is None else self.spread / self.weights**2


class Rule(Protocol):
    """What a method keeps. One round calls `played`, `queries`, then `kept`."""

    def played(self, t: int, arm: int) -> None:
        """Arm played in round t."""

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """Arms the expert is asked about after round t."""

    def kept(self, t: int) -> Kept:
        """Data in use after round t, for the choice of round t + 1."""

    def sums(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """p and q of all arms, (n_arms,), from the same data."""


Draw = Callable[[BatchEngine, int, Rule, np.ndarray], None]


def simulate(
    rule: Rule,
    prior: Prior,
    f: np.ndarray,
    horizon: int,
    *,
    rng: np.random.Generator,
    draw: Draw,
    norm_bound: float = 5.0,
    delta: float = 0.05,
) -> Run:
    """Play x_{t+1} = argmax mu_t + width sigma_t for `horizon` rounds.

    f: (n_arms,) the fixed function; rng: the method's own stream (first arm, subsets); draw:
    `aggregated` or `direct`. The width is the information width of the assumed variances. `reward`
    of the run is f at the arm played: what was seen of it differs from round to round.
    ValueError where f does not have one value for each arm.
    """
    if f.shape != (prior.n_arms,):
        raise ValueError(f"ageing: f has shape {f.shape}, expected one value for {prior.n_arms} arms")
    engine = make_batch(prior)
    arms = np.empty(horizon, dtype=np.int32)
    asked = np.zeros(horizon, dtype=np.int32)
    for t in range(1, horizon + 1):
        width = information_width(norm_bound, delta, engine.log_det)
        scores = engine.mean + width * np.sqrt(engine.variance)
        arm = random_best_arm(scores, rng, None) if engine.n == 0 else best_arm(scores, None)
        arms[t - 1] = arm
        rule.played(t, arm)
        asked[t - 1] = len(rule.queries(t, rng))
        draw(engine, t, rule, f)
    return Run(arms, f[arms], f.max() - f[arms], asked)


def aggregated(noise: NoiseField) -> Draw:
    """One observation for each arm seen, with the law of its data taken together.

    noise: standard normal field by (round, arm), the same for every method.
    """

    def draw(engine: BatchEngine, t: int, rule: Rule, f: np.ndarray) -> None:
        p, q = rule.sums(t)
        engine.condition_sums(p, p * f + np.sqrt(q) * noise.at(t))

    return draw


def direct(rng: np.random.Generator) -> Draw:
    """Every past observation drawn anew in every round, O(t): what `aggregated` stands for."""

    def draw(engine: BatchEngine, t: int, rule: Rule, f: np.ndarray) -> None:
        kept = rule.kept(t)
        values = f[kept.arms] + np.sqrt(kept.actual) * rng.standard_normal(len(kept.arms))
        engine.condition(kept.arms, values, kept.assumed)

    return draw
