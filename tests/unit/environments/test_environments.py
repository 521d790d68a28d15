"""Facts that the environments must reproduce."""

import numpy as np
import pytest

from tvgp import environments
from tvgp.simulate import reward_table


def test_moving_bump_has_its_stated_regrets():
    """Over 500 rounds: random play 1.347, x = 0 .313 = best fixed arm, always the worst 1.899."""
    environment = environments.make("moving_bump")
    table = reward_table(environment, 500)
    best = table.max(axis=1)
    gaps = best[:, None] - table
    assert gaps.mean() == pytest.approx(1.347, abs=1e-3)
    assert gaps.mean(axis=0).min() == pytest.approx(0.313, abs=5e-4)
    assert gaps[:, np.flatnonzero(environment.arms[:, 0] == 0.0)[0]].mean() == pytest.approx(0.313, abs=5e-4)
    # always the first grid point, x = -50: what a flat posterior and a plain argmax play
    assert gaps[:, 0].mean() == pytest.approx(1.819, abs=5e-4)
    assert gaps.max(axis=1).mean() == pytest.approx(1.899, abs=1e-3)
    assert best.min() > 2.79 and best.max() <= 3.0
    assert np.abs(environment.arms[table.argmax(axis=1), 0]).max() <= 4.3
    steps = np.abs(np.diff(table, axis=0)).max(axis=1)
    assert steps.max() == pytest.approx(0.0957, abs=2e-4)
    assert environment.variation(500) == pytest.approx(30.3, abs=0.05)


@pytest.mark.parametrize(
    ("n", "norm", "rooted_norm", "optimum", "budget"),
    [(10, 7.06, 5.0, 2.17, 1053), (20, 5.5, 4.6, 1.36, 815), (25, 4.6, 4.4, 1.10, 689)],
)
def test_rkhs_sine_has_its_stated_norm_optimum_and_budget(n, norm, rooted_norm, optimum, budget):
    printed = environments.make("rkhs_sine", n_centres=n)
    table = reward_table(printed, 500)
    assert table.max(axis=1).mean() == pytest.approx(optimum, abs=0.01)
    assert np.mean([printed.norm(t) for t in range(1, 501)]) == pytest.approx(norm, abs=0.1)
    assert printed.variation(500) == pytest.approx(budget, rel=2e-3)
    rooted = environments.make("rkhs_sine", n_centres=n, norm_factor="rooted")
    assert np.mean([rooted.norm(t) for t in range(1, 501)]) == pytest.approx(rooted_norm, abs=0.1)
    assert max(rooted.norm(t) for t in range(1, 501)) <= 5.0 + 1e-9


def test_rkhs_sine_in_any_order_of_rounds():
    """Rewards are made for blocks of rounds; each is the sum over the centres, and read-only."""
    environment = environments.make("rkhs_sine", n_arms=101)
    centres = np.linspace(-50, 50, 20)
    k = 0.5 * np.exp(-((environment.arms - centres) ** 2) / 18.0)
    largest = np.linalg.eigvalsh(0.5 * np.exp(-((centres[:, None] - centres) ** 2) / 18.0))[-1]
    for t in (1, 65, 64, 1000, 2, 128, 129, 1):
        u = np.sin(0.3 * t + np.arange(1, 21))
        expected = k @ (5.0 / largest * u / np.linalg.norm(u))
        np.testing.assert_allclose(environment.mean_rewards(t), expected, atol=1e-13)
        np.testing.assert_allclose(
            environment.coefficients(np.array([7, t]))[1], environment.coefficients(t), rtol=1e-15
        )
    with pytest.raises(ValueError, match="read-only"):
        environment.mean_rewards(1)[0] = 0.0


def test_rkhs_sine_lives_in_two_dimensions():
    table = reward_table(environments.make("rkhs_sine"), 200)
    # u(t) is a combination of cos .3t and sin .3t; only its norm adds more than a plane
    singular = np.linalg.svd(table, compute_uv=False)
    assert singular[2] / singular[0] < 1e-10


def test_rkhs_sine_variation_from_a_fine_grid():
    """|f_{t+1} - f_t|_k from coefficients equals sqrt(d' K^-1 d) on the centres."""
    environment = environments.make("rkhs_sine")
    centres = np.linspace(-50, 50, 20)[:, None]
    K = environment.kernel(centres, centres)
    total = 0.0
    for t in range(1, 30):
        d = K @ (environment.coefficients(t + 1) - environment.coefficients(t))
        total += np.sqrt(d @ np.linalg.solve(K, d))
    assert environment.variation(30) == pytest.approx(total, rel=1e-9)


def test_random_centres_come_from_the_stream():
    make = lambda seed: environments.make(  # noqa: E731
        "rkhs_sine", centres="random", rng=np.random.default_rng(seed)
    )
    np.testing.assert_array_equal(make(1).mean_rewards(3), make(1).mean_rewards(3))
    assert not np.array_equal(make(1).mean_rewards(3), make(2).mean_rewards(3))
    with pytest.raises(ValueError, match="random with a stream"):
        environments.make("rkhs_sine", centres="random")


def test_bad_environments():
    with pytest.raises(ValueError, match="no 'sine' in environments"):
        environments.make("sine")
    with pytest.raises(ValueError, match="environment moving_bump has no parameter 'arms'"):
        environments.make("moving_bump", arms=3)
    for name, values, message in (
        ("rkhs_sine", {"n_centres": 0}, "environment rkhs_sine: n_centres is 0, must be 1 or more"),
        ("moving_bump", {"noise_std": -1.0}, "noise_std is -1.0, must be 0 or more"),
        ("continuous_optimisation", {"noise_variance": -1.0}, "noise_variance is -1.0"),
        ("global_optimisation", {"n_side": 1}, "n_side is 1, must be 2 or more"),
        ("moving_bump", {"n_arms": "7"}, "n_arms is '7', must be 1 or more"),
        (
            "drifting_paths",
            {"length_scale": 0.0, "rng": np.random.default_rng(0)},
            "length_scale is 0.0, must be positive",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            environments.make(name, **values)
    changes = {"horizon": 30, "n_arms": 5, "rng": np.random.default_rng(0)}
    abrupt = environments.make("abrupt", changes=np.int64(2), **changes)
    assert len({abrupt.mean_rewards(t)[0] for t in (1, 11, 12)}) == 2
    with pytest.raises(ValueError, match="norm_factor is 'squared'"):
        environments.make("rkhs_sine", norm_factor="squared")
    with pytest.raises(ValueError, match="expected \\(rounds, 2 arms\\)"):
        environments.make("field", arms=np.zeros((2, 1)), values=np.zeros((4, 3)))
    with pytest.raises(ValueError, match="no reading at any site at time index 1"):
        environments.make("field", arms=np.zeros((2, 1)), values=np.array([[1.0, 2.0], [np.nan, np.nan]]))


def test_unknown_norm_and_variation_are_none():
    rng = np.random.default_rng(0)
    field = environments.make("field", arms=np.zeros((2, 1)), values=np.ones((4, 2)))
    drawn = environments.make("gp_markov", n_side=3, horizon=4, rng=rng)
    for world in (field, drawn):
        assert world.norm(1) is None and world.variation(4) is None
    bump = environments.make("moving_bump", n_arms=11)
    assert bump.norm(1) is None and bump.variation(4) > 0 and bump.variation_norm == "sup"
    laws = {name: environments.make(name).noise_law for name in ("moving_bump", "global_optimisation")}
    assert laws == {"moving_bump": "gaussian", "global_optimisation": "uniform"}
