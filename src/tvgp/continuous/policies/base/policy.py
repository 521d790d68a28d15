"""Base of the policies on a box: the data kept, the model, and the choice by an upper bound or a path.

At most `most` observations are kept. One more, and an eighth of them goes: those without which the posterior
changes least (`exact.least_relevant`), over points of a Sobol sequence and the coming `most` rounds. The time
per round is then bounded, by that of a round with `most` data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import qmc

from tvgp import acquisition
from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Data, Drift, Exact, Model, least_relevant
from tvgp.continuous.policies.base.search import candidates, maximum
from tvgp.fitting.learning import Learner
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require
from tvgp.theory.widths import logarithmic_width

# Points, and rounds ahead, over which the relevance of data is averaged: 2^8.
_RELEVANCE_POINTS = 8

# Data around which candidates are drawn: those with the largest posterior mean.
_NEAR = 5

# Least noise variance relative to that of k, so that A is positive definite wherever points repeat.
LEAST_NOISE = 1e-9


@dataclass(frozen=True)
class PointParameters:
    """Parameters of all policies on a box.

    prior_mean: m, in reward units; most: observations kept; candidates, starts: points at which a search for
    a maximum begins, and those of them from which it ascends.
    """

    prior_mean: float = 0.0
    most: int = 400
    candidates: int = 512
    starts: int = 4

    def __post_init__(self) -> None:
        require(math.isfinite(self.prior_mean), "prior_mean", self.prior_mean, "a finite number")
        require(self.most >= 8, "most", self.most, "8 or more")
        for name in ("candidates", "starts"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")


@dataclass(frozen=True)
class UpperParameters(PointParameters):
    """width: factor of sigma, a number or logarithmic, sqrt(c1 log(c2 n)) for the n-th observation."""

    width: float | str = "logarithmic"
    c1: float = 0.8
    c2: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        number = not isinstance(self.width, str) and 0 <= self.width < math.inf
        known = number or self.width == "logarithmic"
        require(known, "width", self.width, "logarithmic or a number of 0 or more")
        for name in ("c1", "c2"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")

    def width_at(self, n: int) -> float:
        """The width for the n-th observation, as times may begin at any number, in any unit."""
        return logarithmic_width(self.c1, self.c2, n) if isinstance(self.width, str) else self.width


def _static(parameters: Any) -> Drift:
    """No drift; a function with a name, which can be pickled."""
    return Drift()


class ModelPolicy:
    """Keeps data and a model; subclasses implement `_best`, the choice from a posterior."""

    def __init__(
        self,
        domain: Domain,
        kernel: Kernel,
        noise_variance: float,
        parameters: Any,
        drift: Callable[[Any], Drift] = _static,
        double: bool = False,
    ) -> None:
        """drift: that of the algorithm's parameters; double: see `Exact`.

        ValueError for a noise variance so small that repeated points make A singular, and a kernel without
        gradients on this domain."""
        least = LEAST_NOISE * kernel.variance
        if not noise_variance >= least:
            raise ValueError(f"noise variance is {noise_variance}, expected at least {least:.3g}")
        self.domain, self.model = domain, Model(kernel, noise_variance, parameters.prior_mean)
        self._parameters, self._drift, self._double = parameters, drift, double
        kernel.combination_gradient(domain.corners, domain.corners, np.ones((2, 2)))
        self.data = Data(np.empty(0), np.empty((0, domain.d)), np.empty(0))
        self._seen = 0
        self._learner: Learner | None = None

    def learn(self, drift: tuple[str, ...], time_family: str) -> None:
        """Learn the model and the parameters `drift` from the data (`tvgp.fitting.learning`), and play at
        random before the first fit."""
        domain = self.domain
        self._learner = Learner(
            self.model.kernel, domain.corners, drift, time_family=time_family, groups=domain.groups
        )

    def observe_points(self, t: int | np.ndarray, points: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from rewards (n,) at points (n, d) of round t, or of rounds (n,)."""
        self.data = self.data.and_also(t, self.domain.snap(points), rewards)
        if len(self.data) > self._parameters.most:
            self._forget(int(self.data.rounds.max()) + 1)
        self._seen += len(rewards)
        if self._learner is not None:
            data = self.data
            learnt = self._learner.update(data.points, data.rounds, data.values, self._seen)
            if learnt is not None:
                self.model = Model(learnt.kernel, learnt.noise_variance, learnt.mean)
                self._parameters = replace(self._parameters, **learnt.drift)

    def propose(
        self,
        t: int,
        rng: np.random.Generator,
        batch: int = 1,
        given: np.ndarray | None = None,
        pending: np.ndarray | None = None,
        rounds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Points of round t, (batch, d).

        Each assumes that those before it, and the points pending (m, d), pay their posterior mean (GP-BUCB,
        Desautels et al. 2014). given: coordinates that are not chosen, (d,), NaN for the others; rounds: of
        the points pending, (m,), None for t."""
        given = np.full(self.domain.d, np.nan) if given is None else given
        waiting = np.empty((0, self.domain.d)) if pending is None else self.domain.snap(pending)
        asked = np.full(len(waiting), t) if rounds is None else rounds
        if self._learner is not None and not self._learner.fitted:
            # those pending may have the first draws of this stream
            low, high = self.domain.corners
            uniform = rng.uniform(low, high, (len(waiting) + batch, self.domain.d))
            return self.domain.snap(np.where(np.isnan(given), uniform, given))[len(waiting) :]
        for _ in range(batch):
            point = self._best(self._exact(self._believed(waiting, asked), t), t, given, rng)
            waiting, asked = np.vstack([waiting, point]), np.append(asked, t)
        return waiting[len(waiting) - batch :]

    def recommend(self, t: int, rng: np.random.Generator, given: np.ndarray | None = None) -> np.ndarray:
        """The point with the largest posterior mean for round t, (d,)."""
        given = np.full(self.domain.d, np.nan) if given is None else given
        return self._largest_upper(self.posterior(t), 0.0, given, rng)

    def posterior(self, t: int) -> Exact:
        """That of f_t from the data so far."""
        return self._exact(self.data, t)

    def _believed(self, waiting: np.ndarray, asked: np.ndarray) -> Data:
        """The data so far, and the posterior mean at points `waiting` (m, d), each in the round `asked` (m,):
        what is believed of a point ages as its value will."""
        believed = self.data
        for s in np.unique(asked).tolist():
            points = waiting[asked == s]
            believed = believed.and_also(s, points, self.posterior(s).moments(points)[0])
        return believed

    def _exact(self, data: Data, t: int) -> Exact:
        return Exact(self.model, self._drift(self._parameters), data, t, self._double)

    def _best(self, posterior: Exact, t: int, given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        raise NotImplementedError

    def _largest_upper(
        self, posterior: Exact, width: float, given: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """argmax mu + width sigma, (d,)."""
        return self._maximum(
            posterior,
            lambda X: posterior.upper(X, width),
            lambda x: posterior.upper_and_gradient(x, width),
            given,
            rng,
        )

    def _maximum(
        self,
        posterior: Exact,
        function: Callable[[np.ndarray], np.ndarray],
        slope: Callable[[np.ndarray], tuple[float, np.ndarray]],
        given: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        p, points = self._parameters, self.data.points
        unit = acquisition.unit(self.model.kernel.variance)
        near = points
        if len(points):
            near = points[np.argsort(-posterior.moments(points)[0], kind="stable")[:_NEAR]]
        start = candidates(self.domain, p.candidates, near, rng)

        def in_units(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = slope(x)
            return value / unit, gradient / unit

        return maximum(lambda X: function(X) / unit, in_units, self.domain, start, given, p.starts)

    def _forget(self, t: int) -> None:
        """Forget the least relevant eighth of the data."""
        low, high = self.domain.corners
        spread = qmc.Sobol(self.domain.d + 1, scramble=False).random_base2(_RELEVANCE_POINTS)
        points = self.domain.snap(low + (high - low) * spread[:, :-1])
        posterior = self._exact(self.data, t)
        most = self._parameters.most
        gone = least_relevant(
            posterior, points, np.floor(spread[:, -1] * most), len(self.data) - most + most // 8
        )
        self.data = self.data.only(np.delete(np.arange(len(self.data)), gone))


class UpperPolicy(ModelPolicy):
    """x_t = argmax mu_t(x) + width_t sigma_t(x)."""

    _parameters: UpperParameters

    def _best(self, posterior: Exact, t: int, given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self._largest_upper(posterior, self._parameters.width_at(self._seen + 1), given, rng)
