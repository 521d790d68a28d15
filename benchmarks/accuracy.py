"""Accuracy of the posterior engines over long runs: `python -m benchmarks.accuracy [--rounds T]`.

All engines take in the same observations. At checkpoints their posterior is compared with one
computed from all the data in decimal arithmetic of 50 digits, on the same Gram matrix:

    error of the mean  max_x |mu(x) - mu*(x)| / sigma*(x),
    error of the std   max_x |sigma(x) - sigma*(x)| / sigma*(x).

A full run writes results/benchmarks/accuracy.csv and docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import decimal
import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import harness, page
from tvgp import kernels, posterior, streams
from tvgp.posterior import Prior
from tvgp.study.execution import files

ROUNDS = 50_000
CHECKPOINTS = (100, 1_000, 4_000, 16_000, ROUNDS)
SMOOTH_CHECKPOINTS, SMOOTH_LENGTHS = (100, 500, 1_000, 4_000), (30.0, 200.0)

# Decimal digits of the reference; conditioning takes at most 20 of them.
_DIGITS = 50

# engines without and with the time kernel of TV-GP-UCB
STATIC = ("append", "weight_space", "grid", "lazy", "merged", "updated", "joint")
FORGETTING = ("append", "weight_space")
TWO_SCALES = ("state_space",)

# Forgetting rate of the slow part of a field with two time scales.
_SLOW = 1e-4

# Distance of near-duplicate arms, in length-scales.
_APART = 1e-7


@dataclass(frozen=True)
class Case:
    """noise: variance relative to the prior's; near_duplicates: whether arms come in close pairs;
    epsilon: forgetting rate of the time kernel; slow_share: of the variance, that of a part that forgets
    at the rate 1e-4."""

    kernel: str
    noise: float
    near_duplicates: bool
    epsilon: float = 0.0
    slow_share: float = 0.0

    @property
    def engines(self) -> tuple[str, ...]:
        """Names of the engines that have its model."""
        return TWO_SCALES if self.slow_share else FORGETTING if self.epsilon else STATIC

    @property
    def parts(self) -> list[tuple[float, float]]:
        """Share of the variance and forgetting rate of the independent parts of f."""
        parts = [(1.0 - self.slow_share, self.epsilon), (self.slow_share, _SLOW)]
        return parts if self.slow_share else parts[:1]

    @property
    def label(self) -> str:
        """The case in words."""
        arms = "near-duplicate arms" if self.near_duplicates else "a grid"
        return (
            f"{kernels.find(self.kernel).label}, noise {self.noise:g}, {arms}"
            + (f", epsilon {self.epsilon:g}" if self.epsilon else "")
            + (f" and {_SLOW:g}" if self.slow_share else "")
        )

    def prior(self) -> Prior:
        """8 arms on [0, 1]: few, so that each is observed thousands of times."""
        n_arms, length_scale = 8, 0.2
        arms = np.linspace(0.0, 1.0, n_arms // 2 if self.near_duplicates else n_arms)
        if self.near_duplicates:
            arms = np.concatenate([arms, arms + _APART * length_scale])
        return Prior(arms[:, None], kernels.make(self.kernel, variance=1.0, length_scale=length_scale))

    def observations(self, prior: Prior, rounds: int) -> Iterator[tuple[int, float]]:
        """Arms and values: four in five rounds go to two arms, as those of a policy that has found
        the maximum; the function is a draw from the prior, drifting where the model forgets."""
        rng = streams.generator("accuracy", self.label)
        values, vectors = np.linalg.eigh(prior.gram)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        f = root @ rng.standard_normal(prior.n_arms)
        favoured = rng.choice((0, prior.n_arms // 2), rounds)
        arms = np.where(rng.random(rounds) < 0.8, favoured, rng.integers(prior.n_arms, size=rounds))
        noise = np.sqrt(self.noise) * rng.standard_normal(rounds)
        for arm, z in zip(arms.tolist(), noise, strict=True):
            yield arm, float(f[arm] + z)
            if self.epsilon:
                fresh = root @ rng.standard_normal(prior.n_arms)
                f = np.sqrt(1.0 - self.epsilon) * f + np.sqrt(self.epsilon) * fresh


CASES = [
    *(Case(*each) for each in itertools.product(("se", "matern32"), (1e-2, 1e-6), (False, True))),
    *(Case("matern32", *each) for each in itertools.product((1e-2, 1e-6), (True,), (1e-2, 1e-4))),
    *(Case("matern32", noise, True, 1e-2, 0.3) for noise in (1e-2, 1e-6)),
]


class Batch:
    """The merged engine fed round by round: sums by arm, conditioned on in every round."""

    def __init__(self, prior: Prior, noise_variance: float) -> None:
        self._engine = posterior.make_batch(prior)
        self._noise = noise_variance
        self._precision, self._sums = np.zeros((2, prior.n_arms))

    def observe(self, arm: int, value: float) -> None:
        """Condition on one more observation."""
        self._precision[arm] += 1.0 / self._noise
        self._sums[arm] += value / self._noise
        self._engine.condition_sums(self._precision, self._sums)
        self.mean, self.variance = self._engine.mean, self._engine.variance


class Updated(Batch):
    """The same by updates, however few the arms are. Every other round is without an observation of the arm
    that has most, which the next round brings back."""

    class _Following(posterior.Merged):
        def _follows(self, n: int) -> bool:
            return True

    def __init__(self, prior: Prior, noise_variance: float) -> None:
        super().__init__(prior, noise_variance)
        self._engine = self._Following(prior)
        self._rounds, self._without = 0, np.zeros(prior.n_arms)

    def observe(self, arm: int, value: float) -> None:
        """Condition on one more observation."""
        self._precision += self._without
        self._without[:] = 0.0
        self._rounds += 1
        most = self._precision.argmax()
        if self._rounds % 2 and self._precision[most] > 1.5 / self._noise:
            self._without[most] = 1.0 / self._noise
            self._precision -= self._without
        super().observe(arm, value)


def engine(name: str, prior: Prior, case: Case, rounds: int) -> Any:
    """The engine of a name on a case."""
    if name == "merged":
        return Batch(prior, case.noise)
    if name == "updated":
        return Updated(prior, case.noise)
    if name == "state_space":
        times = [kernels.make("matern12", length_scale=-2.0 / math.log1p(-rate)) for _, rate in case.parts]
        spaces = [share * prior.gram for share, _ in case.parts]
        return posterior.StateSpace(prior, case.noise, list(zip(spaces, times, strict=True)))
    if name == "joint":
        return posterior.JointRoot(prior, case.noise)
    return posterior.make(prior, case.noise, horizon=rounds, epsilon=case.epsilon, engine=name)


class Reference:
    """Posterior in decimal arithmetic, mean and covariance updated by one observation at a time.

    The Kalman recursion of `tvgp.posterior.grid` and `weight_space`; what its updates lose in digits
    stays far below 1e-16.
    """

    def __init__(self, prior: Prior, case: Case) -> None:
        K, G = _decimals(prior.gram), prior.n_arms
        self._noise = decimal.Decimal(case.noise)
        self._places = [slice(i * G, (i + 1) * G) for i in range(len(case.parts))]
        self._mean = np.concatenate([0 * K[0] for _ in case.parts])
        self._P, self._kept = np.multiply.outer(self._mean, self._mean), self._mean.copy()
        self._new = self._P.copy()
        for place, part in zip(self._places, case.parts, strict=True):
            share, rate = map(decimal.Decimal, part)
            self._P[place, place] = share * K
            self._kept[place] = (1 - rate).sqrt()
            self._new[place, place] = share * rate * K

    def observe(self, arm: int, value: float) -> None:
        """Condition on one more observation."""
        c = self._sum(self._P)[:, arm]
        s = self._sum(c)[arm] + self._noise
        self._mean = self._mean + c * ((decimal.Decimal(value) - self._sum(self._mean)[arm]) / s)
        self._P = self._P - np.multiply.outer(c, c / s)

    def advance(self) -> None:
        """One round passes."""
        self._mean = self._mean * self._kept
        self._P = self._P * self._kept[:, None] * self._kept + self._new

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation, (G,)."""
        std = [value.sqrt() for value in self._sum(self._sum(self._P).T).diagonal()]
        return self._sum(self._mean).astype(float), np.array(std, dtype=float)

    def _sum(self, array: np.ndarray) -> np.ndarray:
        """Over the parts of f in the last axis, (..., G)."""
        return sum(array[..., place] for place in self._places[1:]) + array[..., self._places[0]]


