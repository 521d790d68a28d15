"""Hyper-parameters from training data: kernel, noise, epsilon, alpha, gamma, norm bound.

observations         checked training data, from an environment or a field
filtered             the marginal likelihood of many values per round
marginal_likelihood  kernel, noise variance and epsilon by maximum marginal likelihood
predictive           alpha and gamma by one-step-ahead predictive likelihood
empirical            an empirical covariance over sensors, its epsilon by marginal likelihood
norm                 RKHS norms and the norm bound B
"""

from tvgp.fitting.empirical import (
    EpsilonFit,
    empirical_covariance,
    fill_gaps,
    fit_empirical,
    fit_epsilon,
    prior_mean,
    stretches,
)
from tvgp.fitting.marginal_likelihood import Fit, fit_marginal_likelihood, log_marginal_likelihood
from tvgp.fitting.norm import NormBound, norm_bound, rkhs_norm
from tvgp.fitting.observations import Training, from_environment, from_field, site_offsets
from tvgp.fitting.predictive import PredictiveFit, fit_predictive, predictive_log_likelihood

__all__ = [
    "EpsilonFit",
    "Fit",
    "NormBound",
    "PredictiveFit",
    "Training",
    "empirical_covariance",
    "fill_gaps",
    "fit_empirical",
    "fit_epsilon",
    "fit_marginal_likelihood",
    "fit_predictive",
    "from_environment",
    "from_field",
    "log_marginal_likelihood",
    "norm_bound",
    "predictive_log_likelihood",
    "prior_mean",
    "rkhs_norm",
    "site_offsets",
    "stretches",
]
