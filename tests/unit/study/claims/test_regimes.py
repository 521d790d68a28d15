"""Test beds, exponents and regime tables: bookkeeping against direct simulation, verdict rules."""

import numpy as np
import pytest
import xarray as xr
from pixels import lay_out

from tvgp.ageing import methods
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import drift
from tvgp.study.claims import judge
from tvgp.study.claims import regimes as regime_claims
from tvgp.study.claims.claim import NotComparable, Trend, Vacuous
from tvgp.study.claims.measures import regimes as measured
from tvgp.study.figures import bed_widths
from tvgp.study.results import growth
from tvgp.study.results.statistics import Estimate, growth_values, mean_interval
from tvgp.study.tables import regimes as table
from tvgp.theory import bounds, schedules

SMALL = {"alphas": [0.5, 2.0], "horizon": 100, "n_arms": 41}


def _gathered(module: str, parts: dict, seeds=(1, 2), **parameters) -> xr.Dataset:
    found = [analyses.run(module, list(seeds), **parameters | values) for values in parts.values()]
    data = xr.concat(found, "part").assign_coords(part=list(parts))
    return data.assign_attrs(analysis=module, title=module, data="synthetic")


@pytest.fixture(scope="module")
def beds():
    names = ("gp_ucb", "ui_gp_ucb", "w_sparq_gp_ucb")
    parts = {name: {"method": name} for name in names}
    return [_gathered(bed, parts, **SMALL) for bed in ("ageing", "drift")]


@pytest.fixture(scope="module")
def phase():
    return _gathered(
        "phase_diagram",
        {"windows": {"procedure": "windows"}, "everything": {"procedure": "everything"}},
        alphas=[0.5, 2.0],
        query_exponents=[0.0, 0.5, 1.0],
        horizons=[100, 150],
        n_arms=41,
    )


def test_seeds_do_not_depend_on_their_block(beds):
    alone = analyses.run("ageing", [2], method="w_sparq_gp_ucb", **SMALL)
    both = beds[0].sel(part="w_sparq_gp_ucb").isel(seed=[1])
    np.testing.assert_array_equal(alone.cumulative_regret, both.cumulative_regret)


@pytest.mark.parametrize("bed", ["ageing", "drift"])
def test_beds_are_played_at_a_constant_width(bed):
    own, greedy = (
        analyses.run(bed, [1], method="w_sparq_gp_ucb", **SMALL | width) for width in ({}, {"width": 0.0})
    )
    assert not own.cumulative_regret.equals(greedy.cumulative_regret)
    xr.testing.assert_equal(own.random_play, greedy.random_play)


def test_every_method_asks_what_its_name_says():
    runs = {method: analyses.run("ageing", [1], method=method, **SMALL) for method in methods.METHODS}
    without = {method for method, data in runs.items() if not data.cumulative_queries.any()}
    assert without == set(growth.WITHOUT_QUERIES) and set(runs) == {
        *growth.WITHOUT_QUERIES,
        *growth.WITH_QUERIES,
    }


