"""Every published number and statement that runs can check, beside ours, with a verdict.

The verdict comes from the data by one rule for each kind of claim:

confirmed       the 95 % interval supports the claim (for values: within the stated tolerance, or
                the interval holds the claimed value)
contradicted    the interval excludes it
inconclusive    the interval leaves both open
vacuous         the claim would hold for anything: a bound above the largest regret met
not comparable  stand-in data, another horizon, or a variant that was not run
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp import claims, regimes, streams, theory
from tvgp import collected as results
from tvgp.claims import Claim, bogunovic16, janz20
from tvgp.statistics import (
    Estimate,
    log_slope,
    mean_interval,
    paired_difference,
    share_interval,
)
from tvgp.tables.janz20 import reason

VERDICTS = ("confirmed", "contradicted", "inconclusive", "vacuous", "not comparable")
COLUMNS = ("paper", "item", "experiment", "data", "claimed", "quantity", "ours", "low", "high",
           "verdict", "remark")  # fmt: skip
LINEAR = 0.05  # half width of the range of growth exponents around 1 called linear
BOUNDS = {
    "sparq_2025a": theory.regret_bound_sparq_2025a,
    "sparq_2025b": theory.regret_bound_sparq_2025b,
    "w_sparq": theory.regret_bound_w_sparq,
    "w_sparq_printed": lambda t: theory.regret_bound_w_sparq(t, rooted=False),
}


class NotComparable(Exception):
    """A claim that these results cannot speak to; the message says why."""


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per claim and experiment that was run; one row for a claim none was run for."""
    parts = {
        results.name(data): data if results.is_analysis(data) else results.at_alpha(data)
        for data in collected
    }
    table = []
    for claim in claims.CLAIMS:
        present = [name for name in claim.experiments if name in parts]
        missing = [name for name in claim.experiments if name not in parts]
        if claim.together and present and not missing:
            table.append(judge(claim, {name: parts[name] for name in present}))
        elif claim.together or not present:
            table.append(_row(claim, claim.experiments[0], "", "", None, "not comparable",
                              f"not run: {', '.join(missing)}"))  # fmt: skip
        else:
            table.extend(judge(claim, parts[name]) for name in present)
    return pd.DataFrame(table, columns=COLUMNS)


def judge(claim: Claim, part: xr.Dataset | dict[str, xr.Dataset]) -> dict:
    """Measure what the claim is about and compare; of several parts, by name, at once."""
    several = list(part.values()) if isinstance(part, dict) else [part]
    name = ", ".join(map(results.name, several))
    data = ", ".join(dict.fromkeys(str(one.attrs["data"]) for one in several))
    rounds = [one.sizes["round"] for one in several if "round" in one.sizes]
    quantity, ours, remark = "", None, claim.remark
    try:
        quantity, ours, verdict, note = KINDS[claim.kind](part, **claim.arguments)
        remark = "; ".join(text for text in (note, remark) if text)
        if any(map(results.is_standin, several)):
            verdict = "not comparable"
            remark = "stand-in data, not measurements" + (f"; {remark}" if remark else "")
        elif "value" in claim.arguments and (other := _substitute(several)):
            verdict = "not comparable"
            remark = f"{other}" + (f"; {remark}" if remark else "")
        elif claim.horizon is not None and set(rounds) != {claim.horizon}:
            verdict = "not comparable"
            remark = f"{max(rounds, default=0)} rounds here, {claim.horizon} claimed" + (
                f"; {remark}" if remark else ""
            )
        elif data == "real":
            remark = "; ".join(t for t in (remark, "other years and places than the paper's") if t)
    except NotComparable as reason:
        verdict, remark = "not comparable", str(reason)
    if ours is not None and ours.runs == 1:
        remark = "; ".join(text for text in (remark, "one run, no interval") if text)
    return _row(claim, name, data, quantity, ours, verdict, remark)


def average_regret(part, variant, value, tolerance):
    """R_T / T against a printed value."""
    ours = mean_interval(_final(part, variant))
    return "average regret R_T/T", ours, *_against_value(ours, value, tolerance)


