"""What queries are worth: runs as by hand, tuned curves, prices, and the figure."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
from tvgp.study.results import prices

FEW = {"horizon": 20, "widths": [0.5, 2], "levels": 3}
PARTS = {"rkhs_sine": {"problem": "rkhs_sine"}, "drift": {"problem": "drift"}}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prices")
    for name, part in PARTS.items():
        analyses.write(folder / f"{name}.nc", analyses.run("price_of_queries", [1, 2, 3], **part, **FEW), {})
    job = analyses.GatherJob("price_of_queries", "Queries", 3, False, PARTS)
    return analyses.gather({name: [folder / f"{name}.nc"] for name in PARTS}, job)


def test_a_run_is_that_of_the_policy_alone(gathered):
    environment = environments.make("rkhs_sine", n_arms=201)
    policy = policies.make(
        "pandora_gp_ucb",
        arms=environment.arms,
        kernel=kernels.make("se", variance=0.5, length_scale=3.0),
        noise_variance=0.01,
        rule="upper_bound",
        model="tv",
        number=2,
        epsilon=0.1,
        width=2.0,
        horizon=20,
        prior_mean=float(environment.mean_rewards(1).mean()),
    )
    names = ("price_of_queries", "rkhs_sine", 20, 3)
    run = simulate(
        policy,
        environment,
        20,
        rng=streams.generator(*names, "policy", "pandora_gp_ucb"),
        **streams.noise_fields(201, *names),
    )
    cell = gathered.sel(part="rkhs_sine", asker="tv", width="2", seed=3).isel(level=2, drift=1)
    assert cell.regret.item() == run.regret.mean() and cell.queries.item() == 2.0
    assert cell.amount.item() == 2.0 and cell.rate.item() == 0.1


def test_a_price_is_what_a_query_saves(gathered):
    part = gathered.sel(part="drift")
    (regret, queries), price = prices.curves(part), prices.prices(part)
    saved = prices.without(part) - regret.sel(asker="sparq_gp_ucb").values
    np.testing.assert_allclose(price.sel(asker="sparq_gp_ucb"), saved / queries.sel(asker="sparq_gp_ucb"))
    assert np.isnan(price.sel(asker="tv").isel(level=0)).all()  # no query, no price
    best, asked = prices.break_even(part, "tv")
    assert asked in queries.sel(asker="tv").values or 1 <= asked <= 2
    assert best.mean <= price.sel(asker="tv").isel(level=[1, 2]).max("level").mean()


def test_equal_numbers_of_queries_are_interpolated(gathered):
    part = gathered.sel(part="rkhs_sine")
    assert prices.against(part, "tv", 1).mean == 0.0
    assert prices.against(part, "sparq_gp_ucb", 2) is None  # asks more than TV-GP-UCB was played with
    regret, queries = prices.curves(part)
    own, tv = regret.sel(asker="w_sparq_gp_ucb").isel(level=0), regret.sel(asker="tv")
    share = queries.sel(asker="w_sparq_gp_ucb").isel(level=0)
    assert (share < 1).all()
    rival = (1 - share) * tv.isel(level=0) + share * tv.isel(level=1)
    assert prices.against(part, "w_sparq_gp_ucb", 0).mean == pytest.approx(float((own - rival).mean()))


def test_the_tables_have_every_method_and_problem(gathered):
    rows, even = (tables.rows(name, [gathered]) for name in ("price_of_queries", "break_even"))
    assert len(rows) == 2 * 6 * 3 and set(rows.problem) == set(PARTS)
    assert rows[rows.amount == 0].price.isna().all() and rows[rows.amount > 0].price.notna().all()
    whole = even[even.problem == "all"].set_index("asker")
    assert len(even) == 6 * 3 and set(whole["sample"]) == {"problems"}
    mean = even[(even.problem != "all") & (even.asker == "gp")].price.mean()
    assert whole.price["gp"] == pytest.approx(mean)


def test_the_figure_has_a_panel_per_problem_and_one_of_prices(gathered):
    axes = figures.draw("price_of_queries", [gathered]).axes
    titles = [each.get_title(loc="left") for each in axes]
    assert titles == ["Sine function", "Drifting function", "Break-even price"]
    tuned = prices.curves(gathered.sel(part="drift"))[0].mean("seed").sel(asker="tv")
    assert any(np.allclose(line.get_ydata(), tuned) for line in axes[1].lines)
    assert "3 runs" in figures.caption("price_of_queries", [gathered])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"problem": "tide"}, "problem is 'tide', expected rkhs_sine"),
        ({"problem": "drift", "methods": ["ucb1"]}, "methods has 'ucb1', expected tv, gp, st"),
        ({"problem": "drift", "moment": "before"}, "has no parameter 'moment'"),
    ],
)
def test_an_unknown_name_is_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message):
        analyses.run("price_of_queries", [1], **wrong)
