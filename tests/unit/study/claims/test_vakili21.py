"""The study of Thompson sampling: its analyses, claims, table and figures, on small inputs."""

import numpy as np
import pytest

from tvgp.study import analyses, figures, tables
from tvgp.study.claims import judge
from tvgp.study.claims.measures import vakili21

PARTS = {
    f"{kind}_{d}d": {"algorithm": algorithm, "d": d, "n_side": 12, **own}
    for d in (1, 2)
    for kind, algorithm, own in (
        ("exact", "gp_ts", {}),
        ("points", "s_gp_ts", {"sizes": [2, "rule"], "features": 50}),
        ("features", "s_gp_ts", {"sizes": [3, "rule"], "features": "rule", "variables": "features"}),
    )
}
COST = {
    "rounds": [20, 40, 40, 40],
    "n_side": [6, 6, 8, 10],
    "repeats": 1,
    "size": 9,
    "features": 16,
    "kernel": "matern52",
}


def gathered(tmp_path, name, module, common, parts, seeds, timed=False):
    """Parts of an analysis in blocks of two seeds, as the study runs and joins them."""
    files = {}
    for part, own in parts.items():
        files[part] = []
        for first in range(1, seeds + 1, 2):
            path = tmp_path / f"{name}-{part}-{first}.nc"
            block = range(first, min(first + 1, seeds) + 1)
            analyses.write(path, analyses.run(module, block, **common, **own), {})
            files[part].append(path)
    job = analyses.GatherJob(
        analysis=name,
        title=name,
        seeds=seeds,
        timed=timed,
        parts={part: common | own for part, own in parts.items()},
    )
    return analyses.gather(files, job)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("thompson")
    regret = {"horizon": 30}
    run = {"initial": 6, "rounds": 1, "batch": 3, "size": 5, "features": 20, "candidates": 30}
    boxes = {
        f"{f}_{m}": {"function": f, "method": m}
        for f in ("ackley", "hartmann")
        for m in ("s_gp_ts", "gp_ts", "uniform")
    }
    methods = {m: {"method": m} for m in ("textbook", "joint", "pathwise", "points")}
    more = methods | {"features": {"method": "features"}}
    single = {"rounds": [40], "n_side": [10], "repeats": 1, "kernel": "se"}
    return {
        "sizes": gathered(folder, "thompson_sizes", "thompson_regret", regret, PARTS, 3),
        "seconds": gathered(
            folder, "thompson_seconds", "thompson_regret", regret | {"clock": True}, PARTS, 2, True
        ),
        "cost": gathered(folder, "step_cost", "step_cost", COST, methods, 1, True),
        "single": gathered(folder, "step_cost_10000", "step_cost", single, more, 1, True),
        "boxes": gathered(folder, "continuous_thompson", "continuous_thompson", run, boxes, 3),
    }


def test_sizes_of_all_parts_stand_in_one_file(made):
    data = made["sizes"]
    assert data.inducing.sel(part="points_2d", size="rule") == 12  # (log 30)^2 = 11.6
    assert data.inducing.sel(part="features_1d", size="3") == 3
    assert np.isnan(data.regret.sel(part="points_1d", size="3")).all()
    assert (data.regret.sel(part="exact_1d", size="exact") > 0).all()
    # every method meets the same functions
    same = data.uniform_regret.sel(part=["exact_2d", "points_2d", "features_2d"])
    assert (same == same[0]).all()


def test_regret_does_not_depend_on_the_block(made):
    one = analyses.run("thompson_regret", [3], horizon=30, **PARTS["points_1d"])
    expected = made["sizes"].regret.sel(part="points_1d", seed=3, size=["2", "rule"])
    np.testing.assert_array_equal(one.regret.values[0], expected.values)


def test_simple_regret_never_rises_and_starts_alike(made):
    data = made["boxes"]
    assert (np.diff(data.simple_regret.values, axis=-1) <= 0).all()
    first = data.simple_regret.sel(part=["ackley_s_gp_ts", "ackley_gp_ts", "ackley_uniform"])
    assert (first[:, :, :6] == first[0, :, :6]).all()
    assert data.sizes["evaluation"] == 9


def test_claim_of_equal_regret_is_judged_by_its_interval(made):
    data = made["sizes"].copy(deep=True)
    found = vakili21.same_regret(data, "points", 1, 1e-6)
    assert judge.verdict(found.ours, found.claimed) in ("inconclusive", "trend disagrees")
    assert found.ours.runs == 3
    exact = data.regret.sel(part="exact_1d", size="exact").values
    for factor, expected in ((1.01, "trend agrees"), (3.0, "trend disagrees")):
        data.regret.loc[{"part": "exact_1d", "size": "exact"}] = exact.mean()
        data.regret.loc[{"part": "points_1d", "size": "rule"}] = exact.mean() * factor
        found = vakili21.same_regret(data, "points", 1, 0.25)
        assert judge.verdict(found.ours, found.claimed) == expected
    frame = tables.rows("claims", [data])
    ours = frame[(frame.paper == "Vakili21") & (frame.experiment == "thompson_sizes")]
    assert len(ours) == 4 and "not comparable" not in set(ours.verdict)


def test_table_of_cost(made):
    frame = tables.rows("step_cost", [made["cost"], made["single"]])
    assert len(frame) == 4 * 2 + 5
    assert set(frame.method) == {"textbook", "joint", "pathwise", "points", "features"}
    assert (frame[frame.method == "points"].over_points == 1).all() and (frame.seconds > 0).all()
    assert frame.slope.notna().sum() == 8
    single = frame[frame.analysis == "step_cost_10000"].set_index("method")
    assert single.loc["features", "over_features"] == 1
    # the rank of the kernel on the candidates, and m = (log 40)^2
    assert 14 == single.loc["points", "functions"] < single.loc["joint", "functions"] <= 100


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("thompson_sizes", ("sizes", "seconds")),
        ("thompson_sizes", ("sizes",)),
        ("step_cost", ("cost",)),
        ("continuous_thompson", ("boxes",)),
    ],
)
def test_figures(made, name, inputs):
    data = [made[key] for key in inputs]
    assert len(figures.draw(name, data).axes) == (4 if len(inputs) == 2 else 2)
    caption = figures.caption(name, data)
    assert caption.endswith(".") and "  " not in caption and "synthetic rewards" in caption
    assert ("95 % " in caption) == (name != "step_cost")