def mean_optimum(part, value, tolerance):
    """Mean over rounds of max_x f_t(x), as seen in the oracle's rewards."""
    _need(part, "oracle")
    rewards = part.reward.sel(policy="oracle").transpose("seed", "round").values
    ours = mean_interval(rewards.mean(axis=1))
    return "mean of the oracle's rewards", ours, *_against_value(ours, value, tolerance)


def queries(part, variant, value, tolerance):
    """Number of expert queries in a run."""
    _need(part, variant)
    ours = mean_interval(results.total_queries(part, variant))
    return "expert queries in a run", ours, *_against_value(ours, value, tolerance)


def lowest(part, variants, others):
    """The worst of `variants` against the best of `others`, paired."""
    for name in (*variants, *others):
        _need(part, name)
    worst = max(variants, key=lambda name: _final(part, name).mean())
    best = min(others, key=lambda name: _final(part, name).mean())
    ours = paired_difference(_final(part, worst), _final(part, best))
    quantity = f"R_T/T of {results.label(part, worst)} minus {results.label(part, best)}"
    return quantity, ours, _sign(ours), "best of the others in these runs"


def lower_than(part, variant, other):
    """Average regret of one variant against another, paired."""
    ours = paired_difference(_final(part, variant), _final(part, other))
    quantity = f"R_T/T of {results.label(part, variant)} minus {results.label(part, other)}"
    return quantity, ours, _sign(ours), ""


def same_regret(part, series, d, tolerance):
    """R_T of sparse Thompson sampling with m by the rule against exact Thompson sampling's, paired,
    relative to the latter's mean: confirmed where the whole interval is within the tolerance."""
    runs = part.regret.transpose("part", "size", "seed")
    sparse = runs.sel(part=f"{series}_{d}d", size="rule").values
    exact = runs.sel(part=f"exact_{d}d", size="exact").values
    ours = paired_difference(sparse / exact.mean(), exact / exact.mean())
    m = int(part.inducing.sel(part=f"{series}_{d}d", size="rule"))
    quantity = f"R_T of {series}, m = {m}, minus exact, over the mean of exact"
    if -tolerance <= _finite(ours.low, -np.inf) and _finite(ours.high, np.inf) <= tolerance:
        verdict = "confirmed"
    elif ours.low > tolerance or ours.high < -tolerance:
        verdict = "contradicted"
    else:
        verdict = "inconclusive"
    return quantity, ours, verdict, f"same = within {tolerance:.0%}"


def comparable(part, variant, others, tolerance):
    """Average regret of a variant relative to the mean of others."""
    reference = np.mean([_final(part, name) for name in others], axis=0)
    ours = mean_interval(_final(part, variant) / reference)
    names = ", ".join(results.label(part, name) for name in others)
    quantity = f"R_T/T of {results.label(part, variant)} over the mean of {names}"
    inside = 1 - tolerance <= ours.mean <= 1 + tolerance
    if ours.low > 1 + tolerance or ours.high < 1 - tolerance:
        inside = False
    verdict = "confirmed" if inside else "contradicted"
    return quantity, ours, verdict, f"comparable = within {tolerance:.0%}"


def sublinear(part, variant):
    """Growth exponent of R_t over the second half of the run clearly below 1."""
    quantity, ours = _exponent(part, variant)
    limit = 1 - LINEAR
    verdict = _sign(_shift(ours, -limit))
    return quantity, ours, verdict, f"sublinear = below {limit:g}; a finite run proves no limit"


def linear(part, variant):
    """Growth exponent of R_t over the second half of the run near 1."""
    quantity, ours = _exponent(part, variant)
    low, high = 1 - LINEAR, 1 + LINEAR
    if ours.low > high or ours.high < low:
        verdict = "contradicted"
    elif low <= _finite(ours.low, ours.mean) and _finite(ours.high, ours.mean) <= high:
        verdict = "confirmed"
    else:
        verdict = "inconclusive"
    return quantity, ours, verdict, f"linear = {low:g} to {high:g}"


def superlinear(part, variant):
    """Growth exponent of R_t over the second half of the run above 1."""
    quantity, ours = _exponent(part, variant)
    return quantity, ours, _sign(_shift(ours, -1), above=True), ""


