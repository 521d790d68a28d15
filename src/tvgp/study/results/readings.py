"""Values read by eye (to about 0.02) from the curves of Bogunovic16, Fig. 2a and 2b."""

EPSILONS = {"001": 0.001, "01": 0.01, "03": 0.03}
KERNELS = ("markov_se", "markov_sq", "markov_m52")
SQUARED_EXPONENTIAL = {"tv_known": (0.07, 0.17, 0.29), "r_known": (0.13, 0.28, 0.40)}
MATERN = {"tv_known": (0.21, 0.42, 0.69), "r_known": (0.29, 0.63, 0.91)}

# Average regret at the last round by (experiment, variant).
READINGS = {
    (f"{kernel}_e{digits}", variant): value
    for kernel, table in zip(KERNELS, (SQUARED_EXPONENTIAL, SQUARED_EXPONENTIAL, MATERN), strict=True)
    for variant, values in table.items()
    for digits, value in zip(EPSILONS, values, strict=True)
}
