"""Widths: every upper-confidence policy plays by the width that it is given."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate

SINE = environments.make("rkhs_sine", n_arms=101)
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
NAMES = [name for name in policies.names() if "width" in policies.parameters(name)]


# Values with which the standard deviation and the play are those of the posterior.
PLAIN = {"w_gp_ucb": {"weights": "single"}, "w_dbo": {"initial": 0}}


def build(name, **values):
    values = {"horizon": 40, **values}
    return policies.make(name, arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, **values)


def excess_of_choices(policy, width_at, band=lambda policy, t: policy.posterior(t)):
    """By how much the highest mu + width sigma exceeds that of the arm played, for rounds 2 to 40."""
    scores = {}

    def note(now):
        mean, std = band(policy, now.t + 1)
        scores[now.t + 1] = mean + width_at(now.t + 1) * std

    noise = streams.noise_fields(101, "test")
    run = simulate(policy, SINE, 40, rng=streams.generator("test"), on_round=note, **noise)
    return np.array([scores[t].max() - scores[t][run.arm[t - 1]] for t in range(2, 41)])


def own_sigma(policy, t):
    """mu and the sigma before the width, which for W-GP-UCB is not that of the posterior."""
    mean, scaled, width = policy.confidence_band(t)
    return mean, scaled / width


def test_every_upper_confidence_policy_has_the_widths():
    without_kernel = {"d_ucb", "sw_ucb"}
    named = {name for name in policies.names() if name.endswith("_ucb")} - without_kernel
    assert set(NAMES) == named | {"ui_tvbo", "w_dbo"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("width", "width_at"),
    [(1.7, lambda t: 1.7), (0, lambda t: 0.0), ("logarithmic", lambda t: np.sqrt(0.8 * np.log(4 * t)))],
)
def test_a_number_or_the_logarithmic_width_decides_the_play(name, width, width_at):
    policy = build(name, width=width, **PLAIN.get(name, {}))
    assert excess_of_choices(policy, width_at).max() < 1e-9


def test_w_gp_ucb_scales_its_double_weight_deviation():
    policy = build("w_gp_ucb", width=1.7)
    assert excess_of_choices(policy, lambda t: 1.7, own_sigma).max() < 1e-9
    assert policy.confidence_band(41)[2] == 1.7


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_width_plays_where_sigma_is_largest(name):
    only_sigma = lambda policy, t: (0.0, policy.posterior(t)[1])  # noqa: E731
    assert (
        excess_of_choices(build(name, width=1e9, **PLAIN.get(name, {})), lambda t: 1.0, only_sigma).max()
        < 1e-7
    )


def test_the_logarithmic_width_has_the_configured_constants():
    policy = build("ui_gp_ucb", width="logarithmic", c1=0.2, c2=0.4)
    for t in (1, 2, 40):
        assert policy.confidence_band(t)[2] == pytest.approx(np.sqrt(max(0.2 * np.log(0.4 * t), 0)))


@pytest.mark.parametrize("name", NAMES)
def test_the_default_is_the_width_of_its_paper(name):
    default = policies.declaration(name)().width
    other = {
        "tv_gp_ucb": "logarithmic",
        "fitted_tv_gp_ucb": "logarithmic",
        "w_gp_ucb": "weighted",
        "igp_ucb": "improved",
        "master_gp_ucb": "improved",
        "pi_gp_ucb": "improved",
        "st_gp_ucb": 2.0,
        "field_gp_ucb": 0.5,
        "aw_sparq_gp_ucb": 2.0,
        "pandora_gp_ucb": 0.5,
        "ui_tvbo": np.sqrt(2),
        "w_dbo": "dataset",
        "et_gp_ucb": "logarithmic",
        "glr_gp_ucb": "logarithmic",
    }
    assert default == other.get(name, "information")


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("sparq_gp_ucb", -1.0, "logarithmic, information or a number of 0 or more"),
        ("ui_gp_ucb", float("nan"), "logarithmic, information or a number of 0 or more"),
        ("r_gp_ucb", "2", "logarithmic, information or a number of 0 or more"),
        ("igp_ucb", "information", "logarithmic, improved or a number of 0 or more"),
        ("pi_gp_ucb", float("inf"), "logarithmic, improved or a number of 0 or more"),
        ("w_gp_ucb", "improved", "logarithmic, weighted, information or a number of 0 or more"),
    ],
)
def test_invalid_widths_are_refused(name, width, expected):
    with pytest.raises(ValueError, match=f"width is {width!r}, expected {expected}"):
        build(name, width=width)
