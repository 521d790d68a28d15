"""Recent methods without queries: UI-TVBO, ET-GP-UCB, TV-GP-UCB with a constant width, W-DBO, MASTER.

Brunzema22: Brunzema, von Rohr & Trimpe, CDC 2022, and the thesis behind it (its sources were read, the
conference paper was not). Brunzema25: TMLR 2025, arXiv 2208.10790 (read in secondary sources; its numbers
are in figures only). Mandl26: Mandl & Kekkonen, arXiv 2608.18863. Gerogiannis25: Gerogiannis, Huang &
Veeravalli, AISTATS 2025 (its theorem 4 was read elsewhere). The statements on W-DBO are guesses of ours.
"""

import math

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.measures.modern_methods import first_detection, prior_mean_effect
from tvgp.study.claims.measures.study import lower_than, lowest

_SET_UP = "noise, length-scale and a fixed kernel are our choice: there the kernel is fitted during play"
_DRAWN = "drawn functions of Mandl & Kekkonen's set-up: that of the paper was not available to us"
PARABOLA = Source("Brunzema22", ("moving_parabola",), 300, data=_SET_UP).claim
GUESS = Source("hypothesis", ("wiener_draws", "sign_flip")).claim
SHIFTED = Source(
    "Brunzema22", ("moving_parabola", "moving_parabola_high", "moving_parabola_low"), 300, data=_SET_UP
).claim
DRAWN = Source("Brunzema25", ("mandl_e01",), data=_DRAWN).claim
RATES = {
    "ui": ("UI-TVBO: least regret at $q = 0.01$", "ui_q_01", ("ui_q_003", "ui_q_03", "ui_q_1")),
    "tv": (
        "back to the prior (TV-GP-UCB): least regret at $ε = 0.028$",
        "tv_eps_028",
        ("tv_eps_003", "tv_eps_01", "tv_eps_1"),
    ),
}
# The constant beta with the least regret by epsilon.
BETAS = {"1": "212", "01": "434", "001": "636"}
_BETAS = ("05", "1", "212", "434", "636", "9")

CLAIMS: tuple[Claim, ...] = (
    *(
        PARABOLA("thesis, rates", text, lowest, variants=(best,), others=others)
        for text, best, others in RATES.values()
    ),
    PARABOLA(
        "thesis, rates",
        "UI-TVBO has less regret than back to the prior, each at its best rate",
        lower_than,
        variant="ui_q_01",
        other="tv_eps_028",
    ),
    SHIFTED(
        "thesis, prior mean",
        "UI-TVBO is insensitive to the prior mean",
        prior_mean_effect,
        together=True,
        remark="four standard deviations apart; insensitive = within 10 %",
        variant="ui_q_01",
        high="moving_parabola_high",
        low="moving_parabola_low",
        least=0.9,
        most=1.1,
    ),
    SHIFTED(
        "thesis, prior mean",
        "back to the prior is sensitive to the prior mean",
        prior_mean_effect,
        together=True,
        remark="four standard deviations apart; sensitive = 10 % or more",
        variant="tv_eps_028",
        high="moving_parabola_high",
        low="moving_parabola_low",
        least=1.1,
        most=math.inf,
    ),
    *(
        Source("Mandl26", (f"mandl_e{digits}",), 10_000).claim(
            "experiments",
            f"$ε = {float('0.' + digits):g}$: least regret at the constant $β$ {int(beta) / 100:g}",
            lowest,
            remark="20 trials in place of 100, and six values of $β$",
            variants=(f"tv_beta_{beta}",),
            others=tuple(f"tv_beta_{other}" for other in _BETAS if other != beta),
        )
        for digits, beta in BETAS.items()
    ),
    *(
        Source("Mandl26", (f"mandl_e{digits}",), 10_000).claim(
            "experiments",
            rf"$ε = {float('0.' + digits):g}$: the best constant has less regret than $0.8 \log(4 t)$",
            lower_than,
            variant=f"tv_beta_{beta}",
            other="tv_beta_log",
        )
        for digits, beta in BETAS.items()
    ),
    *(
        DRAWN(
            "Fig. 3",
            f"ET-GP-UCB has less regret than TV-GP-UCB that assumes $ε = {assumed:g}$ (true: 0.01)",
            lower_than,
            variant="et_gp_ucb",
            other=other,
        )
        for assumed, other in ((0.1, "tv_assumed_1"), (0.0001, "tv_assumed_0001"))
    ),
    DRAWN(
        "Fig. 3",
        "ET-GP-UCB has less regret than periodic resets",
        lower_than,
        remark="every 38 rounds, as Bogunovic et al. 2016 suggest for $ε = 0.01$",
        variant="et_gp_ucb",
        other="r_resets",
    ),
    Source("Gerogiannis25", ("detections",)).claim(
        "Theorem 4",
        "MASTER detects no change before $T = 1.24e9$",
        first_detection,
        method="master_gp_ucb",
        at_least=1.24e9,
        delta=0.05,
    ),
    GUESS(
        "W-DBO",
        "removal by relevance costs TV-GP-UCB no regret",
        lower_than,
        remark="removal leaves about 30 to 90 observations",
        variant="w_dbo_tv",
        other="tv_eps_028",
    ),
    GUESS(
        "W-DBO",
        "the least relevant observation is better to remove than the oldest",
        lower_than,
        remark="the oldest is removed when the budget covers the least relevance",
        variant="w_dbo",
        other="w_dbo_oldest",
    ),
    GUESS(
        "MASTER",
        "a test that finds changes (ET-GP-UCB) is better than random restarts, all that is left of MASTER",
        lower_than,
        variant="et_gp_ucb",
        other="master_two",
    ),
)
