"""Finite features of a prior: k(x, x') is about Phi(x)' Phi(x'), so that Phi(x)' w with standard
normal w is about a draw from GP(0, k) (Vakili21, section 3.2).

Random Fourier features exist for stationary kernels, on any domain; Mercer features, exact if
there are as many as the rank of the kernel, on a finite set of arms.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from tvgp.kernels import Kernel
from tvgp.posterior import Prior

# Eigenvalues below this share of the largest are rounding.
_RANK = 1e-13

# Most columns of a factor of the prior from which its eigenvectors are computed.
_FACTOR = 512


class FourierFeatures:
    """phi_j(x) = sqrt(2 M_k^2 / M) cos(w_j'x + b_j), j = 1..M (Rahimi & Recht 2007).

    b_j is uniform on [0, 2 pi], w_j from the kernel's spectral density.
    """

    def __init__(self, kernel: Kernel, d: int, size: int, rng: np.random.Generator) -> None:
        """d: dimension; size: M. ValueError for a kernel that is not stationary."""
        self._w, self._b = kernel.frequencies(d, size, rng), rng.uniform(0.0, 2.0 * np.pi, size)
        self._scale = np.sqrt(2.0 * kernel.variance / size)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Phi(X), (n, M)."""
        return self._scale * np.cos(X @ self._w.T + self._b)

    def value_and_gradient(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Phi(x_i)' w_i (n,) and its gradient in x_i (n, d), for weights (n, M)."""
        angle = X @ self._w.T + self._b
        value = np.einsum("nm,nm->n", np.cos(angle), weights)
        return self._scale * value, -self._scale * ((np.sin(angle) * weights) @ self._w)


def mercer(prior: Prior, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues (m,) of k on the arms and their eigenfunctions there (G, m).

    Mercer's theorem for the uniform measure on the arms: K = Phi Lambda Phi', Phi'Phi = G I. At
    most `size`; fewer if the rank is less. ValueError for more than 4096 arms on which the
    kernel has full rank.
    """
    factor = prior.factor(min(_FACTOR, prior.n_arms))
    if factor is None:
        n = prior.n_arms
        values, vectors = eigh(prior.gram, subset_by_index=(max(n - size, 0), n - 1))
    else:
        values, vectors = eigh(factor.T @ factor)
        vectors = factor @ (vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny)))
    values, vectors = _largest(values, vectors, size)
    return values / prior.n_arms, vectors * np.sqrt(prior.n_arms)


def compress(root: np.ndarray) -> np.ndarray:
    """A root with as few columns as the numerical rank of R (G, M), and the same R R' to rounding.

    Draws R w have the same distribution with either; hundreds of smooth features on a finite set
    of arms have a rank of some dozens. O(G M min(G, M)), once.
    """
    if len(root) <= root.shape[1]:
        values, vectors = eigh(root @ root.T)
        values, vectors = _largest(values, vectors, len(root))
        return vectors * np.sqrt(values)
    values, vectors = eigh(root.T @ root)
    return root @ _largest(values, vectors, root.shape[1])[1]


def _largest(values: np.ndarray, vectors: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """At most `size` eigenpairs above rounding, largest first; the arguments are ascending."""
    kept = np.flatnonzero(values > _RANK * values[-1])[::-1][:size]
    vectors = vectors[:, kept]
    # LAPACK may return either sign: make the largest entry positive
    largest = np.abs(vectors).argmax(axis=0)
    return values[kept], vectors * np.sign(vectors[largest, np.arange(len(kept))])
