"""W-DBO (Bardou, Thiran & Ranieri, NeurIPS 2024): a space-time model that removes irrelevant observations.

    cov(f_s(x), f_t(x')) = k(x, x') k_T(|s - t|)
    x_t = argmax mu_t(x) + width sigma_t(x),  width = sqrt(0.2 d log(2n)) with n observations kept

After y_t, with last the round of the cleaning before:

    b <- b (1 + alpha)^((t - last)/l_T);
    while n > fewest and 1 + min R < b:  b <- b / (1 + min R), remove the observation of least R,

R the relevance of `tvgp.theory.relevance`; b = 1 at first, after `initial` random plays. Rules, constants
and defaults are those of the authors' code (wdbo_algo 1.0.7). Theirs runs against the clock, ours per
round, which separates what is learnt from how fast.

Hyper-parameters: given, those of the experiment; or fitted as theirs (`tvgp.fitting.adam`), to the data
kept, x scaled to [0, 1]^d, t to fractions of the horizon and y standardised, after each observation and
each removal. There l_T may collapse, and with it the data set to two observations, for good, as a third
party's reproduction found: `shortest` and `fewest` prevent it and are ours.

Family: old observations fade.
Use it when runs are long and the data kept must stay few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tvgp import acquisition, kernels
from tvgp.fitting.adam import fit_by_adam
from tvgp.kernels import Kernel
from tvgp.kernels.base import scales
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import Dense, Prior
from tvgp.theory.relevance import overlap_in_space, overlap_in_time, relevance, without

_FAMILIES = {"matern32": "matern32", "ou": "matern12", "se": "se"}


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """The width is dataset, sqrt(0.2 d log(2n)), by default.

    time_kernel: matern32, ou or se, with l_time (l_T) in rounds; alpha: growth of the budget b per l_T, 0
    removes nothing; initial: random plays at first; fewest: observations that are always kept; removed:
    least, or oldest as a control that removes as often; noisy_std: whether sigma includes the noise, as in
    the authors' code; hyperparameters: given or fitted; refit_every: rounds between two fits; shortest:
    lower limit of a fitted l_T, in rounds.
    """

    FORMULAS: ClassVar[tuple[str, ...]] = ("dataset",)

    width: float | str = "dataset"
    time_kernel: str = "matern32"
    l_time: float = 50.0
    alpha: float = 0.25
    initial: int = 15
    fewest: int = 2
    removed: str = "least"
    noisy_std: bool = False
    hyperparameters: str = "given"
    refit_every: int = 1
    shortest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.engine in ("auto", "dense"), "engine", self.engine, "auto or dense")
        require(self.time_kernel in _FAMILIES, "time_kernel", self.time_kernel, ", ".join(_FAMILIES))
        require(0 < self.l_time < math.inf, "l_time", self.l_time, "positive, in rounds")
        require(0 <= self.alpha < math.inf, "alpha", self.alpha, "0 or more")
        require(self.initial >= 0, "initial", self.initial, "0 or more")
        require(self.fewest >= 2, "fewest", self.fewest, "2 or more")
        require(self.removed in ("least", "oldest"), "removed", self.removed, "least or oldest")
        known = self.hyperparameters in ("given", "fitted")
        require(known, "hyperparameters", self.hyperparameters, "given or fitted")
        require(self.refit_every >= 1, "refit_every", self.refit_every, "1 or more")
        require(0 <= self.shortest < math.inf, "shortest", self.shortest, "0 or more, in rounds")


@dataclass(frozen=True)
class _Model:
    """Hyper-parameters in reward units and rounds. centre: of the values in relevances; offset: constant mean
    of f; noise: None for that of each observation."""

    kernel: Kernel
    time_kernel: Kernel
    noise: float | None = None
    centre: float = 0.0
    offset: float = 0.0


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> WDBO:
    """W-DBO on the dense engine: it keeps few data. ValueError unless the kernel is se or matern."""
    return WDBO(prior, noise_variance, parameters)


class WDBO(UpperConfidencePolicy):
    """Keeps the observations that the posterior would miss."""

    _parameters: Parameters
    _engine: Dense

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        self._noise = noise_variance
        self._sides = np.where(np.ptp(prior.arms, axis=0) > 0, np.ptp(prior.arms, axis=0), 1.0)
        family = _FAMILIES[parameters.time_kernel]
        self._model = _Model(prior.kernel, kernels.make(family, length_scale=parameters.l_time))
        # rounds, arms, values and noise variances of the data kept, (n,), and their overlap in space, (n, n)
        self._rounds = np.empty(0, dtype=np.int64)
        self._arms = np.empty(0, dtype=np.intp)
        self._values = np.empty(0)
        self._noises = np.empty(0)
        self._space = np.empty((0, 0))
        self._played = 0
        self._log_budget = 0.0
        self._cleaned: int | None = None
        super().__init__(Dense(prior), parameters)
        self._overlap(prior.arms[:1], prior.arms[:1])  # ValueError before the first round

    @property
    def kept(self) -> np.ndarray:
        """Rounds of the observations kept, oldest first, (n,)."""
        return self._rounds

    @property
    def l_time(self) -> float:
        """l_T in use, in rounds."""
        return float(scales(self._model.time_kernel, "length_scale", 1)[0])

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        if self._played < self._parameters.initial:
            free = np.arange(self._n_arms) if available is None else np.flatnonzero(available)
            return int(free[rng.integers(len(free))])
        return super()._choose(t, rng, available)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        mean = self._engine.mean + self._model.offset
        return mean + self._prior_mean, np.sqrt(self._engine.variance)

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        width = self._width(t)
        return self._posterior(t)[0], width * self._std(), width

    def _best_arm(self, width: float, available: np.ndarray | None) -> int:
        if not self._parameters.noisy_std:
            return super()._best_arm(width, available)
        return acquisition.best_arm(self._scores(width), available, self._unit)

    def _std(self) -> np.ndarray:
        if not self._parameters.noisy_std:
            return super()._std()
        return np.sqrt(self._engine.variance + (self._model.noise or self._noise))

    def _formula(self) -> float:
        return math.sqrt(0.2 * len(self._sides) * math.log(2.0 * max(self._engine.n, 1)))

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._rounds, self._arms = np.append(self._rounds, t), np.append(self._arms, arm)
        noise = noise_variance or self._noise
        self._values, self._noises = np.append(self._values, value), np.append(self._noises, noise)
        points = self._engine.prior.arms[self._arms]
        column = self._overlap(points, points[-1:])
        self._space = np.block([[self._space, column[:-1]], [column.T]])
        self._played += 1

    def _age(self, now: int) -> None:
        self._condition(now)

    def _close(self, t: int) -> None:
        if self._played >= self._parameters.initial:
            self._clean(t)
        self._condition(t)

    def _clean(self, now: int) -> None:
        """Refit, and remove what the budget allows."""
        p = self._parameters
        # rounds may be skipped: a multiple of refit_every has come since the last time
        due = self._cleaned is None or now // p.refit_every > self._cleaned // p.refit_every
        refit = p.hyperparameters == "fitted" and due
        if refit:
            self._refit()
        if self._cleaned is not None:
            self._log_budget += (now - self._cleaned) / self.l_time * math.log1p(p.alpha)
        self._cleaned = now
        inverse, overlap = self._inverse(), self._overlaps(now)
        while len(self._rounds) > p.fewest and self._log_budget > 0.0:
            R = relevance(inverse, self._values - self._model.centre, overlap)
            least = int(R.argmin())
            price = math.log1p(R[least])
            if price >= self._log_budget:
                break
            self._log_budget -= price
            gone = least if p.removed == "least" else 0
            self._remove(gone)
            if refit:
                self._refit()
                inverse, overlap = self._inverse(), self._overlaps(now)
            else:
                inverse, overlap = without(inverse, gone), _smaller(overlap, gone)

    def _remove(self, i: int) -> None:
        self._rounds, self._arms = np.delete(self._rounds, i), np.delete(self._arms, i)
        self._values, self._noises = np.delete(self._values, i), np.delete(self._noises, i)
        self._space = _smaller(self._space, i)

    def _refit(self) -> None:
        """The model fitted to the data kept, and their overlap in space; none if all values are equal."""
        arms, p = self._engine.prior.arms, self._parameters
        centre, scale = float(self._values.mean()), float(self._values.std())
        if np.ptp(self._values) == 0.0:  # their computed deviation is rarely 0
            return
        fit = fit_by_adam(
            (arms[self._arms] - arms.min(axis=0)) / self._sides,
            self._rounds / p.horizon,
            (self._values - centre) / scale,
            self._model.kernel.name,
            self._model.time_kernel.name,
        )
        lengths = fit.length_scale * self._sides
        kernel = kernels.make(
            self._model.kernel.name, variance=fit.variance * scale**2, length_scale=tuple(lengths)
        )
        l_time = max(fit.l_time * p.horizon, p.shortest)
        time_kernel = kernels.make(self._model.time_kernel.name, length_scale=l_time)
        offset = centre + scale * fit.mean
        self._model = _Model(kernel, time_kernel, fit.noise_variance * scale**2, centre, offset)
        self._space = self._overlap(arms[self._arms], arms[self._arms])

    def _condition(self, now: int) -> None:
        """The posterior of the data kept under the model, for the round after `now`."""
        if self._engine.prior.kernel != self._model.kernel:
            self._engine = Dense(Prior(self._engine.prior.arms, self._model.kernel))
        times = self._rounds[:, None].astype(float)
        k_t = self._model.time_kernel(times, np.append(times, [[now + 1.0]], axis=0))
        noises = self._noises
        if self._model.noise is not None:
            noises = np.full(len(noises), self._model.noise)
        values = self._values - self._model.offset
        self._engine.condition(self._arms, values, noises, correlation=k_t[:, :-1], decay=k_t[:, -1])

    def _inverse(self) -> np.ndarray:
        """(K o K_T + Sigma)^-1 of the data kept, (n, n)."""
        points, times = self._engine.prior.arms[self._arms], self._rounds[:, None].astype(float)
        D = self._model.kernel(points, points) * self._model.time_kernel(times, times)
        D.flat[:: len(D) + 1] += self._noises if self._model.noise is None else self._model.noise
        return cho_solve(cho_factor(D, lower=True), np.eye(len(D)))

    def _overlaps(self, now: int) -> np.ndarray:
        """C of the data kept, (n, n)."""
        return self._space * overlap_in_time(self._model.time_kernel, self._rounds, now)

    def _overlap(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return overlap_in_space(self._model.kernel, X, Y, self._sides)


def _smaller(matrix: np.ndarray, i: int) -> np.ndarray:
    """Without row and column i."""
    kept = np.delete(np.arange(len(matrix)), i)
    return matrix[np.ix_(kept, kept)]
