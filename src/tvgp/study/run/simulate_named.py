"""`tvgp.simulate.simulate` on named random streams."""

from __future__ import annotations

from typing import Any

from tvgp import streams
from tvgp.contracts import Environment, Policy
from tvgp.simulate import Run, simulate


def simulate_named(
    policy: Policy,
    environment: Environment,
    horizon: int,
    names: tuple[str | int, ...],
    *own: str | int,
    **options: Any,
) -> Run:
    """A run with the noise of these names, whose policy draws from their stream "policy" and its `own`
    names; options: those of `simulate`."""
    rng = streams.generator(*names, "policy", *own)
    fields = streams.noise_fields(len(environment.arms), *names)
    return simulate(policy, environment, horizon, rng=rng, **fields, **options)
