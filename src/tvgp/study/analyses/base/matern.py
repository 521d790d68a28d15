"""Play on the functions of a Matern RKHS with the parameters of Janz20, section 5."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvgp import policies, streams
from tvgp.contracts import Policy
from tvgp.environments.matern_rkhs import MaternRKHS


def played(
    environment: MaternRKHS,
    name: str,
    names: tuple[str | int, ...],
    horizon: int,
    cells_per_side: int | None = None,
) -> Iterator[tuple[int, int, Policy]]:
    """(t, arm, policy) after each round of policy `name`, with noise uniform on [-1, 1].

    names: of the random streams; cells_per_side: of pi-GP-UCB's first partition, None for its default.
    """
    own: dict[str, Any] = {} if cells_per_side is None else {"cells_per_side": cells_per_side}
    policy = policies.make(
        name,
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=1.0,
        norm_bound=environment.norm(1),
        delta=0.1,
        horizon=horizon,
        sub_gaussian=1.0,
        **own,
    )
    f, rng = environment.mean_rewards(1), streams.generator(*names, "policy", name)
    noise = streams.generator(*names, "noise").uniform(-1.0, 1.0, horizon)
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(f[arm] + noise[t - 1]))
        yield t, arm, policy
