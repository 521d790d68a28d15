"""The tail of the spectrum of a kernel matrix (Mauduit25a, Theorem 0.B.1), d = 1, SE kernel.

With Lambda_Q the sum of all but the Q largest eigenvalues of K_TT, q the density of
N(centre of the domain, (l_q/8)^2) and lambda_t the eigenvalues of g -> int k(., x) g(x) q(x) dx,

    E[Lambda_Q / T] <= C_D sum_{t > Q} lambda_t,   C_D = sqrt(2 pi) (l_q / 8) e^8,

l_q the length of the domain. The proof has (l_q/8)^2 where the theorem prints the variance l_q/8. It
takes 1 for the largest value of the density of x_t, which is a Dirac measure in the limit.
"""

from __future__ import annotations

import numpy as np


def tail_bound(size: np.ndarray, length_scale: float, variance: float, diameter: float) -> np.ndarray:
    """C_D sum_{t > Q} lambda_t for each Q of `size`; `diameter`: l_q."""
    front, ratio = _geometric(length_scale, diameter / 8.0)
    constant = np.sqrt(2.0 * np.pi) * diameter / 8.0 * np.exp(8.0)
    return constant * variance * front * ratio ** np.asarray(size, dtype=float) / (1.0 - ratio)


def tail(gram: np.ndarray, size: int) -> float:
    """Lambda_Q, the sum of all but the `size` largest eigenvalues of a kernel matrix, 0 or more."""
    values = np.linalg.eigvalsh(gram)
    return float(np.maximum(values[: max(len(values) - size, 0)], 0.0).sum())


def _geometric(length_scale: float, std: float) -> tuple[float, float]:
    """sqrt(2a / A) and b / A, with the eigenvalues M_k^2 sqrt(2a / A) (b / A)^j under N(mu, s^2).

    j = 0, 1, ..., a = 1/(4 s^2), b = 1/(2 l^2), A = a + b + sqrt(a^2 + 2ab) (Zhu et al. 1998).
    """
    a, b = 1.0 / (4.0 * std**2), 1.0 / (2.0 * length_scale**2)
    total = a + b + np.sqrt(a**2 + 2.0 * a * b)
    return float(np.sqrt(2.0 * a / total)), float(b / total)
