"""The contract suite over all policies, and tests of single algorithms."""

import math
from functools import cache

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment, Hindsight, Policy
from tvgp.posterior import Prior
from tvgp.simulate import simulate
from tvgp.theory.schedules import maximum_information_gain

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
HORIZON = 60
SINE = environments.make("rkhs_sine", n_arms=101)


def build(name, arms=SINE.arms, noise_variance=0.01, kernel=KERNEL, **values):
    if "horizon" in policies.parameters(name):
        values.setdefault("horizon", HORIZON)
    return policies.make(name, arms=arms, kernel=kernel, noise_variance=noise_variance, **values)


def play(policy, environment=SINE, horizon=HORIZON, seed=0, **options):
    n_arms = len(environment.arms)
    return simulate(
        policy,
        environment,
        horizon,
        rng=streams.generator("test", seed),
        noise=streams.NoiseField(n_arms, "test", seed, "noise"),
        expert_noise=streams.NoiseField(n_arms, "test", seed, "expert"),
        **options,
    )


@cache
def usual(name):
    """The run with all defaults."""
    return play(build(name))


def gappy_field():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(HORIZON, 12))
    values[rng.random(values.shape) < 0.4] = np.nan
    values[:, 0] = np.where(np.isnan(values).all(axis=1), 0.0, values[:, 0])
    return environments.make("field", arms=np.linspace(-20, 20, 12)[:, None], values=values)


@pytest.mark.parametrize("name", policies.names())
@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (-1, 1.0, "round 1: there is no arm -1, expected 0 to 100"),
        (101, 1.0, "round 1: there is no arm 101, expected 0 to 100"),
        (3, float("nan"), "round 1: the reward of arm 3 is nan, expected a finite number"),
        (3, -np.inf, "round 1: the reward of arm 3 is -inf, expected a finite number"),
        (3, 1e101, r"round 1: the reward of arm 3 is 1e\+101, expected at most 1e\+100 in size"),
    ],
)
def test_observe_rejects_invalid_arm_or_reward(name, arm, reward, message):
    policy = build(name)
    with pytest.raises(ValueError, match=message):
        policy.observe(1, arm, reward)


@pytest.mark.parametrize(
    ("arms", "values"), [([2, -1], [1.0, 1.0]), ([2, 5], [1.0, np.nan]), ([2, 5], [1e9, 1e101])]
)
def test_observe_expert_rejects_invalid_answers(arms, values):
    policy = build("w_sparq_gp_ucb")
    policy.observe(1, 3, 1.0)
    with pytest.raises(ValueError, match="round 1: (there is no arm -1|the reward of arm 5 is (nan|1e.101))"):
        policy.observe_expert(1, np.array(arms), np.array(values))


ASKING = [(name, {}) for name in policies.names() if build(name).asks]
ASKING += [("ui_sparq_gp_ucb", {"answers": "latest"}), ("sparq_gp_ucb", {"version": "2025a"})]


@pytest.mark.parametrize(("name", "values"), ASKING)
def test_no_answers_change_nothing(name, values):
    def run(nothing):
        policy, rng, arms = build(name, **values), np.random.default_rng(0), []
        for t in range(1, 15):
            arms.append(policy.choose(t, rng))
            policy.observe(t, arms[-1], 0.1 * t)
            asked = policy.expert_queries(t, rng)
            if len(asked):
                policy.observe_expert(t, asked, np.cos(asked))
            if nothing:
                policy.observe_expert(t, asked[:0], np.empty(0))
        return arms, policy.posterior(15)

    np.testing.assert_equal(run(True), run(False))


@pytest.mark.parametrize("name", policies.names())
def test_every_policy_keeps_the_contract(name):
    policy = build(name)
    assert isinstance(policy, Policy)
    run = play(policy)
    assert run.arm.min() >= 0 and run.arm.max() < 101
    assert (run.regret >= 0).all() and np.isfinite(run.reward).all()
    mean, std = policy.posterior(HORIZON + 1)
    assert mean.shape == std.shape == (101,)
    if policy.engine != "none":
        assert np.isfinite(mean).all() and (std >= 0).all()
    assert isinstance(policy.engine, str)


