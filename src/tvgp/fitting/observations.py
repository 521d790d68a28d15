"""Training data of a fit: observations (x, t, y), sequences of one per round, field slices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp import streams
from tvgp.contracts import Environment

# Length in rounds of the sequence from a field: a year of days.
_SEQUENCE_ROUNDS = 365

# Number of sequences from a field: which sites one of them happens to visit moves gamma by a factor of 10.
_SEQUENCES = 8

# Of a larger field, this many sites in this many stretches of consecutive rounds: values that are close in
# time fix the change per round, several stretches the spread of the field.
_SITES, _STRETCHES = 40, 4


@dataclass(frozen=True)
class Training:
    """Training data of an experiment.

    `points` (n, d), `times` (n,), `values` (n,): observations, any number per round; kernel, noise
    variance and epsilon are fitted to them. `sequences` are such triples with at most one observation per
    round, as a bandit sees them; alpha and gamma are fitted to all of them. `coordinates`
    (N, d) and `slices` (T, N, NaN = not available) are the field itself, for the norm bound.
    `available` is the number of observations from which `points` was drawn.
    """

    points: np.ndarray
    times: np.ndarray
    values: np.ndarray
    sequences: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]
    coordinates: np.ndarray
    slices: np.ndarray
    source: str
    available: int


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Values as float64, NaN where they are masked."""
    if np.ma.is_masked(values):
        values = np.ma.filled(np.ma.asarray(values).astype(float), np.nan)
    return np.asarray(values, dtype=float)


