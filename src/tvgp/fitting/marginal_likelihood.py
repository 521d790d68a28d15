"""Kernel, noise variance and epsilon by maximum marginal likelihood of the TV-GP model.

    y ~ N(0, A),  A = K o D + v S + sigma^2 I,  D_ij = (1 - eps)^(|t_i - t_j| / 2)

(Bogunovic16, appendix B, where v = 0). eps = 0 is the static GP. S_ij = 1 for two values of the same point,
else 0: points have lasting levels of variance v, a large v stands for any levels. Parameters are optimised as
logarithms, epsilon as its logit z: dD/dz = -(|t_i - t_j| / 2) eps D, which stays finite at eps = 0 and 1.
Many values per round are filtered round by round (`tvgp.fitting.filtered`), with the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.spatial.distance import pdist, squareform
from scipy.special import ndtri

from tvgp import kernels
from tvgp.fitting import gaussian
from tvgp.fitting.filtered import Filtered
from tvgp.fitting.observations import check_noise_variance, check_observations

PARAMETERS = ("variance", "length_scale", "noise_variance", "epsilon")

# A start has converged when no component of the projected gradient (nats per unit of log or
# logit) exceeds GRADIENT_TOLERANCE; starts agree when their log likelihoods differ by at most
# AGREEMENT nats.
GRADIENT_TOLERANCE = 1e-2
AGREEMENT = 1e-2

# A start ends at the optimum of an earlier one when the quadratic about that predicts its log likelihood, at
# most BASIN nats lower, to this share.
BASIN, MISMATCH = 30.0, 0.5

# Half a 95 % interval of a normal variable, in standard errors.
WALD_95 = float(ndtri(0.975))

# Step of the central differences for the observed information, on the optimiser's scale.
_STEP = 1e-4


@dataclass(frozen=True)
class Fit:
    """Result of `fit_marginal_likelihood`.

    `standard_errors` are on the scale of the optimiser (log; logit for epsilon), from the
    observed information of the parameters away from their bounds; empty where it is singular.
    `gradient_norm` is the largest component of the projected gradient. `starts_agreeing` counts
    the starts that reached the best log likelihood.
    """

    kernel: kernels.Kernel
    noise_variance: float
    epsilon: float
    log_marginal_likelihood: float
    estimated: tuple[str, ...]
    status: str
    gradient_norm: float
    starts: int
    starts_converged: int
    starts_agreeing: int
    n: int
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    bounds_hit: tuple[str, ...] = ()
    standard_errors: dict[str, float] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, float]:
        """All four parameters, in natural units."""
        return {
            "variance": self.kernel.variance,
            "length_scale": kernels.describe(self.kernel)["length_scale"],
            "noise_variance": self.noise_variance,
            "epsilon": self.epsilon,
        }

    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % Wald intervals, symmetric on the log or logit scale, in natural units."""
        result = {}
        for name, error in self.standard_errors.items():
            centre = _transform(name, self.parameters[name])
            low, high = (float(_natural(name, centre + sign * WALD_95 * error)) for sign in (-1, 1))
            result[name] = low, high
        return result


def log_marginal_likelihood(
    kernel: kernels.Kernel,
    points: np.ndarray,
    times: np.ndarray,
    values: np.ndarray,
    noise_variance: float,
    epsilon: float = 0.0,
    gradient: bool = True,
    level_variance: float = 0.0,
) -> Any:
    """log p(y) = -1/2 y'A^-1 y - 1/2 log|A| - n/2 log 2 pi, and its gradient.

    `points` (n, d), `times` (n,), `values` (n,); times may repeat; `level_variance`: v above. With
    `gradient` the result is (value, {name: derivative}), derivatives with respect to log variance,
    log length_scale, log noise_variance and logit epsilon (Rasmussen & Williams 2006, eq. 5.9), else the
    value alone. ValueError for bad input and when A is not numerically positive definite.
    """
    problem = _problem(*check_observations(points, times, values), level_variance)
    check_noise_variance(noise_variance)
    value, derivatives = _evaluate(problem, kernel, noise_variance, epsilon, gradient)
    return (value, derivatives) if gradient else value


