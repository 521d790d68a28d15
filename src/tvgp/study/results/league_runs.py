"""The league as a table of runs, which entries from elsewhere join, and what it says of its methods.

A row is a run of a method in an environment:

| column | meaning |
| --- | --- |
| environment, family | where it was played, and how that changes: families weigh the same |
| method, algorithm | the variant, and the plug-in it is of |
| setting | printed, tuned, asks first (about f_t, before it chooses), or control |
| seed | runs of one seed in one environment have the same draws and noise |
| queries, places | expert queries, and distinct arms evaluated, per round |
| uniform | average regret of uniform play in the environment |
| at_5, ..., at_100 | regret per round of the first 5 %, ..., 100 % of the rounds |
| source | "study" for runs of the published study, else the file and digest of the entry |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tvgp import streams
from tvgp.plugins import nearest
from tvgp.study.execution import files
from tvgp.study.results.statistics import Estimate, mean_interval, share_interval

SHARES = range(5, 101, 5)
CURVE = tuple(f"at_{share}" for share in SHARES)
KEY = ("environment", "method", "seed")
COLUMNS = (
    "environment",
    "family",
    "method",
    "algorithm",
    "setting",
    "seed",
    "queries",
    "places",
    "uniform",
    *CURVE,
    "source",
)
STUDY = "study"
_RESAMPLES = 2_000


def curve(regret: np.ndarray) -> np.ndarray:
    """Regret per round of the first 5 %, ..., 100 % of the rounds: regret (T,) -> (20,)."""
    ends = np.ceil(np.array(SHARES) * len(regret) / 100).astype(int)
    return np.cumsum(regret)[ends - 1] / ends


def read(path: str | Path) -> pd.DataFrame:
    """A table of runs. ValueError for any other file."""
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not a table of runs ({error})") from None
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise ValueError(f"{path}: no column {missing[0]}; expected a table of `tvgp league`")
    numbers = table[["seed", "queries", "places", "uniform", *CURVE]]
    if not all(pd.api.types.is_numeric_dtype(numbers[name]) for name in numbers):
        raise ValueError(f"{path}: text where a number belongs; expected a table of `tvgp league`")
    return table[list(COLUMNS)]


def write(path: str | Path, runs: pd.DataFrame) -> None:
    """Write a table of runs, with six digits."""
    files.write_text(path, runs.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def merged(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The runs of several tables, each once. ValueError for two different results of one run, and for an
    environment that differs between tables."""
    told = [*KEY, "queries", "places", "uniform", *CURVE]
    table = pd.concat(tables, ignore_index=True).drop_duplicates(told, ignore_index=True)
    twice = table[table.duplicated(list(KEY))]
    if len(twice):
        run = twice.iloc[0]
        raise ValueError(
            f"{run.method} in {run.environment}, seed {run.seed}: two different results; rename one of the"
            " entries, or remove it"
        )
    unlike = table.groupby("environment").uniform.nunique()
    if (unlike > 1).any():
        raise ValueError(
            f"{unlike.idxmax()}: uniform play has other regret in one of the tables, so that they are of"
            " other environments; play the entry again with this version"
        )
    return table.sort_values(list(KEY), ignore_index=True)


