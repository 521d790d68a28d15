"""Janz20: Table 1 and the settings of its experiments."""

DIMENSIONS = {"janz_d1": 1, "janz_d2": 2, "janz_d3": 3}
SMOOTHNESS = 1.5  # nu
LABELS = {"igp_ucb": "IGP-UCB", "pi_gp_ucb": "π-GP-UCB"}
# The same variants with gamma counted without its 1/2.
WIDE = {"igp_ucb": "igp_ucb_wide", "pi_gp_ucb": "pi_gp_ucb_wide"}

# Regret as a share of that of uniform play.
FRACTIONS = {
    ("janz_d1", "igp_ucb"): 0.11,
    ("janz_d2", "igp_ucb"): 0.71,
    ("janz_d3", "igp_ucb"): 0.97,
    ("janz_d1", "pi_gp_ucb"): 0.09,
    ("janz_d2", "pi_gp_ucb"): 0.52,
    ("janz_d3", "pi_gp_ucb"): 0.77,
}
# Run time in seconds.
SECONDS = {
    ("janz_d1", "igp_ucb"): 82 * 60,
    ("janz_d2", "igp_ucb"): 118 * 60,
    ("janz_d3", "igp_ucb"): 30 * 3600,
    ("janz_d1", "pi_gp_ucb"): 12 * 60,
    ("janz_d2", "pi_gp_ucb"): 97,
    ("janz_d3", "pi_gp_ucb"): 29 * 60,
}
