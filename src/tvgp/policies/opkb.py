"""OPKB with restarts (Hong, Li & Tewari, AISTATS 2023): arms drawn from distributions that solve a convex
problem, which balances estimated gaps and information.

From a start (the first step, or that after a detection) in blocks m = 0, 1, ... of E 2^m steps, a step being
one observation. phi(x) are features of k, scaled to max k(x, x) = 1, r = gamma / T, and

    D(c) = argmin over distributions p of  sum_x c(x) p(x) - log det(S(p) + r I),  S(p) = sum_x p(x) phi phi',
    gamma_T = 1/2 log det(I + S(D(0)) / r),  alpha = gamma / (4 log(C/tol)),  C = 8 N T log2 T,
    E = ceil(4 e_scale gamma_T log(C/tol)),  mu_m = 1/2 2^(-m/2),  epsilon_m = (40 + 16 sqrt(alpha)) mu_m,
    beta_m = 2 beta_scale gamma_T / epsilon_m.

Block 0 draws from p_0 = D(0). A block ends with estimates from all n steps since the start, each weighted by
the distribution p_i from which its arm was drawn, and block m then draws from p_m:

    R(x) = 1/n sum_s phi(x)' (S(p_i(s)) + r I)^-1 phi(x_s) y_s,  Gap(x) = max R - R(x),
    q = (1 - mixture) D(beta_m Gap / 2) + mixture D_A(0),  A = {x: Gap(x) <= 2 alpha g_scale epsilon_m / 2},
    p_m = (1 - mu_scale mu_m) q + mu_scale mu_m D(0),  D_A: over A alone.

Stretches of E 2^j steps of block m, j_star <= j < m, are replays with probability 2^((j - m)/2), in which
p_j is drawn from; of replays that overlap that of least j plays. At its end a replay gives gaps Gap' from its
steps alone, and everything starts again (fewer than 100 times) where, for a finished block k >= j_star, the
largest of Gap_k - 4 Gap' and Gap' - 4 Gap_k over all arms exceeds 2 epsilon_scale (epsilon_j + epsilon_k).

Sources: the authors' code (kihyukh/aistats2023, commit 57a78e4) for all of this, and its configuration for
the default values; of the paper we had a summary. There the threshold has the epsilon of one of the two
blocks, and in the code the mean of both. D is solved by pairwise Frank-Wolfe steps, where the code follows a
central path. D_A uses the features of A; the code uses a square part of their Cholesky factor, which
is the same for independent arms only. Choices of ours: the scale of the kernel (theirs is 1 at x = x'), and
where arms are missing a draw from p among the others.

Family: a test for change decides.
Use it when a guarantee for changes of unknown number and size is wanted, and arms are hundreds at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import best_arm
from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import prior_means, require
from tvgp.posterior import Prior

# Detections after which there are no more, and the last of which starts nothing.
_MOST_DETECTIONS = 100

# Largest distance from the optimum of a design, in nats; steps between factorisations, and most of these.
_GAP, _FRESH, _MOST_FRESH = 1e-3, 100, 50

# Curvatures are at least this.
_FLAT = 1e-300


@dataclass(frozen=True)
class Parameters:
    """Names and values of the authors' configuration, in the formulas above.

    gamma: T times the ridge r; mixture: share of the design over near-optimal arms; e_scale: of the first
    block's length; g_scale: of the largest gap of a near-optimal arm; beta_scale: of the weight of gaps
    against information; mu_scale: of the share of the design over all arms; tol: error probability;
    epsilon_scale: of the threshold of a detection; j_star: least index of a replay; horizon: T;
    prior_mean: in reward units, one number or one per arm, to which the estimates are added.
    """

    gamma: float = 100.0
    mixture: float = 0.2
    e_scale: float = 0.01
    g_scale: float = 0.05
    beta_scale: float = 50.0
    mu_scale: float = 0.2
    tol: float = 1e-4
    epsilon_scale: float = 0.005
    j_star: int = 4
    horizon: int = 1000
    prior_mean: float | tuple[float, ...] = 0.0

    def __post_init__(self) -> None:
        for name in ("gamma", "e_scale", "g_scale", "beta_scale", "epsilon_scale"):
            require(0 < getattr(self, name) < math.inf, name, getattr(self, name), "positive")
        for name in ("mixture", "mu_scale"):
            require(0 <= getattr(self, name) <= 1, name, getattr(self, name), "in [0, 1]")
        require(0 < self.tol < 1, "tol", self.tol, "between 0 and 1")
        require(self.j_star >= 0, "j_star", self.j_star, "0 or more")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> OPKB:
    """OPKB with restarts; it does not use the noise variance."""
    return OPKB(prior, parameters)


class OPKB(ModelFree):
    """Draws arms from the distribution of the block or replay in progress."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        p, T, N = parameters, parameters.horizon, prior.n_arms
        self._p = p
        features = prior.factor(N)
        if features is None:
            raise ValueError(f"opkb: the prior over {N} arms has more than 512 features, expected fewer arms")
        self._features = features / math.sqrt(prior.diagonal.max())
        self._prior_mean = prior_means(p.prior_mean, N)
        self._ridge = p.gamma / T
        self._everywhere = optimal_design(self._features, np.zeros(N), self._ridge)
        inside = np.eye(self._features.shape[1])
        inside += (self._features.T * self._everywhere) @ self._features / self._ridge
        self._gain = 0.5 * float(np.linalg.slogdet(inside)[1])
        confidence = math.log(8.0 * N * T * max(math.log2(T), 1.0) / p.tol)
        self._alpha = p.gamma / (4.0 * confidence)
        self.first_block = math.ceil(4.0 * p.e_scale * self._gain * confidence)  # E
        self.events: list[int] = []  # rounds of detections
        self._start()

    def _start(self) -> None:
        self.block = 0
        self._steps = 0  # of the block
        self._distributions = [self._everywhere]
        self._inverses = [inverse_information(self._features, self._everywhere, self._ridge)]
        self._gaps: list[np.ndarray] = []  # by finished block
        self._indices: list[int] = []  # of the distributions, by step since the start
        self._arms: list[int] = []
        self._rewards: list[float] = []
        self._replays: dict[int, np.ndarray] | None = None

    def _epsilon(self, m: int) -> float:
        return (40.0 + 16.0 * math.sqrt(self._alpha)) * 0.5 * 2.0 ** (-0.5 * m)

    @property
    def distribution(self) -> np.ndarray:
        """p from which the coming arm is drawn if all are available, (n_arms,); the replays of a block are
        drawn with its first arm."""
        return self._distributions[self._index()]

    def _index(self) -> int:
        """Of the distribution for the coming step."""
        for j, replayed in (self._replays or {}).items():
            if replayed[self._steps // (self.first_block << j)]:
                return j
        return self.block

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """An arm drawn from the distribution of the step."""
        if self._replays is None and self._steps == 0:
            self._replays = {
                j: rng.random(1 << (self.block - j)) < 2.0 ** (0.5 * (j - self.block))
                for j in range(self._p.j_star, self.block)
            }
        p = self.distribution
        if available is not None:
            p = p * available
            p = p if p.any() else available.astype(float)
        total = np.cumsum(p)
        return int(np.searchsorted(total, total[-1] * rng.random(), side="right"))

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        """One step."""
        self._indices.append(self._index())
        self._arms.append(arm)
        self._rewards.append(reward - float(np.broadcast_to(self._prior_mean, self._n_arms)[arm]))
        self._steps += 1
        if len(self.events) < _MOST_DETECTIONS and self._detects():
            self.events.append(t)
            if len(self.events) < _MOST_DETECTIONS:
                self._start()
                return
        if self._steps == self.first_block << self.block:
            self._next_block()

    def estimated_gaps(self, last: int) -> np.ndarray:
        """Gap from the last steps since the start, (n_arms,)."""
        indices, arms = np.array(self._indices[-last:]), np.array(self._arms[-last:])
        rewards = np.array(self._rewards[-last:])
        estimate = self._prior_mean + np.zeros(self._n_arms)
        for i in np.unique(indices):
            drawn = indices == i
            sums = np.bincount(arms[drawn], rewards[drawn], minlength=self._n_arms)
            estimate += self._features @ (self._inverses[i] @ (sums @ self._features)) / last
        return estimate.max() - estimate

    def _detects(self) -> bool:
        """Whether a replay that ends now contradicts the gaps of a block."""
        for j, replayed in (self._replays or {}).items():
            length = self.first_block << j
            if self._steps % length or not replayed[self._steps // length - 1]:
                continue
            gaps = self.estimated_gaps(length)
            for k in range(self._p.j_star, self.block):
                excess = max((self._gaps[k] - 4.0 * gaps).max(), (gaps - 4.0 * self._gaps[k]).max())
                if excess > 2.0 * self._p.epsilon_scale * (self._epsilon(j) + self._epsilon(k)):
                    return True
        return False

    def _next_block(self) -> None:
        p, gaps = self._p, self.estimated_gaps(len(self._arms))
        self._gaps.append(gaps)
        self.block += 1
        epsilon = self._epsilon(self.block)
        beta = 2.0 * p.beta_scale * self._gain / epsilon
        near = np.flatnonzero(gaps <= self._alpha * p.g_scale * epsilon)
        among = np.zeros(self._n_arms)
        among[near] = optimal_design(self._features[near], np.zeros(len(near)), self._ridge)
        best = optimal_design(self._features, 0.5 * beta * gaps, self._ridge)
        share = p.mu_scale * 0.5 * 2.0 ** (-0.5 * self.block)
        mixed = (1.0 - p.mixture) * best + p.mixture * among
        self._distributions.append((1.0 - share) * mixed + share * self._everywhere)
        self._inverses.append(inverse_information(self._features, self._distributions[-1], self._ridge))
        self._steps, self._replays = 0, None


def inverse_information(features: np.ndarray, p: np.ndarray, ridge: float) -> np.ndarray:
    """(S(p) + r I)^-1, (m, m), for features phi(x) (n, m) of the arms and their masses p (n,)."""
    information = (features.T * p) @ features
    information.flat[:: len(information) + 1] += ridge
    return np.linalg.inv(information)


def optimal_design(features: np.ndarray, costs: np.ndarray, ridge: float) -> np.ndarray:
    """D(c), (n,), for features (n, m) and costs c (n,) of the arms: to 1e-3 nats of the minimum, or after
    5,000 steps of O(n m + m^2).

    The slopes are c(x) - A_xx with A_xy = phi(x)' (S(p) + r I)^-1 phi(y); p'slope less the least slope bounds
    the distance from the minimum. A step moves mass h to the arm of least slope, a, from the arm b that lets
    the objective fall most in second order. The determinant grows by the factor
    (1 + h A_aa)(1 - h A_bb) + h^2 A_ab^2, so the best h is the root of a quadratic equation.
    """
    p = np.zeros(len(features))
    p[costs.argmin()] = 1.0
    for _ in range(_MOST_FRESH):
        B = inverse_information(features, p, ridge)
        diagonal = np.einsum("nm,nm->n", features @ B, features)
        for _ in range(_FRESH):
            slopes = costs - diagonal
            a = best_arm(-slopes)
            if p @ slopes - slopes[a] <= _GAP:
                return p
            falls = slopes - slopes[a]
            half_a = B @ features[a]
            column_a = features @ half_a
            bends = np.maximum(diagonal[a] ** 2 + diagonal**2 - 2.0 * column_a**2, _FLAT)
            masses = np.minimum(falls / bends, p)
            gains = masses * (falls - 0.5 * bends * masses)
            b = best_arm(gains / gains.max())
            half_b = B @ features[b]
            columns = np.column_stack([column_a, features @ half_b])
            h = min(_best_step(diagonal[a], diagonal[b], columns[b, 0], costs[a] - costs[b]), p[b])
            p[a] += h
            p[b] -= h
            change, halves = np.diag([h, -h]), np.column_stack([half_a, half_b])
            inner = np.linalg.solve(np.eye(2) + change @ columns[[a, b]], change)
            B -= halves @ inner @ halves.T
            diagonal -= np.einsum("ni,ni->n", columns @ inner, columns)
    return p


def _best_step(aa: float, bb: float, ab: float, cost: float) -> float:
    """h > 0 that minimises h cost - log(1 + u h - w h^2), u = aa - bb, w = aa bb - ab^2; inf if there is
    none. Its slope at 0, cost - u, is negative."""
    u, w = aa - bb, max(aa * bb - ab * ab, 0.0)
    middle = cost * u + 2.0 * w
    root = middle**2 - 4.0 * cost * w * (u - cost)
    below = middle + math.sqrt(root) if root >= 0.0 else 0.0
    return 2.0 * (u - cost) / below if below > 0.0 else math.inf
