"""Weight-space engine of TV-GP-UCB whose observations have fresh noise in every round.

The posterior mean is linear in the data, mu_t = F sum_s g_{t,s} y_s with K = F F' and

    g_{t,t} = rho h_t / s_t,   g_{t,s} = rho (g_{t-1,s} - h_t phi_t'g_{t-1,s} / s_t),   s < t,

h_t = P phi_t, s_t = phi_t'h_t + sigma^2, phi_t the row of F of the arm played, P and rho as in
`tvgp.posterior.weight_space`. At time t the observation of round s is f(x_s) + sqrt(v) z with
fresh z and v = sigma^2 (1 + (t - s)^alpha), so mu_t is that engine's mean for the values f(x_s) plus
F sum_s g_{t,s} sqrt(v_{t-s}) z_s. The data of an arm cannot be merged, because their covariances
depend on their ages; but g decays as rho^lag, so only recent rounds matter. Each round multiplies all
gains by the same matrix, (I - h phi'/s)'; for older rounds the matrices of up to 64 rounds are
multiplied first and applied at once.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger, dsymv

from tvgp.ageing.law import Law
from tvgp.posterior import Prior, WeightSpace

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


class AgeingWeightSpace(WeightSpace):
    """Posterior of ageing data under the time kernel; `mean` is redrawn in every round."""

    def __init__(
        self, prior: Prior, law: Law, f: np.ndarray, noise: np.random.Generator, epsilon: float
    ) -> None:
        """f: the fixed function, (n_arms,); noise: the stream of z; epsilon: of the time kernel, in
        (0, 1)."""
        super().__init__(prior, law.noise_variance, epsilon)
        self.f, self._draws = f, noise
        self._noiseless = self.mean
        rank = self._F.shape[1]
        # sqrt(v) rho^(lag + 1), lags from 0; stored twice so that the ring buffer reads one slice
        lags = np.arange(np.ceil(np.log(1e-30) / np.log(self._rho**2)))
        scale = self._rho ** (lags + 1) / np.sqrt(1.0 / law.variance(lags))
        memory = int(np.flatnonzero(scale**2 > _NEGLIGIBLE * scale[0] ** 2)[-1]) + 1
        self._scale = np.concatenate([scale[:memory][::-1]] * 2)
        # rows: g_{t,s} rho^-(t - s + 1) of round s at index s mod memory, for the older rounds
        # before the matrices of the last rounds, whose product is `step`
        self._gains = np.zeros((memory, rank), order="F")
        self._step = np.eye(rank)
        self._recent = np.zeros((min(_EVERY, memory), rank))

    def begin_round(self, arm: int) -> None:
        """Does nothing: rounds are counted by their observations."""

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on the arm played in this round."""
        phi = self._F[arm]
        h = dsymv(1.0, self._P, phi, lower=1)
        s = self.variance.item(arm) + self._noise
        held = self.n % len(self._recent)
        for gains in (self._recent[:held], self._step) if held else (self._step,):
            # gains' is in Fortran order and overwritten in place
            dger(-1.0 / s, h, gains @ phi, a=gains.T, overwrite_a=1)
        self._recent[held] = h / s
        self.mean = self._noiseless
        super().observe(arm, self.f.item(arm))

    def advance(self, rounds: int = 1) -> None:
        """One round passes, and all observations are redrawn. ValueError for several rounds."""
        if rounds != 1:
            raise ValueError(f"ageing: {rounds} rounds pass at once, expected 1; play every round")
        super().advance()
        self._noiseless = self.mean
        memory, latest = len(self._gains), self.n - 1
        slot, held = latest % memory, latest % len(self._recent)
        # index i holds lag (slot - i) mod memory
        first = memory - 1 - slot
        z = self._scale[first : first + memory] * self._draws.standard_normal(memory)
        recent = np.arange(slot - held, slot + 1)  # negative: from the end of the ring
        noise = z[recent] @ self._recent[: held + 1]
        z[recent] = 0.0
        noise += (z @ self._gains) @ self._step
        self.mean = self._noiseless + self._at_arms(noise)
        if held + 1 == len(self._recent):
            self._gains[:] = self._gains @ self._step
            self._gains[recent] = self._recent
            self._step = np.eye(len(self._step))
