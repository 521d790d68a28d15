"""Queries chosen one at a time, each given the answers before it, while they pay; ours, not published.

A round whose queries come before its choice (`simulate(queries="before")`) is Pandora's problem: boxes are
arms with correlated normal beliefs, opening one costs its price c_i, and in the end one is taken, opened or
not. For independent boxes that must be opened the best procedure is known (Weitzman 1979): ask about the arm
of the largest index g_i, where E (mu_i + s_i Z - g_i)^+ = c_i, until no index exceeds the largest mean. s_i
is the standard deviation of the change that one noisy reading makes. As an acquisition for a function that
does not change: Xie et al. 2024 (arXiv 2406.20062). Arms that move together are not independent, and what
they share changes no choice: s_i and c_i are those of what an arm has for itself beside the best one
(`tvgp.value_of_information.indices`; ours). The arm of the largest mean, which can be played unasked, is
asked about only if the second largest exceeds its backup value (Doval 2018). The arm played after answers is
that of the largest mean; without any, that of mu + width sigma.

| rule | the next arm asked about | until |
| --- | --- | --- |
| pandora | largest g_i, best arm as above | max g_i <= max mu |
| knowledge_gradient | largest gain of a reading (Frazier et al. 2009) less its price | none is above 0 |
| pairs | the same, where a reading may count as made with that of the best arm (ours) | none is above 0 |
| upper_bound | largest mu + query_width sigma | `number` arms have been asked about |

Each arm is asked about at most once a round. Answers are observations, kept for as long as the model keeps
its own, and have their noise. Posteriors are those of the model's own policy, played by it.

Prior variances may be wrong by factors. The index takes them times a: the running mean of the squared
standardised errors (y - mu)^2 / (v + sigma^2) of everything read, with weight `_WEIGHT` on its start and
`_MEMORY` readings. Where errors are skewed, or all arms err together, variances do not show what a reading
gains. Prices are therefore multiplied by what readings promised over what they gained (ours): the knowledge
gradient of each, and max mu - mu_b after it, b the best arm before it, whose mean the knowledge gradient is
if the belief is right. Both sums have a memory of `_MEMORY` readings, beside as many that gained what they
cost.

With a budget of b queries a round, all prices are multiplied by a factor instead, by exp(.2 (q - b) /
max(b, 1)) after each round with q queries. The sum of q - b over T rounds is therefore 5 max(b, 1) times the
logarithm of what the factor has come to: the average is within 5 % of b >= 1 after 500 rounds if it has
changed by less than e^5.

An answer is worth something in later rounds too, so that this round need not earn its whole price: with rho
the correlation of f between two rounds, rho^2 of what an answer tells is left in the next, and the round
must earn 1 - .75 rho^2 of the price (`price_share`). The .75 is ours: the best share is .2 to .3 at rho^2 =
.98 and about .5 at .7 on drawn functions, 1 on fields with rho^2 below .1.

Limitations: the index compares an arm with one other, and takes others for worth their means where it decides
whether to ask about the best. Of three or four independent boxes it gains 99 % of what the best procedure
does, of two correlated ones 96 to 100 % (tests/unit/test_value_of_information.py); of many boxes that are
correlated, or wrong in their variances, nothing is known. Where variances are too small and `learn_scale` is
off it stops too early.

Family: an expert answers questions.
Use it when queries have a price, or a budget, and can be asked before the choice.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import numpy as np

from tvgp import acquisition, value_of_information
from tvgp.policies import field_gp_ucb, gp_ucb, st_gp_ucb, sw_gp_ucb, tv_gp_ucb, ui_gp_ucb
from tvgp.policies.base.policy import require
from tvgp.policies.base.sequential import SequentialPolicy
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.posterior import Prior

MODELS: dict[str, ModuleType] = {
    "gp": gp_ucb,
    "sw": sw_gp_ucb,
    "tv": tv_gp_ucb,
    "st": st_gp_ucb,
    "field": field_gp_ucb,
    "ui": ui_gp_ucb,
}
RULES = ("pandora", "knowledge_gradient", "pairs", "upper_bound")

_WEIGHT, _MEMORY = 20, 100  # readings
_RATE = 0.2  # of the prices' factor
_LATER = 0.75  # of the price of an answer whose worth does not age, what later rounds earn
_TYPICAL = 4  # queries a round for which an engine is chosen, where their number is open


@dataclass(frozen=True)
class ModelParameters(
    field_gp_ucb.Parameters,
    st_gp_ucb.Parameters,
    tv_gp_ucb.Parameters,
    sw_gp_ucb.Parameters,
    ui_gp_ucb.Parameters,
):
    """model: "gp", of all data, "sw", of those in a window, "tv", whose rate of change is epsilon, "st", with
    a time kernel, "field", with two time scales, or "ui", of data whose noise grows as age^alpha. Each reads
    its own of the other parameters."""

    model: str = "tv"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.model in MODELS, "model", self.model, ", ".join(MODELS))

    def build(self, prior: Prior, noise_variance: float, most: int) -> UpperConfidencePolicy:
        """The model's policy; most: queries a round for which its engine is chosen."""
        module = MODELS[self.model]
        names = [field.name for field in dataclasses.fields(module.Parameters)]
        values = {name: getattr(self, name) for name in names}
        if self.model != "sw":  # whose window depends on the rounds
            values["horizon"] = self.horizon * (1 + most)
        policy: UpperConfidencePolicy = module.make(prior, noise_variance, module.Parameters(**values))
        return policy

    def kept(self, prior: Prior) -> float:
        """rho^2, the share of what an answer tells that is left a round later: the squared correlation of f
        between two rounds, 1 for models in which f stands still."""
        if self.model == "tv":
            return 1.0 - self.epsilon
        if self.model == "st":
            k = self.given()(np.zeros((1, 1)), np.array([[0.0], [1.0]]))[0]
            return float(k[1] / k[0]) ** 2
        return field_gp_ucb.lag_correlation(prior, self) ** 2 if self.model == "field" else 1.0


