"""Janz20: pi-GP-UCB beside IGP-UCB on functions of a Matern RKHS."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.measures.entries import nothing
from tvgp.study.claims.measures.janz20 import cell_gain_growth, fraction_of_uniform, gain_exponent
from tvgp.study.claims.measures.partitions import cell_count, cells_growth, regret_lower, regret_upper
from tvgp.study.claims.measures.regimes import no_slower
from tvgp.study.claims.measures.study import lower_than, no_more_regret
from tvgp.study.papers.janz20 import DIMENSIONS, FRACTIONS, LABELS, SMOOTHNESS, WIDE
from tvgp.theory.partitions import lower_exponent, partition_exponent, regret_exponent

PAPER = "Janz20"
TOLERANCE = 0.1  # two printed digits of a mean over 12 runs, whose own error is not printed
_GLOBAL = ("eggholder", "rosenbrock", "camel", "bukin", "schaffer")
GAIN, CELLS = Source(PAPER, ("cell_gain",)).claim, Source(PAPER, ("partitions",)).claim


# Runs of pi-GP-UCB: analysis, part, d, nu, and what sets the part apart.
_RATES = (
    *(("partitions", f"d{d}", d, SMOOTHNESS, "") for d in DIMENSIONS.values()),
    *(("partitions", f"d{d}_m52", d, 2.5, "") for d in (1, 2)),
    ("partitions_more", "d3_m52", 3, 2.5, ""),
    *(("partitions_more", f"d{d}_fine", d, SMOOTHNESS, ", fine grid") for d in (1, 2)),
)
FIRST = {"": "a first partition of $T^q$ cells", "_whole": "the whole domain as the first cell"}
PARTITION = {d: partition_exponent(d, SMOOTHNESS) for d in DIMENSIONS.values()}  # q
_RANDOM = "logarithms as in the proof; a bound for all functions, and these are random ones on a finite grid"
_WORST = "a bound for the worst function, and these are random ones on a finite grid"


def _growth(analysis: str, part: str, d: int, nu: float, grid: str) -> tuple[Claim, Claim]:
    """Theorem 3 and the lower bound on one part of an analysis."""
    claim, upper, lower = Source(PAPER, (analysis,)).claim, regret_exponent(d, nu), lower_exponent(d, nu)
    where = f"$d = {d}$, $ν = {nu:g}${grid}"
    return (
        claim(
            "Theorem 3",
            rf"the regret of π-GP-UCB grows as $T^{{{upper:.2f}}} \log T \log \log T$ at most ({where})",
            regret_upper,
            remark=_RANDOM,
            part=part,
            exponent=upper,
        ),
        claim(
            "Section 1, lower bound",
            f"no algorithm's regret grows slower than $T^{{{lower:.2f}}}$ ({where})",
            regret_lower,
            remark=_WORST,
            part=part,
            rule=no_slower(lower),
        ),
    )


CLAIMS: tuple[Claim, ...] = (
    *(
        Source(PAPER, (experiment,), 10000).claim(
            f"Table 1, $d = {DIMENSIONS[experiment]}$",
            f"{LABELS[variant]}: {value:g} of the regret of uniform play",
            fraction_of_uniform,
            remark="each run has its own function; docs/differences.md",
            variant=variant,
            value=value,
            tolerance=TOLERANCE,
            wide=WIDE[variant],
        )
        for (experiment, variant), value in FRACTIONS.items()
    ),
    *(
        Source("hypothesis", (experiment,), 10000).claim(
            f"Janz20, Table 1, $d = {DIMENSIONS[experiment]}$",
            f"{LABELS[variant]}: $γ$ counted without its 1/2 explains the published {value:g}",
            fraction_of_uniform,
            variant=WIDE[variant],
            value=value,
            tolerance=TOLERANCE,
        )
        for (experiment, variant), value in FRACTIONS.items()
    ),
    *(
        Source(PAPER, (experiment,), 10000).claim(
            f"Table 1, $d = {d}$",
            "π-GP-UCB has less regret than IGP-UCB",
            lower_than,
            variant="pi_gp_ucb",
            other="igp_ucb",
        )
        for experiment, d in DIMENSIONS.items()
    ),
    Source(PAPER, tuple(f"global_{name}" for name in _GLOBAL), 10000, "the function").claim(
        "Fig. 2",
        "π-GP-UCB performs competitively across the functions shown",
        no_more_regret,
        remark="the text names no function; five candidates for its four panels",
        variant="pi_gp_ucb",
        other="igp_ucb",
        tolerance=0.1,
    ),
    *(
        GAIN(
            f"Theorem 4, $d = {d}$",
            f"the information gain of the whole domain grows as $T^{{{q:.2f}}}$ at most, up to logarithms",
            gain_exponent,
            remark="on $30^d$ points; a larger exponent could come from a logarithm",
            part=f"d{d}",
            upper=q,
            lower=d / (d + 2 * SMOOTHNESS),
        )
        for d, q in PARTITION.items()
    ),
    Source(PAPER, ()).claim(
        "Lemma 5",
        r"$|μ - f| ≤ β σ$ in all cells, rounds and inputs with probability $1 - δ$",
        nothing,
        remark="runs keep the regret and the number of cells, and not the bands of every cell",
    ),
    Source(PAPER, ("cell_gain", "partitions")).claim(
        "Lemma 1",
        r"the information gain of every cell grows as $\log T \log \log T$ at most",
        cell_gain_growth,
        together=True,
        remark="horizons from 300 to 10,000 do not distinguish a logarithm from a small power",
    ),
    *(claim for case in _RATES for claim in _growth(*case)),
    *(
        CELLS(
            f"Lemma 2, $d = {d}$",
            f"the number of cells up to $T$ grows as $T^{{{q:.2f}}}$ at most, from {first}",
            cells_growth,
            part=f"d{d}{name}",
            upper=q,
            d=0 if name else d,
        )
        for name, first in FIRST.items()
        for d, q in PARTITION.items()
        if not name or d < 3
    ),
    *(
        CELLS(
            f"Lemma 6, $d = {d}$",
            f"at most $N_t = 4 (t+1)^{{bd}}$ cells after $t$ rounds, from {first}",
            cell_count,
            remark="the proof counts no cell of the first partition while $(t+1)^b$ is below their number"
            " per side"
            if not name
            else "",
            part=f"d{d}{name}",
        )
        for name, first in FIRST.items()
        for d in (DIMENSIONS.values() if not name else (1, 2))
    ),
)
