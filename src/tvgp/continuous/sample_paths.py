"""Sampled paths as functions on a box, and their maxima by gradient ascent from several starts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tvgp.kernels import Kernel
from tvgp.posterior.features import FourierFeatures

ValueAndGradient = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

# Share of the first-order gain that a step must reach (Armijo).
_SUFFICIENT = 1e-4


class Paths:
    """b paths f~_p(x) = Phi(x)' w_p + k(x, Z) v_p (Vakili21, rule 6), w (b, M), v (b, m)."""

    def __init__(
        self,
        features: FourierFeatures,
        kernel: Kernel,
        Z: np.ndarray,
        prior_weights: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self._features, self._kernel, self._Z = features, kernel, Z
        self._w, self._v = prior_weights, weights

    def __len__(self) -> int:
        return len(self._w)

    def everywhere(self, X: np.ndarray) -> np.ndarray:
        """All paths at all points X (n, d), (b, n)."""
        return self._w @ self._features(X).T + self._v @ self._kernel(self._Z, X)

    def value_and_gradient(self, X: np.ndarray, path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Path path_i at x_i, (n,), and its gradient there, (n, d), for X (n, d), path (n,)."""
        value, gradient = self._features.value_and_gradient(X, self._w[path])
        v = self._v[path]
        value = value + np.einsum("nm,nm->n", self._kernel(X, self._Z), v)
        return value, gradient + self._kernel.combination_gradient(X, self._Z, v)


def maxima(
    paths: Paths, candidates: np.ndarray, domain: np.ndarray, *, starts: int, steps: int
) -> np.ndarray:
    """A maximiser of each path on the box, (b, d), by ascent from its `starts` best candidates."""
    scores = paths.everywhere(candidates)
    starts = min(starts, len(candidates))
    best = np.argpartition(-scores, starts - 1, axis=1)[:, :starts]
    path = np.repeat(np.arange(len(paths)), starts)
    points, values = ascend(paths.value_and_gradient, candidates[best.ravel()], path, domain, steps)
    chosen = values.reshape(-1, starts).argmax(axis=1)
    return points.reshape(len(paths), starts, -1)[np.arange(len(paths)), chosen]


def ascend(
    function: ValueAndGradient, X: np.ndarray, label: np.ndarray, domain: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Projected gradient ascent of many functions at once: points (n, d) and values (n,).

    Point i ascends the function label_i within the box. Steps have the length of Barzilai & Borwein
    (1988) and are halved until the value increases; no value ever decreases.
    """
    lower, upper = domain
    value, gradient = function(X, label)
    width = float((upper - lower).max())
    norm = np.linalg.norm(gradient, axis=1)
    length = 0.05 * width / np.where(norm > 0, norm, 1.0)
    for _ in range(steps):
        moved = np.clip(X + length[:, None] * gradient, lower, upper)
        step = moved - X
        gain = np.einsum("nd,nd->n", gradient, step)
        if not (gain > 0).any():
            break
        new_value, new_gradient = function(moved, label)
        better = (new_value >= value + _SUFFICIENT * gain) & (gain > 0)
        bend = np.abs(np.einsum("nd,nd->n", step, new_gradient - gradient))
        square = np.einsum("nd,nd->n", step, step)
        with np.errstate(divide="ignore", invalid="ignore"):
            curved = np.where(bend > 0, square / bend, 2.0 * length)
        length = np.where(better, np.clip(curved, 0.1 * length, 10.0 * length), 0.5 * length)
        X = np.where(better[:, None], moved, X)
        gradient = np.where(better[:, None], new_gradient, gradient)
        value = np.where(better, new_value, value)
    return X, value