@dataclass(frozen=True)
class Parameters(ModelParameters):
    """rule: as in the table above; price: of a query, in units of the reward, one number or one per arm;
    price_share: of it that the round itself must earn, 1 where answers are worth nothing later, None for
    1 - .75 rho^2; budget: queries a round on average, reached by a factor on the price, None for the price as
    it is; most: queries a round at most, None for one per arm; batch: queries made at once, each chosen as if
    the ones before it had been answered by their means; number: queries a round of rule upper_bound;
    query_width: its factor of sigma; scale: of the variances in the index at first, 1 for those of the prior,
    and learn_scale: whether it follows the errors; learn_gain: whether prices follow what readings gain, not
    with a budget.

    The width, of rounds without answers, is .5 by default.
    """

    OURS: ClassVar[tuple[str, ...]] = ("width", "query_width")

    width: float | str = 0.5
    rule: str = "pandora"
    price: float | tuple[float, ...] = 0.1
    price_share: float | None = None
    budget: float | None = None
    most: int | None = None
    batch: int = 1
    number: int = 3
    query_width: float = 1.5
    scale: float = 1.0
    learn_scale: bool = True
    learn_gain: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.rule in RULES, "rule", self.rule, ", ".join(RULES))
        prices = np.asarray(self.price, dtype=float)
        good = bool((prices >= 0).all() and np.isfinite(prices).all())
        require(good, "price", self.price, "0 or more, one number or one per arm")
        share = self.price_share
        require(share is None or 0 < share <= 1, "price_share", share, "above 0 and at most 1")
        require(self.budget is None or 0 < self.budget < math.inf, "budget", self.budget, "positive")
        require(
            self.budget is None or bool((prices > 0).all()), "price", self.price, "positive with a budget"
        )
        for name in ("most", "batch"):
            value = getattr(self, name)
            require(value is None or value >= 1, name, value, "1 or more")
        require(self.number >= 0, "number", self.number, "0 or more")
        require(0 <= self.query_width < math.inf, "query_width", self.query_width, "0 or more")
        require(0 < self.scale < math.inf, "scale", self.scale, "positive")

    def share_of_price(self, prior: Prior) -> float:
        """price_share, from the model's memory where it is None."""
        return 1.0 - _LATER * self.kept(prior) if self.price_share is None else self.price_share


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> PandoraGPUCB:
    """Queries under a rule on the posterior of a model's policy. ValueError for prices that are not one per
    arm."""
    if np.shape(parameters.price) not in ((), (prior.n_arms,)):
        raise ValueError(
            f"policy parameter price is {np.size(parameters.price)} numbers, expected one number or one for"
            f" each of {prior.n_arms} arms"
        )
    typical = parameters.number if parameters.rule == "upper_bound" else parameters.most or _TYPICAL
    return PandoraGPUCB(prior, noise_variance, parameters, parameters.build(prior, noise_variance, typical))