@pytest.mark.parametrize("name", policies.names())
def test_same_streams_same_run(name):
    first, second = usual(name), play(build(name))
    np.testing.assert_array_equal(first.arm, second.arm)
    np.testing.assert_array_equal(first.reward, second.reward)
    np.testing.assert_array_equal(first.expert_queries, second.expert_queries)


@pytest.mark.parametrize("name", policies.names())
def test_unavailable_arms_are_never_played_or_asked(name):
    field = gappy_field()
    run = play(build(name, arms=field.arms), field, squared_error=True)
    here = ~np.isnan(field.values)
    assert here[np.arange(HORIZON), run.arm].all()
    assert (run.regret >= 0).all()
    assert run.squared_error.shape == (12,)


@pytest.mark.parametrize("name", [n for n in policies.names() if n not in ("uniform", "oracle")])
def test_prior_mean_only_shifts_rewards(name):
    if "prior_mean" not in policies.parameters(name):
        pytest.skip("has no prior mean")
    still = usual(name)

    class Raised(Environment):
        arms, noise_std, expert_noise_std = SINE.arms, SINE.noise_std, SINE.expert_noise_std

        def mean_rewards(self, t):
            return SINE.mean_rewards(t) + 40.0

    raised = play(build(name, prior_mean=40.0), Raised())
    np.testing.assert_array_equal(still.arm, raised.arm)


class Measured(Environment):
    """An environment whose rewards are given in a unit of another size."""

    def __init__(self, environment, size):
        self._environment, self._size, self.arms = environment, size, environment.arms
        self.noise_std = size * environment.noise_std
        self.expert_noise_std = size * environment.expert_noise_std

    def mean_rewards(self, t):
        return self._size * self._environment.mean_rewards(t)


IN_UNITS = [(name, {}) for name in policies.names() if name not in ("opkb", "master_gp_ucb")]  # f in [0, 1]
IN_UNITS += [("gp_ucb", {"engine": engine}) for engine in ("append", "lazy")]
IN_UNITS += [("pandora_gp_ucb", {"rule": "knowledge_gradient"}), ("pandora_gp_ucb", {"rule": "pairs"})]
IN_UNITS += [("st_gp_ucb", {"time_kernel": "matern32"})]


@pytest.mark.parametrize("environment", [SINE, gappy_field()], ids=["sine", "gaps"])
@pytest.mark.parametrize(("name", "values"), IN_UNITS)
def test_arms_do_not_depend_on_the_unit_of_rewards(name, values, environment):
    def arms(size):
        price = {"price": 0.1 * size} if name == "pandora_gp_ucb" else {}
        kernel = kernels.make("se", variance=0.5 * size**2, length_scale=3.0)
        made = {"arms": environment.arms, "kernel": kernel, "noise_variance": 0.01 * size**2}
        policy = build(name, **made, **values, **price)
        run = play(policy, Measured(environment, size))
        return run.arm, run.expert_queries, policy.recommend(HORIZON + 1) if policy.engine != "none" else None

    # powers of two, which change no digit
    for small, large in zip(arms(2.0**-40), arms(2.0**40), strict=True):
        np.testing.assert_array_equal(small, large)


@pytest.mark.parametrize("size", [2.0**-40, 1.0, 2.0**40])
def test_yesterdays_best_takes_arms_without_a_reading_last(size):
    kernel = kernels.make("se", variance=size**2, length_scale=3.0)
    policy = build("yesterdays_best", kernel=kernel, noise_variance=0.01 * size**2)
    policy.observe(1, 3, 0.0)
    policy.observe_expert(1, np.array([3, 5]), np.array([-2.0, 1.0]) * size)
    assert policy.choose(2, np.random.default_rng(0), np.isin(np.arange(101), [0, 3])) == 3


@pytest.mark.parametrize("name", policies.names())
def test_make_rejects_unknown_parameters(name):
    with pytest.raises(ValueError, match=f"policy {name} has no parameter 'colour'"):
        build(name, colour="red")


@pytest.mark.parametrize("kernel", ["se", None, lambda X, Y: X @ Y.T], ids=["text", "none", "function"])
def test_make_rejects_what_is_no_kernel(kernel):
    with pytest.raises(ValueError, match="policy gp_ucb: kernel is .*, expected one as of tvgp.kernels.make"):
        policies.make("gp_ucb", arms=SINE.arms, kernel=kernel, noise_variance=0.01)


