"""State-space engine: sums of products whose time kernels have an exact filter; flat in t.

    f_t = sum_i g_i,t,  cov(g_i,s(x), g_i,t(x')) = k_i(x, x') k_T,i(s, t),  g_1, g_2, ... independent
    g_i,t(x) = (h_t (x) B[x])' theta_t,  theta_0 ~ N(0, Pi (x) C),  K = B C B'
    theta_{t+1} = (A (x) I) theta_t + N(0, Q (x) C),  Q = Pi - A Pi A'

with B = F, K = F F', C = I where K has low rank r, else B = I, C = K and r = G; m states each, N = sum m r
numbers in all. An observation is a Kalman update, O(N^2), a round a prediction, O(N^2) for m = 1. Of the
covariance P of theta the change by data is kept, D = P - Pi (x) C: from its prediction,
D <- (A (x) I) D (A (x) I)', Q drops out. Data that are all known, as after a change of engine, are seen in
blocks, by products of matrices.

| k_T(lag) | m | A | Pi | h_t |
| --- | --- | --- | --- | --- |
| constant | 1 | 1 | 1 | 1 |
| exp(-lag/l) | 1 | exp(-1/l) | 1 | 1 |
| (1 + a lag) exp(-a lag), a = sqrt(3)/l | 2 | e^-a [[1+a, 1], [-a^2, 1-a]] | diag(1, a^2) | (1, 0) |
| exp(-lag^2/(2 l^2)) | 10 | exp(S/l) | I | c |
| exp(-2 sin^2(pi lag/p)/w^2) | 2J+1 | I | I | sqrt(q_0), sqrt(q_j) cos(j u), sqrt(q_j) sin(j u) |
| product | m_1 m_2 | A_1 (x) A_2 | Pi_1 (x) Pi_2 | h_1 (x) h_2 |

with u = 2 pi t/p, q_0 = I_0(z) e^-z, q_j = 2 I_j(z) e^-z, z = 1/w^2. The q_j sum to 1: exact but for
harmonics above J, less than 1e-8 of the kernel for w = 1 and J = 8. State-space form of Matern processes:
Sarkka & Solin 2019, section 12.3 (quoted from memory, checked against the dense formula). The squared
exponential has none, but its spectral density is close to a rational one (Hartikainen & Sarkka 2010): ours is
within 1.1e-8 of the kernel at all lags. S is tridiagonal and antisymmetric but for its last entry, where the
noise enters (Schwarz's form), so that Pi = I.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import expm
from scipy.linalg.blas import dger, dtrsm

from tvgp.kernels import Constant, Kernel, Matern12, Matern32, Periodic, Product, SquaredExponential
from tvgp.posterior import triangles
from tvgp.posterior.deferred import Deferred
from tvgp.posterior.prior import Prior

# Observations of one joint update.
_TOGETHER = 256

# Of the squared exponential: S above its diagonal, minus its last entry, and c, which minimise the largest
# error of c' exp(S lag/l) c.
_COUPLING = np.array(
    [1.17376707172, 1.69126752191, 2.12775658411, 2.56029743005, 3.05848733272, 3.73654446607]
    + [4.84825556379, 7.17659389354, 15.6977536129]
)
_DAMPING = 26.9757928374
_OUTPUT = np.array(
    [0.97806875427, 0.159349051405, 0.12946726163, 0.029903871546, 0.0175944271517, 0.0043483477484]
    + [0.00213642965285, 0.000522599127235, 0.00025296699591, 7.02880055381e-05]
)
_DRIFT = np.diag(_COUPLING, 1) - np.diag(_COUPLING, -1)
_DRIFT[-1, -1] = -_DAMPING


class StateSpace(Deferred):
    """Exact posterior over all arms of a sum of products of a spatial and a time kernel."""

    name = "state_space"

    def __init__(
        self,
        prior: Prior,
        noise_variance: float,
        products: Sequence[tuple[Prior | np.ndarray, Kernel]],
        *,
        harmonics: int = 8,
    ) -> None:
        """prior: of the sum; products: the prior or the covariance matrix (G, G) of each g_i over the arms,
        and its time kernel; harmonics: J, of periodic kernels. ValueError for a time kernel without such a
        form, variances of products that do not add up to those of the sum, and more arms than a Gram matrix
        is kept for under a kernel that is not of low rank."""
        super().__init__(prior, noise_variance, time_kernel=tuple(kernel for _, kernel in products))
        self._parts: list[_Part] = []
        for space, time_kernel in products:
            start = self._parts[-1].place.stop if self._parts else 0
            self._parts.append(_Part(space, time_kernel, harmonics, start))
        variance = sum(part.diagonal for part in self._parts)
        if np.shape(variance) != (prior.n_arms,) or not np.allclose(variance, prior.diagonal, 1e-8, 0):
            raise ValueError(
                "state_space engine: the variances of the products do not add up to those of the prior"
            )
        self.reset()

    def reset(self) -> None:
        """Forget all data, not the time."""
        self._changed()
        self.n = 0
        self.log_det = 0.0
        size = self._parts[-1].place.stop
        self._theta = np.zeros(size)
        self._D = np.zeros((size, size), order="F")

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_now(arm) + noise; noise_variance: None for the engine's."""
        noise = noise_variance or self._noise
        h = self._across(arm)
        s = float(self._at(arm, h)) + noise
        self._theta += h * ((value - float(self._at(arm, self._theta))) / s)
        self._D = dger(-1.0 / s, h, h, a=self._D, overwrite_a=1)
        self.log_det += math.log(s / noise)
        self.n += 1
        self._changed()

    def condition(
        self, times: np.ndarray, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray
    ) -> None:
        """Replace the data by values (n,) of arms (n,) at `times` (n,), integers, in order, not after now."""
        now = self._now
        self.reset()
        for start in range(0, len(times), _TOGETHER):
            block = slice(start, start + _TOGETHER)
            self._now = int(times[start])
            end = int(times[block.stop]) if block.stop < len(times) else now
            self._observe_together(times[block], arms[block], values[block], noise_variances[block], end)

    def _observe_together(
        self, times: np.ndarray, arms: np.ndarray, values: np.ndarray, noise: np.ndarray, end: int
    ) -> None:
        """Condition on a block of `times` from now to `end`, and advance to `end`.

        With f = H theta_now + innovations and theta_end = Phi theta_now + innovations, cov(f) and
        cov(f, theta_end) are those of the prior and H D H', H D Phi'.
        """
        joint = [part.joint(times, arms, self._now, end) for part in self._parts]
        H = np.concatenate([each.rows for each in joint], axis=1)
        change = H @ self._D
        A = change @ H.T + sum(each.between for each in joint)
        A.flat[:: len(A) + 1] += noise
        lower = triangles.cholesky(A)
        across = np.empty((len(values), len(self._theta) + 1), order="F")
        for part, each in zip(self._parts, joint, strict=True):
            by_state = change[:, part.place].reshape(len(values), -1, part.rank)
            moved = part.transition(end - self._now) @ by_state
            across[:, part.place] = each.with_end + moved.reshape(len(values), -1)
        across[:, -1] = values - H @ self._theta
        half = dtrsm(1.0, lower, across, lower=1, overwrite_b=1)
        self.advance(end - self._now)
        self._theta += half[:, -1] @ half[:, :-1]
        self._D -= half[:, :-1].T @ half[:, :-1]
        self.log_det += triangles.log_det(lower) - float(np.log(noise).sum())
        self.n += len(values)
        self._changed()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: Kalman predict steps, in one."""
        super().advance(rounds)
        steps = [part.transition(rounds) for part in self._parts]
        if all(np.array_equal(A, np.eye(len(A))) for A in steps):
            return
        for i, (part, A) in enumerate(zip(self._parts, steps, strict=True)):
            self._theta[part.place] = (A @ self._theta[part.place].reshape(len(A), -1)).ravel()
            for other, B in zip(self._parts[i:], steps[i:], strict=True):
                self._predict(part, A, other, B)

    def _predict(self, part: _Part, A: np.ndarray, other: _Part, B: np.ndarray) -> None:
        """D_ij becomes (A (x) I) D_ij (B (x) I)', and D_ji its transpose."""
        D, (rows, columns) = self._D, (part.place, other.place)
        if np.array_equal(A, A[0, 0] * np.eye(len(A))) and np.array_equal(B, B[0, 0] * np.eye(len(B))):
            D[rows, columns] *= A[0, 0] * B[0, 0]
            if other is not part:
                D[columns, rows] *= A[0, 0] * B[0, 0]
            return
        block = D[columns, rows].T  # D_ij, in C order
        half = (A @ block.reshape(len(A), -1)).reshape(part.size, len(B), -1)
        np.matmul(B, half, out=block.reshape(half.shape))
        if other is not part:
            D[rows, columns] = block

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of f_now between arms (m,) and all arms, (m, n_arms)."""
        covariance = np.zeros((len(arms), self.prior.n_arms))
        for own, arm in zip(covariance, arms, strict=True):
            across = self._across(arm)
            for part in self._parts:
                own += part.over_arms(part.row(self._now), across[part.place])
            own[arm] = self.variance[arm]
        return covariance

    def _across(self, arm: int) -> np.ndarray:
        """Covariances of theta with f_now(arm), (N,)."""
        across = self._at(arm, self._D)
        for part in self._parts:
            across[part.place] += part.prior(arm, part.row(self._now))
        return across

    def _at(self, arm: int, array: np.ndarray) -> np.ndarray:
        """array (..., N) times h_t (x) B[arm]."""
        products = [part.at(arm, part.row(self._now), array[..., part.place]) for part in self._parts]
        return sum(products[1:], start=products[0])

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = np.zeros((2, self.prior.n_arms))
        rows = [part.row(self._now) for part in self._parts]
        for i, (part, h) in enumerate(zip(self._parts, rows, strict=True)):
            mean += part.over_arms(h, self._theta[part.place])
            variance += (h @ part.stationary @ h) * part.diagonal
            for j in range(i, len(rows)):
                other = self._parts[j]
                block = self._D[part.place, other.place]
                variance += (1.0 if i == j else 2.0) * _diagonal(part, h, block, other, rows[j])
        return mean, np.maximum(variance, 0.0, out=variance)


@dataclass(frozen=True)
class _Joint:
    """Prior of observed f (n,): rows of H (n, m r), covariances with theta at the end, (n, m r), and with one
    another, (n, n)."""

    rows: np.ndarray
    with_end: np.ndarray
    between: np.ndarray


class _Part:
    """One product of the sum, and its place in theta."""

    def __init__(self, space: Prior | np.ndarray, time_kernel: Kernel, harmonics: int, start: int) -> None:
        if not has_states(time_kernel):
            raise ValueError(
                f"state_space engine: {time_kernel} has no finite state-space form; use space_time"
            )
        self.diagonal = space.diagonal if isinstance(space, Prior) else np.diagonal(space)
        self.factor = space.factor(space.n_arms // 2) if isinstance(space, Prior) else None
        if self.factor is None:
            self.covariance = space.gram if isinstance(space, Prior) else space
        else:
            self.covariance = np.eye(self.factor.shape[1])
        self.rank = len(self.covariance)
        self.stationary = stationary(time_kernel, harmonics)
        self.size = len(self.stationary) * self.rank
        self.place = slice(start, start + self.size)
        self._time_kernel, self._harmonics = time_kernel, harmonics
        self._now, self._row = 0, observation_row(time_kernel, 0, harmonics)

    def transition(self, rounds: int) -> np.ndarray:
        """A^rounds, (m, m)."""
        return transition(self._time_kernel, rounds, self._harmonics)

    def row(self, now: int) -> np.ndarray:
        """h_t, (m,)."""
        if now != self._now:  # several queries may fall into one round
            self._now, self._row = now, observation_row(self._time_kernel, now, self._harmonics)
        return self._row

    def at(self, arm: int, h: np.ndarray, array: np.ndarray) -> np.ndarray:
        """array (..., m r) times h (x) B[arm]."""
        if self.factor is None:
            return array[..., arm :: self.rank] @ h
        return array @ np.kron(h, self.factor[arm])

    def prior(self, arm: int, h: np.ndarray) -> np.ndarray:
        """Prior covariances of theta with g_t(arm), Pi h (x) C B[arm], (m r,)."""
        return np.kron(self.stationary @ h, (self.covariance if self.factor is None else self.factor)[arm])

    def joint(self, times: np.ndarray, arms: np.ndarray, start: int, end: int) -> _Joint:
        """Of f at `times` (n,), in order from `start` to `end`, and arms (n,)."""
        n, m = len(times), len(self.stationary)
        rows, later, between = np.empty((n, m)), np.empty((m, n)), np.empty((n, n))
        power, now = np.eye(m), start
        for i, time in enumerate([*times.tolist(), end]):
            if time > now:
                A = self.transition(time - now)
                power, later[:, :i], now = A @ power, A @ later[:, :i], time
            if i < n:
                h = self.row(time)
                rows[i], later[:, i] = h @ power, self.stationary @ h
                between[i, : i + 1] = between[: i + 1, i] = h @ later[:, : i + 1]
        features = np.eye(self.rank)[arms] if self.factor is None else self.factor[arms]
        covariance = features @ self.covariance
        return _Joint(
            _rows_of_kron(rows, features),
            _rows_of_kron(later.T, covariance),
            between * (covariance @ features.T),
        )

    def over_arms(self, h: np.ndarray, array: np.ndarray) -> np.ndarray:
        """array (..., m r) times (h (x) B[x])' for all arms x, (..., G)."""
        features = h @ array.reshape(*array.shape[:-1], len(h), self.rank)
        return features if self.factor is None else features @ self.factor.T


