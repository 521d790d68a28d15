"""Exponential weights with a kernel, against an adversary (after Iwazaki 2026, arXiv 2605.10299), restarted.

    p = (1 - g) w / sum w + g / n,   w(x) <- w(x) exp(eta h(x)),
    h(x) = m(x) + phi(x)' (sum_z p(z) phi(z) phi(z)' + lambda I)^-1 phi(x_t) r_t,

for n arms, phi(x)' phi(x') = k(x, x') / max k, and r_t = y_t - m(x_t) in units of the range, cut off at half
of it. h estimates f_t from the one reward, by its neighbours also: its error in expectation is at most
|f_t|_k sqrt(lambda phi(x)' (...)^-1 phi(x)). In place of Exp3's number of arms stands the effective
dimension under uniform play,

    d = max_x phi(x)' (sum_z phi(z) phi(z)' / n + lambda I)^-1 phi(x),
    eta = sqrt(log n / (d D)),  g = min(1, eta d / 2),  D = ceil((d log n)^(1/3) (T / V_T)^(2/3)),

so that |eta (h - m)| <= 1. Of the paper the abstract alone was read (regret sqrt(T gamma_T) against the best
fixed arm): the estimate is that of linear bandits (Bubeck, Cesa-Bianchi & Kakade 2012) and of kernel losses
(Chatterji, Pacchiano & Bartlett 2019); eta, g and lambda = 1 / T are ours, the batches of D rounds are those
of Rexp3 (Besbes, Gur & Zeevi 2014). A round costs O(n r^2) for a kernel of rank r on the arms.

Family: an adversary chooses.
Use it when rewards may change adversarially within a known total, and near arms have similar ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import solve

from tvgp.policies.base.exponential_weights import ExponentialWeights, ExponentialWeightsParameters
from tvgp.policies.base.policy import prior_means, require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(ExponentialWeightsParameters):
    """regularisation: lambda, in units of the largest prior variance, None for 1 / horizon."""

    OURS: ClassVar[tuple[str, ...]] = ("regularisation",)

    regularisation: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.regularisation
        require(own is None or own > 0, "regularisation", own, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> KernelExp3:
    """Kernelised exponential weights. ValueError above 4096 arms where the kernel's rank is above 512."""
    return KernelExp3(prior, parameters)


class KernelExp3(ExponentialWeights):
    """Weights over the arms from regularised, importance-weighted estimates of f_t."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        factor = prior.factor(prior.n_arms)
        if factor is None:
            raise ValueError(
                f"policy kernel_exp3: the kernel has rank above 512 on {prior.n_arms} arms, expected less, or"
                " at most 4096 arms; take a smoother kernel or fewer arms"
            )
        self._features = factor / math.sqrt(float(prior.diagonal.max()))
        self._lambda = parameters.regularisation or 1.0 / parameters.horizon
        uniform = self._second_moment(np.full(prior.n_arms, 1.0 / prior.n_arms))
        solved = solve(uniform, self._features.T, assume_a="pos")
        self.dimension = float(np.einsum("ij,ji->i", self._features, solved).max())
        super().__init__(prior, parameters, self.dimension)
        self._means = np.broadcast_to(prior_means(parameters.prior_mean, self._n_arms), self._n_arms)
        self._rate = math.sqrt(math.log(self._n_arms) / (self.dimension * self.length))
        self._mix = min(1.0, self._rate * self.dimension / 2.0)

    def _second_moment(self, p: np.ndarray) -> np.ndarray:
        """sum_z p(z) phi(z) phi(z)' + lambda I, (r, r)."""
        features = self._features
        return features.T @ (p[:, None] * features) + self._lambda * np.eye(features.shape[1])

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        moment = self._second_moment(self._drawn_from(t, arm))
        self._start_batch(t)
        share = min(max((reward - self._means[arm]) / self._scale, -0.5), 0.5)
        estimate = self._features @ solve(moment, self._features[arm], assume_a="pos") * share
        self._logs += self._rate * (self._means / self._scale + estimate)