def _problem(
    points: np.ndarray, times: np.ndarray, values: np.ndarray, level_variance: float = 0.0
) -> Batch | Filtered:
    """The form with fewer operations, within a factor of about 2; the filter allows no repeated points."""
    sites, rounds = len(np.unique(points, axis=0)), len(np.unique(times))
    filtered = 8 * rounds * sites**3 < len(values) ** 3
    filtered = filtered and len(np.unique(np.column_stack([points, times]), axis=0)) == len(values)
    return (Filtered if filtered else Batch)(points, times, values, level_variance)


def _evaluate(
    problem: Batch | Filtered, kernel: kernels.Kernel, noise_variance: float, epsilon: float, gradient: bool
) -> tuple[float, dict[str, float]]:
    try:
        return problem.evaluate(kernel, noise_variance, epsilon, gradient)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"fit: covariance of {problem.n} observations is not positive definite for {kernel}, "
            f"noise_variance={noise_variance:.3g}, epsilon={epsilon:.3g}; raise the lower "
            "bound of noise_variance or merge near-duplicate points"
        ) from None


class Batch:
    """Observations, with the quantities shared by all evaluations of the batch formula."""

    def __init__(
        self, points: np.ndarray, times: np.ndarray, values: np.ndarray, level_variance: float = 0.0
    ) -> None:
        self.points, self.values, self.n = points, values, len(values)
        self._diagonal = gaussian.diagonal(self.n)
        self._distances = gaussian.packed(squareform(pdist(points)))
        lags = gaussian.packed(squareform(pdist(times[:, None])))
        # few lags are distinct: compute powers once per lag
        self._lags, self._where = np.unique(lags, return_inverse=True)
        self._half_lags = 0.5 * lags
        self._levels = level_variance * (self._distances == 0.0) if level_variance else None

    def evaluate(
        self, kernel: kernels.Kernel, noise_variance: float, epsilon: float, gradient: bool
    ) -> tuple[float, dict[str, float]]:
        """The log likelihood, and its derivatives by name, {} without `gradient`. LinAlgError where the
        covariance is not positive definite."""
        decay = kernels.forgetting_correlation(self._lags, epsilon).take(self._where)
        slopes = kernel.log_gradients_at(self._distances) if gradient else {}
        gram = slopes["variance"] if gradient else gaussian.packed(kernel(self.points, self.points))
        gram *= decay
        covariance = gram.copy() if self._levels is None else gram + self._levels
        covariance[self._diagonal] += noise_variance
        if not gradient:
            return gaussian.log_density(self.values, covariance, self._diagonal), {}
        density = gaussian.density(self.values, covariance, self._diagonal)
        decay *= slopes["length_scale"]
        return density.value, {
            "variance": density.slope(gram),
            "length_scale": density.slope(decay),
            "noise_variance": noise_variance * density.noise_slope,
            "epsilon": -epsilon * density.slope(np.multiply(gram, self._half_lags, out=gram)),
        }


def _transform(name: str, value: float) -> float:
    return np.log(value) - np.log1p(-value) if name == "epsilon" else np.log(value)


def _natural(name: str, z: float) -> float:
    return 1.0 / (1.0 + np.exp(-z)) if name == "epsilon" else np.exp(z)


def default_bounds(points: np.ndarray, values: np.ndarray) -> dict[str, tuple[float, float]]:
    """Search ranges in natural units, from s = mean(y^2) and the distances between points.

    variance [1e-4 s, 1e3 s], noise_variance [1e-6 s, 10 s], length_scale [half the smallest
    non-zero distance, 10 x the largest], epsilon [1e-5, 0.999].
    """
    s = float(np.mean(values**2))
    distances = pdist(np.unique(points, axis=0))
    distances = distances[distances > 0]
    shortest, longest = (distances.min(), distances.max()) if len(distances) else (1.0, 1.0)
    return {
        "variance": (1e-4 * s, 1e3 * s),
        "length_scale": (0.5 * float(shortest), 10.0 * float(longest)),
        "noise_variance": (1e-6 * s, 10.0 * s),
        "epsilon": (1e-5, 0.999),
    }