def below_bound(part, variant, bound):
    """Average regret against a bound; vacuous where nothing could exceed it."""
    ours = mean_interval(_final(part, variant))
    horizon = float(part.sizes["round"])
    limit = float(BOUNDS[bound](horizon)) / horizon
    largest = results.largest_regret(part)
    note = f"bound / T = {limit:.6g}"
    if not np.isfinite(limit):
        raise NotComparable("the bound is not defined for so few rounds")
    if limit >= largest:
        note += f", the largest regret met in any round is {largest:.3g}"
        return "average regret R_T/T", ours, "vacuous", note
    verdict = _sign(_shift(ours, -limit))
    if verdict == "contradicted":
        note += "; a larger constant would put the bound above"
    return "average regret R_T/T", ours, verdict, note


def more_queries(part, variant, other):
    """Expert queries of one variant over those of another."""
    _need(part, variant)
    _need(part, other)
    few = results.total_queries(part, other)
    if (few == 0).any():
        raise NotComparable(f"{results.label(part, other)} made no query")
    ours = mean_interval(results.total_queries(part, variant) / few)
    quantity = (
        f"queries of {results.label(part, variant)} per query of {results.label(part, other)}"
    )
    return quantity, ours, _sign(_shift(ours, -1), above=True), ""


def vanishing_queries(part, variant):
    """Expert queries a round in the second half of the run minus those in the first."""
    _need(part, variant)
    asked = part.expert_queries.sel(policy=variant).transpose("seed", "round").values
    half = asked.shape[1] // 2
    ours = paired_difference(asked[:, half:].mean(axis=1), asked[:, :half].mean(axis=1))
    return "queries a round, second half minus first", ours, _sign(ours), ""


def crossing(part, variant, other):
    """First round from which on a variant has the smaller cumulative regret in the mean, and the
    paired difference of average regrets at the end."""
    for name in (variant, other):
        _need(part, name)
    regret = part.regret.transpose("policy", "seed", "round")
    totals = {n: np.cumsum(regret.sel(policy=n).values, axis=1) for n in (variant, other)}
    ahead = (totals[variant] - totals[other]).mean(axis=0) < 0
    ours = paired_difference(_final(part, variant), _final(part, other))
    quantity = f"R_T/T of {results.label(part, variant)} minus {results.label(part, other)}"
    if not ahead[-1]:
        return quantity, ours, _sign(ours), f"not within {len(ahead)} rounds"
    behind = np.flatnonzero(~ahead)
    start = 1 if not len(behind) else int(behind[-1]) + 2
    return quantity, ours, _sign(ours), f"in the mean from round {start} of {len(ahead)} on"


def best_of(part, variants, expected, value, tolerance):
    """The least average regret of a sweep against a printed value, and where it lies."""
    for name in variants:
        _need(part, name)
    best = min(variants, key=lambda name: _final(part, name).mean())
    ours = mean_interval(_final(part, best))
    verdict, note = _against_value(ours, value, tolerance)
    gaps = [paired_difference(_final(part, best), _final(part, name)) for name in expected]
    where = f"least at {results.label(part, best)}"
    if best not in expected and not any(np.isnan(gap.low) or gap.high >= 0 for gap in gaps):
        verdict, where = "contradicted", f"{where}, clearly below the claimed places"
    return "least average regret of the sweep", ours, verdict, f"{where}; {note}"


def epsilon_slope(parts, variant, rate):
    """Slope of log R_T/T on log epsilon over experiments that differ in epsilon only."""
    epsilons = {name: bogunovic16.EPSILONS[name.rpartition("_e")[2]] for name in parts}
    names = sorted(parts, key=epsilons.__getitem__)
    rng = streams.generator("epsilon_slope", *names, variant)
    ours = log_slope(
        np.log([epsilons[name] for name in names]),
        [_final(parts[name], variant) for name in names],
        rng,
    )
    quantity = "slope of log R_T/T on log epsilon"
    return quantity, ours, _sign(_shift(ours, -rate), above=True), f"claimed exponent {rate:.3f}"


def fitted(part, key, value, tolerance):
    """A fitted value against a printed one."""
    found = results.fit(part).get(key)
    if found is None:
        raise NotComparable(f"{key} was not fitted")
    ours = Estimate(float(found), np.nan, np.nan, part.sizes["seed"])
    return f"fitted {key.replace('_', ' ')}", ours, *_against_value(ours, value, tolerance)


