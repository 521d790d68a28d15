"""Parameters of a policy learnt while it plays: maximum a posteriori, at a growing number of observations.

    z ~ N(m, A),  A_ij = s k(r_ij) k_T(t_i - t_j) + sigma^2 [i = j],  r_ij^2 = sum_c (x_ic - x_jc)^2 / l_c^2

x are the points scaled to [0, 1]^d, z the values to mean 0 and variance 1, t the rounds in units of the mean
distance between the data. Where that is above ten times the median one, long gaps are pauses, or data come in
bursts: then the units are the better of both, by the log posterior. k_T is that of the policy, or of
TV-GP-UCB where the policy ages noise instead, since such a model has no joint density. Weak priors, of
independent logarithms:

| parameter | median | standard deviation of its logarithm |
| --- | --- | --- |
| l, common to all sides of a box, or of n arms in d dimensions | 0.4 sqrt(number of sides), n^(-1/2d) | 1 |
| l_c / l, of a coordinate or of all that share a side of a box | 1 | 0.3 |
| s | 1 | 1 |
| sigma^2 | 0.02 | 1.5 |
| length-scale of k_T, in observations (eps = 0.02) | 100 | 1.5 |

m ~ N(0, 1) is maximised over in closed form. L-BFGS-B with analytic gradients ascends from the last values
and from the medians; the better end counts. alpha and gamma then maximise the predictive likelihood
(`tvgp.fitting.predictive`) of the latest data.

Learning costs regret. On paths of the TV model over 200 rounds TV-GP-UCB has 1.2 times that with the true
values, in 2 dimensions (12 runs, most of it in the first 40 rounds) and in 4 (24 runs; 1.4 with independent
length-scales, which few data take for long where they are not). Over 500 rounds on arms GP-, TV- and
ST-GP-UCB had 0.8 to 1.1 times that with given values under a random walk and 1.0 to 1.3 times after jumps (4
runs, with the prior of a box; TV-GP-UCB after jumps now 1.1, then 1.3, 3 runs). On a static f that spans 33
length-scales GP-UCB has 1.0 times, ST-GP-UCB 3.8 times (3 runs; 1.1 and 3.2 with the prior of a box): it
takes l for too long when it has settled. Give values that are known.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from tvgp import kernels
from tvgp.fitting.predictive import BOUNDS, fit_predictive
from tvgp.kernels import Kernel
from tvgp.kernels.radial import Radial

# Number of observations at each fit, relative to that at the one before.
GROWTH = 1.25

# Latest observations whose predictive likelihood is maximised.
_PREDICTED = 80

_TIME_FAMILIES = {"ou": "matern12", "matern32": "matern32", "se": "se", "auto": "matern12"}

_SPREAD = 1e-70  # least of values, and its inverse the largest: posteriors have fourth powers of them

_EVALUATIONS = 60  # most per ascent

_PAUSE = 10.0  # median distances, beyond which a long pause would leave no drift between the other data

# n^(-1/2d) is the geometric mean of the extent of n arms and of their distance in a regular grid.
_MEDIANS = {"variance": 1.0, "noise_variance": 0.02, "l_time": 100.0}
_DEVIATIONS = {"variance": 1.0, "noise_variance": 1.5, "l_time": 1.5, "length_scale": 0.3}
_COMMON = 1.0  # deviation of l
_LIMITS = {
    "variance": (1e-3, 1e3),
    "noise_variance": (1e-6, 1e1),
    "l_time": (0.5, 1e6),
    "length_scale": (1e-2, 1e2),
}


def learnt_drift(policy: str, module: ModuleType, parameters: object) -> tuple[tuple[str, ...], str]:
    """The drift parameters that a policy learns, the `LEARNS` of its module, and the family of k_T.

    ValueError for a policy whose drift is none of epsilon, alpha, gamma and l_time, and for a time kernel
    that has other parameters than l_time."""
    names = getattr(module, "LEARNS", None)
    if names is None:
        raise ValueError(f"policy {policy} cannot learn: its drift is none of epsilon, alpha, gamma, l_time")
    time_kernel = getattr(parameters, "time_kernel", "ou")
    if time_kernel not in _TIME_FAMILIES:
        expected = ", ".join(_TIME_FAMILIES)
        raise ValueError(f"policy {policy}: time_kernel is {time_kernel!r}, expected {expected} to learn it")
    return names, _TIME_FAMILIES[time_kernel]


@dataclass(frozen=True)
class Learnt:
    """Parameters in natural units; mean: m; drift: epsilon, l_time, alpha or gamma, by name, without one that
    the data do not tell yet."""

    kernel: Kernel
    noise_variance: float
    mean: float
    drift: dict[str, float] = field(default_factory=dict)


class Learner:
    """Fits when it is due, and keeps the last values when a fit fails."""

    def __init__(
        self,
        kernel: Kernel,
        corners: np.ndarray,
        drift: tuple[str, ...] = (),
        *,
        time_family: str = "matern12",
        groups: np.ndarray | None = None,
        n_arms: int | None = None,
    ) -> None:
        """kernel: of the family to fit; corners: of all points, (2, d); drift: () for a static f, or the name
        of the parameter; time_family: of k_T; groups: number of the length-scale of each coordinate, (d,),
        None for one each; n_arms: of finitely many arms, None for a box. ValueError for a kernel other than
        se and matern."""
        if not isinstance(kernel, Radial):
            raise ValueError(f"learning needs a kernel of the family se or matern, not {kernel.name}")
        self._family, self._drift, self._time_family = kernel.name, drift, time_family
        self._low, self._sides = (
            corners[0],
            np.where(np.ptp(corners, axis=0) > 0, np.ptp(corners, axis=0), 1.0),
        )
        self._groups = np.arange(len(self._low)) if groups is None else groups
        sides = int(self._groups.max()) + 1
        self._median = 0.4 * math.sqrt(sides) if n_arms is None else n_arms ** (-0.5 / sides)
        self._logs: np.ndarray | None = None  # the last ones
        self._due = sides + 2  # observations at the first fit

    @property
    def fitted(self) -> bool:
        """Whether there are parameters of a fit."""
        return self._logs is not None

    def update(self, points: np.ndarray, rounds: np.ndarray, values: np.ndarray, seen: int) -> Learnt | None:
        """The parameters of data (n, d), (n,), (n,) after `seen` observations; None unless a fit is due and
        succeeds. Warns if it fails."""
        if seen < self._due:
            return None
        # nothing to learn from equal values, whose computed variance is rarely 0; due once they differ
        if not np.ptp(values) > 0:
            return None
        self._due = math.ceil(GROWTH * seen)
        try:
            return self._fit(points, rounds, values)
        except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
            warnings.warn(f"parameters stay as they are after {seen} observations: {error}", stacklevel=2)
            return None

    def _fit(self, points: np.ndarray, rounds: np.ndarray, values: np.ndarray) -> Learnt:
        if not _SPREAD < (spread := np.ptp(values)) < 1 / _SPREAD:
            raise ValueError(
                f"values differ by {spread:.3g}, expected {_SPREAD:g} to {1 / _SPREAD:g}; use another unit"
            )
        centre, scale = float(values.mean()), float(values.std())
        x, z, found = (points - self._low) / self._sides, (values - centre) / scale, []
        time_family = self._time_family if self._drift else None
        for gap in _distances(rounds):
            posterior = LogPosterior(
                x, rounds / gap, z, self._family, time_family, self._groups, self._median
            )
            starts = [posterior.medians] if self._logs is None else [self._logs, posterior.medians]
            found += [(*self._ascend(posterior, start), posterior, gap) for start in starts]
        _, self._logs, posterior, gap = min(found, key=lambda each: each[0])
        p = posterior.parameters(self._logs)
        lengths = tuple((p.length_scales * self._sides).tolist())
        kernel = kernels.make(self._family, variance=p.variance * scale**2, length_scale=lengths)
        noise, mean = p.noise_variance * scale**2, centre + scale * posterior.mean(self._logs)
        drift: dict[str, float] = {}
        for name in self._drift:
            if name in ("alpha", "gamma"):
                drift |= _predictive(name, kernel, points, rounds, values - mean, noise, gap)
            else:
                drift[name] = -math.expm1(-2.0 / (p.l_time * gap)) if name == "epsilon" else p.l_time * gap
        return Learnt(kernel, noise, mean, drift)

    @staticmethod
    def _ascend(posterior: LogPosterior, start: np.ndarray) -> tuple[float, np.ndarray]:
        options = {"maxfun": _EVALUATIONS}
        found = minimize(
            posterior.loss, start, jac=True, method="L-BFGS-B", bounds=posterior.limits, options=options
        )
        if not (math.isfinite(found.fun) and np.isfinite(found.x).all()):
            raise ValueError(f"the search ended at {found.fun}: {found.message}")
        return float(found.fun), found.x


@dataclass(frozen=True)
class Parameters:
    """Scaled: l (d,), s, sigma^2, and the length-scale of k_T, infinite for a static f."""

    length_scales: np.ndarray
    variance: float
    noise_variance: float
    l_time: float


class LogPosterior:
    """Minus the log posterior of the logarithms of l_c (one per group), s, sigma^2 and, unless f is static,
    the length-scale of k_T. median: that of l."""

    def __init__(
        self,
        X: np.ndarray,
        times: np.ndarray,
        z: np.ndarray,
        family: str,
        time_family: str | None,
        groups: np.ndarray,
        median: float,
    ) -> None:
        self._X, self._z, self._family, self._groups = X - X.mean(axis=0), z, family, groups
        self._time_family, self._lags = time_family, np.abs(times[:, None] - times)
        sides = int(groups.max()) + 1
        names = (
            ["length_scale"] * sides + ["variance", "noise_variance"] + ["l_time"] * (time_family is not None)
        )
        medians = _MEDIANS | {"length_scale": median}
        self.medians = np.log([medians[name] for name in names])
        self.limits = np.log([_LIMITS[name] for name in names])
        covariance = np.diag([_DEVIATIONS[name] ** 2 for name in names])
        covariance[:sides, :sides] += _COMMON**2
        self._precision = np.linalg.inv(covariance)
        self._sides = sides

    def parameters(self, logs: np.ndarray) -> Parameters:
        """In scaled units."""
        p = np.exp(logs)
        l_time = float(p[-1]) if self._time_family else math.inf
        return Parameters(
            p[: self._sides][self._groups], float(p[self._sides]), float(p[self._sides + 1]), l_time
        )

    def mean(self, logs: np.ndarray) -> float:
        """The most probable m."""
        return self._solved(self.parameters(logs))[2]

    def loss(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the log posterior, without constants, and its gradient.

        d/dp = tr((A^-1 - a a') dA/dp) / 2 with a = A^-1 (z - m); for l_c the trace is a sum of
        W_ij (x_ic - x_jc)^2 / l_c^2, which matrix products give. LinAlgError if A is singular.
        """
        p = self.parameters(logs)
        root, a, m, parts = self._solved(p)
        inverse = lapack.dpotri(root, lower=1)[0]
        inverse += np.tril(inverse, -1).T
        pull = inverse - np.outer(a, a)
        gram, slope, r, k_T, time_slope = parts
        with np.errstate(divide="ignore", invalid="ignore"):
            W = np.where(r > 0, pull * k_T * slope / r**2, 0.0)
        X = self._X
        apart = (W.sum(axis=1) @ X**2 - np.einsum("nd,nd->d", X, W @ X)) / p.length_scales**2
        gradient = [*np.bincount(self._groups, apart, self._sides)]
        gradient += [0.5 * np.vdot(pull, gram * k_T), 0.5 * p.noise_variance * np.trace(pull)]
        if self._time_family:
            gradient.append(0.5 * np.vdot(pull, gram * time_slope))
        off = logs - self.medians
        pulled = self._precision @ off
        fit = 0.5 * (self._z - m) @ a + np.log(root.diagonal()).sum() + 0.5 * m * m
        return float(fit + 0.5 * off @ pulled), np.array(gradient) + pulled

    def _solved(self, p: Parameters) -> tuple[np.ndarray, np.ndarray, float, tuple[np.ndarray, ...]]:
        """The factor of A, a, m, and what A consists of."""
        scaled = self._X / p.length_scales
        r = cdist(scaled, scaled)
        slopes = kernels.make(self._family, variance=p.variance).log_gradients_at(r)
        k_T, time_slope = np.ones_like(r), np.zeros_like(r)
        if self._time_family:
            time_kernel = kernels.make(self._time_family, length_scale=p.l_time)
            k_T, time_slope = (
                time_kernel.log_gradients_at(self._lags)[key] for key in ("variance", "length_scale")
            )
        A = slopes["variance"] * k_T
        A.flat[:: len(A) + 1] += p.noise_variance
        root, failed = lapack.dpotrf(A, lower=1, clean=1)
        if failed:
            raise np.linalg.LinAlgError("the covariance of the data is singular")
        both = lapack.dpotrs(root, np.column_stack([self._z, np.ones(len(A))]), lower=1)[0]
        m = float(both[:, 0].sum() / (both[:, 1].sum() + 1.0))
        return (
            root,
            both[:, 0] - m * both[:, 1],
            m,
            (slopes["variance"], slopes["length_scale"], r, k_T, time_slope),
        )


def _distances(rounds: np.ndarray) -> list[float]:
    """Units of time: the mean distance of the data, 1 for a single round; before it ten times the median one,
    if that is less."""
    gaps = np.diff(np.unique(rounds))
    if not len(gaps):
        return [1.0]
    mean, most = float(gaps.mean()), _PAUSE * float(np.median(gaps))
    return [most, mean] if most < mean else [mean]


def _predictive(
    name: str,
    kernel: Kernel,
    points: np.ndarray,
    rounds: np.ndarray,
    values: np.ndarray,
    noise: float,
    gap: float,
) -> dict[str, float]:
    """alpha or gamma from the latest data, the last one of each round; none from less than three rounds."""
    order = np.argsort(rounds, kind="stable")
    last = order[np.append(np.diff(rounds[order]) > 0, True)][-_PREDICTED:]
    if len(last) < 3:
        return {}
    bounds = BOUNDS[name]
    if name == "gamma":  # the range is for data a round apart; largest float64 below 1
        power = 1.0 / gap
        bounds = bounds[0] ** power, min(bounds[1] ** power, 1.0 - 2.0**-53)
    data = points[last], rounds[last], values[last]
    return {name: fit_predictive(kernel, [data], noise, name, bounds=bounds).value}
