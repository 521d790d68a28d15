"""What the papers say of times, which differ from run to run: they have a table of their own."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.measures.times import less_time, linear_time, slower_than_sparse
from tvgp.study.papers.janz20 import DIMENSIONS

_OWN = "CPU seconds of this library on one core"

CLAIMS: tuple[Claim, ...] = (
    *(
        Source("Janz20", ("janz_times",)).claim(
            f"Table 1, $d = {d}$",
            "π-GP-UCB takes less time than IGP-UCB: drastically improved scalability",
            less_time,
            remark=_OWN,
            d=d,
        )
        for d in DIMENSIONS.values()
    ),
    *(
        Source("Janz20", ("janz_times",)).claim(
            f"Sec. 1, $d = {d}$",
            "π-GP-UCB's run time is near-linear",
            linear_time,
            remark=_OWN,
            d=d,
            most=1.2,
        )
        for d in DIMENSIONS.values()
    ),
    *(
        Source("Vakili21", ("step_cost_10000",)).claim(
            "Table 1",
            f"a step of exact Thompson sampling ({text}) takes longer than one of S-GP-TS ({name})",
            slower_than_sparse,
            remark=f"{_OWN}; after 4,000 rounds on 10,000 candidates",
            method=method,
            kernel=kernel,
        )
        for kernel, name in (("se", "squared exponential"), ("matern52", "Matern 5/2"))
        for method, text in (
            ("textbook", "anew in every step"),
            ("joint", "root updated"),
            ("pathwise", "draws corrected"),
        )
    ),
)
