"""Confidence widths: the factor of the posterior standard deviation.

Papers define beta differently: Bogunovic16 and Srinivas et al. use mu + sqrt(beta) sigma, the
others mu + beta sigma. Here a width is always the factor of sigma, in standard deviations.
"""

from __future__ import annotations

import math

import numpy as np


def information_width(norm_bound: float, delta: float, log_det: float) -> float:
    """B + sqrt(2 log(2/delta) + log det(I + Sigma^-1/2 K Sigma^-1/2)).

    Valid for a posterior with fixed diagonal Sigma with probability 1 - delta/2 (Mauduit25a
    Theorem 3.1, Mauduit25b eq. 12, both after Kirschner & Krause 2018, Lemma 7). log_det: of the
    data in use.
    """
    return norm_bound + math.sqrt(2.0 * math.log(2.0 / delta) + log_det)


def improved_width(
    norm_bound: float,
    delta: float,
    log_det: float | np.ndarray,
    regulariser: float,
    sub_gaussian: float | None = None,
    gain_factor: float = 1.0,
) -> float | np.ndarray:
    """B + (L / sqrt(lambda)) sqrt(2 (c gamma + 1 + log(1/delta))), gamma = log_det / 2.

    IGP-UCB (Chowdhury & Gopalan 2017; Janz20 eq. 2, which has lambda = 1 or 1 + 2/T and omits it
    from the factor). regulariser: lambda; sub_gaussian: L of the noise, None for sqrt(lambda);
    gain_factor: c, 1 as published.
    """
    ratio = 1.0 if sub_gaussian is None else sub_gaussian / np.sqrt(regulariser)
    return norm_bound + ratio * np.sqrt(gain_factor * log_det + 2.0 + 2.0 * np.log(1.0 / delta))


def weighted_width(norm_bound: float, delta: float, log_det: float, noise_variance: float) -> float:
    """sqrt(lambda) B + R sqrt(2 log(1/delta) + log det(I + Omega K Omega / lambda)).

    W-GP-UCB (Deng et al. 2022) with lambda = R^2 = noise variance; multiplies the double-weight
    standard deviation s_t. Divided by sqrt(lambda) it multiplies the single-weight sigma_t.
    """
    root = math.sqrt(2.0 * math.log(1.0 / delta) + log_det)
    return math.sqrt(noise_variance) * (norm_bound + root)


def logarithmic_width(c1: float, c2: float, t: int) -> float:
    """sqrt(c1 log(c2 t)), as in the experiments of Bogunovic16, section 5.

    Natural logarithm, t counted from the start of the run; 0 where the logarithm is negative.
    """
    return math.sqrt(max(c1 * math.log(c2 * t), 0.0))