def fitted_epsilon(part, value, minutes):
    """Fitted epsilon and its interval, brought to another time step by 1 - (1 - eps)^ratio."""
    fit = results.fit(part)
    interval = fit.get("intervals_95", {}).get("epsilon")
    if fit.get("epsilon") is None or interval is None:
        raise NotComparable("epsilon was not fitted, or lies at a bound")
    times = part["time"].values.astype("datetime64[m]")
    step = float(np.diff(times).min() / np.timedelta64(1, "m"))
    mean, low, high = (1 - (1 - e) ** (minutes / step) for e in (fit["epsilon"], *interval))
    ours = Estimate(mean, low, high, part.sizes["seed"])
    verdict = "confirmed" if low <= value <= high else "contradicted"
    note = f"from {step:g} minutes; the interval holds the model and the covariance fixed"
    return f"epsilon for {minutes} minutes", ours, verdict, note


def fraction_of_uniform(part, variant, value):
    """Regret as a share of that of uniform play on the same functions, T (max f - mean f)."""
    _need(part, variant)
    share = results.fraction_of_uniform(part, variant)
    ours = mean_interval(share)
    inside = ours.low <= value <= ours.high
    verdict = "confirmed" if inside else "contradicted"
    if not np.isfinite(ours.low):
        verdict = "inconclusive"
    why = reason(part, variant, value) if variant in janz20.WIDE else ""
    note = f"single runs from {share.min():.2f} to {share.max():.2f}"
    note += f"; {why or f'{(share >= value).sum()} reach it'}"
    return "R_T over that of uniform play", ours, verdict, note


def cell_gain_growth(data):
    """Exponent of T of the largest cell's gain minus that of the whole domain, as far as both were
    computed: over the runs of pi-GP-UCB to several T, and the last decade."""
    found, words = [], []
    for name in data.part.values:
        one = data.sel(part=name)
        cell, domain = _gain_exponent(one, "largest_cell"), _gain_exponent(one, "greedy")
        found.append(cell - domain)
        words.append(f"{name}: {cell:.2f} against {domain:.2f}")
    worst = max(found)
    ours = Estimate(float(worst), np.nan, np.nan, data.sizes["seed"])
    verdict = "confirmed" if worst < 0 else "contradicted"
    return "exponent of the largest cell minus the domain's", ours, verdict, "; ".join(words)


def gain_exponent(data, part, upper, lower):
    """Exponent of T of the whole domain's gain, last decade, against published upper and lower
    exponents; only the upper one judges, as a finite grid ends below any power."""
    if part not in data.part.values:
        raise NotComparable(f"{part} was not computed")
    one = data.sel(part=part)
    found = _gain_exponent(one, "greedy")
    ours = Estimate(float(found), np.nan, np.nan, data.sizes["seed"])
    last = int(one.step.values[np.isfinite(one.greedy.mean("seed").values)][-1])
    verdict = "confirmed" if found <= upper else "inconclusive"
    note = f"published lower exponent {lower:.2f}; rounds {last // 10:,} to {last:,}"
    return "exponent of T, greedy sequence", ours, verdict, note


def _gain_exponent(one, kind):
    """Slope of log gain on log T, of steps within a run over their last decade."""
    (axis,) = set(one[kind].dims) - {"seed"}
    steps, values = one[axis].values, one[kind].mean("seed").values
    there = np.isfinite(values)
    use = there if axis == "rounds" else there & (steps >= steps[there][-1] / 10)
    return np.polyfit(np.log(steps[use]), np.log(values[use]), 1)[0]


def step_of_centres(data):
    """Value of the midpoint of two neighbours over half the maximum, at the printed step."""
    one = data.isel(part=0)
    middle = np.minimum(one.printed.values[0], one.printed.values[1]).max() / float(one.gap)
    wide = np.minimum(one["values"].values[0], one["values"].values[1]).max() / float(one.gap)
    verdict = "confirmed" if middle <= 1 + 1e-9 else "contradicted"
    note = f"{wide:.2f} at step 2w"
    return "best shared value over epsilon", _exactly(middle), verdict, note


