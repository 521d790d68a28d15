"""Rounds may be skipped: data then have their true ages. Time never goes back. A round may have several
observations, each with its own noise."""

from functools import partial

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.policies.base import aged_data
from tvgp.theory.relevance import overlap_in_time
from tvgp.theory.schedules import next_window_start

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-15, 15, 31)[:, None]
K = KERNEL(ARMS, ARMS)
NOISE = 0.01

# Play begins at t = 2; one round, several rounds, blocks and windows are skipped.
ROUNDS = [2, 3, 4, 7, 8, 9, 10, 30, 31, 33, 34, 60, 61, 62, 63, 64, 65, 160, 161]


class Record:
    """What a policy has observed: (t, arm, y, noise variance), and (t, arms, values) per query."""

    def __init__(self, before=False):
        """before: whether queries come before the choices, so that the first window has none."""
        self.own, self.answers, self.before = [], [], before
        self.missed = [], 1.0, None, 0  # of `missed_most`: data kept, budget, last cleaning, last round

    def arrays(self, keep=lambda s: True):
        """Rounds, arms, values and noise variances of own observations."""
        kept = [entry for entry in self.own if keep(entry[0])]
        return tuple(np.array(column) for column in zip(*kept, strict=True)) if kept else (np.empty(0),) * 4


def play(policy, rounds=ROUNDS, batches=False):
    """Play the rounds; yields t and the record before every round, and after the last one.

    batches: one to four arms per round, each with a noise of its own."""
    rng, noise, record = np.random.default_rng(0), np.random.default_rng(1), Record()
    if hasattr(policy, "foresee"):
        policy.foresee(np.random.default_rng(2).normal(size=(max(rounds), len(ARMS))))
    for t in rounds:
        yield t, record
        if batches:
            arms = policy.choose_batch(t, rng, 1 + t % 4)
            y = np.sin(ARMS[arms, 0] + 0.05 * t) + 0.1 * noise.standard_normal(len(arms))
            variances = NOISE * noise.uniform(0.5, 4.0, len(arms))
            policy.observe_batch(t, arms, y, variances)
            record.own += zip([t] * len(arms), arms, y, variances, strict=True)
        else:
            arm = policy.choose(t, rng)
            y = np.sin(ARMS[arm, 0] + 0.05 * t) + 0.1 * noise.standard_normal()
            policy.observe(t, arm, y)
            record.own.append((t, arm, y, NOISE))
        asked = policy.expert_queries(t, rng)
        if len(asked):
            values = np.sin(ARMS[asked, 0] + 0.05 * t) + 0.1 * noise.standard_normal(len(asked))
            policy.observe_expert(t, asked, values)
            record.answers.append((t, asked, values))
    yield rounds[-1] + 1, record
    yield rounds[-1] + 40, record


def dense(arms, values, variances, correlation=1.0, decay=1.0, scale=1.0):
    """Posterior mean and standard deviation by the textbook formula; scale: of the prior variance."""
    if not len(arms):
        return np.zeros(len(ARMS)), np.sqrt(scale * K.diagonal())
    arms = np.asarray(arms, dtype=int)
    A = K[np.ix_(arms, arms)] * correlation + np.diag(variances)
    k = K[arms] * (decay if np.ndim(decay) == 2 else np.reshape(decay, (-1, 1)))
    half = np.linalg.solve(A, k)
    return half.T @ values, np.sqrt(scale * K.diagonal() - np.einsum("ng,ng->g", k, half))


def everything(t, record):
    _, arms, values, v = record.arrays()
    return dense(arms, values, v)


