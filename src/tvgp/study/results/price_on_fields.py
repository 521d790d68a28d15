"""Costs of readings in the analysis `price_on_fields`, by blocks of rounds."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.results import blocks
from tvgp.study.results.statistics import Estimate, mean_interval


class FieldCosts:
    """One part: a field under a setting. length: rounds of a block; spread: in the units of the field. Costs
    are regret plus price times readings, (blocks,); prices are shares of the spread."""

    def __init__(self, data: xr.Dataset, part: str) -> None:
        own = data.sel(part=part)
        self._own = own.isel(round=own.every_regret.notnull().all(("moment", "seed")).values)
        self.spread = float(own.spread)
        series = self._own.fixed_regret.transpose("moment", "number", "seed", "round").values
        self.length = blocks.common_length(series.reshape(-1, *series.shape[-2:]))

    def fixed(self, number: int, share: float, moment: str = "before") -> np.ndarray:
        """Of a number of readings."""
        return self._cost("fixed", share, moment=moment, number=number)

    def every(self, share: float, moment: str = "before") -> np.ndarray:
        """Of reading every site."""
        return self._cost("every", share, moment=moment)

    def rule(self, rule: str, share: float, moment: str = "before") -> np.ndarray:
        """Of a rule at a price."""
        return self._cost("rule", share, moment=moment, rule=rule, share=share)

    def informed(self) -> np.ndarray:
        """Regret of who knows all values of the round before."""
        return blocks.block_means(self._own.informed.values, self.length)

    def per_round(self, what: str, rule: str, share: float, moment: str = "before") -> float:
        """Mean of `queries` or `places`."""
        return float(self._own[f"rule_{what}"].sel(rule=rule, share=share, moment=moment).mean())

    def best(self, share: float, moment: str = "before") -> int:
        """The fixed number of least cost, known only afterwards."""
        return int(min(self._own.number.values, key=lambda number: self.fixed(number, share, moment).mean()))

    def ratio(self, rule: str, share: float) -> Estimate:
        """Cost of a rule over that of the best fixed number, blocks paired."""
        return blocks.ratio(self.rule(rule, share), self.fixed(self.best(share), share))

    def difference(self, rule: str, share: float) -> Estimate:
        """Cost of a rule before the choice minus that after it."""
        return mean_interval(blocks.joined(self.rule(rule, share) - self.rule(rule, share, "after")))

    def three_against_all(self) -> Estimate:
        """Regret of three readings before the choice minus that of all sites read after it."""
        return mean_interval(blocks.joined(self.fixed(3, 0.0) - self.every(0.0, "after")))

    def _cost(self, kind: str, price: float, **at: str | float) -> np.ndarray:
        regret, queries = (self._own[f"{kind}_{what}"].sel(at) for what in ("regret", "queries"))
        cost = regret + price * self.spread * queries
        return blocks.block_means(cost.mean("seed").values, self.length)
