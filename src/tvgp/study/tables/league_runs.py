"""Every run of the league, a row each, for entries from elsewhere (`tvgp.study.results.league_runs`)."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import league, league_runs
from tvgp.study.results.league import Entrants as Parameters


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
    """One row per environment, method and seed of the experiments."""
    table = []
    for part in map(results.at_alpha, results.experiments(collected)):
        uniform, family = league.uniform_regret(part), league.family(part)
        for name in results.variants(part):
            regret = results.of(part, "regret", name)
            queries = results.of(part, "expert_queries", name).mean("round")
            places = results.of(part, "places", name).mean("round")
            shared = {
                "environment": results.name(part),
                "family": family,
                "method": name,
                "algorithm": str(part.algorithm.sel(policy=name).item()),
                "setting": league.setting_of(part, name, parameters.also),
                "uniform": uniform,
                "source": league_runs.STUDY,
            }
            for seed in regret.seed.values:
                own = {"queries": queries.sel(seed=seed).item(), "places": places.sel(seed=seed).item()}
                curve = dict(
                    zip(league_runs.CURVE, league_runs.curve(regret.sel(seed=seed).to_numpy()), strict=True)
                )
                table.append({**shared, "seed": int(seed), **own, **curve})
    return pd.DataFrame(table, columns=list(league_runs.COLUMNS))