def test_make_rejects_unknown_policies():
    with pytest.raises(ValueError, match="no 'gp_ubc' in policies .did you mean gp_ucb.*; known: aw_sparq"):
        build("gp_ubc")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("tv_gp_ucb", {"epsilon": 1.5}, "epsilon is 1.5, expected between 0 and 1"),
        ("w_gp_ucb", {"gamma": 0.0}, "gamma is 0.0, expected in"),
        ("w_gp_ucb", {"weights": "triple"}, "weights is 'triple'"),
        ("sw_gp_ucb", {"window": 0}, "window is 0"),
        ("r_gp_ucb", {"block_length": -3}, "block_length is -3"),
        ("ui_gp_ucb", {"alpha": 0.0}, "alpha is 0.0, expected positive"),
        ("sparq_gp_ucb", {"version": "2026"}, "version is '2026'"),
        ("w_sparq_gp_ucb", {"alpha_tilde": 0.0}, "alpha_tilde is 0.0"),
        ("w_sparq_gp_ucb", {"alpha_tilde": 1 / 3}, r"alpha_tilde is 0.3+; expected a number in \(0, 1/3\)"),
        ("gp_ucb", {"delta": 2.0}, "delta is 2.0"),
        ("gp_ucb", {"width": "wide"}, "width is 'wide'"),
        ("sparq_gp_ucb", {"subset": "best"}, "subset is 'best'"),
        ("w_sparq_gp_ucb", {"swap_steps": 0}, "swap_steps is 0, expected positive; 0 is subset greedy"),
        ("w_sparq_gp_ucb", {"place": "future"}, "place is 'future', expected past or domain"),
        ("w_sparq_gp_ucb", {"alpha_tilde": 500}, "alpha_tilde is 500; expected a number in"),
        ("sparq_gp_ucb", {"query_scale": -5.0}, "query_scale is -5.0, expected positive"),
        ("sparq_gp_ucb", {"expert_noise_variance": 0.0}, "expert_noise_variance is 0.0"),
        ("w_sparq_gp_ucb", {"expert_noise_variance": -1.0}, "expert_noise_variance is -1.0"),
        (
            "ui_sparq_gp_ucb",
            {"expert_noise_variance": 1e-30},
            "expert_noise_variance is 1e-30, expected at least 5e-11, or float64 has no posterior",
        ),
        ("gp_ucb", {"c1": -1.0}, "c1 is -1.0, expected positive"),
        ("tv_gp_ucb", {"c2": 0.0}, "c2 is 0.0, expected positive"),
        ("w_gp_ucb", {"variation_budget": -1.0}, "variation budget is -1.0"),
        (
            "pi_gp_ucb",
            {"prior_mean": (0.0, 1.0)},
            r"prior_mean: \(0.0, 1.0\) is not a number",
        ),
        ("sw_gp_ucb", {"window": 2.5}, "policy sw_gp_ucb: window: 2.5 is not a whole number"),
        ("gp_ucb", {"horizon": 10.5}, "policy gp_ucb: horizon: 10.5 is not a whole number"),
        (
            "gp_ucb",
            {"prior_mean": (0.0, 1.0, 2.0)},
            "prior_mean is 3 numbers, expected one number or one",
        ),
        ("gp_ucb", {"prior_mean": float("nan")}, "prior_mean is nan, expected one number or one for each"),
        ("pi_gp_ucb", {"engine": "dense"}, "engine is 'dense', expected auto or grid"),
    ],
)
def test_bad_parameters(name, values, message):
    with pytest.raises(ValueError, match=message):
        build(name, **values)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tv_gp_ucb", {"epsilon": 0.0, "width": "information"}),
        ("r_gp_ucb", {"block_length": HORIZON}),
        ("sw_gp_ucb", {"window": HORIZON}),
    ],
)
def test_special_cases_equal_gp_ucb(name, values):
    np.testing.assert_array_equal(play(build(name, **values)).arm, play(build("gp_ucb")).arm)