def _rows_of_kron(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left[i] (x) right[i] for rows (n, m) and (n, r), (n, m r)."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def _diagonal(part: _Part, h: np.ndarray, block: np.ndarray, other: _Part, g: np.ndarray) -> np.ndarray:
    """diag((h (x) B) D_ij (g (x) B)'), (G,), for a block D_ij of D."""
    if part.factor is None and other.factor is None:
        grid = block.reshape(len(h), part.rank, len(g), part.rank)
        return np.einsum("a,axbx,b->x", h, grid, g)
    if part.factor is None:
        return _diagonal(other, g, block.T, part, h)
    grid = block.T.reshape(len(g), other.rank, len(h), part.rank)
    features = np.einsum("b,rbc->rc", h, np.tensordot(g, grid, 1))
    over = features if other.factor is None else other.factor @ features
    return np.einsum("gr,gr->g", over, part.factor)


def has_states(time_kernel: Kernel) -> bool:
    """Whether a time kernel of unit variance has a finite state-space form."""
    if isinstance(time_kernel, Product):
        return has_states(time_kernel.left) and has_states(time_kernel.right)
    known = Constant | Matern12 | Matern32 | Periodic | SquaredExponential
    return isinstance(time_kernel, known) and time_kernel.variance == 1.0


def approximate(time_kernel: Kernel) -> bool:
    """Whether its states are those of an approximation: a squared exponential, or a factor that is one."""
    if isinstance(time_kernel, Product):
        return approximate(time_kernel.left) or approximate(time_kernel.right)
    return isinstance(time_kernel, SquaredExponential)


def stationary(time_kernel: Kernel, harmonics: int) -> np.ndarray:
    """Pi, (m, m)."""
    if isinstance(time_kernel, Product):
        return np.kron(stationary(time_kernel.left, harmonics), stationary(time_kernel.right, harmonics))
    if isinstance(time_kernel, Matern32):
        return np.diag([1.0, _rate(time_kernel) ** 2])
    if isinstance(time_kernel, SquaredExponential):
        return np.eye(len(_OUTPUT))
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
    if isinstance(time_kernel, SquaredExponential):
        return _smooth_transition(rounds / _single(time_kernel.length_scale))
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
    if isinstance(time_kernel, SquaredExponential):
        return _OUTPUT / np.linalg.norm(_OUTPUT)
    if isinstance(time_kernel, Periodic):
        roots = np.sqrt(harmonic_weights(_single(time_kernel.length_scale), harmonics))
        phases = 2.0 * np.pi * np.arange(1, harmonics + 1) * (now / _single(time_kernel.period))
        return np.concatenate([roots[:1], roots[1:] * np.cos(phases), roots[1:] * np.sin(phases)])
    return np.ones(1)


@lru_cache(maxsize=64)
def _smooth_transition(scales: float) -> np.ndarray:
    """A of a squared exponential over some length-scales, read-only."""
    A = expm(_DRIFT * scales)
    A.flags.writeable = False
    return A


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
