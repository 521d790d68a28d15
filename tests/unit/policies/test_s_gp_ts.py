"""Sparse Thompson sampling: its sizes, its points, its draws, and exactness in the limit."""

import math

import numpy as np
import pytest
from moments import moments_agree

from tvgp import kernels, policies
from tvgp.policies import s_gp_ts
from tvgp.posterior import Dense, Prior, inducing
from tvgp.posterior.features import mercer

TAU = 0.05
GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 5)] * 2), -1).reshape(-1, 2)
SE = kernels.make("se", variance=1.3, length_scale=0.4)
PLAYED, VALUES = [3, 7, 3, 21, 0, 3], [0.4, -1.0, 0.7, 0.2, 1.1, 0.1]


def build(kernel=SE, arms=GRID, **values):
    return policies.make("s_gp_ts", arms=arms, kernel=kernel, noise_variance=TAU, **values)


def trained(**values):
    policy = build(**values)
    for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True), 1):
        policy.observe(t, arm, value)
    return policy


def test_sizes_by_the_rules():
    T = 1000
    se, rough = SE, kernels.make("matern32")
    smooth = kernels.make("matern52")
    assert inducing.rule_sizes(se, 1, T, "points") == (7, 7)  # log 1000 = 6.9
    assert inducing.rule_sizes(se, 2, T, "features") == (48, 48)
    assert inducing.rule_sizes(rough, 1, T, "points")[0] == T  # 2 / (3 - 1) = 1: no saving
    assert inducing.rule_sizes(smooth, 1, T, "points")[0] == math.ceil(T**0.5)
    assert inducing.rule_sizes(smooth, 1, T, "features") == (
        math.ceil(T**0.4),
        math.ceil(T ** (6 / (2 * 4 * 2.5))),
    )
    with pytest.raises(ValueError, match="no sizes for kernel matern32 in 3 dimensions"):
        inducing.rule_sizes(rough, 3, T, "points")


@pytest.mark.parametrize("how", inducing.SELECTIONS)
def test_points_are_distinct_and_spread(how):
    prior, rng = Prior(GRID, SE), np.random.default_rng(0)
    chosen = inducing.select(prior, 6, how, rng)
    assert len(set(chosen)) == len(chosen) == 6
    log_det = np.linalg.slogdet(SE(GRID[chosen], GRID[chosen]))[1]
    random = [rng.choice(25, 6, replace=False) for _ in range(200)]
    others = [np.linalg.slogdet(SE(GRID[z], GRID[z]))[1] for z in random]
    assert log_det > np.quantile(others, 0.5)


def test_points_of_repeated_data():
    """Twelve copies of five points hold five points."""
    X = np.tile(np.random.default_rng(0).uniform(size=(5, 2)), (12, 1))
    for how in inducing.SELECTIONS:
        chosen = inducing.select(Prior(X, SE), 9, how, np.random.default_rng(1))
        assert len(np.unique(X[chosen], axis=0)) == len(chosen) == 5, how


def test_copies_make_a_set_more_likely():
    """The k-DPP of data in which points repeat, against its law by enumeration; the largest of ten
    deviations exceeds 4.2 standard errors with probability below 3e-4."""
    X, counts, size, draws = GRID[[0, 1, 6, 18, 24]], np.array([1, 5, 1, 2, 9]), 2, 1500
    rng = np.random.default_rng(3)
    prior, K = Prior(X, SE), SE(X, X)
    weights = {
        (i, j): counts[i] * counts[j] * np.linalg.det(K[np.ix_([i, j], [i, j])])
        for i in range(5)
        for j in range(i + 1, 5)
    }
    found = [tuple(inducing.select(prior, size, "kdpp", rng, counts)) for _ in range(draws)]
    for pair, weight in weights.items():
        law = weight / sum(weights.values())
        error = np.sqrt(law * (1 - law) / draws)
        assert abs(found.count(pair) / draws - law) < 4.2 * error, pair


