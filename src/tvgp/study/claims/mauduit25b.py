"""Mauduit25b: W-SparQ-GP-UCB and the regimes."""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.mauduit25a import BASELINES
from tvgp.study.claims.measures.study import (
    below_bound,
    linear,
    lower_than,
    lowest,
    lowest_error,
    more_queries,
    smoothest_error,
    sublinear,
    vanishing_queries,
)

SINE = ("rkhs_sine", "rkhs_sine_rooted")

CLAIMS: tuple[Claim, ...] = (
    # Mauduit25b Fig. 2
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ and W-SparQ have less regret than the other five methods",
        lowest,
        {"variants": ("sparq_gp_ucb", "w_sparq_gp_ucb"), "others": BASELINES},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ has sublinear regret",
        sublinear,
        {"variant": "sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "W-SparQ has sublinear regret",
        sublinear,
        {"variant": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ converges slightly faster than W-SparQ",
        lower_than,
        {"variant": "sparq_gp_ucb", "other": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Sec. 4.1",
        SINE,
        "SparQ needs significantly more additional queries than W-SparQ",
        more_queries,
        {"variant": "sparq_gp_ucb", "other": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Sec. 3.3",
        SINE,
        "W-SparQ's average number of additional queries vanishes",
        vanishing_queries,
        {"variant": "w_sparq_gp_ucb"},
        500,
        "measured as the change of queries per round from the first to the second half of the run",
    ),
    Claim(
        "Mauduit25b",
        "(23)",
        SINE,
        "SparQ's average regret lies below the bound (23)",
        below_bound,
        {"variant": "sparq_gp_ucb", "bound": "sparq_2025b"},
        500,
        "constant 1, d = 1, delta = 0.05: an order only",
    ),
    Claim(
        "Mauduit25b",
        "(34) rooted",
        SINE,
        "W-SparQ's average regret lies below the bound (34)",
        below_bound,
        {"variant": "w_sparq_gp_ucb", "bound": "w_sparq"},
        500,
        "with the square root that the printed formula lacks; constant 1",
    ),
    Claim(
        "Mauduit25b",
        "(34) as printed",
        SINE,
        "W-SparQ's average regret lies below the bound (34)",
        below_bound,
        {"variant": "w_sparq_gp_ucb", "bound": "w_sparq_printed"},
        500,
        "as printed, without the square root of its own proof; constant 1",
    ),
    # Mauduit25b Fig. 3 and 4
    Claim(
        "Mauduit25b",
        "Fig. 3",
        ("berkeley_france",),
        "SparQ and W-SparQ have less regret than the other five methods",
        lowest,
        {"variants": ("sparq_gp_ucb", "w_sparq_gp_ucb"), "others": BASELINES},
    ),
    *(
        Claim(
            "Mauduit25b",
            "Fig. 3",
            ("berkeley_france",),
            f"{label} has linear regret",
            linear,
            {"variant": variant},
        )
        for variant, label in (("sparq_gp_ucb", "SparQ"), ("w_sparq_gp_ucb", "W-SparQ"))
    ),
    Claim(
        "Mauduit25b",
        "Fig. 4",
        ("berkeley_france",),
        "W-SparQ has the lowest prediction error",
        lowest_error,
        {"variant": "w_sparq_gp_ucb", "others": (*BASELINES, "sparq_gp_ucb")},
    ),
    Claim(
        "Mauduit25b",
        "Fig. 4",
        ("berkeley_france",),
        "W-SparQ has the smoothest prediction error",
        smoothest_error,
        {"variant": "w_sparq_gp_ucb", "others": (*BASELINES, "sparq_gp_ucb")},
        None,
        "smoothness measured as the standard deviation of the error over places",
    ),
)
