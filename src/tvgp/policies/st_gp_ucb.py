"""ST-GP-UCB: a product kernel over space and time, the time kernel given or chosen by marginal likelihood.

    cov(f_s(x), f_t(x')) = k(x, x') k_T(|s - t|),  k_T(0) = 1
    x_t = argmax mu_t(x) + width sigma_t(x), mu_t and sigma_t those of f_t given y_1, ..., y_{t-1}

| time_kernel | k_T(L) |
| --- | --- |
| constant | 1: GP-UCB |
| ou | exp(-L/l): TV-GP-UCB with eps = 1 - exp(-2/l) |
| matern32 | (1 + aL) exp(-aL), a = sqrt(3)/l |
| se | exp(-L^2 / 2l^2) |
| periodic | exp(-2 sin^2(pi L/p)) |
| quasi | periodic times ou |
| auto | the candidate of `tvgp.fitting.time_kernel` with the largest marginal likelihood of the data so far |

The latest 2,000 observations, at most, choose it, and after a change are the data, which bounds time and
memory. Runs may go on beyond the horizon: the engine changes where a longer one makes another cheaper. In a
state space, se is within 1.1e-8 of k_T (`tvgp.posterior.state_space`).

The model is that of adaptive Bayesian optimisation (ABO, Nyikosa, Osborne & Roberts 2018, arXiv 1803.03432;
read in secondary sources and in its authors' code), which refits all parameters in every step, and of the
control "GP-UCB" with time as a further column in later papers. Differences: k and the noise variance are
given, from training data, since fits of everything at once tend to collapse; the choice of the time
kernel at a growing number of observations is a rule of ours; ABO's choice of the next time and its
expected improvement mean nothing where rounds are fixed, and are left out.

Family: old observations fade.
Use it when the function moves smoothly in time, or with a period; without knowledge of the drift it is the
first to try.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import kernels, posterior
from tvgp.fitting import time_kernel
from tvgp.kernels import Kernel, Matern12, Periodic
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.gp_ucb import GPUCB
from tvgp.posterior import Prior

# Most observations from which a time kernel is chosen.
_LATEST = 2000

# Length-scale, in multiples of these, over which a periodic kernel is trusted when there are more data: its
# frequency, known to 1/(16 n), would be out of phase in the end.
_TRUST = 4.0

_FAMILIES = ("auto", "constant", "ou", "matern32", "se", "periodic", "quasi")

LEARNS = ("l_time",)


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """time_kernel: auto, or a name of the table above, with l_time (l) and period (p), in rounds.

    harmonics: of a periodic time kernel in a state space (tvgp.posterior.state_space). auto is ou with
    l_time until refit_first observations, then chosen again whenever their number has grown by the factor
    refit_growth. The width is 2 by default.
    """

    OURS: ClassVar[tuple[str, ...]] = ("width",)

    width: float | str = 2.0
    time_kernel: str = "auto"
    l_time: float = 200.0
    period: float = 20.0
    harmonics: int = 8
    refit_first: int = 40
    refit_growth: float = 1.35

    def __post_init__(self) -> None:
        super().__post_init__()
        expected = ", ".join(_FAMILIES)
        require(self.time_kernel in _FAMILIES, "time_kernel", self.time_kernel, expected)
        for name in ("l_time", "period"):
            good = 0 < getattr(self, name) < math.inf
            require(good, name, getattr(self, name), "positive, in rounds")
        require(self.harmonics >= 1, "harmonics", self.harmonics, "1 or more")
        require(self.refit_first >= 2, "refit_first", self.refit_first, "2 or more")
        require(1 < self.refit_growth < math.inf, "refit_growth", self.refit_growth, "above 1")

    def given(self) -> Kernel:
        """The time kernel to begin with."""
        return named_time_kernel(self.time_kernel, self.l_time, self.period)


def named_time_kernel(name: str, l_time: float, period: float) -> Kernel:
    """k_T of the table above; auto is ou."""
    if name == "constant":
        return kernels.make("constant")
    periodic = kernels.make("periodic", period=period)
    if name == "periodic":
        return periodic
    family = {"matern32": "matern32", "se": "se"}.get(name, "matern12")
    decaying = kernels.make(family, length_scale=l_time)
    return periodic * decaying if name == "quasi" else decaying


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> STGPUCB:
    """ST-GP-UCB on the engine of its time kernel."""
    return STGPUCB(prior, noise_variance, parameters)


class STGPUCB(GPUCB):
    """Keeps all observations; their correlation with the coming round follows from the time kernel."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        self._noise = noise_variance
        self._p = parameters
        self.time_kernel = parameters.given()
        self._history = History()
        self._due = float(parameters.refit_first)
        self._horizon = parameters.horizon
        self._known: dict[Kernel, tuple[int, float]] = {}
        super().__init__(self._fresh_engine(prior), parameters)

    def _fresh_engine(self, prior: Prior) -> posterior.SequentialEngine:
        p, horizon = self._p, self._horizon
        return posterior.make_space_time(
            prior, self._noise, self.time_kernel, horizon=horizon, engine=p.engine, harmonics=p.harmonics
        )

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._engine.observe(arm, value, noise_variance)
        self._history.append(t, arm, value, noise_variance or self._noise)

    def _age(self, now: int) -> None:
        self._engine.advance(now - self._over)

    def _close(self, t: int) -> None:
        self._engine.advance()
        if self._p.time_kernel == "auto" and self._history.n >= self._due:
            while self._due <= self._history.n:
                self._due = math.ceil(self._p.refit_growth * self._due)
            self._choose_time_kernel(t)
        if t > self._horizon:
            self._horizon = 2 * t
            engine = self._fresh_engine(self._engine.prior)
            if engine.name != self._engine.name:
                self._replay(engine, t, self._history.n)

    def _choose_time_kernel(self, now: int) -> None:
        """The likeliest time kernel for the data up to round `now`, and its posterior for the next one."""
        data, prior = self._history, self._engine.prior
        latest = slice(max(data.n - _LATEST, 0), None)
        arms, values, noise, rounds = (
            each[latest] for each in (data.arms, data.values, data.noise, data.rounds)
        )
        gram = prior.rows(arms).take(arms, axis=1)
        known = None if latest.start else self._known
        chosen = time_kernel.choose(gram, values, noise, rounds, known)
        kernel, lower = chosen.kernel, None if latest.start else chosen.lower
        if latest.start and isinstance(kernel, Periodic):
            kernel = kernel * Matern12(length_scale=_TRUST * _LATEST)
        if kernel == self.time_kernel:
            return
        self.time_kernel = kernel
        self._replay(self._fresh_engine(prior), now, _LATEST, lower)

    def _replay(
        self, engine: posterior.SequentialEngine, now: int, latest: int, lower: np.ndarray | None = None
    ) -> None:
        """Go on with an engine without data, which learns the latest observations up to round `now`. lower:
        the factor of their covariance, where it is known."""
        self._engine = engine
        data, kept = self._history, slice(max(self._history.n - latest, 0), None)
        rounds, columns = data.rounds[kept], (data.arms[kept], data.values[kept], data.noise[kept])
        if isinstance(engine, posterior.StateSpace | posterior.SpaceTime):
            engine.advance(now)
            known = (lower,) if isinstance(engine, posterior.SpaceTime) else ()
            engine.condition(rounds - 1, *columns, *known)
            return
        engine.advance(int(rounds[0]) - 1)
        steps = np.diff(rounds, append=now + 1)
        for arm, value, noise, passed in zip(*columns, steps, strict=True):
            engine.observe(int(arm), float(value), float(noise))
            if passed:
                engine.advance(int(passed))