def in_block_of_8(t, record):
    _, arms, values, v = record.arrays(lambda s: (s - 1) // 8 == (t - 1) // 8)
    return dense(arms, values, v)


def in_window_of_10(t, record):
    _, arms, values, v = record.arrays(lambda s: s >= t - 10)
    return dense(arms, values, v)


def last_5_of_a_block_of_8(t, record):
    _, arms, values, v = record.arrays(lambda s: s >= t - 5 and (s - 1) // 8 == (t - 1) // 8)
    return dense(arms, values, v)


def forgetting(t, record):
    rounds, arms, values, v = record.arrays()
    if not len(arms):
        return everything(t, record)
    rho = np.sqrt(1 - 0.1)
    correlation = rho ** np.abs(rounds[:, None] - rounds)
    return dense(arms, values, v, correlation, rho ** (t - rounds))


def space_time(time_kernel):
    """Brute force over the product of the spatial kernel and a time kernel."""

    def expected(t, record):
        rounds, arms, values, v = record.arrays()
        if not len(arms):
            return everything(t, record)
        lags = np.abs(np.subtract.outer(np.append(rounds, t), rounds))
        correlation = time_kernel(lags)
        return dense(arms, values, v, correlation[:-1], correlation[-1])

    return expected


def two_scales(share, own):
    """Field-GP-UCB with slow_share and own_share, l_fast 3, l_slow 50."""

    def correlation(lags, same):
        return (1 - share) * np.exp(-lags / 3) + share * np.exp(-lags / 50) * (1 - own + own * same)

    def expected(t, record):
        rounds, arms, values, v = record.arrays()
        if not len(arms):
            return everything(t, record)
        arms = np.asarray(arms, dtype=int)
        among = correlation(np.abs(np.subtract.outer(rounds, rounds)), arms[:, None] == arms)
        across = correlation((t - np.asarray(rounds))[:, None], arms[:, None] == np.arange(len(ARMS)))
        return dense(arms, values, v, among, across)

    return expected


def matern32(lags):
    a = np.sqrt(3) / 9.0
    return (1 + a * lags) * np.exp(-a * lags)


def periodic(lags):
    return np.exp(-2 * np.sin(np.pi * lags / 7.3) ** 2)


def wiener(t, record):
    """UI-TVBO: k(x, x') (1 + q min(s, t)), rounds from 0."""
    rounds, arms, values, v = record.arrays()
    growth = 1 + 0.05 * (np.minimum.outer(np.append(rounds, t), rounds) - 1.0)
    return dense(arms, values, v, growth[:-1], growth[-1], scale=1 + 0.05 * (t - 1))


def missed_most(t, record):
    """W-DBO by brute force: each relevance from the posteriors with and without the observation."""
    kept, budget, last, done = record.missed
    for s in sorted({entry[0] for entry in record.own if entry[0] > done}):
        kept, done = kept + [entry for entry in record.own if entry[0] == s], s
        if sum(entry[0] <= s for entry in record.own) < 5:
            continue
        budget, last = budget * 3.0 ** ((s - (last or s)) / 9.0), s
        while len(kept) > 3:
            losses = 1.0 + relevances(kept, s)
            if losses.min() >= budget:
                break
            budget /= losses.min()
            kept = [entry for i, entry in enumerate(kept) if i != np.argmin(losses)]
    record.missed = kept, budget, last, done
    short = Record()
    short.own = kept
    return space_time(matern32)(t, short)


def relevances(kept, now):
    """W_i / W_0, from the weights of both posteriors on the data; W_0: none are left."""
    rounds, arms, values, v = (np.array(column) for column in zip(*kept, strict=True))
    X, arms, n = ARMS[arms.astype(int)], arms.astype(int), len(kept)
    D = K[np.ix_(arms, arms)] * matern32(np.abs(rounds[:, None] - rounds)) + np.diag(v)
    C = np.sqrt(np.pi) / 10 * np.exp(-((X - X.T) ** 2) / 36)
    C = C * overlap_in_time(kernels.make("matern32", length_scale=9.0), rounds, now)
    inverse, distances = np.linalg.inv(D), []
    for rest in (*(np.delete(np.arange(n), i) for i in range(n)), np.arange(0)):
        other = np.zeros_like(D)
        other[np.ix_(rest, rest)] = np.linalg.inv(D[np.ix_(rest, rest)])
        lost = (inverse - other) @ values
        distances.append(np.sqrt(lost @ C @ lost + np.sum((inverse - other) * C)))
    return np.array(distances[:-1]) / distances[-1]


def since_the_last_event(t, record):
    """ET-GP-UCB by brute force: every observation is tested against the textbook posterior before it."""
    kept = []
    for s, arm, y, v in record.own:
        mean, std = dense(*(np.array([entry[i] for entry in kept]) for i in (1, 2, 3)))
        n = len(kept) + 1
        rho = 2 * np.log(2 * np.pi**2 * n**2 / 6 / 0.1)
        if kept and abs(y - mean[arm]) > np.sqrt(rho) * std[arm] + np.sqrt(v * rho):
            kept = []
        kept.append((s, arm, y, v))
    return dense(*(np.array([entry[i] for entry in kept]) for i in (1, 2, 3)))


def since_the_last_change(test_every):
    """GLR-GP-UCB by brute force: test_every rounds or more after the last test all splits in steps of 2."""

    def expected(t, record):
        tested, kept, residuals = 0, [], []
        for s in sorted({entry[0] for entry in record.own}):
            for entry in (entry for entry in record.own if entry[0] == s):
                mean, std = dense(*(np.array([other[i] for other in kept]) for i in (1, 2, 3)))
                _, arm, y, v = entry
                residuals.append((y - mean[arm]) ** 2 / (std[arm] ** 2 + v))
                kept.append(entry)
            if s - tested < test_every:
                continue
            tested, n, best = s, len(residuals), -np.inf
            for split in range(2, n, 2):
                first, second = np.mean(residuals[:split]), np.mean(residuals[split:])
                whole = n * np.log(np.mean(residuals))
                ratio = (whole - split * np.log(first) - (n - split) * np.log(second)) / 2
                best = max(best, ratio if second > first else -np.inf)
            if best >= np.log(4 * n**1.5 / 0.9):
                kept, residuals = [], []
        return dense(*(np.array([entry[i] for entry in kept]) for i in (1, 2, 3)))

    return expected


def in_the_batch(t, record):
    """R-PERP in blocks of 8: batches of 3, 5, ... observations, cut off at the end of a block."""
    kept, left, size, block = [], 0, 1, -1
    for s in sorted({entry[0] for entry in record.own}):
        if (s - 1) // 8 != block:
            kept, left, size, block = [], 0, 1, (s - 1) // 8
        if not left:
            left = size = min(int(np.ceil(np.sqrt(8 * size))), 8 - (s - 1) % 8)
            kept = []
        new = [entry for entry in record.own if entry[0] == s]
        kept, left = kept + new, max(left - len(new), 0)
    kept = kept if (t - 1) // 8 == block else []
    return dense(*(np.array([entry[i] for entry in kept]) for i in (1, 2, 3)))


def discounted(t, record):
    rounds, arms, values, v = record.arrays()
    return dense(arms, values, v * 0.9 ** -(t - 1.0 - rounds))


def injected(t, record):
    rounds, arms, values, v = record.arrays()
    return dense(arms, values, v + NOISE * (t - 1.0 - rounds) ** 1.5)


def injected_with_answers(t, record, queries=slice(None)):
    """UI-GP-UCB with the answers to all queries, or to some."""
    rounds, arms, values, v = and_answers(record, queries=queries)
    return dense(arms, values, v + NOISE * (t - 1.0 - rounds) ** 1.5)


def latest_answers(t, record):
    if not record.answers:
        return everything(t, Record())
    _, arms, values = record.answers[-1]
    return dense(arms, values, np.full(len(arms), NOISE))


def latest_answers_and_recent(t, record):
    now = t - 1
    if not record.answers:
        return everything(t, Record())
    rounds, own, y, v = record.arrays(lambda s: 1 + (now - s) ** 2 <= np.log(now))
    _, arms, values = record.answers[-1]
    variances = np.concatenate([np.full(len(arms), NOISE), v + NOISE * (now - rounds) ** 2.0])
    return dense(np.append(arms, own).astype(int), np.append(values, y), variances)


def window(t, record, following_start=lambda s: next_window_start(s, 0.5, 0.25), alpha=0.5, scale=NOISE):
    now, following, start = t - 1, 1, 0
    for s in sorted({s for s, *_ in record.own + record.answers}):
        if s >= following:
            start, following = s, following_start(s)
    answered = [s for s, _, _ in record.answers][-1:] == [start]
    assert answered or not start or (record.before and not record.answers)
    rounds, own, y, v = record.arrays(lambda s: s > start)
    arms, values = record.answers[-1][1:] if answered else ([], [])
    lags = np.concatenate([np.full(len(arms), now - start), now - rounds])
    fresh = np.concatenate([np.full(len(arms), NOISE), v])
    return dense(np.append(arms, own).astype(int), np.append(values, y), fresh + scale * lags**alpha)


def until_stale(t, record):
    """AW-SparQ with a known drift: windows of floor((0.1 M_k^2 / c)^(1/alpha)) rounds, c = M_k^2 / 300."""
    scale = K.diagonal().max() / 300
    return window(t, record, lambda s: s + int(30 ** (1 / 1.5)), 1.5, scale)


def and_answers(record, since=0, queries=slice(None)):
    """Rounds, arms, values and noise variances of own observations and of answers, to all queries or some."""
    rounds, arms, values, v = record.arrays(lambda s: s >= since)
    for s, asked, answers in record.answers[queries]:
        if s >= since:
            rounds, v = np.append(rounds, np.full(len(asked), s)), np.append(v, np.full(len(asked), NOISE))
            arms, values = np.append(arms, asked), np.append(values, answers)
    return rounds, arms, values, v


def with_answers(t, record, since=0, forget=0.0):
    """Own observations and answers of rounds from `since` on."""
    rounds, arms, values, v = and_answers(record, since)
    rho = np.sqrt(1 - forget)
    correlation = rho ** np.abs(rounds[:, None] - rounds)
    return dense(arms, values, v, correlation, rho ** (t - rounds))


def answers_in_window_of_10(t, record):
    return with_answers(t, record, since=t - 10)


def forgetting_answers(t, record):
    return with_answers(t, record, forget=0.1)


CASES = [
    ("gp_ucb", {"width": "logarithmic"}, everything),
    ("igp_ucb", {}, everything),
    ("gp_ts", {}, everything),
    ("gp_ts", {"sampling": "pathwise"}, everything),
    ("pi_gp_ucb", {"cells_per_side": 1, "splitting": False}, everything),
    ("r_gp_ucb", {"block_length": 8}, in_block_of_8),
    ("sw_gp_ucb", {"window": 10}, in_window_of_10),
    ("bob_gp_ucb", {"block_length": 8, "windows": (5,)}, last_5_of_a_block_of_8),
    ("tv_gp_ucb", {"epsilon": 0.1, "engine": "append"}, forgetting),
    ("tv_gp_ucb", {"epsilon": 0.1, "engine": "weight_space"}, forgetting),
    ("tv_gp_ucb", {"epsilon": 0.1, "engine": "dense"}, forgetting),
    ("fitted_tv_gp_ucb", {"epsilons": (0.1,)}, forgetting),
    ("tv_gp_ts", {"epsilon": 0.1}, forgetting),
    ("tv_gp_ts", {"epsilon": 0.0}, everything),
    ("ui_tvbo", {"q": 0.05, "engine": "append"}, wiener),
    ("ui_tvbo", {"q": 0.05, "engine": "weight_space"}, wiener),
    ("ui_tvbo", {"q": 0.0, "width": "logarithmic"}, everything),
    ("et_gp_ucb", {}, since_the_last_event),
    ("et_gp_ucb", {"engine": "dense"}, since_the_last_event),
    ("et_gp_ucb", {"delta_event": 1e-300}, everything),
    *(
        ("glr_gp_ucb", {"test_every": n, "split_every": 2, "delta_restart": 0.9}, since_the_last_change(n))
        for n in (4, 5)
    ),
    ("glr_gp_ucb", {"test": "arms", "delta_restart": 1e-300}, everything),
    ("r_perp", {"block_length": 8}, in_the_batch),
    ("st_gp_ucb", {"refit_first": 1000}, space_time(lambda lags: np.exp(-lags / 200))),
    ("st_gp_ucb", {"time_kernel": "constant"}, everything),
    ("st_gp_ucb", {"time_kernel": "ou", "l_time": -2 / np.log(0.9)}, forgetting),
    ("st_gp_ucb", {"time_kernel": "matern32", "l_time": 9.0}, space_time(matern32)),
    ("st_gp_ucb", {"time_kernel": "matern32", "l_time": 9.0, "engine": "space_time"}, space_time(matern32)),
    ("st_gp_ucb", {"time_kernel": "se", "l_time": 9.0}, space_time(lambda lags: np.exp(-(lags**2) / 162))),
    ("st_gp_ucb", {"time_kernel": "periodic", "period": 7.3}, space_time(periodic)),
    (
        "st_gp_ucb",
        {"time_kernel": "quasi", "period": 7.3, "l_time": 30.0, "engine": "state_space"},
        space_time(lambda lags: periodic(lags) * np.exp(-lags / 30)),
    ),
    *(
        (
            "field_gp_ucb",
            {"slow_share": share, "own_share": own, "l_fast": 3.0, "l_slow": 50.0},
            two_scales(share, own),
        )
        for share, own in ((0.4, 0.3), (0.4, 0.0), (1.0, 0.3))
    ),
    ("field_gp_ucb", {"slow_share": 0.0, "l_fast": -2 / np.log(0.9)}, forgetting),
    ("w_dbo", {"l_time": 9.0, "alpha": 2.0, "initial": 5, "fewest": 3}, missed_most),
    ("w_dbo", {"l_time": 9.0, "alpha": 0.0}, space_time(matern32)),
    ("w_gp_ucb", {"gamma": 0.9}, discounted),
    ("ui_gp_ucb", {"alpha": 1.5}, injected),
    ("ui_gp_ucb", {"alpha": 1.5, "horizon": 10**5}, injected),
    ("ui_sparq_gp_ucb", {"alpha": 1.5}, injected_with_answers),
    (
        "ui_sparq_gp_ucb",
        {"alpha": 1.5, "answers": "latest"},
        partial(injected_with_answers, queries=slice(-1, None)),
    ),
    ("sparq_gp_ucb", {"version": "2025b"}, latest_answers),
    ("sparq_gp_ucb", {"version": "2025a"}, latest_answers_and_recent),
    ("w_sparq_gp_ucb", {"alpha": 0.5}, window),
    (
        "aw_sparq_gp_ucb",
        {
            "learn": False,
            "alpha": 1.5,
            "drift_variance": float(K.diagonal().max()) / 300,
            "width": "information",
        },
        until_stale,
    ),
    ("sequential_query_ucb", {}, with_answers),
    ("sequential_query_ucb", {"schedule": "w_sparq"}, with_answers),
    ("sequential_query_ucb", {"model": "sw", "window": 10}, answers_in_window_of_10),
    ("sequential_query_ucb", {"model": "tv", "epsilon": 0.1, "engine": "append"}, forgetting_answers),
    ("sequential_query_ucb", {"model": "tv", "epsilon": 0.1}, forgetting_answers),
    ("sparq_gp_ucb", {"subset": "greedy", "place": "domain"}, latest_answers),
    ("pandora_gp_ucb", {"model": "gp", "price": 0.01}, with_answers),
    ("pandora_gp_ucb", {"model": "gp", "rule": "knowledge_gradient", "price": 0.01}, with_answers),
    ("pandora_gp_ucb", {"model": "sw", "window": 10, "price": 0.024}, answers_in_window_of_10),
    ("pandora_gp_ucb", {"epsilon": 0.1, "rule": "upper_bound"}, forgetting_answers),
    (
        "pandora_gp_ucb",
        {"model": "field", "slow_share": 0.0, "l_fast": -2 / np.log(0.9)},
        forgetting_answers,
    ),
    ("pandora_gp_ucb", {"model": "st", "time_kernel": "ou", "l_time": -2 / np.log(0.9)}, forgetting_answers),
    ("pandora_gp_ucb", {"model": "ui", "alpha": 1.5, "price": 0.01}, injected_with_answers),
]

# Policies without an exact posterior of their data; MASTER and OPKB draw which data
# they use (test_master_gp_ucb.py, test_opkb.py).
HINDSIGHT = {"oracle", "best_fixed_arm", "preference_order"}
# test_index_policies.py and test_kernel_exp3.py
INDICES = {"d_ucb", "discounted_ts", "kernel_exp3", "rexp3", "sw_ucb", "ucb1"}
OTHERS = (
    {"master_gp_ucb", "opkb", "prior_order", "s_gp_ts", "uniform", "yesterdays_best"} | INDICES | HINDSIGHT
)


def build(name, **values):
    if "horizon" in policies.parameters(name):
        values.setdefault("horizon", 200)
    return policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=NOISE, **values)


def test_every_policy_has_a_case():
    assert {name for name, _, _ in CASES} | OTHERS == set(policies.names())


@pytest.mark.parametrize("rounds", [ROUNDS, range(1, 40, 2)], ids=["gaps", "odd"])
@pytest.mark.parametrize(("name", "values", "expected"), CASES)
def test_skipped_rounds_age_the_data(name, values, expected, rounds):
    policy = build(name, **values)
    for t, record in play(policy, rounds):
        for ours, theirs in zip(policy.posterior(t), expected(t, record), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-6)


@pytest.mark.parametrize(("name", "values", "expected"), CASES)
def test_batches_with_noise_of_their_own_enter_the_posterior(name, values, expected):
    policy = build(name, **values)
    for t, record in play(policy, batches=True):
        for ours, theirs in zip(policy.posterior(t), expected(t, record), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-6)


ASKING = [case for case in CASES if build(case[0], **case[1]).asks]


def ask(policy, t, rng, record):
    """One query and its answers, sin of place and time; whether there was any."""
    asked = policy.expert_queries(t, rng)
    values = np.sin(ARMS[asked, 0] + 0.05 * t)
    if len(asked):
        policy.observe_expert(t, asked, values)
        record.answers.append((t, asked, values))
    return len(asked)


@pytest.mark.parametrize(("name", "values", "expected"), ASKING)
def test_queries_before_the_choice_age_the_data(name, values, expected):
    """Variances of W-SparQ's kind count from the round asked about; clocks are at it already."""
    policy, rng, record = build(name, **values), np.random.default_rng(0), Record(before=True)
    clocked = name in ("sequential_query_ucb", "pandora_gp_ucb")
    by_age = values.get("model") in ("sw", "ui")  # counted from this round as soon as it has answers
    for t in ROUNDS:
        asked = (
            ask(policy, t, rng, record) and ask(policy, t, rng, record)
            if clocked
            else ask(policy, t, rng, record)
        )
        if asked or not clocked:
            shown = expected(t if clocked and not by_age else t + 1, record)
            np.testing.assert_allclose(policy.posterior(t), shown, atol=2e-6)
        arm = policy.choose(t, rng)
        record.own.append((t, arm, float(np.sin(ARMS[arm, 0])), NOISE))
        policy.observe(t, arm, record.own[-1][2])
        np.testing.assert_allclose(policy.posterior(t + 1), expected(t + 1, record), atol=2e-6)
    assert len(record.answers) >= 3


@pytest.mark.parametrize(("name", "values", "_"), [*ASKING, ("yesterdays_best", {}, None)])
def test_answers_before_a_choice_change_that_choice(name, values, _):
    """The arm that is said to be far above all others is played, whichever it is."""
    policy, rng, rounds = build(name, **values), np.random.default_rng(0), 0
    for t in range(1, 30):
        praised, asked = None, policy.expert_queries(t, rng)
        while len(asked):
            praised = asked[t % len(asked)] if praised is None else praised
            policy.observe_expert(t, asked, np.where(asked == praised, 50.0, 0.0))
            asked = policy.expert_queries(t, rng) if hasattr(policy, "queries_left") else []
        arm = policy.choose(t, rng)
        policy.observe(t, arm, 0.0)
        if praised is not None:
            rounds += 1
            assert abs(arm - praised) <= 3
    assert rounds >= 3


@pytest.mark.parametrize("name", policies.names())
def test_the_moment_means_nothing_to_who_never_asks(name):
    policy, other, rng = build(name), build(name), np.random.default_rng(0)
    if policy.asks or name in HINDSIGHT:
        pytest.skip("asks, or needs hindsight")
    for t in (1, 2, 5):
        assert not len(policy.expert_queries(t, rng))
        policy.observe(t, t, 0.1 * t)
        other.observe(t, t, 0.1 * t)
    np.testing.assert_array_equal(policy.posterior(6), other.posterior(6))


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_skipped_rounds_change_nothing_without_a_time_model(name):
    gaps, steady = build(name), build(name)
    for (t, record), (s, other) in zip(play(gaps), play(steady, list(range(1, 20))), strict=True):
        if name not in HINDSIGHT:
            assert [arm for _, arm, *_ in record.own] == [arm for _, arm, *_ in other.own] or t > 2
        assert len(gaps.posterior(t)[0]) == len(steady.posterior(s)[0]) == len(ARMS)


@pytest.mark.parametrize("sums", [True, False])
def test_w_sparq_sums_survive_skipped_rounds(sums, monkeypatch):
    """Sums per arm hold for windows without a skipped round; the posterior is the same for all."""
    made, usual = [], aged_data.AgedSums
    monkeypatch.setattr(aged_data, "LONG", 0 if sums else 10**9)
    monkeypatch.setattr(aged_data, "AgedSums", lambda *given, **more: made.append(1) or usual(*given, **more))
    policy = build("w_sparq_gp_ucb", alpha=0.5)
    assert len(made) == sums
    for t, record in play(policy):
        np.testing.assert_allclose(policy.posterior(t)[0], window(t, record)[0], atol=2e-6)


@pytest.mark.parametrize("gap", [600, 5_000, 10**9])
@pytest.mark.parametrize("name", sorted(set(policies.names()) - HINDSIGHT))
def test_long_gaps_are_finite_and_quick(name, gap):
    policy, last = build(name), 0
    for t, _ in play(policy, [*range(1, 30), gap + 30, gap + 31]):
        last = t
    mean, std = policy.posterior(last)
    if policy.engine != "none":
        assert np.isfinite(mean).all() and np.isfinite(std).all()


@pytest.mark.parametrize("gap", [1, 3, 1000])
def test_the_newest_data_count_whatever_their_age(gap):
    """UI-GP-UCB by the formula of one observation, 50 k(x, x') in the mean at any age."""
    policy, variance = build("ui_gp_ucb", alpha=30.0), NOISE * (1.0 + gap**30.0)
    policy.observe(1, 15, 50.0 * (K[15, 15] + variance))
    np.testing.assert_allclose(policy.posterior(2 + gap)[0], 50.0 * K[15], rtol=1e-9)


def test_w_gp_ucb_weights_may_underflow():
    """gamma^600 is representable, gamma^1200 is not: the data count for next to nothing."""
    for arms in ([3], range(0, 31)):
        policy = build("w_gp_ucb", gamma=0.5)
        for t, arm in enumerate(arms, start=1):
            policy.observe(t, arm, 1.0)
        mean, half, width = policy.confidence_band(600)
        np.testing.assert_allclose(mean, 0.0, atol=1e-12)
        np.testing.assert_allclose(half, width * np.sqrt(K.diagonal()))


def test_an_old_observation_counts_less():
    """One at t = 5000 after those up to t = 50 is alone in time."""
    for name, values in (("tv_gp_ucb", {"epsilon": 0.03}), ("w_gp_ucb", {"gamma": 0.99})):
        policy = build(name, **values)
        for t in range(1, 51):
            policy.observe(t, 15, 1.0)
        policy.observe(5000, 15, -1.0)
        rho = np.sqrt(1 - 0.03) if name == "tv_gp_ucb" else 1.0
        assert policy.posterior(5001)[0][15] == pytest.approx(-rho * 0.5 / 0.51, abs=1e-6)


@pytest.mark.parametrize("name", policies.names())
def test_time_does_not_go_back(name):
    policy, rng = build(name), np.random.default_rng(0)
    for _ in play(policy, [1, 2, 5]):
        pass  # ends with the posterior of no later round
    policy.observe(50, 3, 1.0)
    nothing = np.empty(0, dtype=int)
    for call in (
        lambda: policy.choose(50, rng),
        lambda: policy.observe(50, 3, 1.0),
        lambda: policy.observe(49, 3, 1.0),
        lambda: policy.expert_queries(49, rng),
        lambda: policy.observe_expert(49, nothing, nothing),
        lambda: policy.posterior(49),
        lambda: policy.confidence_band(49),
    ):
        with pytest.raises(ValueError, match="round (49|50): time is at round 5[01] already"):
            call()
    policy.expert_queries(50, rng)
    policy.posterior(50)
    policy.observe(51, 3, 1.0)


@pytest.mark.parametrize("gap", [690, 705, 715, 722, 735, 742, 750])
@pytest.mark.parametrize("weights", ["single", "double"])
def test_w_gp_ucb_returns_to_the_prior_over_a_long_pause(weights, gap):
    # precisions, and for double weights their squares, are subnormal on the way
    make = partial(policies.make, "w_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=NOISE, weights=weights)
    for rounds in (gap, 2 * gap):
        policy = make(gamma=float(np.exp(-0.5)))
        policy.observe(1, 12, 5.0)
        mean, band, _ = policy.confidence_band(rounds)
        np.testing.assert_allclose(mean, 0.0, atol=1e-9)
        np.testing.assert_allclose(band, band[0])
        policy.choose(rounds, np.random.default_rng(0))


def test_w_gp_ucb_keeps_old_data_beside_a_very_exact_one():
    make = partial(policies.make, "w_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=NOISE)
    policy, gamma = make(gamma=0.9), 0.9
    policy.observe(1, 0, 50.0)
    for t in range(2, 120):
        policy.observe(t, 30, 0.0, noise_variance=1e-10)
    arms, variances = np.array([0, 30]), np.array([NOISE / gamma**118, 1e-10 / sum(gamma ** np.arange(118))])
    mean = K[:, arms] @ np.linalg.solve(K[np.ix_(arms, arms)] + np.diag(variances), [50.0, 0.0])
    np.testing.assert_allclose(policy.posterior(120)[0], mean, rtol=1e-5, atol=1e-9)