class PandoraGPUCB(SequentialPolicy):
    """Asks while it pays, or a fixed number of times. `scale`: a; `factor`: of the prices, beside what
    readings `promised` over what they `gained`."""

    def __init__(
        self, prior: Prior, noise_variance: float, parameters: Parameters, model: UpperConfidencePolicy
    ) -> None:
        super().__init__(prior, noise_variance, parameters, model)
        self._p = parameters
        self._batch = parameters.batch
        self._price = np.asarray(parameters.price, dtype=float)
        self.scale, self.factor = parameters.scale, parameters.share_of_price(prior)
        self._readings = 0
        self._asked_in_round = 0
        self._prior = self.promised = self.gained = _MEMORY * self.factor * float(self._price.mean())
        self._available: np.ndarray | None = None  # in the last round with queries
        learns = parameters.learn_gain and parameters.rule != "upper_bound" and parameters.budget is None
        self._learns_gain = learns and self._prior > 0.0

    def _allowance(self, t: int) -> int:
        most = self._p.most or self._n_arms
        return min(self._p.number, most) if self._p.rule == "upper_bound" else most

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        self._available = available
        return super()._queries(t, rng, available)

    def _scores(
        self, model: UpperConfidencePolicy, t: int, free: np.ndarray, available: np.ndarray | None
    ) -> tuple[np.ndarray, float]:
        if self._p.rule == "pandora":
            return self._indices(model, t, available)
        if self._p.rule == "upper_bound":
            mean, std = model._posterior(t)
            return mean + self._p.query_width * std, -np.inf
        return self._gains(model, t, free, available), acquisition.TIE * self._unit

    def _gains(
        self, model: UpperConfidencePolicy, t: int, free: np.ndarray, available: np.ndarray | None
    ) -> np.ndarray:
        """What the reading of each arm gains over its price, -infinity for arms that are not free."""
        arms, (mean, variance) = np.flatnonzero(free), self._beliefs(model, t)
        price = np.broadcast_to(self._charged(), self._n_arms)
        covariance = self.scale * model._engine.covariance(arms)
        readings = [(covariance, variance[arms], price[arms])]
        if self._p.rule == "pairs":
            rivals = self._rivals(_held(mean, available))
            rows = self.scale * model._engine.covariance(rivals)
            readings.append(
                value_of_information.with_rivals(arms, covariance, variance, rivals, rows, self._noise, price)
            )
        there = slice(None) if available is None else available
        gains = np.full(self._n_arms, -np.inf)
        for pulls, own, asked in readings:
            gain = value_of_information.knowledge_gradient(
                mean[there], pulls[:, there], own, self._noise, asked, self.log_scale, self._unit
            )
            gains[arms] = np.maximum(gains[arms], gain - asked)
        return gains

    def _beliefs(self, model: UpperConfidencePolicy, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Means of rewards and scaled variances, on the log scale if any."""
        mean, std = model._posterior(t)
        variance = self.scale * std**2
        if self.log_scale is not None:
            mean, _ = self.log_scale.moments(mean, np.sqrt(variance))
        return mean, variance

    def _charged(self) -> np.ndarray:
        """What a reading of this round must earn, one number or one per arm."""
        trust = self.gained / self.promised if self._learns_gain else 1.0
        return np.asarray(self.factor * self._price / trust)

    def _rivals(self, held: np.ndarray) -> np.ndarray:
        return value_of_information.two_best(held, self._unit * acquisition.TIE)

    def _indices(
        self, model: UpperConfidencePolicy, t: int, available: np.ndarray | None
    ) -> tuple[np.ndarray, float]:
        """Indices of arms, and the largest mean, which they must exceed."""
        mean, variance = self._beliefs(model, t)
        held = _held(mean, available)
        rivals = self._rivals(held)
        index = value_of_information.indices(
            mean,
            variance,
            self.scale * model._engine.covariance(rivals),
            rivals,
            self._noise,
            self._charged(),
            self.log_scale,
        )
        least = float(held.max()) + self._unit * acquisition.TIE
        return value_of_information.open_or_take(index, held), least

    def indices(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """The index of each arm in round t with what has been asked so far, in units of the reward,
        (n_arms,): the arm of the largest among those not asked about yet is asked about next, if it exceeds
        the largest mean. Of rule pandora, whatever the rule."""
        return self._indices(self._at(t), t, available)[0]

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """The largest mean after answers of this round, except under rule upper_bound."""
        self._bring(t)
        if self._asked_in_round and self._p.rule != "upper_bound":
            if self.log_scale is None:
                return self.model._best_arm(0.0, available)
            mean, std = self.model._posterior(t)
            rewards, _ = self.log_scale.moments(mean, math.sqrt(self.scale) * std)
            return acquisition.best_arm(rewards, available, self._unit)
        return self.model._choose(t, rng, available)

    def _learn(
        self, model: UpperConfidencePolicy, t: int, arm: int, value: float, noise_variance: float | None
    ) -> None:
        if model is self.model and self._p.learn_scale:
            mean, std = (each.item(arm) for each in model._posterior(t))
            self._readings += 1
            error = (value - mean) ** 2 / (std**2 + (noise_variance or self._noise))
            self.scale += (error - self.scale) / min(_WEIGHT + self._readings, _MEMORY)
        super()._learn(model, t, arm, value, noise_variance)

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._bring(t)
        if self._learns_gain:
            for k in range(len(arms)):
                self._learn_gain(t, arms[k : k + 1], values[k : k + 1])
        else:
            super()._observe_expert(t, arms, values)
        self._asked_in_round += len(arms)

    def _learn_gain(self, t: int, arm: np.ndarray, value: np.ndarray) -> None:
        """One answer, and what it was to gain and has gained."""
        mean, variance = self._beliefs(self.model, t)
        there = slice(None) if self._available is None else self._available
        pull = self.scale * self.model._engine.covariance(arm)[:, there]
        (promised,) = value_of_information.knowledge_gradient(
            mean[there], pull, variance[arm], self._noise, None, self.log_scale, self._unit
        )
        best = acquisition.best_arm(mean, self._available, self._unit)
        super()._observe_expert(t, arm, value)
        after = self._beliefs(self.model, t)[0]
        self.promised += promised - (self.promised - self._prior) / _MEMORY
        self.gained += after[there].max() - after[best] - (self.gained - self._prior) / _MEMORY

    def _bring(self, t: int) -> None:
        budget = self._p.budget
        if t > self._round:
            if self._round and budget is not None:
                self.factor *= math.exp(_RATE * (self._asked_in_round - budget) / max(budget, 1.0))
            self._asked_in_round = 0
        super()._bring(t)


def _held(mean: np.ndarray, available: np.ndarray | None) -> np.ndarray:
    """Means of the arms that can be taken, -infinity for the others."""
    return mean if available is None else np.where(available, mean, -np.inf)
