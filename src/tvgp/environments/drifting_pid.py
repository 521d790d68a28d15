"""Tuning of a PID controller whose plant drifts: gains are judged by a simulated step response.

The plant, with gain K, time constant tau (in seconds), damping zeta and a dead time of 0.2 s:

    tau^2 y'' + 2 zeta tau y' + y = K u(s - 0.2)

The controller, on e = 1 - y, with |u| <= 10 and an integral that stops while u is at its limit:

    u = K_p e + K_i int e ds - K_d y'

    f_t(x) = -log10( 1/8 int_0^8 |e| ds ),  x = the logarithms of K_p, K_i and K_d, scaled to [0, 1]^3

with K_p from 0.1 to 10, K_i from 0.05 to 5 and K_d from 0.02 to 2. log K, log tau and log zeta are 0.6, 0.4
and 0.3 times independent standard Gauss-Markov walks z_{t+1} = sqrt(1 - eps) z_t + sqrt(eps) xi_t, on a plant
with K = 1, tau = 0.5 and zeta = 0.5. Semi-implicit Euler steps of 0.05 s. The problem is ours.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import require_horizon
from tvgp.environments.base.moving_box import MovingBox

_STEP, _STEPS, _DEAD = 0.05, 160, 4  # seconds, and numbers of steps
_LIMIT = 10.0  # of |u|
_LARGEST_ERROR = 1e3  # of |y|, where the simulation of an unstable loop is cut off
_LOW, _HIGH = np.log([0.1, 0.05, 0.02]), np.log([10.0, 5.0, 2.0])
_PLANT = np.log([1.0, 0.5, 0.5])
_SPREAD = np.array([0.6, 0.4, 0.3])


def make(
    epsilon: float = 0.01,
    n_arms: int = 500,
    horizon: int = 200,
    noise_std: float = 0.05,
    candidates: int = 512,
    rng: np.random.Generator | None = None,
) -> DriftingPID:
    """One course of the plant; epsilon: eps; candidates: see `MovingBox`. ValueError for epsilon outside
    [0, 1]."""
    require_horizon("drifting_pid", horizon, 10**7)
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"drifting_pid: epsilon is {epsilon}, must lie in [0, 1]")
    if rng is None:
        raise ValueError("drifting_pid: needs a random stream for its draws")
    z = rng.standard_normal((horizon, 3))
    for t in range(1, horizon):
        z[t] = np.sqrt(1.0 - epsilon) * z[t - 1] + np.sqrt(epsilon) * z[t]
    return DriftingPID(np.exp(_PLANT + _SPREAD * z), n_arms, noise_std, candidates)


class DriftingPID(MovingBox):
    """plants: K, tau and zeta of each round, (horizon, 3)."""

    variation_norm = "sup"

    def __init__(self, plants: np.ndarray, n_arms: int, noise_std: float, candidates: int) -> None:
        super().__init__(3, n_arms, noise_std, candidates)
        self.plants = plants

    def mean_reward_at(self, points: np.ndarray, t: int) -> np.ndarray:
        """f_t at points (n, 3), (n,). IndexError beyond the horizon."""
        gain, tau, zeta = self.plants[t - 1]
        p, i, d = np.exp(_LOW + (_HIGH - _LOW) * np.asarray(points, dtype=float)).T
        y, speed, integral, total = np.zeros((4, len(p)))
        waiting = [np.zeros(len(p))] * _DEAD  # u on its way to the plant
        for _ in range(_STEPS):
            e = 1.0 - y
            wanted = p * e + i * integral - d * speed
            u = np.minimum(np.maximum(wanted, -_LIMIT), _LIMIT)
            integral = np.where(u == wanted, integral + _STEP * e, integral)
            waiting.append(u)
            force = gain * waiting.pop(0) - y - 2.0 * zeta * tau * speed
            speed = speed + _STEP / tau**2 * force
            y = np.minimum(np.maximum(y + _STEP * speed, -_LARGEST_ERROR), _LARGEST_ERROR)
            total = total + np.abs(1.0 - y)
        return -np.log10(total / _STEPS)
