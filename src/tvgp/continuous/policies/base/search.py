"""The maximum of a function on a domain: the best of many candidates, then L-BFGS-B from a few of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from tvgp.acquisition import TIE
from tvgp.continuous.box import Domain

Function = Callable[[np.ndarray], np.ndarray]  # values (m,) at points (m, d)
Slope = Callable[[np.ndarray], tuple[float, np.ndarray]]  # value and gradient (d,) at a point (d,)

_STEPS = (0.1, 0.01)  # standard deviations of candidates around a point, in sides of the domain
_EVALUATIONS = 50  # most per ascent
_SWEEPS = 30  # most steps of integers and categories per start


def candidates(domain: Domain, size: int, near: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """`size` points of a scrambled Sobol sequence, rounded up to a power of two, and a quarter as many around
    the points `near` (m, d)."""
    low, high = domain.corners
    sobol = qmc.Sobol(domain.d, rng=rng).random_base2(max(int(size) - 1, 1).bit_length())
    points = [low + (high - low) * sobol]
    if len(near):
        centres = near[np.arange(size // 4) % len(near)]
        steps = np.resize(np.repeat(_STEPS, len(near)), len(centres))[:, None] * (high - low)
        points.append(centres + steps * rng.standard_normal(centres.shape))
    return domain.snap(np.concatenate(points))


def maximum(
    function: Function, slope: Slope, domain: Domain, start: np.ndarray, given: np.ndarray, starts: int
) -> np.ndarray:
    """The best point found, (d,), from the `starts` best of the points `start` (m, d).

    given: coordinates that stay, (d,), NaN for those to choose. Each ascent alternates L-BFGS-B over the
    numbers with the best step of an integer or category. Ties go to the first.
    """
    free = np.isnan(given)
    start = np.where(free, start, given)
    values = function(start)
    best: tuple[float, np.ndarray] | None = None
    for i in np.argsort(-values, kind="stable")[:starts]:
        value, point = _ascend(function, slope, domain, start[i], float(values[i]), free)
        if best is None or value > best[0] + TIE:
            best = value, point
    assert best is not None
    return best[1]


def _ascend(
    function: Function, slope: Slope, domain: Domain, x: np.ndarray, value: float, free: np.ndarray
) -> tuple[float, np.ndarray]:
    value, x = _ascend_smooth(slope, domain, x, value, free & domain.smooth)
    for _ in range(_SWEEPS):
        steps = domain.neighbours(x, free)
        values = function(steps) if len(steps) else np.array([-np.inf])
        i = int(values.argmax())
        if not values[i] > value + TIE:
            break
        value, x = _ascend_smooth(slope, domain, steps[i], float(values[i]), free & domain.smooth)
    return value, x


def _ascend_smooth(
    slope: Slope, domain: Domain, x: np.ndarray, value: float, free: np.ndarray
) -> tuple[float, np.ndarray]:
    """L-BFGS-B over the free coordinates; the start where that is not better."""
    if not free.any():
        return value, x

    def loss(part: np.ndarray) -> tuple[float, np.ndarray]:
        at = x.copy()
        at[free] = part
        up, gradient = slope(at)
        return -up, -gradient[free]

    bounds = domain.corners[:, free].T
    found = minimize(
        loss, x[free], jac=True, method="L-BFGS-B", bounds=bounds, options={"maxfun": _EVALUATIONS}
    )
    if not -found.fun > value:
        return value, x
    end = x.copy()
    end[free] = np.clip(found.x, *bounds.T)
    return -float(found.fun), end
