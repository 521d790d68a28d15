"""Runs of policies with varied settings on one problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tvgp import policies
from tvgp.contracts import Environment, Moment
from tvgp.kernels import Kernel
from tvgp.simulate import Run
from tvgp.study.results.tuning import PRINTED
from tvgp.study.run.simulate_named import simulate_named

# The grid of equal tuning: constant factors of sigma, and the algorithm's own width.
WIDTHS = (PRINTED, 0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16)


class Player:
    """Plays policies on an environment with the noise of one run.

    names: of the random streams; known: numbers that every algorithm receives that has a parameter of the
    name; log_scale: of `policies.make`.
    """

    def __init__(
        self,
        environment: Environment,
        kernel: Kernel,
        noise_variance: float,
        horizon: int,
        names: tuple[str | int, ...],
        known: Mapping[str, Any],
        log_scale: Sequence[float] | None = None,
    ) -> None:
        self._environment, self._horizon, self._names = environment, horizon, names
        self.arms = environment.arms
        self._model: dict[str, Any] = {
            "arms": environment.arms,
            "kernel": kernel,
            "noise_variance": noise_variance,
            "log_scale": log_scale,
        }
        self._known = known

    def __call__(self, algorithm: str, moment: Moment = "after", **values: Any) -> Run:
        """A run with these values of parameters, which the algorithm must have, or of others of
        `policies.make`, such as another kernel."""
        accepted = policies.parameters(algorithm)
        known = {name: value for name, value in self._known.items() if name in accepted}
        policy = policies.make(algorithm, **{**self._model, **known, **values})
        return simulate_named(
            policy, self._environment, self._horizon, self._names, algorithm, queries=moment
        )

    def at_widths(
        self,
        widths: Sequence[str | float],
        algorithm: str,
        factor: str = "width",
        **values: Any,
    ) -> np.ndarray:
        """Regret and queries per round at each width, (2, widths); see `WIDTHS`. factor: the algorithm's
        parameter that is its width."""
        found = np.empty((2, len(widths)))
        for w, width in enumerate(widths):
            own: dict[str, Any] = {} if width == PRINTED else {factor: float(width)}
            run = self(algorithm, **values, **own)
            found[:, w] = run.regret.mean(), run.expert_queries.mean()
        return found