def published_norm(data):
    """RKHS norm of a function of the published width over B."""
    one = data.isel(part=0)
    share = float(one.published_norm / one.norm)
    verdict = "confirmed" if abs(share - 1) < 0.05 else "contradicted"
    note = f"w = {float(one.published_width):.3g}, norm B at w = {float(one.width):.3g}"
    return "norm over B", _exactly(share), verdict, note


def error_at_threshold(data, alpha, power):
    """Error of the best decision at the budget nearest to T^power, worst schedule for the claim."""
    if alpha not in data.alpha.values:
        raise NotComparable(f"alpha = {alpha:g} was not run")
    at = data.sel(alpha=alpha).isel(horizon=-1)
    target = float(at.horizon) ** power
    runs = []
    for part in data.part.values:
        one = at.sel(part=part)
        nearest = int(np.abs(np.log(one.queries.values / target)).argmin())
        runs.append(one.adaptive_error.isel(budget=nearest).mean("time").values)
    lowest = min(runs, key=np.mean)
    ours = mean_interval(lowest)
    return (
        "error, least of the schedules",
        ours,
        _sign(_shift(ours, -0.5), above=True),
        (f"T = {int(at.horizon):,}, N_T near {target:,.0f}"),
    )


def counting(data, alpha):
    """Largest mean precision over its bound, over schedules, horizons and budgets."""
    if alpha not in data.alpha.values:
        raise NotComparable(f"alpha = {alpha:g} was not run")
    at = data.sel(alpha=alpha)
    share = float((at.mean_precision / at.counting_bound).max())
    verdict = "confirmed" if share <= 1 else "contradicted"
    return "mean precision over its bound", _exactly(share), verdict, "largest of all schedules"


def sparse_divergence(data, part):
    """2 KL(P^s || P^v) at the largest T against 1/5."""
    last = data.sel(part=part).isel(time=-1)
    ours = mean_interval(2 * last.divergence.values)
    note = f"T = {int(last.time)}, M = {last['size'].values.mean():.0f}; variational: 2 KL ="
    note += f" {2 * last.variational_divergence.values.mean():.3g}"
    return "2 KL in nats", ours, _sign(_shift(ours, -0.2)), note


def sparse_variance(data, part):
    """Median variance ratio minus 1 at the largest T against sqrt(3/5)."""
    last = data.sel(part=part).isel(time=-1)
    ours = mean_interval(last.ratio_median.values - 1)
    note = f"variational: {last.variational_ratio_median.values.mean() - 1:.3g}"
    return "variance ratio minus 1", ours, _sign(_shift(ours, -np.sqrt(0.6))), note


def covers_always(data, part, level):
    """Share of runs in which the band holds every arm in every round, Clopper-Pearson interval."""
    if part not in data.part.values:
        raise NotComparable(f"variant {part} was not run")
    inside = data.everywhere.sel(part=part).transpose("seed", "round").values.all(axis=1)
    ours = share_interval(int(inside.sum()), len(inside))
    verdict = _sign(_shift(ours, -level), above=True)
    note = f"1 - delta = {level:g}; {inside.sum()} of {len(inside)} runs"
    return "share of runs", ours, verdict, note


def _exactly(value: float) -> Estimate:
    return Estimate(float(value), np.nan, np.nan, 0)


def lowest_error(part, variant, others):
    """Mean squared prediction error against the best of others, paired."""
    return _compare_errors(part, variant, others, np.nanmean, "mean squared error")


def smoothest_error(part, variant, others):
    """Standard deviation over places of the squared error against the least of others."""
    return _compare_errors(part, variant, others, np.nanstd, "spread over places of the error")