def check_observations(
    points: np.ndarray, times: np.ndarray, values: np.ndarray, minimum: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three arrays as float64; ValueError unless shapes agree and every entry is finite."""
    points, times, values = map(as_numbers, (points, times, values))
    if points.ndim != 2 or times.shape != (len(points),) or values.shape != (len(points),):
        raise ValueError(
            f"fit: points have shape {points.shape}, times {times.shape}, values {values.shape}; "
            "expected (n, d), (n,), (n,)"
        )
    for name, array in (("points", points), ("times", times), ("values", values)):
        bad = ~np.isfinite(array.reshape(len(points), -1)).all(axis=1)
        if bad.any():
            raise ValueError(f"fit: {name}[{np.argmax(bad)}] is not a finite number")
    if len(points) < minimum:
        raise ValueError(f"fit: {len(points)} observations, at least {minimum} are needed")
    return points, times, values


def check_noise_variance(noise_variance: float, smallest: float = 0.0) -> None:
    """ValueError unless the noise variance is finite and not below `smallest`."""
    if not (np.isfinite(noise_variance) and noise_variance >= smallest):
        limit = "not be negative" if smallest == 0 else "be positive"
        raise ValueError(f"fit: noise_variance is {noise_variance}, must {limit}")


def one_per_round(values: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One uniformly random available column per row of `values` (T, N).

    Returns (rows, columns), without rows that have no available column.
    """
    available = np.isfinite(values)
    # one uniform number per cell; the largest among the available cells is chosen
    draws = np.where(available, rng.random(values.shape), -1.0)
    rows = np.flatnonzero(available.any(axis=1))
    return rows, draws.argmax(axis=1)[rows]


def site_offsets(values: np.ndarray) -> np.ndarray:
    """b (N,) of least squares for values (T, N) = a_t + b_x + rest, NaN = missing; their mean is 0.

    NaN for a site without a value. Unlike plain means of the sites they do not depend on the seasons in
    which a site has its gaps.
    """
    present = np.isfinite(values)
    counts = np.maximum(present.sum(axis=1), 1)
    filled = np.where(present, values, 0.0)
    centred = np.where(present, filled - (filled.sum(axis=1) / counts)[:, None], 0.0)
    normal = np.diag(present.sum(axis=0)) - present.T @ (present / counts[:, None])
    found = np.linalg.lstsq(normal, centred.sum(axis=0), rcond=1e-10)[0]
    found[~present.any(axis=0)] = np.nan
    return found - np.nanmean(found)


def from_environment(environment: Environment, rng: np.random.Generator, rounds: int = 200) -> Training:
    """Uniformly random queries: y_t = f_t(x_t) + noise for t = 1..rounds, x_t a random arm.

    The environment must be an independent training run, not one of the reported runs.
    """
    choices, noise = rng.spawn(2)
    slices = np.array([environment.mean_rewards(t) for t in range(1, rounds + 1)], dtype=float)
    rows, columns = one_per_round(slices, choices)
    draws = streams.shaped(noise.standard_normal(rounds)[rows], environment.noise_law)
    values = slices[rows, columns] + environment.noise_std * draws
    coordinates = np.asarray(environment.arms, dtype=float)
    sequence = check_observations(coordinates[columns], rows + 1, values)
    return Training(*sequence, (sequence,), coordinates, slices, source="synthetic", available=len(values))


def _selected(finite: np.ndarray, max_points: int, rng: np.random.Generator) -> np.ndarray:
    """Mask (T, N) of the cells of a field, with values where `finite`, from which observations are taken."""
    kept = np.flatnonzero(finite.any(axis=1))
    sites = min(finite.shape[1], _SITES, math.isqrt(max_points))
    most = max_points // sites
    if len(kept) > most:
        length = max(most // _STRETCHES, 2)
        starts = np.linspace(0, len(kept) - length, _STRETCHES).astype(int)
        kept = kept[np.unique(starts[:, None] + np.arange(length))]
    # equally full sites in random order, as neighbours often come one after the other
    order = rng.permutation(finite.shape[1])
    fullest = np.argsort(-finite[kept].sum(axis=0)[order], kind="stable")
    selected = np.zeros_like(finite)
    selected[np.ix_(kept, order[fullest[:sites]])] = True
    return selected


def from_field(
    values: np.ndarray,
    coordinates: np.ndarray,
    rng: np.random.Generator,
    *,
    source: str,
    max_points: int = 6000,
    times: np.ndarray | None = None,
) -> Training:
    """Training data from a field: `values` (T, N), NaN = missing; `coordinates` (N, d).

    times: (T,) the t of each row, increasing whole numbers, None for 1, 2, ..., T. Of a larger field, at
    most `max_points` cells are taken: the 40 sites with most values (at most the root of `max_points`) in 4
    stretches of consecutive rows, evenly spread. Each of the 8 sequences has one random available site in
    each of the last 365 steps of time. `source` is "real" or "standin".
    """
    values, coordinates = as_numbers(values), as_numbers(coordinates)
    if max_points < 1:
        raise ValueError(f"fit: max_points is {max_points}, must be at least 1")
    if values.ndim != 2 or coordinates.ndim != 2 or values.shape[1] != len(coordinates):
        raise ValueError(
            f"fit: field has shape {values.shape}, coordinates {coordinates.shape}; "
            "expected (times, sites), (sites, d)"
        )
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ValueError(f"fit: field value at time {row}, site {column} is infinite")
    t = np.arange(1, len(values) + 1) if times is None else np.asarray(times)
    if t.shape != (len(values),) or (np.diff(t) <= 0).any():
        raise ValueError(f"fit: times have shape {t.shape}, expected {len(values)} increasing numbers")
    subset, choices = rng.spawn(2)
    finite = np.isfinite(values)
    available = int(finite.sum())
    if not available:
        raise ValueError("fit: the training field has no values, every entry is missing")
    rows, columns = np.nonzero(finite & _selected(finite, max_points, subset))
    observed = check_observations(coordinates[columns], t[rows], values[rows, columns])

    sequences = []
    for _ in range(_SEQUENCES):
        when, where = one_per_round(values, choices)
        recent = t[when] > t[-1] - _SEQUENCE_ROUNDS
        when, where = when[recent], where[recent]
        sequences.append(check_observations(coordinates[where], t[when], values[when, where]))
    return Training(*observed, tuple(sequences), coordinates, values, source=source, available=available)
