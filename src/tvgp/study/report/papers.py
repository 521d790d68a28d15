"""The papers of the study as the report introduces them: what each asked, and where to look first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tvgp.study.claims import CLAIMS


@dataclass(frozen=True)
class Paper:
    """A paper: its key in claims; reference; what it asked, one sentence.

    pairs: (experiment, method, rival), of which the first that was run gives the sentence on results;
    figures: (experiment or "across", figure), of which the first that was drawn is the key figure; answered:
    (paper, item, beginning) of the claims whose verdicts answer, with yes if they hold; denied: with no.
    """

    key: str
    reference: str
    asked: str
    pairs: tuple[tuple[str, str, str], ...]
    figures: tuple[tuple[str, str], ...]
    answered: tuple[str, str, str] = ("", "", "")
    denied: bool = False

    def covers(self, names: Iterable[str]) -> bool:
        """Whether any of these experiments and analyses serves a published claim of this paper."""
        return not self._served.isdisjoint(names)

    @property
    def _served(self) -> set[str]:
        claims = [claim for claim in CLAIMS if claim.paper == self.key]
        own = {name for claim in claims for name in claim.experiments}
        return own | {name for claim in claims for read in claim.interpretations for name in read.experiments}


PAPERS = (
    Paper(
        "Mauduit25a",
        "E. Mauduit, E. Berthier, A. Simonetto, Time-varying Gaussian process bandit optimization with"
        " experts: no-regret in logarithmically-many side queries, ECML PKDD 2025",
        "Can a bandit follow a changing function without linear regret if an expert answers a number of"
        r" side queries per round that grows only as $\log t$ (SparQ-GP-UCB)?",
        (
            ("moving_bump", "sparq_gp_ucb", "sparq_domain_greedy"),
            ("moving_bump", "sparq_gp_ucb", "gp_ucb"),
        ),
        (("moving_bump", "average_regret"),),
        ("Mauduit25b", "Theorem 3.3", "alpha = 1: SparQ grows no faster"),
    ),
    Paper(
        "Mauduit25b",
        "E. Mauduit, E. Berthier, A. Simonetto, No-regret Gaussian process optimization of time-varying"
        " functions, arXiv 2512.00517",
        "Is it enough to ask the expert at the starts of growing windows (W-SparQ-GP-UCB), and how many"
        " queries does sublinear regret need as the drift exponent $α$ changes?",
        (
            ("rkhs_sine", "w_sparq_gp_ucb", "w_sparq_domain_greedy"),
            ("rkhs_sine", "w_sparq_gp_ucb", "gp_ucb"),
        ),
        (
            ("rkhs_sine", "average_regret"),
            ("across", "regime_exponents"),
            ("berkeley_france", "average_regret"),
            ("berkeley_france", "error_maps"),
        ),
        ("Mauduit25b", "Theorem 3.10", "alpha = 1: W-SparQ grows no faster"),
    ),
    Paper(
        "Bogunovic16",
        "I. Bogunovic, J. Scarlett, V. Cevher, Time-varying Gaussian process bandit optimization,"
        " AISTATS 2016",
        "How much does it help to forget, in blocks (R-GP-UCB) or gradually (TV-GP-UCB), when the function"
        " changes by a known rate $ε$?",
        (("markov_se_e01", "tv_known", "gp_log"), ("markov_sq_e01", "tv_known", "gp_log")),
        (("across", "epsilon_regret"), ("markov_se_e01", "regret_known")),
    ),
    Paper(
        "Janz20",
        "D. Janz, D. R. Burt, J. González, Bandit optimisation of functions in the Matérn kernel RKHS,"
        " AISTATS 2020",
        "Does a cover of the domain by cells with a model of their own (pi-GP-UCB) lower the regret and the"
        " cost of GP-UCB on functions that do not change?",
        (("janz_d2", "pi_gp_ucb", "igp_ucb"), ("janz_d1", "pi_gp_ucb", "igp_ucb")),
        (("across", "janz_regret"),),
        ("Janz20", "Table 1", "π-GP-UCB has less regret than IGP-UCB"),
    ),
    Paper(
        "Vakili21",
        "S. Vakili, H. Moss, A. Artemev, V. Dutordoir, V. Picheny, Scalable Thompson sampling using sparse"
        " Gaussian process models, NeurIPS 2021",
        "Does Thompson sampling keep its regret when a sparse model with few inducing variables replaces"
        " the exact posterior?",
        (("thompson_1d", "s_gp_ts", "gp_ts"), ("thompson_2d", "s_gp_ts", "gp_ts")),
        (("across", "thompson_sizes"), ("thompson_1d", "thompson_regret")),
        ("Vakili21", "Section 5.4", "S-GP-TS, inducing points: sublinear regret"),
    ),
    Paper(
        "Brunzema22",
        "P. Brunzema, A. von Rohr, S. Trimpe, On controller tuning with time-varying Bayesian optimization,"
        " CDC 2022",
        "Is it better to inject uncertainty into old data, as a Wiener process does (UI-TVBO), than to let"
        " the model return to its prior mean (TV-GP-UCB)?",
        (("moving_parabola", "ui_q_01", "tv_eps_028"),),
        (("moving_parabola", "regret_modern"),),
    ),
    Paper(
        "Mandl26",
        "Mandl and Kekkonen, arXiv 2608.18863, 2026",
        r"Is a constant width better for TV-GP-UCB than one that grows with $\log t$?",
        (("mandl_e01", "tv_beta_434", "tv_beta_log"),),
        (("mandl_e01", "regret_modern"),),
    ),
    Paper(
        "Brunzema25",
        "P. Brunzema, A. von Rohr, F. Solowjow, S. Trimpe, Event-triggered time-varying Bayesian"
        " optimization, TMLR 2025",
        "Can a test for change decide when to forget, so that no rate of change need be known (ET-GP-UCB)?",
        (("mandl_e01", "et_gp_ucb", "tv_assumed_1"), ("moving_parabola", "et_gp_ucb", "tv_eps_028")),
        (("mandl_e01", "regret_modern"), ("moving_parabola", "regret_modern")),
    ),
    Paper(
        "Gerogiannis25",
        "A. Gerogiannis, Y.-H. Huang, V. V. Veeravalli, AISTATS 2025 (PMLR v258)",
        "Does MASTER, which restarts when its tests contradict its bounds, detect any change within a horizon"
        " that is in use?",
        (("sign_flip", "et_gp_ucb", "master_gp_ucb"), ("moving_parabola", "et_gp_ucb", "master_gp_ucb")),
        (("sign_flip", "regret_modern"), ("moving_parabola", "regret_modern")),
        ("Gerogiannis25", "Theorem 4", "MASTER detects no change"),
        denied=True,
    ),
    Paper(
        "Hong23",
        "K. Hong, Y. Li, A. Tewari, An optimization-based algorithm for non-stationary kernel bandits without"
        " prior knowledge, AISTATS 2023",
        "Can a kernel bandit adapt to changes of unknown number and size? The window and the discount of its"
        " rivals were tuned, which is what we check.",
        (("hong_flip", "sw_window_3000", "gp_two"),),
        (("hong_flip", "regret_hong"),),
    ),
    Paper(
        "BOBA",
        "BOBA, anonymous submission to ICLR (its Table 1, from a secondary source)",
        "Which dynamic method finds the optimum of test functions whose last coordinate is time, W-DBO among"
        " them?",
        (("lifted_eggholder", "st_gp_ucb", "tv_gp_ucb"),),
        (("lifted_eggholder", "regret_environments"),),
    ),
)
