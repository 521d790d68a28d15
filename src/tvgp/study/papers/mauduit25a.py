"""Mauduit25a, Fig. 1: its methods without queries, and regret after 500 rounds as printed."""

BASELINES = ("tv_gp_ucb", "w_gp_ucb", "r_gp_ucb", "sw_gp_ucb", "gp_ucb")
LABELS = {
    "tv_gp_ucb": "TV-GP-UCB",
    "w_gp_ucb": "W-GP-UCB",
    "r_gp_ucb": "R-GP-UCB",
    "sw_gp_ucb": "SW-GP-UCB",
}
AVERAGES = {"tv_gp_ucb": 1.8, "w_gp_ucb": 1.3, "r_gp_ucb": 1.34, "sw_gp_ucb": 1.18}
PRINTED_AS_TOTAL = ("tv_gp_ucb", "w_gp_ucb")
