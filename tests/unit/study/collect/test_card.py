"""Cards of environments whose numbers are known by hand."""

import numpy as np
import pytest

from tvgp import environments
from tvgp.contracts import Environment
from tvgp.study.collect import card
from tvgp.study.run.job import Experiment
from tvgp.study.run.world import World


class Table(Environment):
    """A given table of rewards on arms 0, 1, ... of a line."""

    noise_std = expert_noise_std = 0.0

    def __init__(self, table):
        self._table = np.array(table, dtype=float)
        self.arms = np.arange(self._table.shape[1], dtype=float)[:, None]

    def mean_rewards(self, t):
        return self._table[t - 1]


def test_the_card_of_a_small_table_is_right():
    found = card.of(Table([[1, 0, 0], [1, 0, 0], [1, 0, 4], [1, 0, 4]]), 4)
    assert found["mean_optimum"] == 2.5
    assert found["best_fixed_regret"] == 0.5  # always arm 2
    assert found["uniform_regret"] == pytest.approx((2 / 3 + 2 / 3 + 7 / 3 + 7 / 3) / 4)
    assert found["optimum_moves"] == 1 and found["path_length"] == 1.0
    assert found["sup_variation"] == 4.0 and found["rkhs_variation"] is None
    assert found["change_points"] == [3] and found["period"] is None


def test_a_card_in_a_small_unit_is_the_same():
    table, size = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 4], [1, 0, 4]]), 2.0**-40
    usual, small = card.of(Table(table), 4), card.of(Table(size * table), 4)
    for name in ("optimum_moves", "path_length", "change_points"):
        assert small[name] == usual[name]
    assert small["best_fixed_regret"] == size * usual["best_fixed_regret"]


def test_arms_without_a_value_are_no_fixed_arm():
    found = card.of(Table([[1, 5, np.nan], [1, np.nan, 3]]), 2)
    assert found["mean_optimum"] == 4.0 and found["best_fixed_regret"] == 3.0
    assert card.of(Table([[1, np.nan], [np.nan, 3]]), 2)["best_fixed_regret"] is None


@pytest.mark.parametrize(
    ("name", "values", "rounds", "period"),
    [
        ("moving_bump", {"n_arms": 101}, 500, 20 * np.pi),
        ("rkhs_sine", {"n_arms": 101}, 300, 2 * np.pi / 0.3),
        ("marchant", {"period": 41.3}, 200, 41.3),
        ("moving_parabola", {}, 139, None),
        ("global_optimisation", {}, 100, None),
    ],
)
def test_the_period_is_found_to_a_hundredth_of_a_round(name, values, rounds, period):
    found = card.of(environments.make(name, **values), rounds)["period"]
    assert found == (None if period is None else pytest.approx(period, abs=0.01))


def test_a_random_walk_has_neither_period_nor_change_points():
    world = environments.make("wiener", rng=np.random.default_rng(0))
    found = card.of(world, 300)
    assert found["period"] is None and found["change_points"] == []


def test_freeze_and_jump_are_change_points():
    assert card.of(environments.make("moving_parabola"), 300)["change_points"] == [140, 226]


def test_the_card_averages_the_first_realisations():
    experiment = Experiment("toy", "abrupt", {"changes": 2}, None, 30, None, False)
    world = World.open(experiment)
    found = card.of_world(world, "1", 8)
    each = [card.of(world.environment("1", seed), 30) for seed in (1, 2, 3)]
    assert found["realisations"] == 3 and found["change_points"] == [11, 21]
    assert found["sup_variation"] == pytest.approx(np.mean([c["sup_variation"] for c in each]))
