"""Hyper-parameters from training data: kernel, noise, epsilon, alpha, gamma, norm bound.

observations         checked training data, from an environment or a field
filtered             the marginal likelihood of many values per round
marginal_likelihood  kernel, noise variance and epsilon by maximum marginal likelihood
predictive           alpha and gamma by one-step-ahead predictive likelihood
empirical            an empirical covariance over sensors, its epsilon by marginal likelihood
correlations         plain correlations of a panel by lag
shrinkage            means and covariances of the sites of a panel with gaps
field_model          time scales and noise of Field-GP-UCB, by the likelihood of a panel
field_choice         mean, covariance and time of a field's model, by blocks left out
norm                 RKHS norms and the norm bound B
"""

from tvgp.fitting.correlations import lag_correlations
from tvgp.fitting.empirical import (
    EpsilonFit,
    empirical_covariance,
    fill_gaps,
    fit_empirical,
    fit_epsilon,
    prior_mean,
    stretches,
)
from tvgp.fitting.field_choice import FieldChoice, FieldModel, choose_field, field_models, left_out
from tvgp.fitting.field_model import FieldFit, FieldPrior, fit_field
from tvgp.fitting.marginal_likelihood import Fit, fit_marginal_likelihood, log_marginal_likelihood
from tvgp.fitting.norm import NormBound, norm_bound, rkhs_norm
from tvgp.fitting.observations import Training, from_environment, from_field, site_offsets
from tvgp.fitting.predictive import PredictiveFit, fit_predictive, predictive_log_likelihood
from tvgp.fitting.shrinkage import ShrunkCovariance, SiteMeans, shrunk_covariance, shrunk_means

__all__ = [
    "EpsilonFit",
    "FieldChoice",
    "FieldFit",
    "FieldModel",
    "FieldPrior",
    "Fit",
    "NormBound",
    "PredictiveFit",
    "ShrunkCovariance",
    "SiteMeans",
    "Training",
    "choose_field",
    "empirical_covariance",
    "field_models",
    "left_out",
    "fill_gaps",
    "fit_empirical",
    "fit_epsilon",
    "fit_field",
    "fit_marginal_likelihood",
    "fit_predictive",
    "from_environment",
    "from_field",
    "lag_correlations",
    "log_marginal_likelihood",
    "norm_bound",
    "predictive_log_likelihood",
    "prior_mean",
    "rkhs_norm",
    "shrunk_covariance",
    "shrunk_means",
    "site_offsets",
    "stretches",
]
