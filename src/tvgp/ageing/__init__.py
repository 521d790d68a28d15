"""The papers' observation model of ageing data taken literally: a test bed without drift.

f is fixed. In round t the observation of round s has fresh independent noise of variance
sigma^2 (1 + (t - s)^alpha) (Mauduit25b, eq. 8), as does an expert's answer. The library's policies
play (`methods`, `simulate`): they decide which data to keep, with which variances, and which arm to
play. The test bed supplies the values: a policy stores each value as first observed, so its
posterior engine is replaced by one that redraws them in every round (`merged`, `weight_space`).
"""