def test_copies_attract_a_centre():
    X, counts = np.array([[0.0], [0.4], [1.0]]), np.array([1, 1, 50])
    rng = np.random.default_rng(0)
    ones = [int(inducing.select(Prior(X, SE), 1, "kmeans", rng)[0]) for _ in range(3)]
    many = [int(inducing.select(Prior(X, SE), 1, "kmeans", rng, counts)[0]) for _ in range(3)]
    assert set(ones) == {1} and set(many) == {2}


@pytest.mark.parametrize(
    "values",
    [
        {"variables": "points", "size": 25},
        {"variables": "points", "size": 25, "among": "played"},
        {"variables": "points", "size": 4, "among": "played", "selection": "kdpp"},
        {"variables": "points", "size": 25, "selection": "kdpp"},
        {"variables": "features", "size": 25},
    ],
)
def test_one_variable_per_arm_gives_the_exact_posterior(values):
    policy = trained(**values)
    policy.choose(7, np.random.default_rng(0))
    dense = Dense(Prior(GRID, SE), TAU)
    for arm, value in zip(PLAYED, VALUES, strict=True):
        dense.observe(arm, value)
    mean, std = policy.posterior(7)
    np.testing.assert_allclose(mean, dense.mean, atol=1e-4)
    np.testing.assert_allclose(std**2, dense.variance, atol=1e-4)


def test_the_scale_in_theory_has_the_information_of_the_data():
    """log det(I + K/tau), of which the inducing variables of all arms lose nothing."""
    K = SE(GRID[PLAYED], GRID[PLAYED])
    assert trained(size=25)._log_det == pytest.approx(np.linalg.slogdet(np.eye(6) + K / TAU)[1], rel=1e-4)


def test_sizes_that_are_given_stand_beside_those_of_the_rule():
    prior = Prior(GRID, SE)
    for given, expected in (({"size": 3}, (3, 48)), ({"size": "rule", "features": 9}, (48, 9))):
        settings = {"features": "rule", "horizon": 1000, "variables": "features"} | given
        assert s_gp_ts.sizes(s_gp_ts.Parameters(**settings), prior) == expected


def test_features_are_as_many_as_inducing_variables_at_least():
    assert trained(variables="features", size=8, features=4).functions == 8


@pytest.mark.parametrize("first", [True, False], ids=["chosen first", "told first"])
@pytest.mark.parametrize("values", [{}, {"among": "played"}, {"variables": "features"}])
def test_noise_of_its_own_enters_the_posterior(values, first):
    policy, dense = build(size=25, **values), Dense(Prior(GRID, SE), TAU)
    if first:  # which makes the model to which rewards are added
        policy.choose(1, np.random.default_rng(0))
    for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True), 1):
        noise = TAU * t if t % 2 else None
        policy.observe(t, arm, value, noise)
        dense.observe(arm, value, noise)
    np.testing.assert_allclose(policy.posterior(7)[0], dense.mean, atol=1e-4)
    np.testing.assert_allclose(policy.posterior(7)[1] ** 2, dense.variance, atol=1e-4)


def titsias(K_uu, K_ux, K):
    """Mean and covariance over the arms of the best posterior on u, from every reward by itself."""
    half = K_ux[:, PLAYED]
    inverse = np.linalg.inv(K_uu + half @ half.T / TAU)
    mean = K_ux.T @ inverse @ half @ VALUES / TAU
    return mean, K - K_ux.T @ np.linalg.solve(K_uu, K_ux) + K_ux.T @ inverse @ K_ux