def test_a_given_block_may_be_longer_than_the_horizon():
    policy = build("r_gp_ucb", block_length=3 * HORIZON)
    for t in range(1, 3 * HORIZON + 1):
        policy.observe(t, 50, 1.0)
        assert (policy.posterior(t + 1)[1][50] < 0.1) == (t < 3 * HORIZON)


def test_recommended_memories_follow_their_formulas():
    """gamma_T^(1/4) (T/B_T)^(1/2) rounds, and a discount of one over that."""
    gain = maximum_information_gain(Prior.of(SINE.arms, KERNEL), 0.01, 400)
    rounds = gain**0.25 * np.sqrt(400 / 30)
    sw, r, w = (
        build(name, horizon=400, variation_budget=30.0) for name in ("sw_gp_ucb", "r_gp_ucb", "w_gp_ucb")
    )
    assert sw.window == r.block_length == math.ceil(rounds)
    assert w.gamma == pytest.approx(1 - 1 / rounds)


@pytest.mark.parametrize("engine", ["append", "weight_space", "dense"])
def test_an_epsilon_of_one_forgets_all_each_round(engine):
    policy = build("tv_gp_ucb", epsilon=1.0, engine=engine)
    policy.observe(1, 3, 5.0)
    np.testing.assert_allclose(policy.posterior(2), [np.zeros(101), np.full(101, 0.5**0.5)], atol=1e-9)


