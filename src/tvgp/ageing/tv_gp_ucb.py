"""TV-GP-UCB where observations age (`tvgp.ageing.simulate`).

Its posterior mean is linear in the data, mu_t = F sum_s g_{t,s} y_s with K = F F' and

    g_{t,t} = rho h_t / s_t,   g_{t,s} = rho (g_{t-1,s} - h_t phi_t'g_{t-1,s} / s_t),   s < t,

h_t = P phi_t, s_t = phi_t'h_t + sigma^2, phi_t the row of F of the arm played, P and rho as in
`tvgp.posterior.weight_space`. Seen at time t the observation of round s is f(x_s) + sqrt(v) z with
fresh z and v = sigma^2 (1 + (t - s)^alpha), so that mu_t is the filter's mean of the values f(x_s)
plus F sum_s g_{t,s} sqrt(v_{t-s}) z_s. The data of an arm cannot be taken together, as their
covariances depend on their ages; but g shrinks like rho^lag, and few of them matter. As a round
multiplies all of them by one matrix, (I - h phi'/s)', those of older rounds are multiplied once in
64 rounds, by the product of the matrices.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dgemv, dger, dsymv, dsyr

from tvgp.acquisition import best_arm, random_best_arm
from tvgp.ageing.rules import Ageing
from tvgp.posterior import Prior
from tvgp.simulate import Run
from tvgp.theory.widths import logarithmic_width

# Noise of observations beyond this share of the newest, in variance, is left out.
_NEGLIGIBLE = 1e-10
# Rounds between updates of the older gains, at most.
_EVERY = 64
_RANK_LIMIT = 512


def matched_epsilon(noise_variance: float, variance: float) -> float:
    """epsilon with E (f_{t+1} - f_t)^2 = 2 k(x, x) (1 - sqrt(1 - eps)) = sigma^2.

    It gives neighbouring rounds the difference that ageing by one round stands for (Mauduit25b 7).
    ValueError where the noise is too large for it.
    """
    rho = 1.0 - noise_variance / (2.0 * variance)
    if not 0.0 < rho < 1.0:
        raise ValueError(
            f"ageing: noise variance is {noise_variance}; expected less than {2 * variance:g}, twice"
            " the prior variance, for TV-GP-UCB"
        )
    return 1.0 - rho * rho


class AgeingFilter:
    """Posterior under the time kernel of data that age; `mean` is drawn anew in every round."""

    def __init__(
        self, prior: Prior, ageing: Ageing, epsilon: float, f: np.ndarray, rng: np.random.Generator
    ) -> None:
        self._F = prior.factor(_RANK_LIMIT)
        if self._F is None:
            raise ValueError(f"ageing: numerical rank of the prior is above {_RANK_LIMIT}")
        self._prior, self._f, self._rng = prior, f, rng
        self._noise = ageing.noise_variance
        self._rho = np.sqrt(1.0 - epsilon)
        rank = self._F.shape[1]
        self._P = np.asfortranarray(np.eye(rank))
        self._clean = np.zeros(prior.n_arms)
        self.mean = np.zeros(prior.n_arms)
        self.variance = prior.diagonal.copy()
        self.n = 0
        # sqrt(v) rho^(lag + 1), lags from 0; twice, so that a ring of rounds reads one slice
        lags = np.arange(int(np.ceil(np.log(1e-30) / np.log(self._rho**2))))
        scale = self._rho ** (lags + 1) / np.sqrt(ageing.weights(len(lags))[::-1])
        memory = int(np.flatnonzero(scale**2 > _NEGLIGIBLE * scale[0] ** 2)[-1]) + 1
        self._scale = np.concatenate([scale[:memory][::-1]] * 2)
        # rows: g_{t,s} rho^-(t - s + 1) of round s at place s mod memory, for the older rounds
        # before the matrices of the last rounds, whose product is `step`
        self._gains = np.zeros((memory, rank))
        self._step = np.eye(rank)
        self._recent = np.zeros((min(_EVERY, memory), rank))

    def observe(self, arm: int) -> None:
        """The arm played in this round is seen, all others are seen again, one round passes."""
        phi, memory = self._F[arm], len(self._gains)
        h = dsymv(1.0, self._P, phi, lower=1)
        s = self.variance[arm] + self._noise
        u = dgemv(1.0, self._F.T, h, trans=1)
        held = self.n % len(self._recent)
        for gains in (self._recent[:held], self._step) if held else (self._step,):
            # gains' is in Fortran order and overwritten in place
            dger(-1.0 / s, h, gains @ phi, a=gains.T, overwrite_a=1)
        self._recent[held] = h / s
        dsyr(-1.0 / s, h, lower=1, a=self._P, overwrite_a=True)
        self._clean += ((self._f[arm] - self._clean[arm]) / s) * u
        self.variance -= u * u / s
        np.maximum(self.variance, 0.0, out=self.variance)
        rho2 = self._rho**2
        self._P *= rho2
        self._P.flat[:: len(self._P) + 1] += 1.0 - rho2
        self._clean *= self._rho
        self.variance *= rho2
        self.variance += (1.0 - rho2) * self._prior.diagonal
        place = self.n % memory
        self.n += 1
        # place i holds lag (place - i) mod memory
        first = memory - 1 - place
        z = self._scale[first : first + memory] * self._rng.standard_normal(memory)
        recent = np.arange(place - held, place + 1)  # negative: from the end of the ring
        noise = z[recent] @ self._recent[: held + 1]
        z[recent] = 0.0
        self.mean = self._clean + self._F @ (noise + (z @ self._gains) @ self._step)
        if held + 1 == len(self._recent):
            self._gains[:] = self._gains @ self._step
            self._gains[recent] = self._recent
            self._step = np.eye(len(phi))


def simulate(
    prior: Prior,
    ageing: Ageing,
    f: np.ndarray,
    horizon: int,
    epsilon: float,
    *,
    rng: np.random.Generator,
    noise: np.random.Generator,
) -> Run:
    """Play TV-GP-UCB, width sqrt(0.8 log 4t), on the fixed function f, (n_arms,).

    rng: the method's own stream; noise: the stream of its draws.
    """
    engine = AgeingFilter(prior, ageing, epsilon, f, noise)
    arms = np.empty(horizon, dtype=np.int32)
    for t in range(1, horizon + 1):
        scores = engine.mean + logarithmic_width(0.8, 4.0, t) * np.sqrt(engine.variance)
        arms[t - 1] = random_best_arm(scores, rng) if t == 1 else best_arm(scores)
        engine.observe(int(arms[t - 1]))
    return Run(arms, f[arms], f.max() - f[arms], np.zeros(horizon, dtype=np.int32))
