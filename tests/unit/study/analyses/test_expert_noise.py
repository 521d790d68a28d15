"""Noise in the expert's answers: both the environment's and that which the policy assumes."""

import numpy as np
import pytest

from tvgp import policies, streams
from tvgp.environments import rkhs_sine
from tvgp.simulate import simulate
from tvgp.study import analyses, figures


@pytest.mark.parametrize("ratio", [1.0, 25.0])
def test_policy_and_environment_share_the_noise_of_answers(ratio):
    found = analyses.run("expert_noise", [3], algorithm="w_sparq_gp_ucb", horizon=40, ratios=[ratio])
    environment = rkhs_sine.make(expert_noise_std=0.1 * ratio**0.5)
    policy = policies.make(
        "w_sparq_gp_ucb",
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=0.01,
        expert_noise_variance=0.01 * ratio,
        horizon=40,
        width=2.0,
    )
    names = ("expert_noise", "1", 3)
    run = simulate(
        policy,
        environment,
        40,
        rng=streams.generator(*names, "policy", "w_sparq_gp_ucb"),
        **streams.noise_fields(len(environment.arms), *names),
    )
    assert found.regret.item() == run.regret.mean() and found.queries.item() == run.expert_queries.mean()


def test_the_figure_has_a_curve_per_part():
    found = analyses.run("expert_noise", [1, 2], algorithm="w_sparq_gp_ucb", horizon=20, ratios=[1.0, 100.0])
    data = found.expand_dims(part=["w_sparq_gp_ucb"]).assign_attrs(analysis="expert_noise", data="synthetic")
    (axes,) = figures.draw("expert_noise", [data]).axes
    line = axes.containers[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), found.regret.mean("seed"))
    assert "2 runs" in figures.caption("expert_noise", [data])