def growth(part, methods, alpha, bound=None, at_least=None):
    """Growth exponent in a test bed, of the method with the least, against that of a bound over
    the same decade (no more than it), or against `at_least`; to within `regimes.TOLERANCE`."""
    found = {m: regimes.exponent(part, m, alpha) for m in methods if _in_bed(part, m, alpha)}
    if not found:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    best = min(found, key=lambda m: found[m].mean)
    ours, last = found[best], int(part["round"].values[-1])
    name = regimes.LABELS.get(best, best)
    quantity = f"growth exponent of {name}, t = {last // regimes.DECADE} to {last}"
    if at_least is not None:
        limit, above = at_least - regimes.TOLERANCE, True
        note = f"at least {limit:g} asked for"
    else:
        values = GROWTH_BOUNDS[bound](np.array([last / regimes.DECADE, last]), alpha)
        limit, above = float(np.log10(values[1] / values[0])) + regimes.TOLERANCE, False
        note = f"at most {limit:.3g} asked for: the bound's own slope, with logarithms, + 0.05"
        if values[1] > theory.largest_regret(last):
            return quantity, ours, "vacuous", f"bound / T = {values[1] / last:.3g}, constant 1"
    verdict = _sign(_shift(ours, -limit), above=above)
    if above and verdict == "contradicted":
        return quantity, ours, "inconclusive", f"{note}; {_WORST}"
    return quantity, ours, verdict, note


def few_queries(part, alpha):
    """Least growth exponent over the cells of a phase diagram with p <= alpha/(alpha + 1)."""
    if alpha not in part.alpha.values:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    found = {
        (str(name), float(p)): regimes.cell_exponent(part, str(name), alpha, float(p))
        for name in part.part.values
        for p in part.query_exponent.values
        if p <= theory.query_threshold(alpha)
    }
    best = min(found, key=lambda cell: found[cell].mean)
    limit = 1 - regimes.TOLERANCE
    verdict = _sign(_shift(found[best], -limit), above=True)
    verdict = "inconclusive" if verdict == "contradicted" else verdict
    note = f"linear = {limit:g} or more; least at p = {best[1]:g}, procedure {best[0]}"
    return "growth exponent over horizons", found[best], verdict, note


def vanishing_schedule(part, alpha, first, last):
    """N_T/T of W-SparQ's schedule at a late horizon over that at an earlier one; exact."""
    rounds = part["round"].values
    if alpha not in part.alpha.values or rounds[-1] < last:
        raise NotComparable("not counted so far")
    asked = part.w_sparq.isel(part=0).sel(alpha=alpha)
    early, late = (asked.sel(round=t, method="nearest") for t in (first, last))
    rates = [float(n) / float(n["round"]) for n in (early, late)]
    ratio = rates[1] / rates[0]
    ours = Estimate(ratio, ratio, ratio, 2)
    note = f"{rates[0]:.3g} a round at T = {first:g}, {rates[1]:.3g} at T = {last:g}"
    quantity = "queries a round, late over early"
    return quantity, ours, _sign(_shift(ours, -1)), note


def counted(part, alpha, horizon, value):
    """N_T of a schedule, exact; alpha None: SparQ's."""
    if horizon not in part["round"].values or not (alpha is None or alpha in part.alpha.values):
        raise NotComparable("not counted at this horizon and alpha")
    asked = (part.sparq if alpha is None else part.w_sparq.sel(alpha=alpha)).isel(part=0)
    found = float(asked.sel(round=horizon))
    verdict = "confirmed" if found == value else "contradicted"
    return "N_T of the schedule", Estimate(found, found, found, 2), verdict, "exact"


def bound_at_horizon(part, alpha, bound, method):
    """Average regret against a bound over T, and that against 2 M_k B."""
    if not _in_bed(part, method, alpha):
        raise NotComparable(f"not run at alpha = {alpha:g}")
    last = float(part["round"].values[-1])
    totals = part.cumulative_regret.sel(part=method, alpha=alpha).isel(round=-1).values
    value = float(GROWTH_BOUNDS[bound](np.array([last]), alpha)[0]) / last
    largest = float(theory.largest_regret(1.0))
    note = f"bound / T = {value:.3g}, 2 M_k B = {largest:.3g} at T = {last:g}"
    verdict = "vacuous" if value > largest else "contradicted"
    return "average regret R_T/T", mean_interval(totals / last), verdict, note


def late_regret_above(part, alpha, value):
    """Regret a round in the last tenth of the runs, of the method with the least."""
    if alpha not in part.alpha.values:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    found = {m: regimes.late_regret(part, m, alpha) for m in regimes.methods(part)}
    best = min(found, key=lambda m: found[m].mean)
    ours = found[best]
    quantity = f"late regret a round of {regimes.LABELS.get(best, best)}"
    return quantity, ours, _sign(_shift(ours, -value), above=True), ""


