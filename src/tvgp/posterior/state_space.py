"""State-space engine: time kernels with an exact filter; O(G r^2 + (m r)^2) per round, flat in t.

f_t(x) = (h_t (x) F[x])' theta_t with K = F F' of rank r and m states per feature:

    theta_{t+1} = (A (x) I) theta_t + N(0, Q (x) I),  Q = Pi - A Pi A',  theta_0 ~ N(0, Pi (x) I).

| k_T(lag) | m | A | Pi | h_t |
| --- | --- | --- | --- | --- |
| constant | 1 | 1 | 1 | 1 |
| exp(-lag/l) | 1 | exp(-1/l) | 1 | 1 |
| (1 + a lag) exp(-a lag), a = sqrt(3)/l | 2 | e^-a [[1+a, 1], [-a^2, 1-a]] | diag(1, a^2) | (1, 0) |
| exp(-2 sin^2(pi lag/p)/w^2) | 2J+1 | I | I | sqrt(q_0), sqrt(q_j) cos(j u), sqrt(q_j) sin(j u) |
| product | m_1 m_2 | A_1 (x) A_2 | Pi_1 (x) Pi_2 | h_1 (x) h_2 |

with u = 2 pi t/p, q_0 = I_0(z) e^-z, q_j = 2 I_j(z) e^-z, z = 1/w^2. The q_j sum to 1: exact but for
harmonics above J, less than 1e-8 of the kernel for w = 1 and J = 8. State-space form of Matern processes:
Sarkka & Solin 2019, section 12.3 (quoted from memory, checked against the dense formula). An observation
is a Kalman update, a round a prediction.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dger

from tvgp.kernels import Constant, Kernel, Matern12, Matern32, Periodic, Product
from tvgp.posterior.deferred import Deferred
from tvgp.posterior.prior import Prior


class StateSpace(Deferred):
    """Exact posterior over all arms through m states per spatial feature."""

    name = "state_space"

    def __init__(
        self, prior: Prior, noise_variance: float, time_kernel: Kernel, *, harmonics: int = 8
    ) -> None:
        """harmonics: J, of a periodic kernel. ValueError for a prior without a factor, see
        `Prior.factor`, and a time kernel without such a form."""
        super().__init__(prior, noise_variance, time_kernel)
        factor = prior.factor(prior.n_arms)
        if factor is None:
            raise ValueError(
                f"state_space engine: the prior over {prior.n_arms} arms is not of low rank; use space_time"
            )
        if not has_states(time_kernel):
            raise ValueError(
                f"state_space engine: {time_kernel} has no finite state-space form; use space_time"
            )
        self._F = factor
        self._outside = np.maximum(prior.diagonal - np.einsum("gr,gr->g", factor, factor), 0.0)
        self._harmonics = harmonics
        self._stationary = stationary(time_kernel, harmonics)
        self.reset()

    def reset(self) -> None:
        """Forget all data, not the time."""
        self._changed()
        self.n = 0
        self.log_det = 0.0
        states, rank = len(self._stationary), self._F.shape[1]
        self._theta = np.zeros(states * rank)
        self._P = np.asfortranarray(np.kron(self._stationary, np.eye(rank)))

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_now(arm) + noise; noise_variance: None for the engine's."""
        noise = noise_variance or self._noise
        phi = np.kron(self._row(), self._F[arm])
        h = self._P @ phi
        s = float(phi @ h) + noise
        self._theta += h * ((value - float(phi @ self._theta)) / s)
        self._P = dger(-1.0 / s, h, h, a=self._P, overwrite_a=1)
        self.log_det += math.log(s / noise)
        self.n += 1
        self._changed()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: Kalman predict steps, in one."""
        super().advance(rounds)
        A = transition(self.time_kernel, rounds, self._harmonics)
        states, rank = len(A), self._F.shape[1]
        if np.array_equal(A, np.eye(states)):
            return
        Q = self._stationary - A @ self._stationary @ A.T
        self._theta = (A @ self._theta.reshape(states, rank)).ravel()
        if np.array_equal(A, A[0, 0] * np.eye(states)):
            self._P *= A[0, 0] ** 2
        else:
            half = (A @ self._P.reshape(states, -1, order="C")).reshape(states * rank, states * rank)
            whole = (A @ half.T.reshape(states, -1, order="C")).reshape(states * rank, states * rank)
            self._P = np.asfortranarray(whole)
        for i in range(states):
            for j in np.flatnonzero(Q[i]):
                block = self._P[i * rank : (i + 1) * rank, j * rank : (j + 1) * rank]
                block[np.diag_indices(rank)] += Q[i, j]

    def _row(self) -> np.ndarray:
        return observation_row(self.time_kernel, self._now, self._harmonics)

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        h, rank = self._row(), self._F.shape[1]
        weights = h @ self._theta.reshape(len(h), rank)
        # P is symmetric, so that its transpose, in C order, is P
        rows = np.tensordot(h, self._P.T.reshape(len(h), rank, len(h), rank), 1)
        P = np.einsum("b,rbc->rc", h, rows)
        variance = np.einsum("gr,gr->g", self._F @ P, self._F) + (h @ self._stationary @ h) * self._outside
        return self._F @ weights, np.maximum(variance, 0.0, out=variance)


def has_states(time_kernel: Kernel) -> bool:
    """Whether a time kernel of unit variance has a finite state-space form."""
    if isinstance(time_kernel, Product):
        return has_states(time_kernel.left) and has_states(time_kernel.right)
    return isinstance(time_kernel, Constant | Matern12 | Matern32 | Periodic) and time_kernel.variance == 1.0


def stationary(time_kernel: Kernel, harmonics: int) -> np.ndarray:
    """Pi, (m, m)."""
    if isinstance(time_kernel, Product):
        return np.kron(stationary(time_kernel.left, harmonics), stationary(time_kernel.right, harmonics))
    if isinstance(time_kernel, Matern32):
        return np.diag([1.0, _rate(time_kernel) ** 2])
    return np.eye(2 * harmonics + 1 if isinstance(time_kernel, Periodic) else 1)


def transition(time_kernel: Kernel, rounds: int, harmonics: int) -> np.ndarray:
    """A^rounds, (m, m)."""
    if isinstance(time_kernel, Product):
        left, right = (transition(part, rounds, harmonics) for part in (time_kernel.left, time_kernel.right))
        return np.kron(left, right)
    if isinstance(time_kernel, Matern12):
        return np.array([[math.exp(-rounds / _single(time_kernel.length_scale))]])
    if isinstance(time_kernel, Matern32):
        a = _rate(time_kernel)
        step = a * rounds
        return math.exp(-step) * np.array([[1.0 + step, rounds], [-a * step, 1.0 - step]])
    return stationary(time_kernel, harmonics)


def observation_row(time_kernel: Kernel, now: int, harmonics: int) -> np.ndarray:
    """h_t at time `now`, (m,)."""
    if isinstance(time_kernel, Product):
        left, right = (
            observation_row(part, now, harmonics) for part in (time_kernel.left, time_kernel.right)
        )
        return np.kron(left, right)
    if isinstance(time_kernel, Matern32):
        return np.array([1.0, 0.0])
    if isinstance(time_kernel, Periodic):
        roots = np.sqrt(harmonic_weights(_single(time_kernel.length_scale), harmonics))
        phases = 2.0 * np.pi * np.arange(1, harmonics + 1) * (now / _single(time_kernel.period))
        return np.concatenate([roots[:1], roots[1:] * np.cos(phases), roots[1:] * np.sin(phases)])
    return np.ones(1)


def harmonic_weights(length_scale: float, harmonics: int) -> np.ndarray:
    """q_0, ..., q_J, (J + 1,).

    q_j is the share of exp(-2 sin^2(u/2) / w^2) at frequency j: its Fourier coefficients, from a fast
    Fourier transform of one period.
    """
    size = 64 * (harmonics + 1)
    u = 2.0 * np.pi * np.arange(size) / size
    shares = np.fft.rfft(np.exp(-2.0 * (np.sin(u / 2.0) / length_scale) ** 2)).real[: harmonics + 1] / size
    shares[1:] *= 2.0
    return np.maximum(shares, 0.0)


def _rate(time_kernel: Matern32) -> float:
    return math.sqrt(3.0) / _single(time_kernel.length_scale)


def _single(scale: float | tuple[float, ...]) -> float:
    """A scale of the one coordinate that time is."""
    return scale[0] if isinstance(scale, tuple) else scale