def fit_marginal_likelihood(
    points: np.ndarray,
    times: np.ndarray,
    values: np.ndarray,
    kernel_name: str = "se",
    *,
    rng: np.random.Generator,
    estimate: tuple[str, ...] = PARAMETERS,
    fixed: dict[str, float] | None = None,
    bounds: dict[str, tuple[float, float]] | None = None,
    starts: int = 5,
    level_variance: float = 0.0,
) -> Fit:
    """Maximise `log_marginal_likelihood` over `estimate`; the other parameters are `fixed`.

    L-BFGS-B with analytic gradients from `starts` points: the first is from the scale of the data, the
    others are drawn from `rng`; a start that comes onto the hill of an optimum found before ends there.
    `bounds` (natural units) override `default_bounds`. Deterministic for a given `rng`. ValueError for bad
    input.

    >>> rng = np.random.default_rng(0)
    >>> points, times = rng.uniform(0.0, 10.0, (60, 1)), np.ones(60)
    >>> values = np.sin(points[:, 0]) + 0.1 * rng.standard_normal(60)
    >>> estimate = ("variance", "length_scale", "noise_variance")
    >>> fit = fit_marginal_likelihood(points, times, values, rng=rng, estimate=estimate, fixed={"epsilon": 0})
    >>> round(fit.kernel.length_scale, 1), fit.status
    (1.7, 'converged')
    """
    fixed, estimate = dict(fixed or {}), tuple(p for p in PARAMETERS if p in estimate)
    points, times, values = check_observations(points, times, values, minimum=max(3, 2 * len(estimate)))
    family: Callable[..., kernels.Kernel] = kernels.find(kernel_name)
    if kernel_name not in kernels.fittable():
        raise ValueError(
            f"fit: cannot fit kernel {kernel_name}; expected one of {', '.join(kernels.fittable())}"
        )
    _check_partition(estimate, fixed)
    _check_identifiable(points, times, values, estimate)
    limits = default_bounds(points, values) | dict(bounds or {})
    _check_bounds(limits)
    problem = _problem(points, times, values, level_variance)
    box = [tuple(float(_transform(p, b)) for b in limits[p]) for p in estimate]

    @lru_cache(maxsize=16)  # a search asks for its first and last point again
    def evaluate(*z: float) -> tuple[float, np.ndarray]:
        p = fixed | {name: float(_natural(name, v)) for name, v in zip(estimate, z, strict=True)}
        kernel = family(variance=p["variance"], length_scale=p["length_scale"])
        value, slopes = _evaluate(problem, kernel, p["noise_variance"], p["epsilon"], True)
        return -value, -np.array([slopes[name] for name in estimate])

    first = _starting_points(points, values, estimate, starts, rng)
    optima: list[_Optimum] = []
    for z in np.clip(first, *np.array(box).reshape(-1, 2).T):
        converged = [each for each in optima if each.norm <= GRADIENT_TOLERANCE]
        optima.append(_climb(evaluate, z, box, converged))
    best = max(optima, key=lambda each: each.value)  # the first of equals
    z, value, norm = best.z, best.value, best.norm

    hit = {}
    for name, v, (low, high), inside in zip(estimate, z, box, best.inside, strict=True):
        if not inside:
            side = 0 if v - low <= high - v else 1
            hit[name] = f"{name} at its {('lower', 'upper')[side]} bound {limits[name][side]:.6g}"
    interior = [name for name in estimate if name not in hit]
    p = fixed | {name: float(_natural(name, v)) for name, v in zip(estimate, z, strict=True)}
    return Fit(
        kernel=family(variance=p["variance"], length_scale=p["length_scale"]),
        noise_variance=float(p["noise_variance"]),
        epsilon=float(p["epsilon"]),
        log_marginal_likelihood=float(value),
        estimated=estimate,
        status="converged" if norm <= GRADIENT_TOLERANCE else "not converged",
        gradient_norm=float(norm),
        starts=len(optima),
        starts_converged=sum(each.norm <= GRADIENT_TOLERANCE for each in optima),
        starts_agreeing=sum(each.value >= value - AGREEMENT for each in optima),
        n=len(values),
        bounds={name: limits[name] for name in estimate},
        bounds_hit=tuple(hit.values()),
        standard_errors=dict(zip(interior, _standard_errors(best.information), strict=False)),
    )