def measure(case: Case, names: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    """Errors of engines on a case at the checkpoints up to `rounds`."""
    prior, rows = case.prior(), []
    engines = {name: engine(name, prior, case, rounds) for name in names}
    reference = Reference(prior, case)
    for t, (arm, value) in enumerate(case.observations(prior, rounds), start=1):
        for each in (reference, *engines.values()):
            each.observe(arm, value)
        if t in CHECKPOINTS:
            mean, std = reference.moments()
            for name, each in engines.items():
                row = {"engine": name, "case": case.label, "round": t}
                row |= {"noise": case.noise, "forgets": bool(case.epsilon)}
                row["mean_error"] = float(np.max(np.abs(each.mean - mean) / std))
                row["std_error"] = float(np.max(np.abs(np.sqrt(each.variance) - std) / std))
                rows.append(row)
        if case.epsilon:
            for each in (reference, *engines.values()):
                each.advance()
    return rows


def smooth(rounds: int) -> list[dict[str, Any]]:
    """Errors of the space-time engines under a squared exponential in time, in standard deviations of the
    textbook formula in float64 over all data. Values follow sin(t/l)."""
    case, rows = Case("se", 1e-2, False), []
    prior, checkpoints = case.prior(), [t for t in SMOOTH_CHECKPOINTS if t <= rounds]
    arms = np.array([arm for arm, _ in case.observations(prior, checkpoints[-1])])
    for name, length in itertools.product(("space_time", "state_space"), SMOOTH_LENGTHS):
        time_kernel, times = kernels.make("se", length_scale=length), np.arange(float(len(arms)))
        values, at = np.sin(times / length), times[:, None]
        exact = posterior.Dense(prior)
        own = posterior.make_space_time(prior, case.noise, time_kernel, horizon=rounds, engine=name)
        for t in range(1, len(arms) + 1):
            own.observe(int(arms[t - 1]), values[t - 1])
            if t in checkpoints:
                k_t = time_kernel(at[:t], at[:t])
                exact.condition(arms[:t], values[:t], np.full(t, case.noise), k_t, k_t[-1])
                std = np.sqrt(exact.variance)
                row = {"engine": name, "length_scale": length, "round": t}
                row["mean_error"] = float(np.max(np.abs(own.mean - exact.mean) / std))
                rows.append(row | {"std_error": float(np.max(np.abs(np.sqrt(own.variance) / std - 1.0)))})
            own.advance()
    return rows


def smooth_text(rows: Sequence[dict[str, Any]]) -> str:
    """The section of the page about time kernels."""
    frame = pd.DataFrame(rows)
    frame["errors"] = [f"{row['mean_error']:.1e}, {row['std_error']:.1e}" for row in rows]
    by_round = frame.pivot(index=["engine", "length_scale"], columns="round", values="errors")
    head = ("engine", "length-scale, rounds", *(f"t = {t:,}" for t in by_round.columns))
    lines = [(name, f"{length:g}", *cells) for (name, length), *cells in by_round.itertuples()]
    return f"{_SMOOTH}\n{page.table(head, lines)}"


def _decimals(table: np.ndarray) -> np.ndarray:
    flat = [decimal.Decimal(value) for value in table.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(table.shape)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases; a run of all rounds writes the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds per case; fewer write no page")
    rounds, rows = parser.parse_args(arguments).rounds, []
    line = "{engine:13} {case:60} {round:6} {mean_error:.1e} {std_error:.1e}\n"
    with decimal.localcontext(prec=_DIGITS):
        for case in CASES:
            own = measure(case, case.engines, rounds)
            sys.stdout.write("".join(line.format(**row) for row in own))
            sys.stdout.flush()
            rows += own
    if rounds == ROUNDS:
        table = pd.DataFrame(rows).to_csv(index=False)
        files.write_text(harness.ROOT / "results" / "benchmarks" / "accuracy.csv", table)
        files.write_text(harness.ROOT / "docs" / "accuracy.md", text(rows, smooth(rounds)))


_INTRODUCTION = f"""\
# Accuracy over long runs

`python -m benchmarks.accuracy` writes this page; edits are lost. All engines take in the same
{ROUNDS:,} observations of 8 arms and are compared with a posterior computed in decimal arithmetic of
{_DIGITS} digits on the same Gram matrix. Near-duplicate arms are {_APART:g} length-scales apart; noise is
the noise variance relative to the prior's; epsilon is the forgetting rate of TV-GP-UCB. Errors are the
largest over arms, in exact posterior standard deviations (of the mean, then of the standard deviation).
`merged` is computed afresh from sums by arm in every round, so its error is that of float64, not drift;
`updated` is the same engine where it follows changes of single precisions, with data dropped and brought
back, for 1,024 changes from one computation to the next.

What limits each engine:

- Errors are relative to a standard deviation that falls like t^-1/2, so they grow; those of `merged`,
  which keeps no history, grow at the same rate. No engine has to monitor its own error.
- `weight_space` without a time kernel is recomputed from sums by arm every 4,096 rounds, which changes
  the posterior by less than 1e-6 (`tests/unit/benchmarks/test_accuracy.py`). With near-duplicate arms its
  error is that of a factor of the Gram matrix truncated at 1e-14 of the prior's variance;
  `tvgp.posterior.make` does not choose it where the noise variance is below 1e-5 of the prior's.
- `lazy` is the one whose rounding adds up. Its memory, a number per arm and round for thousands of arms,
  ends a run long before the error matters.
- `joint` (Thompson sampling) adds 1e-10 of the largest variance to the diagonal of a Gram matrix of full
  rank, except where the noise is below 1e-3 of it: visible with near-duplicate arms, Matérn, noise 0.01.
- `state_space` is measured on a field with two time scales, whose slow part has 0.3 of the variance
  (Field-GP-UCB); its rounding errors fade with the data that it forgets.
"""


_SMOOTH = """\
## Squared exponential in time, noise 0.01, a grid

ST-GP-UCB's model, against the textbook formula over all data in float64. `space_time` drops data whose
correlation in time is below 1e-14, for any kernel that decays; `state_space` replaces the kernel by one of
ten states, 1.1e-8 from it at all lags, which the noise amplifies.
"""


def text(rows: Sequence[dict[str, Any]], smooth_rows: Sequence[dict[str, Any]]) -> str:
    """docs/accuracy.md: the largest error per engine, then a table per case."""
    frame, errors = pd.DataFrame(rows), ["mean_error", "std_error"]
    worst = frame.groupby(["forgets", "engine", "noise"])[errors].max().unstack("noise")
    lines = [
        (name, "yes" if forgets else "no")
        + tuple(f"{own[error, noise]:.1e}" for noise in (1e-2, 1e-6) for error in errors)
        for (forgets, name), own in worst.iterrows()
    ]
    head = ("engine", "time kernel", "noise 0.01: mean", "std", "noise 1e-06: mean", "std")
    parts = [_INTRODUCTION, "## Largest error at any checkpoint\n", page.table(head, lines)]
    frame["errors"] = [f"{row['mean_error']:.1e}, {row['std_error']:.1e}" for row in rows]
    for case, own in frame.groupby("case", sort=False):
        by_round = own.pivot(index="engine", columns="round", values="errors").loc[own["engine"].unique()]
        lines = [(name, *cells) for name, *cells in by_round.itertuples()]
        head = ("engine", *(f"t = {t:,}" for t in by_round.columns))
        parts.append(f"## {case}\n\n{page.table(head, lines)}")
    parts.append(smooth_text(smooth_rows))
    return "\n".join(parts)


if __name__ == "__main__":
    main()
