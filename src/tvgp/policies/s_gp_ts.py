"""S-GP-TS: scalable Thompson sampling (Vakili21, rules 6 and 7, with a sparse posterior).

    x_t = argmax alpha_t sum_{j <= M} w_j phi_j(x) + sum_{j <= m} v_j k(x, z_j)     inducing points
    x_t = argmax alpha_t sum_{j <= M} w_j phi_j(x) + sum_{j <= m} v_j phi_j(x)      features

A draw from the prior by M features, corrected by the optimal variational posterior on m inducing
variables: O((M + m) G + m^3) per round, for any t. Inducing points are redrawn in every round among
the arms played, repetitions included, as in the paper (section 3.3), or chosen once among all arms. A draw
among the arms played has a stream of its own, named by the data, so that the posterior of a round is the
same before and after its choice; so has a choice among all arms that comes after data.
On a finite set of arms the M features have a numerical rank, mostly far below M, and a draw of the
same distribution needs only as many; in rule (7) the weights of the first m features cancel, so
that only the others are drawn.

Family: nothing is forgotten.
Use it when nothing changes, random choices suit, and the number of rounds is in the tens of thousands.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tvgp.policies.base.policy import require
from tvgp.policies.base.thompson import ThompsonParameters, ThompsonPolicy
from tvgp.posterior import InducingPoints, Prior, Sparse, inducing
from tvgp.posterior.features import FourierFeatures, compress, mercer
from tvgp.posterior.sampling import PriorDraws


@dataclass(frozen=True)
class Parameters(ThompsonParameters):
    """variables: points (rule 6) or features (rule 7); size: m, a number or "rule"; selection: of
    points, greedy, kdpp or kmeans; among: arms, once, or played, in every round; features: M, a
    number or "rule"; basis: of the prior draw, fourier or mercer, for rule 7 always mercer."""

    variables: str = "points"
    size: int | str = "rule"
    selection: str = "greedy"
    among: str = "arms"
    features: int | str = 500
    basis: str = "fourier"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in (
            ("variables", ("points", "features")),
            ("selection", inducing.SELECTIONS),
            ("among", ("arms", "played") if self.variables == "points" else ("arms",)),
            ("basis", ("fourier", "mercer")),
        ):
            value = getattr(self, name)
            require(value in known, name, value, f"one of {', '.join(known)}")
        for name in ("size", "features"):
            value = getattr(self, name)
            good = value == "rule" or (not isinstance(value, str) and value >= 1)
            require(good, name, value, "1 or more, or rule")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SGPTS:
    """Sparse Thompson sampling on arms."""
    return SGPTS(prior, noise_variance, parameters)


def sizes(parameters: Parameters, prior: Prior) -> tuple[int, int]:
    """m and M, before they are cut to the rank of the prior."""
    p, d = parameters, prior.arms.shape[1]
    if "rule" not in (p.size, p.features):
        return int(p.size), int(p.features)
    m, M = inducing.rule_sizes(prior.kernel, d, p.horizon, p.variables)
    return m if p.size == "rule" else int(p.size), M if p.features == "rule" else int(p.features)


@dataclass(frozen=True)
class _Model:
    """half: whitened cross-covariance of the inducing variables and all arms, (m, G); points: the
    inducing points and their arms, None for features."""

    half: np.ndarray
    sparse: Sparse
    points: tuple[InducingPoints, np.ndarray] | None

    def whiten(self, draw: np.ndarray) -> np.ndarray:
        """The inducing variables in a prior draw (G,), whitened, (m,)."""
        if self.points is None:
            # v_j + alpha w_j does not depend on w_j, j <= m
            return np.zeros(len(self.half))
        points, arms = self.points
        return points.whiten_variables(draw[arms])


class SGPTS(ThompsonPolicy):
    """Keeps a count and a sum of rewards per arm, and sums of size m."""

    engine = "sparse"
    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._prior, self._sizes = prior, sizes(parameters, prior)
        self._draws: PriorDraws | None = None
        self._model: _Model | None = None
        self._counts = np.zeros(prior.n_arms, dtype=np.intp)
        # sums per arm of precisions relative to the usual one, and of values with these weights
        self._weights, self._sums = np.zeros((2, prior.n_arms))

    @property
    def functions(self) -> int:
        """m, cut to the rank of the prior; 0 before the first choice or reward."""
        model = self._current()
        return 0 if model is None else len(model.half)

    @property
    def _log_det(self) -> float:
        model = self._current()
        return 0.0 if model is None else model.sparse.log_det

    @cached_property
    def _mercer(self) -> tuple[np.ndarray, np.ndarray]:
        """The eigenvalues and eigenfunctions in use."""
        m, M = self._sizes
        return mercer(self._prior, max(m, M) if self._parameters.variables == "features" else M)

    def _prior_draws(self, rng: np.random.Generator) -> PriorDraws:
        p, prior, (m, M) = self._parameters, self._prior, self._sizes
        if p.variables == "points" and p.basis == "fourier":
            features = FourierFeatures(prior.kernel, prior.arms.shape[1], M, rng)
            return PriorDraws(compress(features(prior.arms)))
        values, functions = self._mercer
        left_out = m if p.variables == "features" else 0
        return PriorDraws((functions * np.sqrt(values))[:, left_out:])

    def _current(self) -> _Model | None:
        """The model of all data; None if there are none, and no inducing variables yet."""
        if self._model is None and self._counts.any():
            played = self._parameters.among == "played"
            self._model = self._on_played() if played else self._on_all(np.random.default_rng(0))
        return self._model

    def _on_all(self, rng: np.random.Generator) -> _Model:
        """With inducing variables that do not depend on the data."""
        m, prior = self._sizes[0], self._prior
        if self._parameters.variables == "points":
            return self._on_points(inducing.select(prior, m, self._parameters.selection, rng))
        values, functions = self._mercer
        return self._trained(np.sqrt(values[:m])[:, None] * functions[:, :m].T, None)

    def _on_played(self) -> _Model:
        """With inducing points selected among the arms played."""
        played = np.flatnonzero(self._counts)
        points, counts = Prior(self._prior.arms[played], self._prior.kernel), self._counts[played]
        rng = np.random.default_rng(zlib.crc32(self._counts.tobytes()))
        chosen = inducing.select(points, self._sizes[0], self._parameters.selection, rng, counts)
        return self._on_points(played[chosen])

    def _on_points(self, chosen: np.ndarray) -> _Model:
        points = InducingPoints(self._prior.kernel, self._prior.arms[chosen])
        return self._trained(points.whiten(self._prior.arms), (points, chosen))

    def _trained(self, half: np.ndarray, points: tuple[InducingPoints, np.ndarray] | None) -> _Model:
        """A model with all data so far: n rewards of an arm weigh as sqrt(n) times their mean does."""
        half = np.ascontiguousarray(half)
        model = _Model(half, Sparse(len(half), self._noise), points)
        played = np.flatnonzero(self._counts)
        weights = self._weights[played]
        root = np.sqrt(weights)
        variance = self._prior.diagonal[played] * weights
        model.sparse.observe(half[:, played] * root, self._sums[played] / root, variance)
        return model

    def _path(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        if self._draws is None:
            self._draws = self._prior_draws(rng)
            if self._parameters.among == "arms" and not self._counts.any():
                self._model = self._on_all(rng)
        model = self._current()
        if model is None:
            return scale * self._draws.next(rng)
        z = rng.standard_normal(len(model.half))
        draw = self._draws.next(rng)
        path = model.sparse.corrections(model.whiten(draw), z, scale) @ model.half
        path += scale * draw
        return path

    def _learn(self, arm: int, value: float, noise_variance: float) -> None:
        # sqrt(c) y at sqrt(c) f has the usual noise if c is the ratio of the variances
        ratio = self._noise / noise_variance
        self._counts[arm] += 1
        self._weights[arm] += ratio
        self._sums[arm] += ratio * value
        if self._parameters.among == "played":
            self._model = None  # redrawn when needed
        elif self._model is not None:
            half, prior = self._model.half[:, arm : arm + 1], self._prior.diagonal[arm : arm + 1]
            y = np.sqrt(ratio) * np.array([value])
            self._model.sparse.observe(np.sqrt(ratio) * half, y, ratio * prior)

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        model = self._current()
        if model is None:
            return np.zeros(self._prior.n_arms), self._prior.diagonal
        return model.sparse.predict(model.half, self._prior.diagonal)