@pytest.mark.parametrize("exponent", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_even_bundles_sum_to_the_budget(exponent):
    starts, sizes = schedules.even_bundles(1000, exponent)
    assert sizes.sum() == round(1000**exponent)
    assert len(starts) == len(sizes) and sizes.max() <= 2 * schedules.query_size(1000, 6.0)
    assert starts.min() >= 1 and starts.max() <= 1000 and len(set(starts.tolist())) == len(starts)
    gaps = np.diff(starts)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1


def test_exponent_of_a_power_law():
    """R_T = c T^p exactly, with c from run to run: slope p, interval of no width."""
    at = np.geomspace(10, 1000, 9)
    totals = np.array([[1.0], [3.0]]) * at**0.7
    ours = mean_interval(growth_values(totals, at))
    np.testing.assert_allclose([ours.mean, ours.low, ours.high], 0.7)


def test_epsilon_of_the_drift_is_its_correlation():
    """sqrt(1 - epsilon) = exp(-(1/tau)^alpha), whatever alpha."""
    for alpha in (0.1, 1.0, 2.0):
        expected = np.exp(-((1 / 7.0) ** alpha))
        assert np.sqrt(1 - drift.one_step(alpha, 7.0)) == pytest.approx(expected, rel=1e-12)


def test_growth_is_judged_by_its_interval():
    """Bounds on growth, T^0.7 measured: within 0.05, excluded, or left open; a lower bound of the worst
    function is not excluded by random ones."""
    ours = Estimate(0.7, 0.68, 0.72, 5)
    one_run = Estimate(0.1, np.nan, np.nan, 1)
    for claimed, expected in (
        (Trend(most=0.75), "trend agrees"),
        (Trend(most=0.65), "trend disagrees"),
        (Trend(most=0.7), "inconclusive"),
        (measured.no_slower(0.7), "trend agrees"),
        (measured.no_slower(0.8), "inconclusive"),
        (measured.no_slower(0.8, worst_case=False), "trend disagrees"),
        (measured.no_slower(0.75), "inconclusive"),
    ):
        assert judge.verdict(ours, claimed) == expected
        assert judge.verdict(one_run, claimed) == "inconclusive"


def test_growth_bounds_include_logarithms_or_are_vacuous():
    """The slope of (23) over a decade has its logarithms; orders of T or more are vacuous."""
    bound, _ = measured.no_faster("sparq", 1.0, 1e4, 1e5)
    slope = np.log10(bounds.regret_bound_sparq_2025b(1e5) / bounds.regret_bound_sparq_2025b(1e4))
    assert bound == Trend(most=pytest.approx(slope + 0.05)) and bound.most > 0.55 + 0.05
    for alpha in (1 / 3, 1.0, 2.0):
        assert measured.no_faster("gp_ucb", alpha, 10.0, 100.0)[0] == Vacuous()
    # a slope of 0.975, with which linear growth would agree within the slack
    assert measured.no_faster("gp_ucb", 0.15, 1e3, 1e4)[0] == Vacuous()


def test_tables_1_and_2(beds, phase, tmp_path):
    first = tables.rows("regimes", beds, table=1)
    assert list(first.alpha) == [2.0, 2.0, 0.5, 0.5]
    assert set(first.ageing_verdict) | set(first.drift_verdict) <= set(judge.VERDICTS)
    assert (first[first.side == "upper"].ageing_verdict == "vacuous").all()  # order T or more
    lower = first[(first.side == "lower") & (first.alpha == 0.5)].iloc[0]
    assert lower.exponent == 0.75
    least = min(growth.exponent(beds[0], m, 0.5).mean for m in ("gp_ucb", "ui_gp_ucb"))
    assert lower.ageing_exponent == least
    second = tables.rows("regimes", [*beds, phase], table=2)
    assert len(second) == 2 * 3 * 2
    few = second[(second.alpha == 2.0) & (second.side == "lower")].iloc[0]
    assert few.exponent == 1.0 and few.ageing_of.endswith(("$p = 0$", "$p = 0.5$"))
    assert (second[second.queries == "between"].drift_verdict == "not comparable").all()
    alone = tables.rows("regimes", beds, table=2)  # without the diagram, as in a long study
    assert (alone[alone.queries == "between"].ageing_verdict == "not comparable").all()
    many = alone[(alone.queries == table.RANGES[2]) & (alone.alpha == 0.5)]
    w_sparq = growth.exponent(beds[0], "w_sparq_gp_ucb", 0.5).mean
    assert (many.ageing_exponent == w_sparq).all() and len(many) == 2
    few = alone[(alone.queries == table.RANGES[0]) & (alone.alpha == 0.5)]
    assert (few.ageing_exponent == least).all() and (few.drift_of != "").all()
    made = [
        tables.make("regimes", beds, tmp_path / f"t.{suffix}", table=1) for suffix in ("csv", "html", "tex")
    ]
    plain, html, latex = (path.read_text() for path in made)
    assert min(plain.count("GP-UCB"), html.count("GP-UCB")) >= 2
    assert r"\toprule" in latex and latex.count(r"\midrule") == 2  # a block per regime
    with pytest.raises(ValueError, match="table: 3 is not one of 1, 2"):
        tables.rows("regimes", beds, table=3)


def test_decades_give_average_and_growth(beds):
    """Of gathered files, which also hold the parts' parameters in words."""
    worded = [bed.assign(method=("part", bed.part.values.astype(str))) for bed in beds]
    frame = tables.rows("decades", worded).set_index(["analysis", "policy", "alpha"])
    row = frame.loc["ageing", "w_sparq_gp_ucb", 0.5]
    regret = beds[0].cumulative_regret.sel(part="w_sparq_gp_ucb", alpha=0.5, round=100)
    assert (row["first"], row["last"], row.runs) == (10, 100, 2) and len(frame) == 12
    assert row.average == pytest.approx(float(regret.mean()) / 100) and row.queries > 0
    play = float(beds[0].random_play.sel(part="w_sparq_gp_ucb").mean())
    assert row.share == pytest.approx(row.average / play)


def _without(data: xr.Dataset, places: xr.DataArray) -> xr.Dataset:
    """As gathered where these places were not run."""
    return data.assign({name: data[name].where(~places) for name in ("cumulative_regret", "late_regret")})


def test_a_method_without_runs_at_an_exponent_does_not_count(beds, phase):
    """A part may have fewer exponents than others: gathered, its regret is NaN at the rest."""
    present = [_without(data, (data.alpha == 2.0) & (data.part == "ui_gp_ucb")) for data in beds]
    for some, data in zip(present, beds, strict=True):
        found, expected = (
            growth.least(some, ["gp_ucb", "ui_gp_ucb"], 2.0),
            growth.least(data, ["gp_ucb"], 2.0),
        )
        assert (found[0].mean, found[1]) == (
            expected[0].mean,
            expected[1],
        )  # of two runs, without an interval
        assert growth.least(some, ["ui_gp_ucb"], 2.0) is None
    for name in ("exponents", "decades"):
        frame = tables.rows(name, present)
        assert len(frame) == 10 and np.isfinite(frame.exponent).all()
    cells = _without(phase, (phase.query_exponent == 0.5) & (phase.part == "windows"))
    others = phase.sel(query_exponent=[0.0, 1.0])
    found, expected = (growth.least_cell(each, ["windows"], 2.0) for each in (cells, others))
    np.testing.assert_equal(
        [*vars(found[0]).values(), *found[1:]], [*vars(expected[0]).values(), *expected[1:]]
    )


def test_bars_stay_where_a_method_has_fewer_exponents():
    parts = {"gp_ucb": {"method": "gp_ucb"}}
    bed = _gathered("ageing", parts, range(5), **SMALL | {"alphas": [0.5, 1.0, 2.0]})
    bed["cumulative_regret"] = bed.cumulative_regret.where(bed.alpha < 2.0)
    (axes,) = figures.draw("regime_exponents", [bed]).axes
    (bars,) = [each for each in axes.containers if each.has_yerr]
    assert sum(len(segment) for segment in bars[2][0].get_segments()) == 4


def test_figures_have_captions(beds, phase):
    gain = _gathered("information_gain", {"se": {"kernel": "se"}}, horizon=30, n_arms=41)
    asked = _gathered("query_counts", {"published": {}}, alphas=[0.5, 2.0], horizon=1000)
    for name, data in {
        "regime_exponents": beds,
        "regime_curves": beds,
        "local_slopes": beds,
        "phase_diagram": [phase],
        "information_gain": [gain],
        "query_counts": [asked],
    }.items():
        lay_out(figures.draw(name, data))
        assert len(figures.caption(name, data)) > 200


def test_local_slopes_of_many_exponents_have_room():
    many = _gathered(
        "ageing", {"gp_ucb": {"method": "gp_ucb"}}, **SMALL | {"alphas": [0.1, 0.25, 0.5, 1.0, 2.0]}
    )
    figure = figures.draw("local_slopes", [many])
    assert [axes.get_title("left") for axes in figure.axes[:3]] == [
        f"data age, $α = {a}$" for a in (0.25, 1, 2)
    ]
    assert len(figure.axes) == 6


def test_widths_of_the_beds_are_drawn(monkeypatch):
    parts = {"gp_ucb": {}, "gp_ucb_at_0_5": {"width": 0.5}, "gp_ucb_at_2": {"width": 2.0}}
    parts = {name: {"method": "gp_ucb", **values} for name, values in parts.items()}
    beds = [
        _gathered(bed, parts, range(5), **SMALL).assign_attrs(analysis=f"{bed}_widths")
        for bed in ("ageing", "drift")
    ]
    monkeypatch.setattr(bed_widths, "METHODS", ("gp_ucb",))
    monkeypatch.setattr(bed_widths, "WIDTHS", (0.5, 2.0))
    figure = figures.draw("bed_widths", beds)
    lay_out(figure)
    titles = [axes.get_title("left") for axes in figure.axes[:4]]
    assert titles == [f"{bed}, $α = {a}$" for bed in ("data age", "drift") for a in (0.5, 2)]
    shares = (beds[1].late_regret / beds[1].random_play).sel(part="gp_ucb_at_2", alpha=2.0)
    assert figure.axes[3].lines[0].get_ydata()[1] == pytest.approx(float(shares.mean()))
    assert "5 runs" in figures.caption("bed_widths", beds)


def test_a_phase_diagram_at_a_constant_width_beside_its_own():
    cells = {"alphas": [0.5, 2.0], "query_exponents": [0.0, 1.0], "horizons": [100, 150], "n_arms": 41}
    widths = {"windows": {}, "windows_at_2": {"width": 2.0}}
    parts = {name: {"procedure": "windows", **width} for name, width in widths.items()}
    data = _gathered("phase_diagram", parts, range(3), **cells)
    rows = tables.rows("phase_diagram", [data]).set_index(["procedure", "alpha", "query_exponent"])
    own, constant = (
        analyses.run("phase_diagram", [2], procedure="windows", **width, **cells) for width in widths.values()
    )
    for part, alone in {"windows": own, "windows_at_2": constant}.items():  # and differ in their width alone
        np.testing.assert_array_equal(
            alone.cumulative_regret, data.cumulative_regret.sel(part=part, seed=[2]).transpose(*alone.dims)
        )
    cell = rows.loc["windows_at_2", 2.0, 1.0]
    at = data.sel(part="windows_at_2", alpha=2.0, query_exponent=1.0)
    last = at.isel(horizon=-1)
    assert (cell["rounds"], cell["runs"], len(rows)) == (150, 3, 8)
    assert cell["late"] == pytest.approx(float((last.late_regret / last.random_play).mean()))
    assert cell["queries"] == pytest.approx(float(last.queries.mean()) / 150)
    assert cell["late"] < rows.loc["windows", 2.0, 1.0]["late"]
    assert cell["exponent"] == pytest.approx(growth.cell_exponent(data, "windows_at_2", 2.0, 1.0).mean)
    figure = figures.draw("phase_diagram", [data], width=2.0)
    lay_out(figure)
    assert len(figure.axes) == 2 + 2  # of the parts at the width alone, and the scales
    assert "width 2" in figures.caption("phase_diagram", [data], width=2.0)
    with pytest.raises(ValueError, match="no part, confidence width 0.5; it has"):
        figures.draw("phase_diagram", [data], width=0.5)


def test_information_gains_grow_and_greedy_is_not_beaten():
    gain = analyses.run("information_gain", [1, 2], kernel="matern32", horizon=60, n_arms=41)
    assert (np.diff(gain.greedy) > 0).all() and (np.diff(gain.realised, axis=1) > 0).all()
    assert (gain.realised <= gain.greedy / (1 - 1 / np.e)).all()


def test_counts_at_the_tabulated_horizons():
    """Nominal counts of the schedules, by hand."""
    data = analyses.run("query_counts", [1], alphas=[0.5, 1.0, 1.5, 2.0, 3.0], horizon=10**4)
    at = data.sel(round=[500, 5000])
    expected = [[1135, 5592], [3702, 31_994], [5503, 56_972], [6481, 77_183], [7920, 106_311]]
    np.testing.assert_array_equal(at.w_sparq, expected)
    np.testing.assert_array_equal(at.sparq, [15_859, 227_956])


def test_bad_input():
    with pytest.raises(ValueError, match=r"alpha is 2.5, must lie in \(0, 2\]"):
        analyses.run("drift", [1], method="gp_ucb", **SMALL | {"alphas": [2.5]})
    with pytest.raises(ValueError, match="alpha is -1; expected 0 or more"):
        analyses.run("ageing", [1], method="gp_ucb", **SMALL | {"alphas": [-1]})
    with pytest.raises(ValueError, match=r"alpha_tilde is 0.4; expected a number in \(0, 1/3\)"):
        analyses.run("query_counts", [1], alphas=[1.0], horizon=1000, alpha_tilde=0.4)
    with pytest.raises(ValueError, match="no method 'thompson'; known: gp_ucb"):
        analyses.run("ageing", [1], method="thompson", **SMALL)
    with pytest.raises(ValueError, match="horizon is 99, too short for a slope over a decade; expected 100"):
        analyses.run("ageing", [1], method="gp_ucb", **SMALL | {"horizon": 99})
    cells = {"alphas": [1.0], "query_exponents": [0.5], "horizons": [100, 150], "n_arms": 21}
    with pytest.raises(ValueError, match=r"query exponent is 1.5; expected a number in \[0, 1\]"):
        analyses.run("phase_diagram", [1], procedure="windows", **cells | {"query_exponents": [1.5]})
    with pytest.raises(ValueError, match="too short for a slope"):
        analyses.run("phase_diagram", [1], procedure="windows", **cells | {"horizons": [100]})
    with pytest.raises(ValueError, match="procedure is 'x'; expected windows, everything"):
        analyses.run("phase_diagram", [1], procedure="x", **cells)


def test_claims_on_growth_and_schedules(beds):
    asked = _gathered("query_counts", {"published": {}}, alphas=[0.5, 1.0, 3.0], horizon=10**7)
    counted = measured.counted(asked, 1.0, 500, 3702)
    assert _verdict(counted) == "confirmed" and counted.ours.mean == 3702
    assert _verdict(measured.counted(asked, None, 5000, 227_955)) == "contradicted"
    for alpha, falls in ((0.5, True), (3.0, False)):  # log T / T^(1/12) rises up to T = e^12
        vanishing = measured.vanishing_schedule(asked, alpha, 10**5, 10**7)
        assert _verdict(vanishing, measured.vanishes(alpha)) == "confirmed"
        assert (vanishing.ours.mean < 1) == falls
    with pytest.raises(NotComparable):
        measured.counted(asked, 2.0, 500, 6481)
    rounds = beds[0]["round"].values.astype(float)
    power = beds[0].isel(seed=[0, 1, 0, 1, 0]).copy(deep=True)
    power["cumulative_regret"][:] = rounds**0.6 * np.array([1.0, 2, 3, 4, 5])[:, None, None]
    methods = ("gp_ucb", "ui_gp_ucb")
    least = measured.growth(power, methods, 2.0)
    assert _verdict(least, measured.no_slower(0.5)) == "trend agrees"
    assert _verdict(least, measured.no_slower(1.0)) == "inconclusive"  # for the worst function
    assert _verdict(measured.growth(power, ("gp_ucb",), 2.0, bound="sparq")) == "trend agrees"
    steep = power.assign(cumulative_regret=power.cumulative_regret * rounds**0.35)
    assert _verdict(measured.growth(steep, methods, 2.0, bound="sparq")) == "trend disagrees"
    assert _verdict(measured.growth(power, methods, 2.0, bound="gp_ucb")) == "vacuous"
    assert _verdict(measured.growth(power, methods, 2.0, bound="sparq")) == "trend agrees"
    few = power.isel(seed=[0, 1])
    assert _verdict(measured.growth(few, methods, 2.0), measured.no_slower(0.5)) == "inconclusive"
    with pytest.raises(NotComparable):
        measured.growth(power, methods, 1.0)


def _verdict(found, rule=None):
    return judge.verdict(found.ours, rule or found.claimed)


def test_every_claim_on_regimes_is_judged(beds, phase):
    asked = _gathered("query_counts", {"published": {}}, alphas=[0.5, 1.0, 3.0], horizon=10**7)
    frame = tables.rows("claims", [*beds, phase, asked])
    ours = frame[frame.experiment.isin(["ageing", "drift", "phase_diagram", "query_counts"])]
    assert len(ours) >= len(regime_claims.CLAIMS)
    judged = ours[ours.verdict != "not comparable"]
    assert np.isfinite(judged.ours).all() and (judged.item == "Theorem 5.3").any()


def test_cells_of_the_tables_of_regimes_are_counted(beds, phase):
    counted = tables.rows("verdicts", [*beds, phase]).set_index("kind").loc["cell"]
    frames = [tables.rows("regimes", [*beds, phase], table=table) for table in (1, 2)]
    bounded = [frame[frame.published != "open question"] for frame in frames]
    words = [word for frame in bounded for bed in ("ageing", "drift") for word in frame[f"{bed}_verdict"]]
    assert counted.claims == len(words) > 0
    for word in judge.VERDICTS:
        assert counted[word] == words.count(word)