@dataclass(frozen=True)
class LeagueCosts:
    """costs: regret per round over that of uniform play, plus a price per query, (methods, environments);
    families: of the environments, which weigh the same."""

    costs: pd.DataFrame
    families: pd.Series

    def __post_init__(self) -> None:
        methods, environments = self.costs.shape
        if methods < 2:
            raise ValueError(
                f"league: {methods} methods were played in all of {environments} environments, expected two"
                " or more; select more of them, or leave the figures and tables of the league out"
            )

    @classmethod
    def of(cls, runs: pd.DataFrame, price: float = 0.0) -> LeagueCosts:
        """The league of the methods that were played in every environment. ValueError without two."""
        cost = runs.at_100 / runs.uniform + price * runs.queries
        costs = cost.groupby([runs.method, runs.environment]).mean().unstack().dropna()
        families = runs.groupby("environment").family.first()[costs.columns]
        return cls(costs, families)

    @classmethod
    def of_costs(
        cls, methods: Sequence[str], environments: Sequence[str], costs: np.ndarray, families: Sequence[str]
    ) -> LeagueCosts:
        """The league of methods with these costs (methods, environments), NaN where not played, as far as
        they were played everywhere. ValueError without two."""
        table = pd.DataFrame(costs, index=list(methods), columns=list(environments)).dropna()
        return cls(table, pd.Series(list(families), table.columns))

    @property
    def weights(self) -> pd.Series:
        """Of the environments, with which families weigh the same, their sum 1."""
        weights = 1.0 / self.families.map(self.families.value_counts())
        return weights / weights.sum()

    def mean_ranks(self, without: str | None = None) -> pd.Series:
        """Mean rank of each method, 1 for the least cost everywhere, best first; without a family."""
        weights = self.weights[self.families != without]
        ranks = self.costs[weights.index].rank()
        return (ranks @ weights / weights.sum()).sort_values(kind="stable")

    def changes(self) -> dict[str, str]:
        """The families without which another method is first, and that method."""
        first = self.mean_ranks().index[0]
        found = {family: self.mean_ranks(family).index[0] for family in sorted(set(self.families))}
        alone = len(found) == 1
        return {} if alone else {family: best for family, best in found.items() if best != first}

    def wins(self, method: str, other: str) -> Estimate:
        """Share of environments in which a method costs less than another, ties by halves, families equal;
        with a percentile interval from resampled environments, no narrower than where all agree (exact)."""
        difference = (self.costs.loc[method] - self.costs.loc[other]).to_numpy()
        won = (difference < 0) + 0.5 * (difference == 0)
        rng = streams.generator("contest", "wins", method, other)
        drawn = rng.integers(len(won), size=(_RESAMPLES, len(won)))
        weights = self.weights.to_numpy()[drawn]
        shares = (won[drawn] * weights).sum(axis=1) / weights.sum(axis=1)
        low, high = np.quantile(shares, [0.025, 0.975])
        least = share_interval(len(won), len(won)).low
        return Estimate(
            float(won @ self.weights), min(float(low), least), max(float(high), 1 - least), len(won)
        )

    def profile(self, factor: float) -> pd.Series:
        """Share of environments in which a method costs at most so many times the least cost."""
        close = self.costs <= factor * self.costs.min()
        return close.astype(float) @ self.weights

    def profile_curve(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Where the profile of a method rises: factors (m,), the first 1, and its share (m,) from each on."""
        cost, least = self.costs.loc[method].to_numpy(), self.costs.min().to_numpy()
        ratio = np.divide(cost, least, out=np.where(cost > least, np.inf, 1.0), where=least > 0)
        factors = np.unique([1.0, *ratio[np.isfinite(ratio)]])
        return factors, (ratio <= factors[:, None]) @ self.weights.to_numpy()


def differences(runs: pd.DataFrame, method: str, other: str, price: float = 0.0) -> dict[str, Estimate]:
    """Paired by seed: cost of a method less that of another in each environment that both were played in,
    with its 95 % interval. ValueError where there is no such run."""
    cost = (runs.at_100 / runs.uniform + price * runs.queries).set_axis(
        pd.MultiIndex.from_frame(runs[["method", "environment", "seed"]])
    )
    for name in (method, other):
        if name not in cost.index:
            known = sorted(set(runs.method))
            meant = nearest(name, known)
            raise ValueError(f"no runs of {name!r}{meant}; methods of these tables: {', '.join(known)}")
    paired = (cost[method] - cost[other]).dropna()
    if paired.empty:
        raise ValueError(f"{method} and {other} have no environment and seed in common")
    return {str(name): mean_interval(each) for name, each in paired.groupby(level="environment")}