def test_w_gp_ucb_without_discount_has_gp_ucb_posterior():
    """gamma = 1: the single-weight posterior is GP-UCB's and s^2 = sigma^2 / lambda."""
    weighted, plain = build("w_gp_ucb", gamma=1.0), build("gp_ucb")
    rng = np.random.default_rng(0)
    for t in range(1, 40):
        arm, reward = int(rng.integers(101)), rng.normal()
        for policy in (weighted, plain):
            policy.observe(t, arm, reward)
    for ours, theirs in zip(weighted.posterior(40), plain.posterior(40), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    (_, half, width), (_, std) = weighted.confidence_band(40), plain.posterior(40)
    np.testing.assert_allclose(half / width, std, atol=1e-9)


def test_w_gp_ucb_against_explicit_features():
    """mu, s^2 and the width from V = sum w phi phi' + l_t I and V~ = sum w^2 phi phi' + a_t I.

    Deng et al. 2022 with w_s = gamma^-s, lambda_t = lambda gamma^-t, alpha_t = lambda gamma^-2t.
    """
    rng = np.random.default_rng(2)
    gamma, lam, n = 0.8, 0.01, 30
    arms, values = rng.integers(0, 101, n), rng.normal(size=n)
    policy = build("w_gp_ucb", gamma=gamma, noise_variance=lam)
    for t in range(1, n + 1):
        policy.observe(t, int(arms[t - 1]), values[t - 1])
    phi = Prior(SINE.arms, KERNEL).factor(101)
    w = gamma ** -np.arange(1.0, n + 1)
    lam_t, alpha_t = lam * gamma**-n, lam * gamma ** (-2 * n)
    X = phi[arms]
    eye = np.eye(phi.shape[1])
    V = (X.T * w) @ X + lam_t * eye
    V2 = (X.T * w**2) @ X + alpha_t * eye
    mean = phi @ np.linalg.solve(V, (X.T * w) @ values)
    half = np.linalg.solve(V, phi.T)
    s = np.sqrt(np.einsum("rg,rs,sg->g", half, V2, half))
    log_det = np.linalg.slogdet(np.eye(n) + (w[:, None] * (X @ X.T) * w) / alpha_t)[1]
    width = lam_t / np.sqrt(alpha_t) * 5.0 + np.sqrt(lam) * np.sqrt(2 * np.log(1 / 0.05) + log_det)
    np.testing.assert_allclose(policy.posterior(n + 1)[0], mean, atol=1e-8)
    _, half, factor = policy.confidence_band(n + 1)
    np.testing.assert_allclose(half, width * s, rtol=1e-6)
    assert factor == pytest.approx(width / np.sqrt(lam))  # of sqrt(lambda) s
    assert (half / factor <= policy.posterior(n + 1)[1] + 1e-12).all()


def test_w_gp_ucb_does_not_overflow():
    policy = build("w_gp_ucb", gamma=0.5, horizon=100_000)
    for t in range(1, 3000):
        policy.observe(t, t % 101, 1.0)
    mean, std = policy.posterior(3000)
    assert (
        np.isfinite(mean).all()
        and np.isfinite(std).all()
        and np.isfinite(policy.confidence_band(3000)[1]).all()
    )


def test_ui_gp_ucb_against_the_batch_formula():
    rng = np.random.default_rng(3)
    policy = build("ui_gp_ucb", alpha=1.5)
    arms, values = rng.integers(0, 101, 50), rng.normal(size=50)
    for t in range(1, 51):
        policy.observe(t, int(arms[t - 1]), values[t - 1])
    K = KERNEL(SINE.arms, SINE.arms)
    lags = np.arange(49, -1, -1.0)
    A = K[np.ix_(arms, arms)] + np.diag(0.01 * (1 + lags**1.5))
    np.testing.assert_allclose(policy.posterior(51)[0], K[arms].T @ np.linalg.solve(A, values), atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["gp_ucb", "tv_gp_ucb", "r_gp_ucb"])
def test_sequential_engines_play_identical_arms(name, seed):
    values = {"block_length": 25} if name == "r_gp_ucb" else {}
    runs = [
        play(build(name, engine=engine, **values), seed=seed).arm
        for engine in ("append", "weight_space", "dense")
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(runs[0], run)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["sw_gp_ucb", "w_gp_ucb", "ui_gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb"])
def test_batch_engines_play_identical_arms(name, seed):
    merged = play(build(name, engine="merged"), seed=seed).arm
    np.testing.assert_array_equal(merged, play(build(name, engine="dense"), seed=seed).arm)


@pytest.mark.parametrize("alpha", [0.001, 0.03, 50.0])
def test_extreme_drift_exponents_play(alpha):
    for name in ("ui_gp_ucb", "w_sparq_gp_ucb"):
        policy, rng = build(name, alpha=alpha), np.random.default_rng(1)
        for t in range(1, 6):
            policy.observe(t, policy.choose(t, rng), 1.0)


def test_references_play_what_their_names_say():
    assert play(build("oracle")).regret.max() == 0.0
    late = play(build("oracle", delay=3)).arm
    np.testing.assert_array_equal(late[3:], play(build("oracle")).arm[:-3])
    field = gappy_field()
    late, best = play(build("oracle", arms=field.arms, delay=1), field).arm, field.values[:-1]
    here = np.where(np.isnan(field.values[1:]), -np.inf, np.where(np.isnan(best), -1e9, best))
    np.testing.assert_array_equal(late[1:], here.argmax(axis=1))
    gaps = environments.make("field", arms=np.zeros((3, 1)), values=np.eye(3), times=np.array([2, 3, 6]))
    late = play(build("oracle", arms=gaps.arms, delay=1), gaps, 3).arm  # f_5 is that of round 3
    assert late[1:].tolist() == [0, 1]
    assert isinstance(build("best_fixed_arm"), Hindsight)
    field = gappy_field()
    best = play(build("best_fixed_arm", arms=field.arms), field)
    assert best.regret.mean() < play(build("uniform", arms=field.arms), field).regret.mean()
    yesterday = play(build("yesterdays_best"))
    assert (yesterday.expert_queries == 101).all()


def test_only_the_best_fixed_arm_must_nearly_always_report():
    """Arm 0 is the best where it reports, in half of the rounds; arm 1 misses 4 % of them."""
    values = np.tile([5.0, 3.0, 2.0, 1.0], (100, 1))
    values[::2, 0] = np.nan
    values[:4, 1] = np.nan
    field = environments.make("field", arms=np.arange(4.0)[:, None], values=values)
    fixed = play(build("best_fixed_arm", arms=field.arms), field, 100)
    order = play(build("preference_order", arms=field.arms), field, 100)
    np.testing.assert_array_equal(fixed.arm, [2] * 4 + [1] * 96)
    np.testing.assert_array_equal(np.unique(order.arm, return_counts=True)[1], [50, 48, 2])
    assert fixed.regret.mean() == pytest.approx(1.02) and order.regret.sum() == 0.0
    values[:6, 1:3] = np.nan  # now only the worst arm reports nearly always
    field = environments.make("field", arms=np.arange(4.0)[:, None], values=values)
    assert set(play(build("best_fixed_arm", arms=field.arms), field, 100).arm) == {3}


def test_the_prior_order_plays_the_best_mean_or_the_next_best():
    values = np.tile([5.0, 1.0, 2.0], (20, 1))
    values[::4, 2] = np.nan
    field = environments.make("field", arms=np.arange(3.0)[:, None], values=values)
    played = play(build("prior_order", arms=field.arms, prior_mean=(0.0, 1.0, 2.0)), field, 20)
    np.testing.assert_array_equal(played.arm, np.where(np.isnan(values[:, 2]), 1, 2))
    assert not isinstance(build("prior_order"), Hindsight)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_ui_gp_ucb_plays_the_same_arms_with_aged_sums(alpha):
    """A long horizon sums by blocks of rounds: the same arms as one by one."""
    arms = np.linspace(0, 10, 30)[:, None]
    kernel = kernels.make("se", variance=1.0, length_scale=1.0)
    played = []
    for horizon in (900, 10**6):
        policy = policies.make(
            "ui_gp_ucb", arms=arms, kernel=kernel, noise_variance=0.1, alpha=alpha, horizon=horizon
        )
        rng, noise = np.random.default_rng(1), np.random.default_rng(2)
        chosen = []
        for t in range(1, 901):
            chosen.append(policy.choose(t, rng))
            f = np.sin(arms[chosen[-1], 0] + 0.01 * t)
            policy.observe(t, chosen[-1], f + 0.3 * noise.standard_normal())
        played.append(chosen)
    assert played[0] == played[1] and len(set(played[0])) > 5


def test_w_gp_ucb_with_the_information_width():
    """B + sqrt(2 log(2/delta) + log det(I + K / Sigma)), Sigma = sigma^2 gamma^-lag, before sigma."""
    policy = build("w_gp_ucb", gamma=0.7, weights="single", width="information")
    arms = np.random.default_rng(0).integers(0, 101, 30)
    for t in range(1, 31):
        policy.observe(t, int(arms[t - 1]), 0.0)
    root = 1 / np.sqrt(0.01 * 0.7 ** -np.arange(29, -1, -1.0))
    gram = root[:, None] * KERNEL(SINE.arms[arms], SINE.arms[arms]) * root
    width = 5.0 + np.sqrt(2 * np.log(2 / 0.05) + np.linalg.slogdet(np.eye(30) + gram)[1])
    mean, scaled, found = policy.confidence_band(31)
    assert found == pytest.approx(width, rel=1e-9)
    np.testing.assert_allclose(scaled, width * policy.posterior(31)[1])
    with pytest.raises(ValueError, match="width is 'information', expected .* for double weights"):
        build("w_gp_ucb", width="information")


def test_w_gp_ucb_has_one_posterior_with_either_weights():
    single, double = (
        build("w_gp_ucb", gamma=0.7, width=2.0, weights=weights) for weights in ("single", "double")
    )
    for t in range(1, 31):
        for policy in (single, double):
            policy.observe(t, 3 * t % 101, 0.1 * t)
    np.testing.assert_array_equal(single.posterior(31), double.posterior(31))
    (_, sigma, _), (_, s, _) = (policy.confidence_band(31) for policy in (single, double))
    np.testing.assert_allclose(sigma / 2.0, single.posterior(31)[1])
    assert (s < 0.99 * sigma).any() and (s <= sigma + 1e-12).all()


def test_w_gp_ucb_has_the_published_width_with_either_weights():
    single, double = (build("w_gp_ucb", gamma=0.7, weights=weights) for weights in ("single", "double"))
    for t in range(1, 31):
        for policy in (single, double):
            policy.observe(t, 3 * t % 101, 0.1 * t)
    widths = [policy.confidence_band(31)[2] for policy in (single, double, build("w_gp_ucb", gamma=0.7))]
    assert widths[0] == pytest.approx(widths[1], rel=1e-12) and widths[1] > 1.01 * widths[2]
