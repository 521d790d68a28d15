"""The test bed of Mauduit25b, Tables 1 and 2: functions of bounded norm on [-50, 50]."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any, cast, get_type_hints

import numpy as np
import xarray as xr

from tvgp import environments, kernels, streams
from tvgp.environments.drift import Drift
from tvgp.kernels import Kernel
from tvgp.posterior import Prior

# Renaming a random stream redraws every run, so this one keeps its old spelling.
STREAM = "aging"


@dataclass(frozen=True)
class TestBed:
    """n_arms and n_centres equispaced points; f_t = sum_i a_i(t) k(., c_i) with |f_t|_k <= B.

    variance, length_scale: of the kernel k; noise_variance: sigma^2 of a fresh observation;
    norm_bound: B; delta: error probability of the confidence widths.
    """

    n_arms: int = 501
    n_centres: int = 20
    variance: float = 0.5
    length_scale: float = 3.0
    noise_variance: float = 0.01
    norm_bound: float = 5.0
    delta: float = 0.05

    def kernel(self, name: str = "se") -> Kernel:
        """The kernel of functions and policies; see `kernels.make`."""
        return kernels.make(name, variance=self.variance, length_scale=self.length_scale)

    def fixed(self, seed: int, kernel: str = "se") -> tuple[np.ndarray, Prior]:
        """The static function of a seed over the arms, (n_arms,), and the prior over the arms."""
        rng = streams.generator(STREAM, seed, "environment")
        environment = environments.make("ageing", kernel=kernel, rng=rng, **self._shape())
        return environment.mean_rewards(1), Prior.of(environment.arms, self.kernel(kernel))

    def drifting(self, alpha: float, horizon: int, rng: np.random.Generator) -> Drift:
        """A drift of exponent alpha whose step equals the standard deviation of the noise."""
        std = float(np.sqrt(self.noise_variance))
        made = environments.make(
            "drift", alpha=alpha, step=std, horizon=horizon, noise_std=std, rng=rng, **self._shape()
        )
        return cast(Drift, made)

    def _shape(self) -> dict[str, Any]:
        names = ("n_arms", "n_centres", "variance", "length_scale", "norm_bound")
        return {name: getattr(self, name) for name in names}


def on_test_bed(**defaults: Any) -> Callable[[Callable[..., xr.Dataset]], Callable[..., xr.Dataset]]:
    """Give `run(seeds, test_bed, ...)` of an analysis the fields of `TestBed` as parameters in its place.

    defaults: fields with another default in this analysis.
    """
    standard, types = TestBed(**defaults), get_type_hints(TestBed)
    own = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(standard, field.name),
            annotation=types[field.name],
        )
        for field in fields(TestBed)
    ]

    def decorate(run: Callable[..., xr.Dataset]) -> Callable[..., xr.Dataset]:
        @wraps(run)
        def flat(seeds: list[int], **values: Any) -> xr.Dataset:
            given = {each.name: values.pop(each.name) for each in own if each.name in values}
            return run(seeds, replace(standard, **given), **values)

        signature = inspect.signature(run)
        others = [each for name, each in signature.parameters.items() if name != "test_bed"]
        flat.__signature__ = signature.replace(parameters=[*others, *own])  # type: ignore[attr-defined]
        flat.__annotations__ = {each.name: each.annotation for each in [*others, *own]}
        return flat

    return decorate
