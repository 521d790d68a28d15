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

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.linalg.blas import dger, dsymv

from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.posterior import Prior, WeightSpace

# Observations whose noise contributes less than this share of the newest one's variance are omitted.
_NEGLIGIBLE = 1e-10
# Maximum number of rounds between updates of the older gains.
_EVERY = 64


def matched_epsilon(growth: NoiseGrowth, variance: float) -> float:
    """epsilon with E (f_{t+1} - f_t)^2 = 2 k(x, x) (1 - sqrt(1 - eps)) = sigma^2.

    The difference between neighbouring rounds is then the one that ageing by one round represents
    (Mauduit25b 7). variance: k(x, x). ValueError if the noise is too large for any epsilon.
    """
    rho = 1.0 - growth.noise_variance / (2.0 * variance)
    if not 0.0 < rho < 1.0:
        raise ValueError(
            f"ageing: noise variance is {growth.noise_variance}; expected less than {2 * variance:g}, twice"
            " the prior variance, for TV-GP-UCB"
        )
    return 1.0 - rho * rho


class _Older:
    """The older rounds: their gains before the matrices of the last rounds, and all z."""

    def __init__(self, scale: np.ndarray, rank: int, draws: np.random.Generator) -> None:
        """scale: sqrt(v) rho^(lag + 1) by lag, (memory,)."""
        memory = len(scale)
        # row 2 memory - 1 - i: for a round in slot i of the ring, the scale of every slot
        self._scales = sliding_window_view(np.concatenate([scale[::-1]] * 3), memory)
        # rows: g_{t,s} rho^-(t - s + 1) of round s in slot s mod memory
        self._gains = np.zeros((memory, rank))
        self._draws, self._z = draws, np.empty((min(_EVERY, memory), memory))

    def coming(self, first: int) -> tuple[np.ndarray, np.ndarray]:
        """For the next rounds, from round `first` on, counted from 0: scaled z of the rounds among them,
        (rounds, rounds), lower triangle, and what the older ones add to the weights, (rounds, r)."""
        rounds, memory = self._z.shape
        slots = np.arange(first, first + rounds) % memory
        z = self._draws.standard_normal(self._z.shape, out=self._z)  # round by round
        row = 2 * memory - 1 - slots.item(0)
        z *= self._scales[row : row - rounds : -1]
        recent = np.tril(z[:, slots])
        z[:, slots] -= recent
        return recent, z @ self._gains

    def close(self, first: int, step: np.ndarray, recent: np.ndarray) -> None:
        """The rounds from `first` on are over: the product of their matrices (r, r), their gains (n, r)."""
        self._gains = self._gains @ step
        self._gains[np.arange(first, first + len(recent)) % len(self._gains)] = recent


class AgeingWeightSpace(WeightSpace):
    """Posterior of ageing data under the time kernel; `mean` is redrawn in every round."""

    def __init__(
        self, prior: Prior, growth: NoiseGrowth, f: np.ndarray, noise: np.random.Generator, epsilon: float
    ) -> None:
        """f: the fixed function, (n_arms,); noise: the stream of z; epsilon: of the time kernel, in
        (0, 1)."""
        super().__init__(prior, growth.noise_variance, epsilon)
        self.f = f
        self._noiseless = self.mean
        rank = self._F.shape[1]
        # sqrt(v) rho^(lag + 1), lags from 0
        lags = np.arange(np.ceil(np.log(1e-30) / np.log(self._rho**2)))
        scale = self._rho ** (lags + 1) / np.sqrt(1.0 / growth.variance(lags))
        scale = scale[: int(np.flatnonzero(scale**2 > _NEGLIGIBLE * scale[0] ** 2)[-1]) + 1]
        self._older = _Older(scale, rank, noise)
        self._step = np.eye(rank)
        self._recent = np.zeros((min(_EVERY, len(scale)), rank))

    def begin_round(self, arm: int) -> None:
        """Does nothing: rounds are counted by their observations."""

    def answer(self, t: int, arms: np.ndarray) -> np.ndarray:
        """f at arms (m,); TV-GP-UCB asks about none."""
        return self.f[arms]

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on the arm played in this round."""
        phi = self._F[arm]
        scaled = dsymv(1.0, self._P, phi, lower=1) / (self.variance.item(arm) + self._noise)
        held = self.n % len(self._recent)
        _follow(self._recent[:held], phi, scaled)
        _follow(self._step, phi, scaled)
        self._recent[held] = scaled
        self.mean = self._noiseless
        super().observe(arm, self.f.item(arm))

    def advance(self, rounds: int = 1) -> None:
        """One round passes, and all observations are redrawn. ValueError for several rounds."""
        if rounds != 1:
            raise ValueError(f"ageing: {rounds} rounds pass at once, expected 1; play every round")
        super().advance()
        self._noiseless = self.mean
        held = (self.n - 1) % len(self._recent)
        first = self.n - 1 - held
        if held == 0:
            self._z, self._from_older = self._older.coming(first)
        noise = self._z[held, : held + 1] @ self._recent[: held + 1] + self._from_older[held] @ self._step
        self.mean = self._noiseless + self._at_arms(noise)
        if held + 1 == len(self._recent):
            self._older.close(first, self._step, self._recent)
            self._step = np.eye(len(self._step))


def _follow(gains: np.ndarray, phi: np.ndarray, scaled: np.ndarray) -> None:
    """gains (n, r) times (I - h phi'/s)', in place; scaled: h / s."""
    if len(gains):  # the transpose is in Fortran order and overwritten
        dger(-1.0, scaled, gains @ phi, a=gains.T, overwrite_a=1)
