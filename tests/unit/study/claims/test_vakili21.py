"""The study of Thompson sampling: its analyses, claims, table and figures, on small inputs."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.posterior import Prior
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import approximation
from tvgp.study.claims import judge
from tvgp.study.claims.claim import NotComparable
from tvgp.study.claims.measures import approximation as measures
from tvgp.study.claims.measures import vakili21
from tvgp.theory import divergence

PARTS = {
    f"{kind}_{d}d": {"algorithm": algorithm, "d": d, "n_side": 12, **own}
    for d in (1, 2)
    for kind, algorithm, own in (
        ("exact", "gp_ts", {}),
        ("points", "s_gp_ts", {"sizes": [2, "rule"], "features": 50}),
        ("features", "s_gp_ts", {"sizes": [3, "rule"], "features": "rule", "variables": "features"}),
    )
}
KERNELS = {"se": {"kernel": "se", "sizes": [3, 9]}, "m52": {"kernel": "matern52", "sizes": [3, 15]}}
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
        "approximation": gathered(
            folder, "approximation", "approximation", {"n_side": 20, "rounds": [30, 60]}, KERNELS, 3
        ),
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


def test_the_cost_table_compares_all_methods(made):
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
        ("approximation", ("approximation",)),
    ],
)
def test_figures_have_their_panels_and_captions(made, name, inputs):
    data = [made[key] for key in inputs]
    four = len(inputs) == 2 or name == "approximation"
    assert len(figures.draw(name, data).axes) == (4 if four else 2)
    caption = figures.caption(name, data)
    assert caption.endswith(".") and "  " not in caption
    assert ("synthetic rewards" in caption) == (name != "approximation")
    assert ("95 % " in caption) == (name not in ("step_cost", "approximation", "continuous_thompson"))
    assert ("from the lowest to the highest run" in caption) == (
        name in ("approximation", "continuous_thompson")
    )


def test_approximation_against_dense_matrices():
    """Divergence, errors and the bound of points and features, with every matrix written out."""
    tau, k, X = 0.2, kernels.make("matern52", length_scale=0.3), np.linspace(0, 1, 12)[:, None]
    rng = np.random.default_rng(4)
    arms, y = rng.integers(12, size=40), rng.standard_normal(40)
    prior, K = Prior(X, k), k(X, X)
    exact = approximation.Exact(prior, tau, arms, y)
    A = K[np.ix_(arms, arms)] + tau * np.eye(40)
    np.testing.assert_allclose(exact.mean, K[:, arms] @ np.linalg.solve(A, y), atol=1e-7)
    values, vectors = np.linalg.eigh(K)
    values, vectors = values[::-1] / 12, vectors[:, ::-1] * np.sqrt(12)
    for m in (2, 5):
        features = approximation.Approximations(prior, tau, "features", 0.05)
        kappa, bound, mean_error, spread_error = features.compare(exact, m, rng)
        Q = (vectors[:, :m] * values[:m]) @ vectors[:, :m].T
        S = Q[np.ix_(arms, arms)] + tau * np.eye(40)
        gap = np.linalg.slogdet(S)[1] + y @ np.linalg.solve(S, y)
        gap += (K - Q)[arms, arms].sum() / tau - np.linalg.slogdet(A)[1] - y @ np.linalg.solve(A, y)
        assert kappa == pytest.approx(gap, rel=1e-5)
        mean = Q[:, arms] @ np.linalg.solve(S, y)
        variance = K.diagonal() - np.einsum("ij,ji->i", Q[:, arms], np.linalg.solve(S, Q[arms]))
        assert mean_error == pytest.approx(np.max(np.abs(mean - exact.mean) / exact.std), rel=1e-5)
        assert spread_error == pytest.approx(np.max(np.abs(variance / exact.std**2 - 1)), rel=1e-5)
        r = 40 * (values[m:] * (vectors[:, m:] ** 2).max(axis=0)).sum()
        assert bound == pytest.approx(r / tau * (1 + y @ y / (tau + r)), rel=1e-5)
        assert (K - Q)[arms, arms].sum() <= r and kappa <= bound
    points = approximation.Approximations(prior, tau, "points", 0.05)
    every = np.unique(arms)
    kappa = points.compare(exact, 12, rng)[0]
    assert kappa == pytest.approx(2 * divergence.variational(k, X[arms], y, X[every], X, tau)[0], abs=1e-6)
    assert kappa < 1e-6


def test_claims_on_the_approximation(made):
    """Rates and bounds of made-up quantities; all claims on the analysis are measured."""
    frame = tables.rows("claims", [made["approximation"]])
    ours = frame[(frame.paper == "Vakili21") & (frame.experiment == "approximation")]
    assert len(ours) == 4 + 8 + 8 + 8 and "not comparable" not in set(ours.verdict)
    data = made["approximation"].copy(deep=True)
    case = {"part": "se", "variables": "points", "inputs": "played"}
    rounds, spread = data["round"].values, np.array([[0.99], [1.0], [1.01]])
    for power, expected in ((-1.0, "trend agrees"), (0.5, "trend disagrees")):
        values = rounds ** (power * spread)
        data.divergence.loc[case] = values
        found = measures.vanishing_error(data, "se", "points", "played")
        assert found.ours.mean == pytest.approx(power, abs=0.02)
        assert judge.verdict(found.ours, found.claimed) == expected
        data.mean_error.loc[case] = values
        data.spread_error.loc[case] = 0.21
        found = measures.vanishing_constants(data, "se", "points", "played")
        assert found.ours.mean == pytest.approx(power, abs=0.02) and "1.1 at $T = " in found.note
        assert judge.verdict(found.ours, found.claimed) == expected
    for values in (data.divergence, data.mean_error):
        values.loc[case] = 1e-9  # rounding, which has no slope
    for measure in (measures.vanishing_error, measures.vanishing_constants):
        found = measure(data, "se", "points", "played")
        assert judge.verdict(found.ours, found.claimed) == "trend agrees"
    exact = data.assign({name: 0.0 * data[name] for name in ("divergence", "divergence_by_size")})
    with pytest.raises(NotComparable, match="no divergence above rounding"):
        measures.bounded_divergence(exact, "se", "points")
    data.divergence.loc[case] = rounds**0.5
    found = measures.bounded_divergence(data, "se", "points")
    assert judge.verdict(found.ours, found.claimed) == "confirmed"
    data.bound.loc[case] = 1e-5
    found = measures.bounded_divergence(data, "se", "points")
    assert judge.verdict(found.ours, found.claimed) == "contradicted"
    data.divergence[:] = data.divergence_by_size[:] = 0.04
    data.spread_error[:] = data.spread_error_by_size[:] = data.mean_error_by_size[:] = 0.1
    data.mean_error[:] = 0.21  # the bound is 0.2
    found = measures.bounded_errors(data, "se", "points")
    assert found.ours.mean == pytest.approx(1.05)
    assert judge.verdict(found.ours, found.claimed) == "contradicted"
    found = measures.coverage(data.assign(covered=0.9 * data.covered), "se", "uniform", 0.05)
    assert judge.verdict(found.ours, found.claimed) == "contradicted"
