"""Published numbers of the further environments, and facts of their cards.

Hong23: Hong, Li & Tewari, AISTATS 2023 (its code was read, the paper was not). BOBA: Table 1 of an anonymous
submission on BOBA, which ran W-DBO (Bardou et al. 2024) as well, in a secondary source; regret per round
after 120 rounds with its standard deviation. Brunzema25: see `modern_methods`.
"""

from tvgp.study.claims.claim import Claim, Interpretation, Source, interpretation
from tvgp.study.claims.measures.environments import never_moves
from tvgp.study.claims.measures.study import average_regret, lower_than, lowest

_WINDOWS = ("500", "1000", "2000", "5000")
_DISCOUNTS = ("99", "999", "9999")
_HONG = (
    "a constant width of 2; the authors' code removes old data from its window by an update with the wrong"
    " sign"
)
HONG_FLIP = Source("Hong23", ("hong_flip",), 10_000, data=_HONG).claim
HONG_COSINE = Source(
    "Hong23", ("hong_cosine", "hong_cosine_smooth"), 10_000, "the model's length-scale", _HONG
).claim

# function: (GP-UCB with time as a further coordinate, its deviation, W-DBO, its deviation)
TABLE = {
    "schwefel": (788, 112, 846, 253),
    "ackley": (3.92, 1.25, 4.57, 1.68),
    "eggholder": (351, 47, 506, 54),
    "shekel": (1.62, 0.13, 1.72, 0.12),
    "hartmann3": (0.21, 0.03, 0.26, 0.06),
    "hartmann6": (1.05, 0.14, 1.02, 0.21),
    "powell": (903, 249, 2025, 673),
    "griewank": (4.55, 0.84, 59.7, 23.8),
}
_PLAY = "2,000 arms in place of the box"
_STILL = ("rastrigin", "schwefel", "styblinski_tang", "ackley")
# Functions whose box of time is not [0, 1]
_UNIT = ("schwefel", "ackley", "eggholder", "shekel", "powell", "griewank")
_MOVING = ("eggholder", "rosenbrock", "shekel", "hartmann3", "hartmann6", "powell")


def _fits(function: str, *fits: tuple[str, str]) -> tuple[Interpretation, ...]:
    """Readings by (name, variant), with time through its box and from 0 to 1."""
    boxes = {"": (), ", time from 0 to 1": (f"unit_{function}",)}
    return tuple(
        interpretation(name + box, experiments=experiments, variant=variant)
        for box, experiments in boxes.items()
        if function in _UNIT or not box
        for name, variant in fits
    )


def _printed(function: str, method: str, value: float, sd: float, *readings: Interpretation) -> Claim:
    """The regret of a method in Table 1."""
    return Source("BOBA", (f"lifted_{function}",), 120, data=_PLAY).claim(
        "Table 1",
        f"{function}: {method} has regret {value:g} (sd {sd:g})",
        average_regret,
        remark="tolerance: the printed deviation",
        value=float(value),
        tolerance=sd / value,
        interpretations=readings,
        depends="what is fitted during play, and the box of time",
    )


CLAIMS: tuple[Claim, ...] = (
    HONG_FLIP(
        "code, configurations",
        "one sign flip: the window of 3,000 rounds is the best for SW-GP-UCB",
        lowest,
        variants=("sw_window_3000",),
        others=tuple(f"sw_window_{other}" for other in _WINDOWS),
    ),
    HONG_FLIP(
        "code, configurations",
        "one sign flip: the discount 0.9995 is the best for W-GP-UCB",
        lowest,
        remark="single weights; four discounts",
        variants=("w_gamma_9995",),
        others=tuple(f"w_gamma_{other}" for other in _DISCOUNTS),
    ),
    HONG_COSINE(
        "experiments",
        "slow cosine: the window of 1,000 rounds is the best for SW-GP-UCB",
        lowest,
        remark="its configuration file has 2,000",
        variants=("sw_window_1000",),
        others=("sw_window_500", "sw_window_2000", "sw_window_3000", "sw_window_5000"),
    ),
    *(
        _printed(
            function,
            "GP-UCB with time as a further coordinate",
            *printed[:2],
            interpretation("Matern-3/2 in time, 30 rounds", variant="st_time_column"),
            interpretation("time kernel by likelihood", variant="st_gp_ucb"),
            *_fits(function, ("all fitted during play", "time_column_fitted")),
        )
        for function, printed in TABLE.items()
    ),
    *(
        _printed(
            function,
            "W-DBO",
            *printed[2:],
            interpretation("kernel given", variant="w_dbo"),
            *_fits(
                function, ("all fitted during play", "w_dbo_fitted"), ("all fitted, bounded", "w_dbo_bounded")
            ),
        )
        for function, printed in TABLE.items()
    ),
    *(
        Source("BOBA", (f"lifted_{function}",), 120, data=_PLAY).claim(
            "Table 1",
            f"{function}: GP-UCB with time as a further coordinate has less regret than W-DBO",
            lower_than,
            variant="st_time_column",
            other="w_dbo",
        )
        for function in TABLE
        if function != "hartmann6"
    ),
    Source(
        "Brunzema25",
        ("intel_lab",),
        data="other days of the same laboratory: the dates of the paper's days 5 to 8 are not in our data",
    ).claim(
        "Fig. 3",
        "temperatures: ET-GP-UCB has less regret than TV-GP-UCB",
        lower_than,
        variant="et_sensors",
        other="tv_sensors",
    ),
    *(
        Source("fact", (f"lifted_{function}",)).claim(
            "lifted test functions",
            f"the optimum of {function} {'never moves' if still else 'moves'}",
            never_moves,
            still=still,
        )
        for functions, still in ((_STILL, True), (_MOVING, False))
        for function in functions
    ),
)
