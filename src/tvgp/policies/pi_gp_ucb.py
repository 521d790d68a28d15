"""pi-GP-UCB: IGP-UCB on the cells of a partition that refines where it plays (Janz20, section 3).

    b = (d+1) / (d + 2 nu),  q = d (d+1) / (d (d+2) + 2 nu)

The domain, a box mapped onto [0, 1]^d, is cut into ceil(T^(q/d)) closed cubes per side. Each
cell A has its own posterior, from the points in it, and

    UCB_t(x) = max over cells A with x in A of mu^A(x) + beta^A sigma^A(x),
    beta^A = B + L sqrt(2 (gamma^A + 1 + log(N_t / delta))),  N_t = 4 (t+1)^(b d),

gamma^A = 1/2 log det(I + K^A / lambda). As soon as rho_A^(-1/b) < |D^A| + 1, rho_A the side of A,
it is halved along every axis and its 2^d children inherit its points. A point on a border belongs
to every cell that it touches. Cells without arms, most of them where T or d is large, are counted only.

Family: nothing is forgotten.
Use it when nothing changes, the kernel is a Matérn, and there are thousands of arms and rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import TIE, best_arm, random_best_arm
from tvgp.policies.base.policy import BasePolicy, require
from tvgp.policies.igp_ucb import Parameters as ImprovedParameters
from tvgp.posterior import Append, Grid, Prior
from tvgp.theory.partitions import cell_limit, partition_exponent, splitting_exponent
from tvgp.theory.widths import improved_width

# Distance to a border, in units of the domain, below which a point counts as on it.
_BORDER = 1e-9


# Summary of a cell: its maximum when last evaluated and the width then, the largest sigma, log det,
# its first arm, and whether the line top + (w - width) spread is its maximum rather than a bound
# (true while it holds no points).
_SUMMARY = np.dtype(
    [
        ("top", float),
        ("width", float),
        ("spread", float),
        ("log_det", float),
        ("first", np.intp),
        ("exact", bool),
    ]
)

# Largest cell, in arms, whose covariance matrix is kept.
_GRID_LIMIT = 2048


@dataclass(frozen=True)
class Parameters(ImprovedParameters):
    """cells_per_side: of the first partition, None for ceil(T^(q/d)); splitting: whether cells are
    ever split (if not, N_t is the first partition's number of cells)."""

    delta: float = 0.1
    prior_mean: float = 0.0
    cells_per_side: int | None = None
    splitting: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.cells_per_side is None or self.cells_per_side >= 1
        require(good, "cells_per_side", self.cells_per_side, "1 or more")
        require(self.engine in ("auto", "grid"), "engine", self.engine, "auto or grid")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> PiGPUCB:
    """pi-GP-UCB over the smallest box that holds all arms."""
    return PiGPUCB(prior, noise_variance, parameters)


class Cell:
    """A closed cube of the unit domain with its data and a posterior over its arms."""

    def __init__(self, low: np.ndarray, side: float, arms: np.ndarray, prior: Prior) -> None:
        """low: corner, (d,); arms: indices into the prior's arms, ascending."""
        self.low = low
        self.side = side
        self.arms = arms
        self.n = 0
        # sums over the observations of each arm: of their precisions relative to the usual one, and
        # of their values with these weights
        self.weight = np.zeros(len(arms))
        self.total = np.zeros(len(arms))
        self.count = np.zeros(len(arms), dtype=np.intp)
        self.log_det = 0.0
        self.mean = np.zeros(len(arms))
        self.std = np.sqrt(prior.diagonal[arms])
        self._prior = prior
        self._engine: Grid | Append | None = None

    def inherit(self, parent: Cell, noise_variance: float) -> None:
        """Copy the parent's points at the arms of this cell."""
        mine = np.searchsorted(parent.arms, self.arms)
        weight, total, count = parent.weight[mine], parent.total[mine], parent.count[mine]
        for index in np.flatnonzero(count):
            average = total[index] / weight[index]
            self._learn(int(index), average, weight[index], int(count[index]), noise_variance)

    def observe(self, arm: int, value: float, weight: float, noise_variance: float) -> None:
        """Learn from one observation of an arm of this cell, with variance noise_variance / weight."""
        self._learn(int(np.searchsorted(self.arms, arm)), value, weight, 1, noise_variance)

    def _learn(self, index: int, average: float, weight: float, count: int, noise_variance: float) -> None:
        if self._engine is None:
            prior = Prior(self._prior.arms[self.arms], self._prior.kernel)
            engine = Grid if len(self.arms) <= _GRID_LIMIT else Append
            self._engine = engine(prior, noise_variance)
        self._engine.observe(index, average, noise_variance / weight)
        self.n += count
        self.count[index] += count
        self.weight[index] += weight
        self.total[index] += weight * average
        self.log_det = self._engine.log_det
        self.mean = self._engine.mean
        self.std = np.sqrt(self._engine.variance)


class PiGPUCB(BasePolicy):
    """Evaluates only the cells that changed and those that might hold the maximum.

    For widths w >= w', max(mu + w sigma) <= max(mu + w' sigma) + (w - w') max sigma: the width of a
    cell without new points grows slowly, with log N_t, and so does this bound.
    """

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._prior = prior
        self._noise_variance = noise_variance
        self._parameters = parameters
        low, high = prior.arms.min(axis=0), prior.arms.max(axis=0)
        self._place = (prior.arms - low) / np.where(high > low, high - low, 1.0)
        self._d = prior.arms.shape[1]
        smoothness = prior.kernel.smoothness
        self._b, q = splitting_exponent(self._d, smoothness), partition_exponent(self._d, smoothness)
        # do not round up a power that is an integer up to rounding
        recommended = int(np.ceil(parameters.horizon ** (q / self._d) - 1e-9))
        self._per_side = parameters.cells_per_side or recommended
        self._n = self._n_made = 0
        self._n_cells = 1
        self._largest_log_det = 0.0
        self._cells: dict[int, Cell] = {}
        self._of_arm: list[list[int]] = [[] for _ in range(prior.n_arms)]
        self._summary = np.zeros(0, dtype=_SUMMARY)
        whole = Cell(np.zeros(self._d), 1.0, np.arange(prior.n_arms), prior)
        self._replace(whole, self._per_side)
        # the first cells are the largest
        largest = max(len(cell.arms) for cell in self.cells)
        self._engine_name = Grid.name if largest <= _GRID_LIMIT else Append.name

    @property
    def engine(self) -> str:
        """Name of the engine of the largest cells."""
        return self._engine_name

    @property
    def cells(self) -> list[Cell]:
        """Cells of the current partition that hold arms."""
        return list(self._cells.values())

    @property
    def n_cells(self) -> int:
        """Number of cells of the current partition, including those without arms."""
        return self._n_cells

    @property
    def n_made(self) -> int:
        """Number of all cells so far, those that were split included."""
        return self._n_made

    def largest_gain(self) -> float:
        """The largest gamma = 1/2 log det(I + K / lambda) that any cell has had, including the
        point that split it."""
        return 0.5 * self._largest_log_det

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """Arm with the largest upper confidence bound of any cell; ties to the lowest index."""
        widths = self._widths(t)
        if self._n == 0:
            return random_best_arm(self._scores(widths), rng, available, self._unit)
        if available is not None:
            return best_arm(self._scores(widths), available, self._unit)
        summary, tie = self._summary, TIE * self._unit
        grown = np.maximum(widths - summary["width"], 0.0)
        bounds = summary["top"] + grown * summary["spread"]
        exact = summary["exact"]
        highest = float(bounds.max(where=exact, initial=-np.inf))
        waiting = np.where(exact, -np.inf, bounds)
        while waiting[index := int(waiting.argmax())] >= highest - 2.0 * tie and waiting[index] > -np.inf:
            bounds[index] = top = self._evaluate(index, widths[index])
            waiting[index] = -np.inf
            highest = max(highest, top)
        return self._lowest_tied(np.flatnonzero(bounds >= highest - tie), widths, highest - tie)

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        """Learn from y_t = f(x_t) + noise in every cell that holds the arm; split those that are due."""
        self._n += 1
        usual = self._noise_variance
        weight = usual / (noise_variance or usual)
        for index in list(self._of_arm[arm]):
            cell = self._cells[index]
            cell.observe(arm, reward - self._parameters.prior_mean, weight, usual)
            self._note(index, cell)
            self._largest_log_det = max(self._largest_log_det, cell.log_det)
            if self._due(cell):
                self._remove(index)
                self._replace(cell, 2)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation over all arms; on a border, of the cell whose upper
        confidence bound is largest."""
        widths = self._widths(t)
        best = np.full(self._prior.n_arms, -np.inf)
        mean, std = np.zeros_like(best), np.zeros_like(best)
        for index, cell in self._cells.items():
            scores = cell.mean + widths[index] * cell.std
            wins = scores > best[cell.arms]
            arms = cell.arms[wins]
            best[arms], mean[arms], std[arms] = scores[wins], cell.mean[wins], cell.std[wins]
        return mean + self._parameters.prior_mean, std

    def _widths(self, t: int) -> np.ndarray:
        """The width for round t of all cells, past ones included: beta^A unless one is configured."""
        p, smoothness = self._parameters, self._prior.kernel.smoothness
        configured = p.width_at(t)
        if configured is not None:
            return np.full(len(self._summary), configured)
        number = cell_limit(t, self._d, smoothness) if p.splitting else float(self._per_side**self._d)
        log_det, regulariser = self._summary["log_det"], self._noise_variance
        widths = improved_width(
            p.norm_bound, p.delta / number, log_det, regulariser, p.sub_gaussian, p.gain_factor
        )
        return np.asarray(widths)

    def _scores(self, widths: np.ndarray) -> np.ndarray:
        """UCB_t over all arms."""
        scores = np.full(self._prior.n_arms, -np.inf)
        for index, cell in self._cells.items():
            own = cell.mean + widths[index] * cell.std
            scores[cell.arms] = np.maximum(scores[cell.arms], own)
        return scores

    def _evaluate(self, index: int, width: float) -> float:
        """A cell's maximum, recorded with its width."""
        cell = self._cells[index]
        top = float(np.maximum.reduce(cell.mean + width * cell.std))
        self._summary["top"][index], self._summary["width"][index] = top, width
        return top

    def _lowest_tied(self, tied: np.ndarray, widths: np.ndarray, limit: float) -> int:
        """The lowest arm whose score reaches the limit, among cells whose maximum reaches it."""
        lowest = self._prior.n_arms
        first = self._summary["first"]
        for index in tied if len(tied) == 1 else tied[np.argsort(first[tied])]:
            if first[index] >= lowest:
                break
            cell = self._cells[int(index)]
            reached = cell.mean + widths[index] * cell.std >= limit
            lowest = min(lowest, int(cell.arms[reached.argmax()]))
        return lowest

    def _due(self, cell: Cell) -> bool:
        """rho^(-1/b) < |D| + 1; for b = 0 the limit: only the whole domain is split."""
        if not self._parameters.splitting:
            return False
        if self._b == 0.0:
            return cell.side == 1.0
        return cell.side ** (-1.0 / self._b) < cell.n + 1

    def _replace(self, parent: Cell, per_side: int) -> None:
        """Replace a parent by per_side^d cells of equal size, each with its share of the points; those
        without arms are not made."""
        side = parent.side / per_side
        parts: list[tuple[tuple[float, ...], np.ndarray]] = [((), parent.arms)]
        for axis in range(self._d):
            lows = [parent.low[axis] + i * side for i in range(per_side)]
            parts = [
                ((*corner, low), arms[inside])
                for corner, arms in parts
                for low in lows
                if (inside := self._within(arms, axis, low, low + side)).any()
            ]
        self._n_cells += per_side**self._d - 1
        self._n_made += per_side**self._d
        start = len(self._summary)
        self._summary = np.concatenate([self._summary, np.zeros(len(parts), dtype=_SUMMARY)])
        for index, (corner, arms) in enumerate(parts, start=start):
            cell = Cell(np.array(corner), side, arms, self._prior)
            if parent.n:
                cell.inherit(parent, self._noise_variance)
            self._cells[index] = cell
            for arm in arms:
                self._of_arm[arm].append(index)
            self._note(index, cell)

    def _within(self, arms: np.ndarray, axis: int, low: float, high: float) -> np.ndarray:
        coordinate = self._place[arms, axis]
        return (coordinate >= low - _BORDER) & (coordinate <= high + _BORDER)

    def _note(self, index: int, cell: Cell) -> None:
        """Update a cell's summary after a change of its points: its maximum for width 0."""
        top, spread = float(np.maximum.reduce(cell.mean)), float(np.maximum.reduce(cell.std))
        if not math.isfinite(top + spread):
            raise ValueError("a score is NaN; expected finite posterior mean and width")
        self._summary[index] = (top, 0.0, spread, cell.log_det, cell.arms[0], cell.n == 0)

    def _remove(self, index: int) -> None:
        cell = self._cells.pop(index)
        for arm in cell.arms:
            self._of_arm[arm].remove(index)
        self._summary[index] = (-np.inf, 0.0, 0.0, 0.0, self._prior.n_arms, True)
