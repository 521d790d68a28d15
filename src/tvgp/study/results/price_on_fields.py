"""Costs of readings in the analysis `price_on_fields`, by blocks of rounds."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.results import blocks
from tvgp.study.results.statistics import Estimate, mean_interval


class FieldCosts:
    """One field. length: rounds of a block; spread: in the units of the field."""

    def __init__(self, data: xr.Dataset, part: str) -> None:
        own = data.sel(part=part)
        self._own = own.isel(round=own.every_regret.notnull().all("seed").values)
        self.spread = float(own.spread)
        series = self._own.fixed_regret.transpose("moment", "number", "seed", "round").values
        self.length = blocks.common_length(series.reshape(-1, *series.shape[-2:]))

    def fixed(self, number: int, share: float, moment: str = "before") -> np.ndarray:
        """Of readings before the choice, or after it: regret plus price times readings, (blocks,)."""
        regret = self._own.fixed_regret.sel(number=number, moment=moment)
        return self._blocks(regret + share * self.spread * number)

    def rule(self, rule: str, share: float) -> np.ndarray:
        """Regret plus price times readings, (blocks,)."""
        at = {"rule": rule, "share": share}
        cost = self._own.rule_regret.sel(at) + share * self.spread * self._own.rule_queries.sel(at)
        return self._blocks(cost)

    def queries(self, rule: str, share: float) -> float:
        """Readings per round."""
        return float(self._own.rule_queries.sel(rule=rule, share=share).mean())

    def best(self, share: float, moment: str = "before") -> int:
        """The fixed number of least cost, known only afterwards."""
        return int(min(self._own.number.values, key=lambda number: self.fixed(number, share, moment).mean()))

    def ratio(self, rule: str, share: float) -> Estimate:
        """Cost of a rule over that of the best fixed number, blocks paired."""
        return blocks.ratio(self.rule(rule, share), self.fixed(self.best(share), share))

    def three_against_all(self) -> Estimate:
        """Regret of three readings before the choice minus that of all sites read after it."""
        return mean_interval(blocks.joined(self.fixed(3, 0.0) - self._blocks(self._own.every_regret)))

    def _blocks(self, series: xr.DataArray) -> np.ndarray:
        return blocks.block_means(series.mean("seed").values, self.length)
