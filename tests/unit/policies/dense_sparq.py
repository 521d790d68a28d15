"""SparQ-GP-UCB and W-SparQ-GP-UCB as their papers state them, with dense matrices and no shortcut."""

import math

import numpy as np
import pytest

from tvgp import dpp, environments, kernels, policies, streams
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
SINE = environments.make("rkhs_sine", n_arms=101)
K = KERNEL(SINE.arms, SINE.arms)
NOISE, BOUND, DELTA = 0.01, 5.0, 0.05
RNG = np.random.default_rng


def regression(arms, values, variances):
    """Mean and standard deviation over all arms, and the width of Mauduit25b, eq. (12)."""
    gram, k = K[np.ix_(arms, arms)], K[arms]
    weights = np.linalg.inv(gram + np.diag(variances))
    variance = K.diagonal() - (k * (weights @ k)).sum(axis=0)
    information = np.linalg.slogdet(np.eye(len(arms)) + gram / np.sqrt(np.outer(variances, variances)))[1]
    width = BOUND + math.sqrt(2 * math.log(2 / DELTA) + information)
    return k.T @ weights @ np.array(values), np.sqrt(np.maximum(variance, 0)), width


def greedy(K, size):
    """Mauduit25a, Algorithm 3: one item at a time, that of the largest Schur complement."""
    chosen = []
    for _ in range(size):
        k = K[chosen]
        left = K.diagonal() - (k * (np.linalg.inv(K[np.ix_(chosen, chosen)]) @ k)).sum(axis=0)
        chosen.append(int(np.flatnonzero(left >= left.max() * (1 - 1e-9))[0]))
    return chosen


class DenseSparQ:
    """Mauduit25a, Algorithm 1 ("2025a"); Mauduit25b, Algorithms 1 ("2025b") and 2 ("windows").

    "own kept" drops no own observations, "all kept" no answers either.

    ages: whether variances grow with the lag; keep_own: whether y at the start of a window counts.
    """

    def __init__(self, rule, subset="dpp", alpha=1.0, ages=True, keep_own=False, expert_noise=NOISE):
        self.rule, self.subset, self.alpha, self.ages, self.keep_own = rule, subset, alpha, ages, keep_own
        self.expert_noise = expert_noise
        self.own, self.answers, self.start, self.next_start = [], [], 0, 1  # data are (round, arm, value)
        self._latest = None, None  # what the posterior is of, and the posterior

    def data(self, t):
        """Arms, values and noise variances of all that counts after round t."""
        alpha = 2.0 if self.rule == "2025a" else self.alpha
        injected = lambda s: NOISE * (t - s) ** alpha if self.ages else 0.0  # noqa: E731
        own = []
        if self.rule == "2025a":
            own = [seen for seen in self.own if NOISE + injected(seen[0]) <= NOISE * math.log(t)]
        elif self.rule in ("own kept", "all kept"):
            own = self.own
        elif self.rule == "windows":
            own = [seen for seen in self.own if seen[0] >= self.start + (not self.keep_own)]
        variances = [self.expert_noise + injected(s) for s, *_ in self.answers]
        variances += [NOISE + injected(s) for s, *_ in own]
        data = self.answers + own
        return [arm for _, arm, _ in data], [value for *_, value in data], variances

    def posterior(self, t):
        """Mean, standard deviation and width as used to choose for round t."""
        known = t, len(self.own), len(self.answers)
        if self._latest[0] != known:
            self._latest = known, regression(*(self.data(t - 1) if self.own else ([], [], [])))
        return self._latest[1]

    def choose(self, t, rng, available=None):
        mean, std, width = self.posterior(t)
        if not self.own:
            return int(rng.integers(len(mean)))
        scores = mean + width * std
        return int(np.flatnonzero(scores >= scores.max() - 1e-9)[0])

    def observe(self, t, arm, reward):
        self.own.append((t, arm, reward))
        if self.rule != "windows" or t == self.next_start:
            self.start = t
            if self.rule != "all kept":
                self.answers = []
            self.next_start = t + math.floor(t ** (0.25 / self.alpha)) + 1  # eq. (32)

    def expert_queries(self, t, rng, available=None):
        past = np.unique([arm for _, arm, _ in self.own])
        size = min(max(1, math.ceil(6 * math.log(t))), len(past))
        if self.start < t:
            return past[:0]
        if size == len(past):
            return past
        among = K[np.ix_(past, past)]
        chosen = dpp.KDPP(among).sample(size, rng) if self.subset == "dpp" else greedy(among, size)
        return past[np.sort(chosen)]

    def observe_expert(self, t, arms, values):
        self.answers += [(t, int(arm), value) for arm, value in zip(arms, values, strict=True)]


def build(name, arms=SINE.arms, horizon=120, **values):
    return policies.make(name, arms=arms, kernel=KERNEL, noise_variance=NOISE, horizon=horizon, **values)


def play(policy, horizon=120, seed=0, **options):
    """A run with the policy's own streams."""
    fields = streams.noise_fields(101, "sparq", seed)
    rng = streams.generator("sparq", seed, "policy")
    return simulate(policy, SINE, horizon, rng=rng, **fields, **options)


def assert_same_run(policy, reference, horizon, seed):
    """The same arms and queries, and in every round the same posterior and confidence band."""
    expected, found = [], []
    play(reference, horizon, seed, on_round=lambda r: expected.append((r, reference.posterior(r.t + 1))))

    def note(each):
        found.append((each, policy.posterior(each.t + 1), policy.confidence_band(each.t + 1)))

    play(policy, horizon, seed, on_round=note)
    for (ours, (_, std), (mean, half, width)), (theirs, (m, s, w)) in zip(found, expected, strict=True):
        assert ours.arm == theirs.arm and ours.queries.tolist() == theirs.queries.tolist(), f"round {ours.t}"
        assert width == pytest.approx(w, abs=1e-7)
        for one, other in ((mean, m), (std, s), (half, w * s)):
            np.testing.assert_allclose(one, other, atol=1e-6)


def assert_regression(policy, t, *data):
    """The posterior for round t is the regression of these arms, values and variances alone."""
    mean, std, width = regression(*data)
    found, half, ours = policy.confidence_band(t)
    np.testing.assert_allclose(found, mean, atol=1e-6)
    np.testing.assert_allclose(half, width * std, atol=1e-5)
    assert ours == pytest.approx(width, abs=1e-7)
