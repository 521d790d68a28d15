"""S-GP-TS on a box: a batch of independent paths (Vakili21, rule 6), each played at its maximum.

Before each batch the inducing points are selected from the data, the kernel's variance and
length-scale maximise the evidence bound plus a log-normal prior (the noise variance is fixed), and
new Fourier features are drawn, as in the authors' code. A path is maximised by gradient ascent from
its best candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from tvgp.continuous.box import Domain
from tvgp.continuous.sample_paths import Paths, maxima
from tvgp.kernels import Kernel, describe
from tvgp.policies.base.policy import require
from tvgp.policies.base.thompson import draw_scale
from tvgp.posterior import InducingPoints, Prior, Sparse, inducing
from tvgp.posterior.features import FourierFeatures

# Maximum number of evaluations of the evidence bound per fit.
_EVALUATIONS = 40

# Centre of the length-scale's prior, relative to the box, and the largest deviation of a logarithm.
_LENGTH = 0.2
_RANGE = 5.0


@dataclass(frozen=True)
class Parameters:
    """size: m, maximum number of inducing points; selection: greedy, kdpp or kmeans; features: M;
    scale: alpha, a number, or "theory" for `thompson.draw_scale` after t - 1 evaluations, which uses
    norm_bound, B; fit: whether the kernel is fitted before each batch; candidates: number of random
    points that, with the inducing points, are the possible `starts` of each path; steps: of ascent."""

    size: int = 100
    selection: str = "kmeans"
    features: int = 1000
    scale: float | str = 1.0
    norm_bound: float = 5.0
    fit: bool = True
    candidates: int = 2000
    starts: int = 4
    steps: int = 40

    def __post_init__(self) -> None:
        for name in ("size", "features", "candidates", "starts", "steps"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        good = self.scale == "theory" or (not isinstance(self.scale, str) and self.scale > 0)
        require(good, "scale", self.scale, "a positive number or theory")
        require(self.norm_bound >= 0, "norm_bound", self.norm_bound, "0 or more")
        known = inducing.SELECTIONS
        good = self.selection in known
        require(good, "selection", self.selection, f"one of {', '.join(known)}")


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> SGPTS:
    """Sparse Thompson sampling on a box."""
    return SGPTS(domain.corners, kernel, noise_variance, parameters)


class SGPTS:
    """Keeps all points and rewards, in a model of size m. The prior mean is the mean reward."""

    def __init__(
        self, domain: np.ndarray, kernel: Kernel, noise_variance: float, parameters: Parameters
    ) -> None:
        if parameters.fit and not (kernel.fittable and np.isscalar(describe(kernel)["length_scale"])):
            raise ValueError(
                f"s_gp_ts: kernel {kernel.name} has no single length-scale to fit; set fit to false"
            )
        self._domain, self._noise, self._parameters = domain, noise_variance, parameters
        self.kernel = kernel
        self._X, self._y = np.empty((0, domain.shape[1])), np.empty(0)

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from rewards (n,) at points (n, d)."""
        self._X, self._y = np.vstack([self._X, points]), np.append(self._y, rewards)

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """Maximisers of `batch` independent paths, (batch, d). ValueError without any data."""
        if not len(self._y):
            raise ValueError("s_gp_ts on a box needs initial points")
        p, (lower, upper) = self._parameters, self._domain
        Z = self._X[inducing.select(Prior(self._X, self.kernel), p.size, p.selection, rng)]
        if p.fit:
            self.kernel = self._fitted(Z)
        candidates = np.vstack([rng.uniform(lower, upper, (p.candidates, len(lower))), Z])
        paths = self.paths(Z, rng, batch)
        return maxima(paths, candidates, self._domain, starts=p.starts, steps=p.steps)

    def paths(self, Z: np.ndarray, rng: np.random.Generator, count: int) -> Paths:
        """Independent paths of the posterior on inducing points Z (m, d), around the prior mean."""
        p = self._parameters
        points, model = self._model(self.kernel, Z)
        features = FourierFeatures(self.kernel, Z.shape[1], p.features, rng)
        w = rng.standard_normal((count, p.features))
        z = rng.standard_normal((len(Z), count))
        scale = draw_scale(p.scale, len(self._y) + 1, p.norm_bound, model.log_det, self._noise)
        v = model.corrections(points.whiten_variables(features(Z) @ w.T), z, scale)
        weights = solve_triangular(points.root, v, lower=True, trans=1).T
        return Paths(features, self.kernel, Z, scale * w, weights)

    def _model(self, kernel: Kernel, Z: np.ndarray) -> tuple[InducingPoints, Sparse]:
        points, model = InducingPoints(kernel, Z), Sparse(len(Z), self._noise)
        rest = self._y - self._y.mean()
        model.observe(points.whiten(self._X), rest, kernel.diagonal(self._X))
        return points, model

    def _fitted(self, Z: np.ndarray) -> Kernel:
        """The kernel with the largest evidence bound plus log prior, by the simplex method from the
        current kernel.

        log variance ~ N(log of the rewards' variance, 1), log l ~ N(log(0.2 sqrt(d)), 1) for a box
        of width 1. Without a prior, rewards that resemble pure noise give variance 0, and the policy
        then stops exploring.
        """
        width = float((self._domain[1] - self._domain[0]).max())
        spread = max(float(self._y.var()), self._noise)
        centre = np.log([spread, _LENGTH * width * np.sqrt(len(self._domain[0]))])

        def kernel(logs: np.ndarray) -> Kernel:
            variance, length = np.exp(np.clip(logs, centre - _RANGE, centre + _RANGE))
            return self.kernel.with_parameters(variance=variance, length_scale=length)

        def loss(logs: np.ndarray) -> float:
            try:
                bound = self._model(kernel(logs), Z)[1].evidence_bound()
            except ValueError:  # points too close for this length-scale
                return np.inf
            return 0.5 * float(((logs - centre) ** 2).sum()) - bound

        start = np.log([self.kernel.variance, describe(self.kernel)["length_scale"]])
        options = {"maxfev": _EVALUATIONS, "initial_simplex": start + np.eye(3, 2, -1)}
        optimum = minimize(loss, start, method="Nelder-Mead", options=options)
        return kernel(optimum.x) if np.isfinite(optimum.fun) else self.kernel
