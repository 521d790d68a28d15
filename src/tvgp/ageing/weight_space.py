"""Weight-space engine of TV-GP-UCB whose observations have fresh noise in every round.

The posterior mean is linear in the data, mu_t = F sum_s g_{t,s} y_s with K = F F' and

    g_{t,t} = rho h_t / s_t,   g_{t,s} = rho (g_{t-1,s} - h_t phi_t'g_{t-1,s} / s_t),   s < t,

h_t = P phi_t, s_t = phi_t'h_t + sigma^2, phi_t the row of F of the arm played, P and rho as in
`tvgp.posterior.weight_space`. At time t the observation of round s is f(x_s) + sqrt(v) z with
fresh z and v = sigma^2 (1 + (t - s)^alpha), so mu_t is that engine's mean for the values f(x_s) plus
F sum_s g_{t,s} sqrt(v_{t-s}) z_s. The data of an arm cannot be merged, because their covariances
depend on their ages; but g decays as rho^lag, so only recent rounds matter. Each round multiplies all
gains by the same matrix, (I - h phi'/s)'; for older rounds the matrices of up to 64 rounds are
multiplied first and applied at once, and so are their gains to the z of these rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.linalg.blas import dger, dsymv

from tvgp.ageing.law import Law
from tvgp.posterior import WeightSpace, WeightSpaceCopies

# Observations whose noise contributes less than this share of the newest one's variance are omitted.
_NEGLIGIBLE = 1e-10
# Maximum number of rounds between updates of the older gains.
_EVERY = 64


def matched_epsilon(law: Law, variance: float) -> float:
    """epsilon with E (f_{t+1} - f_t)^2 = 2 k(x, x) (1 - sqrt(1 - eps)) = sigma^2.

    The difference between neighbouring rounds is then the one that ageing by one round represents
    (Mauduit25b 7). variance: k(x, x). ValueError if the noise is too large for any epsilon.
    """
    rho = 1.0 - law.noise_variance / (2.0 * variance)
    if not 0.0 < rho < 1.0:
        raise ValueError(
            f"ageing: noise variance is {law.noise_variance}; expected less than {2 * variance:g}, twice"
            " the prior variance, for TV-GP-UCB"
        )
    return 1.0 - rho * rho


class _Older:
    """The older rounds of one run: their gains before the matrices of the last rounds, and all z."""

    def __init__(self, scale: np.ndarray, rank: int, draws: np.random.Generator, room: np.ndarray) -> None:
        """scale: sqrt(v) rho^(lag + 1) by lag, (memory,); room: a buffer for z, (rounds, memory), which other
        runs may share."""
        memory = len(scale)
        # row 2 memory - 1 - i: for a round in slot i of the ring, the scale of every slot
        self._scales = sliding_window_view(np.concatenate([scale[::-1]] * 3), memory)
        # rows: g_{t,s} rho^-(t - s + 1) of round s in slot s mod memory
        self._gains = np.zeros((memory, rank))
        self._draws, self._room = draws, room

    def coming(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """For the next rounds, from round `first` on, counted from 0: scaled z of the rounds among them,
        (rounds, rounds), lower triangle, and what the older ones add to the weights, (rounds, r)."""
        rounds, memory = self._room.shape
        slots = np.arange(first, first + rounds) % memory
        z = self._draws.standard_normal(self._room.shape, out=self._room)  # round by round
        row = 2 * memory - 1 - slots.item(0)
        z *= self._scales[row : row - rounds : -1]
        recent = np.tril(z[:, slots])
        z[:, slots] -= recent
        return recent, z @ self._gains

    def close(self, first: int, step: np.ndarray, recent: np.ndarray) -> None:
        """The rounds from `first` on are over: the product of their matrices (r, r), their gains (n, r)."""
        self._gains = self._gains @ step
        self._gains[np.arange(first, first + len(recent)) % len(self._gains)] = recent


class _Redrawn:
    """What the engines below add to those of `tvgp.posterior`; arrays of B runs have a leading axis."""

    n: int
    mean: Any
    variance: Any
    _F: np.ndarray
    _rho: float
    _noise: float
    _at_arms: Any
    _direction: Any
    _follow: Any

    def __init__(self, prior: Any, law: Law, f: np.ndarray, noise: Any, epsilon: float) -> None:
        """f: the fixed function, (n_arms,); noise: the stream of z, one per run in lockstep; epsilon: of the
        time kernel, in (0, 1)."""
        engine: Any = super()
        engine.__init__(prior, law.noise_variance, epsilon)
        self.f = f
        self._noiseless = self.mean
        rank = self._F.shape[1]
        # sqrt(v) rho^(lag + 1), lags from 0
        lags = np.arange(np.ceil(np.log(1e-30) / np.log(self._rho**2)))
        scale = self._rho ** (lags + 1) / np.sqrt(1.0 / law.variance(lags))
        scale = scale[: int(np.flatnonzero(scale**2 > _NEGLIGIBLE * scale[0] ** 2)[-1]) + 1]
        streams = noise if prior.runs else [noise]
        room = np.empty((min(_EVERY, len(scale)), len(scale)))
        self._older = [_Older(scale, rank, stream, room) for stream in streams]
        self._identity = np.tile(np.eye(rank), (*prior.runs, 1, 1))
        self._step = self._identity.copy()
        self._recent = np.zeros((*prior.runs, len(room), rank))

    def begin_round(self, arm: int | np.ndarray) -> None:
        """Does nothing: rounds are counted by their observations."""

    def observe(self, arm: Any, value: Any, noise_variance: Any = None) -> None:
        """Condition on the arm played in this round, or on that of each run."""
        phi, h = self._direction(arm)
        scaled = h / np.asarray(self.variance.take(arm) + self._noise)[..., None]
        held = self.n % self._recent.shape[-2]
        for gains in (self._recent[..., :held, :], self._step):
            self._follow(gains, phi, scaled)
        self._recent[..., held, :] = scaled
        self.mean = self._noiseless
        engine: Any = super()
        engine.observe(arm, self.f.take(arm))

    def advance(self, rounds: int = 1) -> None:
        """One round passes, and all observations are redrawn. ValueError for several rounds."""
        if rounds != 1:
            raise ValueError(f"ageing: {rounds} rounds pass at once, expected 1; play every round")
        engine: Any = super()
        engine.advance()
        self._noiseless = self.mean
        every, rank = self._recent.shape[-2:]
        held = (self.n - 1) % every
        first = self.n - 1 - held
        if held == 0:
            self._draw(first)
        noise = np.matmul(self._z[..., held, None, : held + 1], self._recent[..., : held + 1, :])
        noise += np.matmul(self._from_older[..., held, None, :], self._step)
        self.mean = self._noiseless + self._at_arms(noise[..., 0, :])
        if held + 1 == every:
            steps, gains = self._step.reshape(-1, rank, rank), self._recent.reshape(-1, every, rank)
            for older, step, recent in zip(self._older, steps, gains, strict=True):
                older.close(first, step, recent)
            self._step = self._identity.copy()

    def _draw(self, first: int) -> None:
        """All z of the rounds from `first` on until the older gains change."""
        every = self._recent.shape[-2]
        coming = [older.coming(first) for older in self._older]
        self._z = np.array([z for z, _ in coming]).reshape(*self._recent.shape[:-1], every)
        self._from_older = np.array([noise for _, noise in coming]).reshape(self._recent.shape)


class AgeingWeightSpace(_Redrawn, WeightSpace):
    """Posterior of ageing data under the time kernel; `mean` is redrawn in every round."""

    def _direction(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """phi and P phi, (r,)."""
        return self._F[arm], dsymv(1.0, self._P, self._F[arm], lower=1)

    @staticmethod
    def _follow(gains: np.ndarray, phi: np.ndarray, scaled: np.ndarray) -> None:
        """gains (n, r) times (I - h phi'/s)', in place; scaled: h / s."""
        if len(gains):  # the transpose is in Fortran order and overwritten
            dger(-1.0, scaled, gains @ phi, a=gains.T, overwrite_a=1)


class AgeingWeightSpaceCopies(_Redrawn, WeightSpaceCopies):
    """The same for several runs in lockstep."""

    def _direction(self, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """phi and P phi of each run, (B, r)."""
        phi = self._F[arms % len(self._F)]
        return phi, np.matmul(self._P, phi[:, :, None])[:, :, 0]

    @staticmethod
    def _follow(gains: np.ndarray, phi: np.ndarray, scaled: np.ndarray) -> None:
        """The same for gains (B, n, r)."""
        gains -= np.matmul(gains, phi[:, :, None]) * scaled[:, None]
