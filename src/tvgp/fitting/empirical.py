"""An empirical covariance over sensors and its epsilon (Bogunovic16, section 5.2).

All sensors are read at every time, so the TV model of the residuals Y (T, S) of one contiguous
stretch of time is separable:

    vec(Y) ~ N(0, D (x) C + sigma^2 I),  D_ij = (1 - eps)^(|t_i - t_j| / 2)

C (S, S) is the empirical covariance. With C = U diag(c) U' and D = V diag(d) V' the coordinates
V'YU are independent with variances d_i c_j + sigma^2: the exact likelihood of all S T values costs
two small eigenproblems, O(T^3 + S^3), instead of O(S^3 T^3) for the batch formula. Stretches (days)
are independent of one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from tvgp import kernels
from tvgp.fitting.marginal_likelihood import WALD_95
from tvgp.fitting.observations import as_numbers, check_noise_variance

BOUNDS = (1e-5, 0.999)
_GRID = 24  # logits searched before the root of the derivative is refined
_STEP = 1e-4  # of the difference quotient for the observed information, in logits


@dataclass(frozen=True)
class EpsilonFit:
    """epsilon by maximum likelihood; standard_error on the logit scale (None at a bound), from
    the observed information."""

    epsilon: float
    log_likelihood: float
    gradient: float
    standard_error: float | None
    bounds_hit: tuple[str, ...]

    def interval(self) -> tuple[float, float] | None:
        """95 % Wald interval, symmetric in the logit; None at a bound."""
        if self.standard_error is None:
            return None
        centre = np.log(self.epsilon) - np.log1p(-self.epsilon)
        low, high = (centre + sign * WALD_95 * self.standard_error for sign in (-1, 1))
        return _epsilon(low), _epsilon(high)


def stretches(labels: Sequence[object]) -> list[slice]:
    """Runs of equal labels (such as days), as slices of rows."""
    label = np.asarray(labels)
    edges = [0, *(np.flatnonzero(label[1:] != label[:-1]) + 1).tolist(), len(label)]
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) if b > a]


def fill_gaps(
    values: np.ndarray, parts: Sequence[slice], times: np.ndarray | None = None
) -> tuple[np.ndarray, int]:
    """`values` (T, S) with NaN replaced by linear interpolation in time within each part, held
    constant at its ends, and the number of values replaced. times (T,): None for 1, 2, ..., T.

    The covariance of completed readings is positive semi-definite; that of pairwise-complete
    readings need not be. ValueError for a sensor without any value in a part.
    """
    values = np.array(values, dtype=float)
    missing = np.isnan(values)
    t = _times(times, len(values))
    for part in parts:
        rows = np.arange(part.start, part.stop)
        for sensor in np.flatnonzero(missing[part].any(axis=0)):
            gap = missing[part, sensor]
            if gap.all():
                raise ValueError(
                    f"fit: sensor {sensor} has no value at times {part.start} to {part.stop - 1}"
                )
            values[rows[gap], sensor] = np.interp(t[rows[gap]], t[rows[~gap]], values[rows[~gap], sensor])
    return values, int(missing.sum())


def empirical_covariance(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of each sensor, (S,), and sample covariance about it, (S, S), divisor T - 1.

    `values` (T, S), complete. ValueError for fewer than two times, a value that is not finite, or
    a sensor that does not vary.
    """
    values = as_numbers(values)
    if values.ndim != 2 or len(values) < 2:
        raise ValueError(f"fit: values have shape {values.shape}, expected (times >= 2, sensors)")
    _check_finite(values)
    still = np.ptp(values, axis=0) == 0
    if still.any():
        raise ValueError(f"fit: sensor {still.argmax()} does not vary in the training part")
    mean = values.mean(axis=0)
    residuals = values - mean
    covariance = residuals.T @ residuals / (len(values) - 1)
    return mean, 0.5 * (covariance + covariance.T)


def prior_mean(values: np.ndarray, centre: str) -> np.ndarray:
    """Training mean of each sensor, (S,), for centre "sensors"; that of all values for "overall".

    Bogunovic16 does not state which it uses. Sensor means reveal to the bandit which sensors are
    high on average; with one overall mean it has to learn that. ValueError for another centre.
    """
    if centre == "sensors":
        return values.mean(axis=0)
    if centre == "overall":
        return np.full(values.shape[1], values.mean())
    raise ValueError(f"fit: centre is {centre!r}, expected sensors or overall")


