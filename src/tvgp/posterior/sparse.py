"""Sparse posterior: the optimal variational one on m inducing variables (Titsias 2009).

Inducing variables u have a covariance K_uu and a cross-covariance k_u(x) with f (Vakili21, section
3.3): points, u = f(Z), K_uu = K_ZZ and k_u(x) = k(Z, x); or features, u_j = int f phi_j for Mercer
pairs (lambda_j, phi_j), K_uu = Lambda and k_u(x) = Lambda Phi(x). In both cases, with noise
variance tau and A = K_uu + K_uX K_Xu / tau, q(u) = N(K_uu A^-1 K_uX y / tau, K_uu A^-1 K_uu) and

    ELBO = log N(y; 0, Q + tau I) - tr(K_XX - Q) / (2 tau),  Q = K_Xu K_uu^-1 K_uX.

All computations use the whitened variables L^-1 u, L L' = K_uu, whose covariance is B^-1,
B = I + H H' / tau with H = L^-1 K_uX. Only H H', H y and three sums are kept: O(m^2) memory and
O(m^2) time per observation. Points Z = X give the exact posterior and the evidence.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.lapack import dpotrf, dtrtrs

from tvgp.kernels import Kernel

# Added to the diagonal of K_uu, relative to its largest entry.
_JITTER = 1e-10


class InducingPoints:
    """u = f(Z), Z (m, d)."""

    def __init__(self, kernel: Kernel, Z: np.ndarray) -> None:
        self.kernel, self.Z = kernel, np.array(Z, dtype=float)

    @cached_property
    def root(self) -> np.ndarray:
        """L, (m, m), lower triangular. ValueError if points coincide to rounding."""
        K = self.kernel(self.Z, self.Z)
        try:
            return cholesky(K + _JITTER * K.diagonal().max() * np.eye(len(K)), lower=True)
        except LinAlgError:
            raise ValueError(
                f"sparse posterior: K of {len(K)} inducing points is not positive definite;"
                " take fewer or spread them"
            ) from None

    def whiten(self, X: np.ndarray) -> np.ndarray:
        """L^-1 k(Z, X), (m, n)."""
        return solve_triangular(self.root, self.kernel(self.Z, X), lower=True)

    def whiten_variables(self, u: np.ndarray) -> np.ndarray:
        """L^-1 u for values u (m,) or (m, b)."""
        return solve_triangular(self.root, u, lower=True)


class Sparse:
    """q(u) for fixed inducing variables, from observations with noise variance tau."""

    name = "sparse"

    def __init__(self, size: int, noise_variance: float) -> None:
        """size: m. ValueError unless the noise variance is positive."""
        if not noise_variance > 0:
            raise ValueError(f"noise variance is {noise_variance}, must be positive")
        self._tau = noise_variance
        self._outer = np.zeros((size, size))
        self._response = np.zeros(size)
        self._squares = self._prior_trace = 0.0
        self._solved: tuple[np.ndarray, np.ndarray] | None = None
        self.n = 0

    def observe(self, half: np.ndarray, y: np.ndarray, variance: np.ndarray) -> None:
        """Learn from values y (n,) with whitened cross-covariance `half` (m, n) and prior variance
        k(x, x), `variance` (n,)."""
        self._outer += half @ half.T
        self._response += half @ y
        self._squares += float(y @ y)
        self._prior_trace += float(variance.sum())
        self.n += len(y)
        self._solved = None

    @property
    def mean(self) -> np.ndarray:
        """Mean of L^-1 u, (m,)."""
        return self._back(self._solve()[0])

    @property
    def root(self) -> np.ndarray:
        """C, lower triangular, C C' = B: the covariance of L^-1 u is B^-1."""
        return self._solve()[1]

    @property
    def log_det(self) -> float:
        """log det(I + Q / tau), twice the information gain of the approximate model."""
        return float(2.0 * np.log(self.root.diagonal()).sum())

    def predict(self, half: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean (n,) and variances (n,) or covariances (n, n) of f, in the shape of `prior`."""
        narrow = solve_triangular(self.root, half, lower=True)
        if prior.ndim == 1:
            return half.T @ self.mean, prior - (half**2).sum(0) + (narrow**2).sum(0)
        return half.T @ self.mean, prior - half.T @ half + narrow.T @ narrow

    def evidence_bound(self) -> float:
        """ELBO of the data so far, nats."""
        fit = (self._squares - self._response @ self.mean) / self._tau
        normaliser = self.log_det + self.n * np.log(2.0 * np.pi * self._tau)
        slack = (self._prior_trace - self._outer.trace()) / self._tau
        return float(-0.5 * (fit + normaliser + slack))

    def corrections(self, prior: np.ndarray, z: np.ndarray, scale: float) -> np.ndarray:
        """L^-1 v of the decomposed sampling rules (6) and (7), (m,) or (m, b).

        A path is scale * prior draw + half(x)' L^-1 v. prior: the unscaled draw's own L^-1 u, z:
        standard normal, both (m,) or (m, b), one column per path.
        """
        half, _ = self._solve()
        # one backward solve for mean and deviation
        return self._back((half + scale * z.T).T) - scale * prior

    def _solve(self) -> tuple[np.ndarray, np.ndarray]:
        """C^-1 H y / tau and C."""
        if self._solved is None:
            B = self._outer / self._tau
            B.flat[:: len(B) + 1] += 1.0
            # all eigenvalues are 1 or more: LAPACK directly, without scipy's checks
            C, failed = dpotrf(B, lower=1, overwrite_a=1)
            if failed:
                raise ValueError("sparse posterior: overflow in the sums over the observations")
            half, _ = dtrtrs(C, self._response / self._tau, lower=1)
            self._solved = half, C
        return self._solved

    def _back(self, b: np.ndarray) -> np.ndarray:
        """C'^-1 b for b (m,) or (m, n)."""
        return dtrtrs(self.root, b, lower=1, trans=1)[0]