@dataclass(frozen=True)
class _Optimum:
    """Where a start has ended, on the optimiser's scale, its log likelihood and its projected gradient.

    inside: which parameters are away from their bounds; information: the observed one of those.
    """

    z: np.ndarray
    value: float
    norm: float
    inside: np.ndarray
    information: np.ndarray

    def explains(self, z: np.ndarray, value: float) -> bool:
        """Whether z is on the hill of this optimum: its log likelihood is what the quadratic predicts."""
        step = (z - self.z)[self.inside]
        loss = 0.5 * step @ self.information @ step
        near = abs(self.value - value - loss) <= MISMATCH * loss + AGREEMENT
        return bool(near and loss <= BASIN)


def _climb(
    evaluate: Callable[..., tuple[float, np.ndarray]],
    z: np.ndarray,
    box: list[tuple[float, ...]],
    known: list[_Optimum],
) -> _Optimum:
    """Uphill from z, to a known optimum where the way leads onto its hill."""
    reached: list[_Optimum] = []
    # where other starts have explored the bounds, a first step of length 1 keeps this one on its hill
    scale = np.abs(evaluate(*z)[1]).max() or 1.0 if known else 1.0

    def stop_at_known(intermediate_result: OptimizeResult) -> None:
        at, value = intermediate_result.x, -scale * intermediate_result.fun
        reached[:] = [each for each in known if each.explains(at, value)][:1]
        if reached:
            raise StopIteration

    if len(z):
        options = {"maxiter": 500, "ftol": 1e-12 / scale, "gtol": 1e-5 / scale}
        climb = {"jac": True, "method": "L-BFGS-B", "bounds": box, "callback": stop_at_known}
        z = minimize(lambda z: [each / scale for each in evaluate(*z)], z, options=options, **climb).x
    if reached:
        return reached[0]
    cost, slope = evaluate(*z)
    low, high = np.array(box).reshape(-1, 2).T
    inside = np.minimum(z - low, high - z) > 1e-3 * (high - low)  # of the search range on its log scale
    information = _information(evaluate, z, inside)
    return _Optimum(z, -cost, _projected_gradient(z, slope, box), inside, information)


