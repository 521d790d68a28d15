"""Bandit algorithms, one file each; the file name is the algorithm's name everywhere.

Each module defines a frozen dataclass `Parameters` and `make(prior, noise_variance, parameters)`. Modules of
other distributions join by an entry point in the group `tvgp.policies`, those of a program by `register` or,
as files, by `register_file`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp import plugins
from tvgp.contracts import Policy
from tvgp.kernels import Kernel
from tvgp.log_scale import LogScale
from tvgp.plugins.types import plain

if TYPE_CHECKING:
    from tvgp.fitting.learning import Learnt
    from tvgp.policies.base.policy import BasePolicy
    from tvgp.posterior import Prior

_registry = plugins.Registry(__name__, "policy")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters
register, register_file, module_of = _registry.register, _registry.register_file, _registry.module_of
check = _registry.check


def ours(name: str) -> tuple[str, ...]:
    """Parameters of a policy whose default is this project's choice and no paper's.

    >>> ours("aw_sparq_gp_ucb"), ours("tv_gp_ucb")
    (('width',), ())
    """
    return getattr(declaration(name), "OURS", ())


def make(
    name: str,
    *,
    arms: np.ndarray,
    kernel: Kernel,
    noise_variance: float,
    parameters: str = "given",
    log_scale: Sequence[float] | None = None,
    **values: Any,
) -> Policy:
    """A fresh policy.

    arms: (n_arms, d) coordinates; kernel: prior covariance; noise_variance: of an
    observation, in squared reward units; parameters: given, or learn: kernel (se or matern), noise
    variance, prior mean and drift are learnt while playing (`tvgp.fitting.learning`), and the given ones
    hold until the first fit; log_scale: c and origin of `tvgp.log_scale`, on which rewards are learnt,
    with kernel, noise variance and prior mean of that scale, None for the rewards themselves; values: the
    algorithm's own parameters, as its module's `Parameters` describes them. Most have norm_bound
    (B >= |f_t|_k), delta (error probability), horizon (planned number of rounds), prior_mean (one number, or
    one per arm) and engine ("auto"). Names are text here; a type checker sees the parameters of
    `gp_ucb.make(Prior.of(arms, kernel), noise_variance, gp_ucb.Parameters(horizon=50))`, the same policy.
    ValueError for an unknown algorithm or parameter, a value out of range, where there is nothing to learn,
    and for a log scale of a policy that is not built on `tvgp.policies.base.policy`.

    >>> from tvgp import kernels
    >>> arms, kernel = np.arange(11.0)[:, None], kernels.make("se", variance=0.5, length_scale=3.0)
    >>> policy = make("gp_ucb", arms=arms, kernel=kernel, noise_variance=0.01, horizon=50)
    >>> policy.observe(1, 4, reward=1.0)
    >>> policy.choose(2, np.random.default_rng(0))
    10
    >>> mean, std = policy.posterior(2)
    >>> mean[3:6].round(2)
    array([0.93, 0.98, 0.93])
    """
    # slow to import, and `tvgp list` makes none
    from tvgp.policies.base import checks
    from tvgp.posterior import Prior

    noise_variance = checks.check_model(name, kernel, noise_variance)
    prior = Prior.of(arms, kernel)
    prior.check_noise(noise_variance)
    filled = _registry.fill(name, values)
    made: Policy
    if parameters == "given":
        made = _made(name, prior, noise_variance, filled)
    elif parameters == "learn":
        # by name, as plug-ins: a policy whose parameters are given does not depend on how others are learnt
        learning = importlib.import_module(f"{__name__}.base.learning")
        learns = learning.learner(name, _registry.load(name), prior, filled)
        made = learning.Learning(prior, filled, partial(_made, name, prior, noise_variance, filled), learns)
    else:
        raise ValueError(f"policy {name}: parameters is {parameters!r}, expected given or learn")
    if log_scale is not None:
        if not hasattr(made, "log_scale"):
            raise ValueError(f"policy {name}: it is not built on BasePolicy and has no log scale")
        pair = plain(log_scale)
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise ValueError(f"policy {name}: log_scale is {log_scale!r}, expected c and origin, two numbers")
        made.log_scale = LogScale(*pair)
    return made


def _made(
    name: str, prior: Prior, noise_variance: float, values: Any, learnt: Learnt | None = None
) -> BasePolicy:
    """The policy, with learnt parameters in the place of the given ones."""
    if learnt is not None:
        prior, noise_variance = prior.of(prior.arms, learnt.kernel), learnt.noise_variance
        prior.check_noise(noise_variance)
        mean = plain(np.asarray(values.prior_mean) + learnt.mean)
        values = replace(values, prior_mean=mean, **learnt.drift)
    policy: BasePolicy = _registry.load(name).make(prior, noise_variance, values)
    return policy