_WORST = "slower here, but a lower bound is for the worst function and these are drawn at random"

GROWTH_BOUNDS = {
    "gp_ucb": theory.regret_bound_gp_ucb,
    "sparq": lambda t, alpha: theory.regret_bound_sparq_2025b(t),
    "w_sparq": lambda t, alpha: theory.regret_bound_w_sparq(t),
}


def _in_bed(part, method, alpha) -> bool:
    return method in part.part.values and alpha in part.alpha.values


KINDS = {
    function.__name__: function
    for function in (
        average_regret, mean_optimum, queries, lowest, lower_than, comparable, sublinear, linear,
        superlinear, below_bound, more_queries, vanishing_queries, lowest_error, smoothest_error,
        crossing, best_of, epsilon_slope, fitted, fitted_epsilon, fraction_of_uniform,
        step_of_centres, published_norm, error_at_threshold, counting, sparse_divergence,
        sparse_variance, covers_always, cell_gain_growth, gain_exponent, growth, few_queries,
        vanishing_schedule, counted,
        bound_at_horizon, late_regret_above,
        same_regret,
    )
}  # fmt: skip


def _substitute(parts: list[xr.Dataset]) -> str:
    """What the data stand in for, "" for the data that the claim is about."""
    words = (str(results.fit(part).get("substitute") or "") for part in parts if part.attrs)
    return next((text for text in words if text), "")


def _compare_errors(part, variant, others, summary, words):
    if "squared_error" not in part:
        raise NotComparable("prediction errors were not recorded")
    errors = part.squared_error.transpose("policy", "seed", "arm")
    values = {}
    for name in (variant, *others):
        _need(part, name)
        values[name] = summary(errors.sel(policy=name).values, axis=1)
    best = min(others, key=lambda name: values[name].mean())
    ours = paired_difference(values[variant], values[best])
    quantity = f"{words}, {results.label(part, variant)} minus {results.label(part, best)}"
    return quantity, ours, _sign(ours), "best of the others in these runs"


def _exponent(part, variant) -> tuple[str, Estimate]:
    """p with R_T / R_{T/2} = 2^p, run by run: 1 for linear regret, 1/2 for sqrt(T)."""
    _need(part, variant)
    total = np.cumsum(part.regret.sel(policy=variant).transpose("seed", "round").values, axis=1)
    end, half = total.shape[1], total.shape[1] // 2
    if half < 1 or (total[:, half - 1] <= 0).any():
        raise NotComparable("no regret in the first half, so no growth exponent")
    p = np.log(total[:, -1] / total[:, half - 1]) / np.log(end / half)
    return "growth exponent of R_t from T/2 to T", mean_interval(p)


def _against_value(ours: Estimate, value: float, tolerance: float) -> tuple[str, str]:
    near = abs(ours.mean - value) <= tolerance * abs(value)
    held = ours.low <= value <= ours.high
    note = f"tolerance {tolerance:.0%}"
    return ("confirmed" if near or held else "contradicted"), note


def _sign(ours: Estimate, above: bool = False) -> str:
    """Verdict on "less than 0" (or, with `above`, "more than 0")."""
    low, high = (-ours.high, -ours.low) if above else (ours.low, ours.high)
    if high < 0:
        return "confirmed"
    return "contradicted" if low > 0 else "inconclusive"


def _shift(ours: Estimate, by: float) -> Estimate:
    return Estimate(ours.mean + by, ours.low + by, ours.high + by, ours.runs)


def _finite(value: float, otherwise: float) -> float:
    return value if np.isfinite(value) else otherwise


def _final(part, variant) -> np.ndarray:
    _need(part, variant)
    return results.final_average(part, variant)


def _need(part, variant) -> None:
    if variant not in part.policy.values:
        raise NotComparable(f"variant {variant} was not run")


def _row(claim, experiment, data, quantity, ours, verdict, remark) -> dict:
    none = Estimate(np.nan, np.nan, np.nan, 0)
    ours = none if ours is None else ours
    values = (claim.paper, claim.item, experiment, data, claim.claimed, quantity, ours.mean,
              ours.low, ours.high, verdict, remark)  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))
