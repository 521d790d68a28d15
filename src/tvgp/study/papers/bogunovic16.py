"""Bogunovic16: values of its figures, read by eye (to about 0.02, traffic about 0.3), and its settings."""

READING_ERROR = 0.01  # standard deviation of a value of Fig. 2
EPSILONS = {"001": 0.001, "01": 0.01, "03": 0.03}
KERNELS = ("markov_se", "markov_sq", "markov_m52")
LABELS = {"tv_known": "TV-GP-UCB", "r_known": "R-GP-UCB", "gp_log": "GP-UCB"}
FAMILIES = {"Fig. 2a": "squared exponential", "Fig. 2b": "Matern 5/2"}
PRIORS = {
    "markov_se": "squared exponential, $l = 0.2$",
    "markov_sq": "squared exponential, $l^2 = 0.2$",
    "markov_m52": "Matern 5/2",
}

# Fig. 2a and 2b: average regret at the last round, by epsilon.
SQUARED_EXPONENTIAL = {"tv_known": (0.07, 0.17, 0.29), "r_known": (0.13, 0.28, 0.40)}
MATERN = {"tv_known": (0.21, 0.42, 0.69), "r_known": (0.29, 0.63, 0.91)}
READINGS = {  # the same by (experiment, variant)
    (f"{kernel}_e{digits}", variant): value
    for kernel, table in zip(KERNELS, (SQUARED_EXPONENTIAL, SQUARED_EXPONENTIAL, MATERN), strict=True)
    for variant, values in table.items()
    for digits, value in zip(EPSILONS, values, strict=True)
}

# Fig. 2c by the assumed epsilon, Fig. 2d by the block length.
SWEEPS: dict[str, dict[float, float]] = {
    "assumed": {0.0: 0.40, 0.0075: 0.1475, 0.04: 0.245},
    "block": {5: 0.90, 65: 0.27, 200: 0.38},
}

# Fig. 3a: average regret on the Intel lab's test days at t = 288.
LAB = (
    ("tv_sensors", "TV-GP-UCB", 1.0),
    ("r_sensors_cv", "R-GP-UCB", 1.6),
    ("gp_sensors", "GP-UCB", 3.25),
    ("uniform", "random play", 3.4),
)
# Fig. 3: days of the paper and our test days; average regret at t = 84 of the methods `DRIVEN`.
DAYS = (
    (2, 1, (20.0, 9.0, 6.5)),
    (4, 2, (22.3, 11.9, 9.1)),
    (8, 1, (18.5, 8.9, 7.1)),
    (10, 2, (17.3, 6.8, 6.8)),
)
DRIVEN = (("uniform", "random play"), ("gp_sensors", "GP-UCB"), ("tv_sensors", "TV-GP-UCB"))