def _starting_points(
    points: np.ndarray,
    values: np.ndarray,
    estimate: tuple[str, ...],
    starts: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """(starts, parameters) on the optimiser's scale; the random ones fill a central box."""
    if starts < 1:
        raise ValueError(f"fit: starts is {starts}, must be at least 1")
    s = float(np.mean(values**2))
    short, middle, long = _distances(points, [0.02, 0.25, 1.0])
    centre = {"variance": s, "length_scale": middle, "noise_variance": 0.1 * s, "epsilon": 0.03}
    box = {
        "variance": (0.1 * s, 10 * s),
        "length_scale": (short, long),
        "noise_variance": (1e-3 * s, s),
        "epsilon": (1e-3, 0.5),
    }
    if not estimate:
        return np.empty((1, 0))
    first = [_transform(p, centre[p]) for p in estimate]
    low, high = np.array([[_transform(p, b) for b in box[p]] for p in estimate]).T
    return np.vstack([first, rng.uniform(low, high, size=(starts - 1, len(estimate)))])


def _distances(points: np.ndarray, shares: list[float]) -> list[float]:
    """Quantiles of the distances between points at different places, 1 if all are at one: `np.quantile` of
    all pairs, of which those between the same two places are counted and not listed."""
    places, counts = np.unique(points, axis=0, return_counts=True)
    if len(places) == 1:
        return [1.0] * len(shares)
    distances = pdist(places)
    if len(places) == len(points):
        return [float(each) for each in np.quantile(distances, shares)]
    order = np.argsort(distances)
    first, second = np.triu_indices(len(places), 1)
    ends = np.cumsum((counts[first] * counts[second])[order])
    result = []
    for position in np.multiply(shares, ends[-1] - 1.0):
        below = np.floor(position)
        near = np.searchsorted(ends, [below, min(below + 1.0, ends[-1] - 1.0)], side="right")
        result.append(float(np.quantile(distances[order[near]], position - below)))
    return result


def _projected_gradient(z: np.ndarray, slope: np.ndarray, box: list[tuple[float, ...]]) -> float:
    """Largest component of the cost gradient along which a step stays inside the box."""
    if len(z) == 0:
        return 0.0
    low, high = np.array(box).T
    blocked = ((z <= low) & (slope > 0)) | ((z >= high) & (slope < 0))
    return float(np.abs(np.where(blocked, 0.0, slope)).max())


def _information(
    evaluate: Callable[..., tuple[float, np.ndarray]], z: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """The observed information of the parameters inside (central differences)."""
    shifts = _STEP * np.eye(len(z))[inside]
    rows = [(evaluate(*(z + s))[1] - evaluate(*(z - s))[1])[inside] / (2 * _STEP) for s in shifts]
    half = 0.5 * np.reshape(rows, (len(rows), len(rows)))
    return half + half.T


def _standard_errors(information: np.ndarray) -> list[float]:
    """Square roots of the diagonal of the inverse; none where it is singular."""
    if not len(information) or np.linalg.eigvalsh(information)[0] <= 0:
        return []
    return [float(e) for e in np.sqrt(np.diagonal(np.linalg.inv(information)))]


def _check_partition(estimate: tuple[str, ...], fixed: dict[str, float]) -> None:
    for name in fixed:
        if name not in PARAMETERS:
            raise ValueError(f"fit: unknown parameter {name!r}; known: {', '.join(PARAMETERS)}")
        if name in estimate:
            raise ValueError(f"fit: {name} is both estimated and fixed")
    for name in PARAMETERS:
        if name not in estimate and name not in fixed:
            raise ValueError(f"fit: {name} is neither estimated nor fixed")
    if "noise_variance" in fixed:
        check_noise_variance(fixed["noise_variance"])
    if "epsilon" in fixed and not 0 <= fixed["epsilon"] <= 1:
        raise ValueError(f"fit: epsilon is {fixed['epsilon']}, must lie in [0, 1]")


def _check_identifiable(
    points: np.ndarray, times: np.ndarray, values: np.ndarray, estimate: tuple[str, ...]
) -> None:
    if not np.any(values):
        raise ValueError("fit: every value equals the prior mean, there is nothing to fit")
    if "epsilon" in estimate and np.ptp(times) == 0:
        raise ValueError("fit: epsilon cannot be estimated, all observations have the same time")
    if "length_scale" in estimate and not np.ptp(points, axis=0).any():
        raise ValueError("fit: length_scale cannot be estimated, all observations share a point")


def _check_bounds(bounds: dict[str, tuple[float, float]]) -> None:
    for name, (low, high) in bounds.items():
        if name not in PARAMETERS:
            raise ValueError(f"fit: bounds for unknown parameter {name!r}")
        largest = 1.0 if name == "epsilon" else np.inf
        if not 0 < low < high < largest:
            raise ValueError(
                f"fit: bounds of {name} are ({low}, {high}), expected 0 < low < high < {largest}"
            )