def _check_finite(values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        time, sensor = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"fit: value at time {time}, sensor {sensor} is not a finite number")


class Likelihood:
    """epsilon -> log p(Y) of all residuals (T, S), and its derivative with respect to logit epsilon.

    The derivative is 1/2 tr((alpha alpha' - A^-1) dA), alpha = A^-1 y (Bogunovic16, eq. 24-25), with
    dD/dlogit = -(|t_i - t_j| / 2) eps D. Terms that do not depend on epsilon are computed once.
    times (T,): None for 1, 2, ..., T. ValueError unless the noise variance is positive, the residuals are
    finite and the shapes agree.
    """

    def __init__(
        self,
        covariance: np.ndarray,
        residuals: np.ndarray,
        parts: Sequence[slice],
        noise_variance: float,
        times: np.ndarray | None = None,
    ) -> None:
        check_noise_variance(noise_variance, np.finfo(float).tiny)
        covariance, residuals = (np.asarray(each, dtype=float) for each in (covariance, residuals))
        if residuals.ndim != 2 or covariance.shape != 2 * residuals.shape[1:]:
            raise ValueError(
                f"fit: residuals have shape {residuals.shape}, covariance {covariance.shape};"
                " expected (times, sensors), (sensors, sensors)"
            )
        _check_finite(residuals)
        scales, U = np.linalg.eigh(covariance)
        self._scales = np.maximum(scales, 0.0)
        rotated = residuals @ U
        self._noise = noise_variance
        t = _times(times, len(residuals))
        # parts with the same times, counted from their first, share a D
        self._by_times: dict[tuple[float, ...], list[np.ndarray]] = {}
        for part in parts:
            self._by_times.setdefault(tuple((t[part] - t[part.start]).tolist()), []).append(rotated[part])

    def __call__(self, epsilon: float) -> tuple[float, float]:
        """log p and its derivative by epsilon."""
        value = slope = 0.0
        for times, parts in self._by_times.items():
            lags = np.abs(np.subtract.outer(times, times))
            D = kernels.forgetting_correlation(lags, epsilon)
            dD = -0.5 * lags * epsilon * D
            d, V = np.linalg.eigh(D)
            spectrum = np.maximum(d, 0.0)[:, None] * self._scales + self._noise
            trace = np.einsum("ti,ti->i", V, dD @ V) @ (1 / spectrum) @ self._scales
            log_det = np.log(2 * np.pi * spectrum).sum()
            for part in parts:
                along = V.T @ part
                weights = V @ (along / spectrum)
                value -= 0.5 * ((along**2 / spectrum).sum() + log_det)
                slope += 0.5 * ((self._scales * weights * (dD @ weights)).sum() - trace)
        return float(value), float(slope)


def fit_epsilon(
    covariance: np.ndarray,
    residuals: np.ndarray,
    parts: Sequence[slice],
    noise_variance: float,
    times: np.ndarray | None = None,
) -> EpsilonFit:
    """epsilon in `BOUNDS` that maximises `Likelihood`: best grid value, then a root of the slope."""
    low, high = BOUNDS
    if max(part.stop - part.start for part in parts) < 2:
        raise ValueError("fit: epsilon needs stretches of at least two times")
    likelihood = Likelihood(covariance, residuals, parts, noise_variance, times)
    z, hit = _maximise(likelihood, _logit(low), _logit(high))
    value, slope = likelihood(_epsilon(z))
    error = None
    if not hit:
        up, down = (likelihood(_epsilon(z + step))[1] for step in (_STEP, -_STEP))
        information = (down - up) / (2 * _STEP)
        error = float(information**-0.5) if information > 0 else None
    names = (f"epsilon at its {hit} bound {low if hit == 'lower' else high:.6g}",) if hit else ()
    return EpsilonFit(_epsilon(z), value, slope, error, names)


