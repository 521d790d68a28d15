"""Coverage of |mu_{t-1}(x) - f(x)| <= width_t sigma_{t-1}(x) where observations age as assumed, one method
per part: the premise of Mauduit25b, Lemma 2.3, which the function of its Fig. 2 does not meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.ageing import methods
from tvgp.ageing.simulate import simulate
from tvgp.study.analyses.base import ageing_method
from tvgp.study.analyses.base.testbed import STREAM, TestBed, on_test_bed

_SLACK = 1e-9  # for rounding


@on_test_bed()
def run(
    seeds: list[int], test_bed: TestBed, method: str, alpha: float = 1.0, horizon: int = 500
) -> xr.Dataset:
    """Runs of a method (`tvgp.ageing.methods`) in the test bed of the analysis `ageing`.

    covered (seed, round): share of the arms within the width; everywhere (seed, round): whether all are.
    Round 1 is omitted, as there are no data yet. ValueError for an unknown method.
    """
    covered = np.array([_covered(seed, test_bed, method, alpha, horizon) for seed in seeds])
    dims = ("seed", "round")
    return xr.Dataset(
        {"covered": (dims, covered), "everywhere": (dims, (covered == 1.0).astype(float))},
        coords={"round": np.arange(2, horizon + 1)},
    )


def _covered(seed: int, test_bed: TestBed, method: str, alpha: float, horizon: int) -> list[float]:
    policy, engine, f = ageing_method.make(test_bed, method, alpha, seed, horizon)
    shares: list[float] = []

    def judge(t: int) -> None:
        mean, half, _ = policy.confidence_band(t + 1)
        shares.append(float((np.abs(mean - f) <= half * (1 + _SLACK)).mean()))

    rng = streams.generator(STREAM, f"{alpha:g}", seed, "policy", method)
    simulate(policy, engine, horizon, rng=rng, on_round=judge)
    return shares[:-1]


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The environment and the algorithm, loaded by name."""
    return ("tvgp.environments.ageing", f"tvgp.policies.{methods.algorithm(method)}")
