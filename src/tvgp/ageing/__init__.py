"""The papers' observation model of ageing data taken literally: a test bed without drift.

f is fixed. In round t the observation of round s is seen with fresh independent noise of variance
sigma^2 (1 + (t - s)^alpha) (Mauduit25b, eq. 8), an expert's answer likewise. The library's own
policies play (`methods`, `simulate`): they decide what is kept, with which variances, and which arm
comes next. Only the values are the bed's: a policy holds the values it once saw, so its posterior
engine is replaced by one that draws them anew in every round (`merged`, `weight_space`).
"""
