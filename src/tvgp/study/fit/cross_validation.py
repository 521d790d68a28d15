"""Block length of R-GP-UCB by cross-validation over days (Bogunovic16, section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tvgp import environments, fitting, kernels, policies, streams
from tvgp.simulate import simulate


def block_length(
    values: np.ndarray,
    labels: Sequence,
    times: np.ndarray,
    grid: Sequence[int],
    parameters: Mapping[str, Any],
    *,
    centre: str,
    noise_fraction: float,
) -> dict[str, Any]:
    """The block length with the least mean average regret over days left out in turn.

    values (T, S), NaN = missing; labels (T,) of the days; times (T,): the t of each row;
    parameters: the other parameters of R-GP-UCB. It plays each day with the prior mean (by `centre`),
    the covariance and the noise variance of the other days, once from each sensor that reports in the
    day's first round.
    Returns {value, grid, average_regret (of each grid value), by_day (days, grid),
    at_edge_of_grid}; the first of equal values is taken. ValueError for fewer than two days.
    """
    values, days = np.asarray(values, dtype=float), fitting.stretches(list(labels))
    if len(days) < 2:
        raise ValueError(f"cross-validation: {len(days)} day, at least 2 are needed")
    grid = [int(length) for length in grid]
    by_day = np.array(
        [
            _regret(values, days, times, day, grid, parameters, centre, noise_fraction)
            for day in range(len(days))
        ]
    )
    rounds = np.array([day.stop - day.start for day in days])
    regret = rounds @ by_day / rounds.sum()
    best = int(np.argmin(regret))
    return {
        "value": grid[best],
        "grid": grid,
        "average_regret": regret.tolist(),
        "by_day": by_day.tolist(),
        "at_edge_of_grid": best in (0, len(grid) - 1),
    }


def _regret(
    values: np.ndarray,
    days: Sequence[slice],
    times: np.ndarray,
    held_out: int,
    grid: Sequence[int],
    parameters: Mapping[str, Any],
    centre: str,
    noise_fraction: float,
) -> list[float]:
    """Mean average regret on the day left out, for each block length."""
    others = [day for index, day in enumerate(days) if index != held_out]
    labels = np.repeat(np.arange(len(others)), [day.stop - day.start for day in others])
    training = np.concatenate([values[day] for day in others])
    trained = np.concatenate([times[day] for day in others])
    filled, _ = fitting.fill_gaps(training, fitting.stretches(labels.tolist()), trained)
    _, covariance = fitting.empirical_covariance(filled)
    mean = fitting.prior_mean(filled, centre)
    kernel = kernels.make("empirical", covariance=covariance)
    noise = noise_fraction * float(np.diagonal(covariance).mean())
    played = days[held_out].start + np.flatnonzero(np.isfinite(values[days[held_out]]).any(axis=1))
    readings, when = values[played], times[played] - times[played[0]] + 1
    arms = np.arange(values.shape[1], dtype=float)[:, None]
    environment = environments.make("field", arms=arms, values=readings, times=when)
    # readings carry no noise and the policy draws nothing: one stream serves all runs
    unused = streams.NoiseField(len(arms), "cross-validation")
    result = []
    for length in grid:
        regret = [
            simulate(
                policies.make(
                    "r_gp_ucb",
                    arms=arms,
                    kernel=kernel,
                    noise_variance=noise,
                    prior_mean=tuple(mean),
                    horizon=int(when[-1]),
                    block_length=length,
                    **parameters,
                ),
                environment,
                len(readings),
                rng=streams.generator("cross-validation"),
                noise=unused,
                expert_noise=unused,
                first_arm=arm,
            ).regret.mean()
            for arm in np.flatnonzero(np.isfinite(readings[0])).tolist()
        ]
        result.append(float(np.mean(regret)))
    return result
