"""The card of an environment: how much it changes, and what never changing one's mind costs in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tvgp import acquisition, environments
from tvgp.contracts import Environment
from tvgp.study.run.world import World

REALISATIONS = 3  # most draws over which a card is averaged
_PERIOD_ARMS = 200  # most arms in the search for a period
_RETURNED, _AWAY = 0.05, 0.5  # shares of the difference of unrelated rounds
_JUMP = 5.0  # a change point: a step this many times as large as its neighbours


def of_world(world: World, alpha: str, seeds: int) -> dict[str, Any]:
    """The card of an experiment: means over its first realisations; change points and period are those of
    the first."""
    family = world.experiment.environment
    random = family is not None and "rng" in environments.parameters(family)
    count = min(seeds, REALISATIONS) if random else 1
    cards = [of(world.environment(alpha, seed), world.rounds) for seed in range(1, count + 1)]
    joined: dict[str, Any] = dict(cards[0])
    for key, value in joined.items():
        if isinstance(value, float) and key != "period":
            joined[key] = float(np.mean([card[key] for card in cards]))
    return joined | {"realisations": len(cards)}


def of(environment: Environment, rounds: int) -> dict[str, Any]:
    """The card of one realisation over some rounds; None for what is unknown or does not exist.

    mean_optimum: mean of max_x f_t(x); uniform_regret, best_fixed_regret: average regret of uniform play and
    of the arm that is best in hindsight among those always available; optimum_moves: rounds whose
    best arm differs from the round before; path_length: sum |x*_{t+1} - x*_t| over the diagonal of the box
    around all arms; sup_variation: sum_t sup_x |f_{t+1} - f_t|; rkhs_variation: B_T; period: in rounds;
    change_points: rounds t with a step from t - 1 that is 5 times as large as the steps before and after.
    """
    arms = environment.arms
    best, optimum, mean = np.empty(rounds, dtype=int), np.empty(rounds), np.empty(rounds)
    steps = np.zeros(rounds)
    shown = np.linspace(0, len(arms) - 1, min(len(arms), _PERIOD_ARMS)).astype(int)
    some = np.empty((rounds, len(shown)))
    total, previous, unit = np.zeros(len(arms)), None, 0.0
    for i, t in enumerate(environment.times(rounds).tolist()):
        f = environment.mean_rewards(t)
        total += f
        if previous is not None and np.array_equal(f, previous):
            best[i], optimum[i], mean[i], some[i] = best[i - 1], optimum[i - 1], mean[i - 1], some[i - 1]
            continue
        available = ~np.isnan(f)
        unit = max(unit, float(np.nanmax(np.abs(f))))
        best[i] = acquisition.best_arm(f, None if available.all() else available, unit)
        optimum[i], mean[i] = f[best[i]], np.nanmean(f)
        some[i] = f[shown]
        if previous is not None:
            steps[i] = np.fmax.reduce(np.abs(f - previous), initial=0.0)
        previous = f.copy()
    places = arms[best]
    diagonal = float(np.linalg.norm(np.ptp(arms, axis=0))) or 1.0
    always = np.isfinite(total).any()
    known = environment.variation(rounds) if environment.variation_norm == "rkhs" else None
    return {
        "mean_optimum": float(optimum.mean()),
        "uniform_regret": float((optimum - mean).mean()),
        "best_fixed_regret": _regret(optimum.mean() - np.nanmax(total) / rounds, unit) if always else None,
        "optimum_moves": float(np.count_nonzero(np.diff(best))),
        "path_length": float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum() / diagonal),
        "sup_variation": float(steps.sum()),
        "rkhs_variation": None if known is None else float(known),
        "period": period(some),
        "change_points": change_points(steps, unit),
    }


def _regret(value: float, unit: float) -> float:
    """A regret without the rounding of sums in different orders."""
    return 0.0 if abs(value) < acquisition.TIE * unit else float(value)


def change_points(steps: np.ndarray, unit: float) -> list[int]:
    """Rounds (from 1) whose step from the round before is far larger than the steps around it; steps
    (rounds,), the first of them 0; unit: the largest value in size, beside which rounding is no step."""
    around = np.maximum(np.append(steps[1:], 0.0), np.insert(steps[:-1], 0, 0.0))
    jumps = (steps > _JUMP * around) & (steps > acquisition.TIE * unit)
    return (np.flatnonzero(jumps) + 1).tolist()


def period(values: np.ndarray) -> float | None:
    """The period of f_t in rounds, from values (rounds, arms); None if f_t does not return.

    With d(L) the mean of (f_{t+L} - f_t)^2 over its value for unrelated rounds, twice the variance over
    time: the first lag at which d, once above 0.5, has a minimum below 0.05, refined at its multiples. A
    period is seen if it fits twice into the rounds.
    """
    rounds = len(values)
    centred = values - values.mean(axis=0)
    variance = float((centred**2).sum() / rounds)
    if not np.isfinite(variance) or variance <= 1e-12 * max(float((values**2).sum() / rounds), 1e-300):
        return None
    size = 1 << (2 * rounds - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(centred, size, axis=0)) ** 2
    products = np.fft.irfft(spectrum.sum(axis=1), size)[:rounds]
    squares = np.concatenate([[0.0], np.cumsum((centred**2).sum(axis=1))])
    lags = np.arange(rounds // 2 + 1)
    pairs = squares[rounds - lags] + squares[rounds] - squares[lags]
    d = (pairs - 2.0 * products[lags]) / (rounds - lags) / (2.0 * variance)
    left = np.flatnonzero(d > _AWAY)
    if not len(left):
        return None
    inner = lags[max(left[0], 1) : -1]
    low = inner[(d[inner] < _RETURNED) & (d[inner] <= d[inner - 1]) & (d[inner] <= d[inner + 1])]
    if not len(low):
        return None
    found = _minimum(d, int(low[0]))
    for multiple in range(2, int(lags[-2] / found) + 1):
        found = _minimum(d, round(multiple * found)) / multiple
    return found


def _minimum(d: np.ndarray, lag: int) -> float:
    """Place of the minimum of a parabola through d at lag - 1, lag and lag + 1."""
    before, at, after = d[lag - 1 : lag + 2]
    curvature = before - 2.0 * at + after
    return lag + 0.5 * float(before - after) / float(curvature) if curvature > 0 else float(lag)