@pytest.mark.parametrize(
    "values",
    [
        {"variables": "points", "size": 8, "basis": "mercer", "features": 25},
        {"variables": "features", "size": 8, "features": 25},
        {"variables": "features", "size": 8, "features": 25, "scale": 2.0},
    ],
)
def test_paths_have_the_posterior_moments(values):
    """Means and covariances on five arms, by Titsias' formulas; false alarms 1e-3 a case, fixed seed."""
    kernel = kernels.make("matern32", length_scale=0.4)
    policy, scale = trained(kernel=kernel, **values), values.get("scale", 1.0)
    rng = np.random.default_rng(6)
    draws = np.array([policy._path(rng, scale) for _ in range(4000)])[:, ::5]
    mean, std = policy.posterior(7)
    if values["variables"] == "points":
        Z = GRID[inducing.select(Prior(GRID, kernel), 8, "greedy", rng)]
        K_uu, K_ux = kernel(Z, Z), kernel(Z, GRID)
    else:
        eigenvalues, functions = (each[..., :8] for each in mercer(Prior(GRID, kernel), 25))
        K_uu, K_ux = np.diag(eigenvalues), eigenvalues[:, None] * functions.T
    exact, covariance = titsias(K_uu, K_ux, kernel(GRID, GRID))
    np.testing.assert_allclose(exact, mean, atol=1e-7)
    np.testing.assert_allclose(covariance.diagonal(), std**2, atol=1e-7)
    assert moments_agree(draws, exact[::5], scale**2 * covariance[::5, ::5])


@pytest.mark.parametrize("selection", inducing.SELECTIONS)
def test_points_among_the_arms_played_are_drawn_anew(selection, monkeypatch):
    """From a stream that the data name, with the number of plays of each."""
    policy = build(size=2, among="played", selection=selection)
    used, streams, numbers, select = [], [], [], inducing.select

    def spy(prior, *values):
        streams.append(str(values[2].bit_generator.state))
        numbers.append(values[3].tolist())
        chosen = select(prior, *values)
        used.append({int(np.flatnonzero((GRID == z).all(axis=1))[0]) for z in prior.arms[chosen]})
        return chosen

    monkeypatch.setattr(inducing, "select", spy)
    rng, played = np.random.default_rng(2), []
    for t in range(1, 21):
        policy.choose(t, rng)
        assert len(used) == t - 1
        played.append(int(rng.integers(25)))
        policy.observe(t, played[-1], 0.3)
    sizes = [min(2, len(set(played[:t]))) for t in range(1, 20)]
    assert [len(points) for points in used] == sizes
    assert all(points <= set(played[:t]) for t, points in enumerate(used, 1))
    assert len(set(streams)) == 19
    assert numbers == [np.unique(played[:t], return_counts=True)[1].tolist() for t in range(1, 20)]
    assert policy.functions == 2


def test_a_model_without_data_is_the_prior():
    mean, std = build(among="played").posterior(1)
    np.testing.assert_allclose([mean, std], [np.zeros(25), np.full(25, 1.3**0.5)])
    paths = [build(among="played")._path(np.random.default_rng(0), scale) for scale in (1.0, 3.0)]
    np.testing.assert_allclose(paths[1], 3.0 * paths[0])


def test_sums_per_arm_are_the_model_of_single_rewards():
    """The model made anew from counts and sums, against the same points and every reward by itself."""
    policy = trained(size=3, among="played")
    policy.choose(7, np.random.default_rng(0))
    played = GRID[np.unique(PLAYED)]
    Z = played[inducing.select(Prior(played, SE), 3, "greedy", np.random.default_rng(0))]
    mean, covariance = titsias(SE(Z, Z), SE(Z, GRID), SE(GRID, GRID))
    found = policy.posterior(7)
    np.testing.assert_allclose(found[0], mean, atol=1e-8)
    np.testing.assert_allclose(found[1] ** 2, covariance.diagonal(), atol=1e-8)


def test_observations_before_the_first_choice_count():
    early, late = trained(size=5), build(size=5)
    late.choose(1, np.random.default_rng(0))
    for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True), 1):
        late.observe(t, arm, value)
    early.choose(7, np.random.default_rng(0))
    np.testing.assert_allclose(early.posterior(7)[0], late.posterior(7)[0], atol=1e-12)


def test_make_rejects_bad_parameters():
    for values, message in (
        ({"variables": "lines"}, "variables is 'lines', expected one of points, features"),
        ({"selection": "best"}, "selection is 'best'"),
        ({"basis": "wavelets"}, "basis is 'wavelets'"),
        ({"variables": "features", "among": "played"}, "among is 'played', expected one of arms"),
        ({"size": 0}, "size is 0, expected 1 or more, or rule"),
        ({"features": "many"}, "features is 'many'"),
    ):
        with pytest.raises(ValueError, match=message):
            build(**values)