def fit_empirical(
    experiment: str,
    values: np.ndarray,
    labels: Sequence[object],
    times: np.ndarray | None = None,
    *,
    source: str,
    centre: str = "sensors",
    noise_fraction: float = 0.05,
    epsilon: float | None = None,
    value_units: str = "1",
    round_units: str = "round",
) -> dict[str, Any]:
    """Content of results/fits/<experiment>.json for an empirical kernel; a plain mapping.

    values: (T, S) training readings, NaN = missing; labels: (T,), equal within a stretch of time
    and different in the next (the day, where days are independent); times: (T,) the t of each row, None
    for 1, 2, ..., T. prior_mean is one number, or one
    per sensor, by `centre` (see `prior_mean`); the kernel is the sample covariance about the sensor
    means; noise_variance is `noise_fraction` of the signal variance (the mean of the covariance's
    diagonal); epsilon maximises the marginal likelihood of the residuals from prior_mean unless
    given. alpha, gamma and norm_bound do not apply and are null.
    """
    if not 0 < noise_fraction < 1:
        raise ValueError(f"fit: noise_fraction is {noise_fraction}, must lie in (0, 1)")
    values, parts = as_numbers(values), stretches(labels)
    if values.ndim != 2 or len(values) != len(labels):
        raise ValueError(f"fit: values have shape {values.shape}, labels say {len(labels)} times")
    values, filled = fill_gaps(values, parts, times)
    _, covariance = empirical_covariance(values)
    mean = prior_mean(values, centre)
    signal = float(np.diagonal(covariance).mean())
    noise = noise_fraction * signal
    fit = fit_epsilon(covariance, values - mean, parts, noise, times)
    interval, chosen = fit.interval(), fit.epsilon if epsilon is None else float(epsilon)
    return {
        "experiment": experiment,
        "source": source,
        "kernel": kernels.describe(kernels.make("empirical", covariance=covariance)),
        "signal_variance": signal,
        "noise_variance": noise,
        "epsilon": chosen,
        "alpha": None,
        "gamma": None,
        "norm_bound": None,
        "prior_mean": mean.tolist() if centre == "sensors" else float(mean[0]),
        "centre": centre,
        "estimated": ["prior_mean", "covariance", *(["epsilon"] if epsilon is None else [])],
        "bounds_hit": list(fit.bounds_hit),
        "log_marginal_likelihood": fit.log_likelihood,
        "points": int(values.size),
        "points_available": int(values.size) - filled,
        "gaps_filled": filled,
        "stretches": len(parts),
        "optimiser": {
            "status": "at a bound" if fit.bounds_hit else "converged",
            "gradient_norm": abs(fit.gradient),
            "bounds": {"epsilon": list(BOUNDS)},
        },
        "standard_errors": {} if interval is None else {"epsilon": fit.standard_error},
        "intervals_95": {} if interval is None else {"epsilon": list(interval)},
        "units": {
            "signal_variance": f"({value_units})^2",
            "noise_variance": f"({value_units})^2",
            "epsilon": f"1/{round_units}",
            "prior_mean": value_units,
            "standard_errors": "logit of epsilon",
        },
    }


def _maximise(likelihood: Likelihood, low: float, high: float) -> tuple[float, str]:
    """Logit of the maximiser, and "lower" or "upper" where it is a bound."""
    grid = np.linspace(low, high, _GRID)
    best = int(np.argmax([likelihood(_epsilon(z))[0] for z in grid]))

    def slope(z: float) -> float:
        return likelihood(_epsilon(z))[1]

    left, right = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    if slope(left) <= 0:
        return float(left), "lower"
    if slope(right) >= 0:
        return float(right), "upper"
    return float(brentq(slope, left, right, xtol=1e-8)), ""


def _times(times: np.ndarray | None, count: int) -> np.ndarray:
    """The times, or 1, 2, ..., count. ValueError unless there is one for each row."""
    if times is None:
        return np.arange(1, count + 1)
    if len(times) != count:
        raise ValueError(f"fit: {len(times)} times for {count} rows")
    return np.asarray(times)


def _logit(epsilon: float) -> float:
    return float(np.log(epsilon) - np.log1p(-epsilon))


def _epsilon(z: float) -> float:
    return float(1.0 / (1.0 + np.exp(-z)))
