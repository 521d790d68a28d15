"""Queries before the choice while they pay: limiting prices, budgets, batches, prices per arm, the scale."""

import numpy as np
import pytest
from scipy.stats import norm

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import SequentialQueries
from tvgp.policies import pandora_gp_ucb
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = 41
SINE = environments.make("rkhs_sine", n_arms=ARMS)


def build(name="pandora_gp_ucb", **values):
    return policies.make(name, **{"arms": SINE.arms, "kernel": KERNEL, "noise_variance": 0.01} | values)


def play(policy, rounds=60, queries="before", environment=SINE):
    records = []
    fields = streams.noise_fields(ARMS, "test", 3)
    rng = streams.generator("test", 3)
    run = simulate(policy, environment, rounds, rng=rng, queries=queries, on_round=records.append, **fields)
    return run, records


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
@pytest.mark.parametrize(
    ("model", "alone"),
    [
        *(("gp", "gp_ucb"), ("tv", "tv_gp_ucb"), ("sw", "sw_gp_ucb"), ("field", "field_gp_ucb")),
        *(("st", "st_gp_ucb"), ("ui", "ui_gp_ucb")),
    ],
)
def test_a_large_price_plays_as_the_model_without_queries(model, alone, rule):
    own = {"epsilon": 0.1} if model == "tv" else {}
    shared = {"width": 0.5, "horizon": 60, "engine": "auto", **own}
    asking, _ = play(build(model=model, rule=rule, price=1e6, **shared))
    never, _ = play(build(alone, **shared))
    assert not asking.expert_queries.any()
    np.testing.assert_array_equal(asking.arm, never.arm)


def test_at_no_price_every_arm_is_read_once():
    run, _ = play(build(price=0.0, epsilon=0.5, horizon=60), 20)
    assert (run.expert_queries == ARMS).all()
    assert (run.regret < 0.2).all()


def test_a_lower_price_asks_more_and_costs_less_regret():
    runs = [play(build(price=price, epsilon=0.3, horizon=60))[0] for price in (1.0, 0.1, 0.01)]
    asked = [run.expert_queries.mean() for run in runs]
    regret = [run.regret.mean() for run in runs]
    assert asked[0] < asked[1] < asked[2] and regret[0] > regret[1] > regret[2]


def test_no_arm_is_asked_about_twice_in_a_round():
    _, records = play(build(price=0.01, epsilon=0.3, horizon=60))
    assert all(len(set(each.queries)) == len(each.queries) for each in records)


@pytest.mark.parametrize("budget", [0.5, 2.0, 6.0])
def test_a_budget_is_met_within_five_percent_of_500_rounds(budget):
    run, _ = play(build(price=0.1, budget=budget, epsilon=0.3, horizon=500), 500)
    assert run.expert_queries.mean() == pytest.approx(budget, rel=0.05)


def test_most_bounds_the_queries_of_a_round():
    run, _ = play(build(price=0.0, most=4, horizon=60))
    assert (run.expert_queries == 4).all()


def test_prices_of_arms_steer_the_queries():
    prices = np.where(SINE.arms[:, 0] < 0, 1e6, 0.01)
    _, records = play(build(price=tuple(prices), epsilon=0.3, horizon=60))
    asked = np.concatenate([each.queries for each in records])
    assert len(asked) > 20 and (prices[asked] == 0.01).all()


def test_a_batch_asks_several_at_once_and_apart():
    policy = build(price=0.01, batch=4, epsilon=0.3, horizon=60)
    assert isinstance(policy, SequentialQueries)
    policy.observe(1, 40, 0.5)
    asked = policy.expert_queries(2, np.random.default_rng(0))
    assert len(set(asked.tolist())) == 4 and np.diff(np.sort(asked)).min() > 2


def test_the_scale_learns_how_wrong_the_prior_is():
    """The prior's variances are a hundredth of the truth: the scale rises, and so do the queries."""
    wrong = kernels.make("se", variance=0.005, length_scale=3.0)
    values = {"arms": SINE.arms, "kernel": wrong, "noise_variance": 0.01, "price": 0.01, "epsilon": 0.3}
    learning = policies.make("pandora_gp_ucb", **values)
    fixed = policies.make("pandora_gp_ucb", **values, learn_scale=False)
    asked = [play(policy)[0].expert_queries.sum() for policy in (learning, fixed)]
    assert learning.scale > 3.0 and fixed.scale == 1.0 and asked[0] > asked[1]


def drifting(policy, rounds, kernel=KERNEL, epsilon=0.2, seed=1):
    """Regret and queries per round on functions drawn from TV-GP-UCB's model."""
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(kernel(SINE.arms, SINE.arms) + 1e-9 * np.eye(ARMS))
    f, regret, asked = root @ rng.normal(size=ARMS), 0.0, 0
    for t in range(1, rounds + 1):
        while len(arms := policy.expert_queries(t, rng)):
            policy.observe_expert(t, arms, f[arms] + 0.1 * rng.normal(size=len(arms)))
            asked += len(arms)
        arm = policy.choose(t, rng)
        policy.observe(t, arm, f[arm] + 0.1 * rng.normal())
        regret += f.max() - f[arm]
        f = np.sqrt(1 - epsilon) * f + np.sqrt(epsilon) * root @ rng.normal(size=ARMS)
    return regret / rounds, asked / rounds


def test_under_the_right_belief_readings_gain_what_they_promise(monkeypatch):
    """In the mean, whatever is asked about and when to stop; at three standard errors alarms once in 370."""
    monkeypatch.setattr(pandora_gp_ucb, "_MEMORY", 1e6)
    gaps, promised = [], []
    for seed in range(20):
        policy = build(price=0.2, epsilon=0.2, horizon=60, learn_scale=False)
        start = policy.promised
        drifting(policy, 60, seed=seed)
        gaps.append(policy.gained - policy.promised)
        promised.append(policy.promised - start)
    assert abs(np.mean(gaps)) < 3 * np.std(gaps, ddof=1) / np.sqrt(20) < 0.2 * np.mean(promised)


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
def test_readings_that_gain_less_than_promised_are_charged_more(rule):
    """The prior's variances are 16 times too large."""
    wrong = {"kernel": kernels.make("se", variance=8.0, length_scale=3.0), "learn_scale": False}
    costs = []
    for learn in (True, False):
        policy = build(rule=rule, price=0.1, epsilon=0.2, horizon=60, learn_gain=learn, **wrong)
        regret, asked = drifting(policy, 60)
        costs.append(regret + 0.1 * asked)
    assert costs[0] < 0.95 * costs[1]


def test_what_a_reading_promises_and_gains_is_that_of_the_choice():
    """Of two arms of means .3 and 0, the second's reading; a better one that is not there does not count."""
    rng, there = np.random.default_rng(0), np.array([True, True, False])
    known = {"arms": np.arange(3.0)[:, None], "kernel": kernels.make("empirical", covariance=np.eye(3))}
    known |= {"noise_variance": 0.25, "epsilon": 0.0, "prior_mean": (0.3, 0.0, 9.0)}
    policy = policies.make("pandora_gp_ucb", **known, price=0.05, price_share=1.0, learn_scale=False)
    start = policy.gained
    assert start == policy.promised == pytest.approx(100 * 0.05)
    assert len(policy.expert_queries(1, rng, there)) == 1
    policy.observe_expert(1, np.array([1]), np.array([1.0]))
    s = 1 / np.sqrt(1.25)
    promised = s * (norm.pdf(0.3 / s) - 0.3 / s * norm.sf(0.3 / s))
    assert policy.promised - start == pytest.approx(promised)
    assert policy.gained - start == pytest.approx(1.0 / 1.25 - 0.3)
    assert policy._charged() == pytest.approx(0.05 * policy.promised / policy.gained)


def test_the_play_after_answers_is_the_largest_mean():
    policy, rng = build(price=0.05, epsilon=0.3, horizon=60), np.random.default_rng(0)
    for t in range(1, 20):
        while len(asked := policy.expert_queries(t, rng)):
            policy.observe_expert(t, asked, SINE.mean_rewards(t)[asked])
        arm = policy.choose(t, rng)
        mean, _ = policy.posterior(t)
        assert arm == mean.argmax() or mean[arm] >= mean.max() - 1e-9
        policy.observe(t, arm, SINE.mean_rewards(t)[arm])


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
@pytest.mark.parametrize("c", [1.0, -1.0])
def test_on_a_log_scale_prices_are_of_rewards(c, rule):
    """Twice as large, with twice the price, or shifted they are played alike; a large c is no scale."""
    sine = environments.make("rkhs_sine", n_arms=ARMS)

    def plays(factor, c, sign, origin=0.0):
        played, policy = [], build(rule=rule, epsilon=0.3, horizon=30, **values(factor, c, origin))
        rng = np.random.default_rng(0)
        for t in range(1, 5):
            f = sine.mean_rewards(t)
            rewards = origin + factor * (sign * np.exp(sign * f) if sign else f)
            while len(asked := policy.expert_queries(t, rng)):
                policy.observe_expert(t, asked, rewards[asked])
                played.append(asked.tolist())
            played.append(policy.choose(t, rng))
            policy.observe(t, played[-1], rewards[played[-1]])
        return played

    def values(factor, c, origin):
        kernel = kernels.make("se", variance=0.5 * factor**2, length_scale=3.0)
        scale = {"prior_mean": origin} | ({} if c is None else {"log_scale": (factor * c, origin)})
        return {"kernel": kernel, "noise_variance": 0.01 * factor**2, "price": 0.02 * factor} | scale

    once = plays(1.0, c, np.sign(c))
    assert len(once) > 20 and once == plays(2.0, c, np.sign(c)) == plays(1.0, c, np.sign(c), 8.0)
    assert plays(1.0, 1e6, 0) == plays(1.0, None, 0)


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
@pytest.mark.parametrize("c", [0.5, -0.5])
def test_on_a_log_scale_a_query_pays_in_rewards(c, rule):
    """Among independent arms that are alike, if one reading gains more than its price, by quadrature."""
    variance, noise = 0.5, 0.01
    told = variance**2 / (variance + noise)
    z = np.linspace(-9.0, 9.0, 20001)
    density = np.exp(-0.5 * z * z)
    rewards, before = (
        c * np.expm1(mean / c + 0.5 * left / c**2)
        for mean, left in ((np.sqrt(told) * z, variance - told), (0.0, variance))
    )
    gain = np.maximum(rewards - before, 0.0) @ density / density.sum()
    kernel = kernels.make("se", variance=variance, length_scale=1e-3)
    for share in (0.99, 1.01):
        price = {"price": share * gain, "price_share": 1.0}
        policy = build(rule=rule, epsilon=0.3, kernel=kernel, log_scale=(c, 0.0), **price)
        assert (len(policy.expert_queries(1, np.random.default_rng(0))) > 0) == (share < 1.0)


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
def test_a_query_pays_under_scaled_variances(rule):
    """Among independent arms that are alike a reading gains s / sqrt(2 pi)."""
    kernel, variance = kernels.make("se", variance=0.5, length_scale=1e-3), 0.25 * 0.5
    gain = variance / np.sqrt((variance + 0.01) * 2.0 * np.pi)
    for share in (0.99, 1.01):
        price = {"price": share * gain, "price_share": 1.0}
        policy = build(rule=rule, epsilon=0.3, kernel=kernel, scale=0.25, **price)
        assert (len(policy.expert_queries(1, np.random.default_rng(0))) > 0) == (share < 1.0)


def test_the_scale_is_a_running_mean_of_squared_errors():
    """Of 20 ones and what has been read, of 100 at most; readings imagined within a batch do not count."""
    policy, rng = build(price=0.001, epsilon=0.3, batch=3, most=6), np.random.default_rng(0)
    scale, read = 1.0, 0

    def told(t, arm, value, noise):
        nonlocal scale, read
        mean, std = (each[arm] for each in policy.posterior(t))
        read += 1
        scale += ((value - mean) ** 2 / (std**2 + noise) - scale) / min(20 + read, 100)

    for t in range(1, 31):
        f = SINE.mean_rewards(t)
        while len(asked := policy.expert_queries(t, rng)):
            for arm in asked:
                told(t, arm, f[arm], 0.01)
                policy.observe_expert(t, np.array([arm]), f[[arm]])
        arm = policy.choose(t, rng)
        told(t, arm, f[arm], 0.04)
        policy.observe(t, arm, f[arm], noise_variance=0.04)
        assert policy.scale == pytest.approx(scale, rel=1e-9)
    assert read > 120


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
def test_queries_must_beat_the_best_arm_that_is_there(rule):
    policy = build(rule=rule, price=0.1, epsilon=0.1, price_share=0.6)
    rng = np.random.default_rng(0)
    policy.observe(1, 30, 2.0)
    assert not len(policy.expert_queries(2, rng))
    assert len(policy.expert_queries(3, rng, np.isin(np.arange(ARMS), (5, 10)))) == 1


def test_a_budget_below_one_moves_prices_as_one_of_one_does():
    policy, rng = build(price=0.1, epsilon=0.3, budget=0.5), np.random.default_rng(0)
    asked, share = 0, policy.factor
    while len(arms := policy.expert_queries(1, rng)):
        policy.observe_expert(1, arms, SINE.mean_rewards(1)[arms])
        asked += len(arms)
    policy.expert_queries(2, rng)
    assert asked and policy.factor == pytest.approx(share * np.exp(0.2 * (asked - 0.5)))


def test_the_arm_of_the_largest_index_is_asked_about_next():
    policy, rng = build(price=0.05, epsilon=0.3), np.random.default_rng(0)
    policy.observe(1, 20, 0.5)
    asked = []
    while len(arms := policy.expert_queries(2, rng)):
        index = policy.indices(2)
        index[asked] = -np.inf
        assert arms.tolist() == [index.argmax()] and index.max() > policy.posterior(2)[0].max()
        policy.observe_expert(2, arms, SINE.mean_rewards(2)[arms])
        asked += arms.tolist()
    assert len(asked) > 2
    again = policy.indices(3)
    np.testing.assert_array_equal(again, policy.indices(3))  # a look at a later round changes nothing


@pytest.mark.parametrize("log_scale", [None, (50.0, -40.0)])
def test_a_wave_that_all_arms_share_is_not_read(log_scale):
    """With a standard deviation of 10, beside .1 of their own, .4 and more behind in the mean."""
    covariance = 100.0 + 0.01 * np.eye(ARMS)
    mean = tuple(np.where(np.arange(ARMS) == 7, 0.4, 0.0))
    policy = build(
        kernel=kernels.make("empirical", covariance=covariance),
        arms=np.arange(float(ARMS))[:, None],
        noise_variance=1e-4,
        prior_mean=mean,
        model="gp",
        price=0.02,
        log_scale=log_scale,
    )
    assert not len(policy.expert_queries(1, np.random.default_rng(0)))


FIELD = {"model": "field", "l_fast": 2.0, "l_slow": 100.0, "slow_share": 0.4, "own_share": 0.5}


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ({"model": "gp"}, 1.0),
        ({"model": "sw"}, 1.0),
        ({"model": "ui"}, 1.0),
        ({"model": "tv", "epsilon": 0.3}, 0.7),
        ({"model": "st", "time_kernel": "ou", "l_time": 5.0}, np.exp(-0.4)),
        ({"model": "st", "time_kernel": "periodic", "period": 2.0}, None),
        (FIELD | {"slow_share": 0.0}, np.exp(-1.0)),
        (FIELD | {"own_share": 0.0}, (0.6 * np.exp(-0.5) + 0.4 * np.exp(-0.01)) ** 2),
        (FIELD, "correlation"),
    ],
)
def test_a_round_earns_what_later_rounds_do_not(model, kept):
    """1 - .75 rho^2 of the price, rho the correlation of differences between arms over one round."""
    if kept == "correlation":
        K = KERNEL(SINE.arms, SINE.arms)
        apart = np.eye(ARMS) - 1.0 / ARMS
        w, s = 0.6 * K, 0.4 * (0.5 * K + 0.5 * np.diag(K.diagonal()))
        now = np.trace(apart @ (w + s))
        kept = (np.trace(apart @ (w * np.exp(-0.5) + s * np.exp(-0.01))) / now) ** 2
    if kept is None:
        k = kernels.make("periodic", period=2.0)
        kept = float(k(np.zeros((1, 1)), np.ones((1, 1)))[0, 0]) ** 2
    assert build(**model).factor == pytest.approx(1.0 - 0.75 * kept)
    assert build(price_share=0.9, **model).factor == 0.9


def test_on_a_log_scale_the_largest_expected_reward_is_played():
    policy, rng = build(price=0.2, epsilon=0.6, most=1, log_scale=(0.3, 0.0)), np.random.default_rng(0)
    plain = 0
    for t in range(1, 20):
        rewards = np.exp(2.0 * SINE.mean_rewards(t))
        while len(asked := policy.expert_queries(t, rng)):
            policy.observe_expert(t, asked, rewards[asked])
        mean, std = policy.model.posterior(t)
        expected, _ = policy.log_scale.moments(mean, np.sqrt(policy.scale) * std)
        arm = policy.choose(t, rng)
        assert expected[arm] >= expected.max() - 1e-9
        plain += arm != mean.argmax()
        policy.observe(t, arm, rewards[arm])
    assert plain > 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs"])
@pytest.mark.parametrize("c", [0.1, 0.01, 0.001, -0.01])
def test_a_log_scale_too_small_for_its_kernel_overflows_nowhere(c, rule):
    """Logarithms with a standard deviation of up to 700."""
    values = {"rule": rule, "price": 0.1, "epsilon": 0.3, "most": 8, "log_scale": (c, 0.0)}
    policy, rng = build(**values), np.random.default_rng(0)
    for t in range(1, 6):
        while len(asked := policy.expert_queries(t, rng)):
            policy.observe_expert(t, asked, np.full(len(asked), np.sign(c)))
        policy.observe(t, policy.choose(t, rng), -np.sign(c) if t == 3 else np.sign(c))
        assert np.isfinite(policy.posterior(t + 1)).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rule": "weitzman"}, "rule is 'weitzman', expected pandora, knowledge_gradient, pairs, upper"),
        ({"price": -0.1}, "price is -0.1, expected 0 or more"),
        ({"price": (0.1, 0.2)}, "price is 2 numbers, expected one number or one for each of 41 arms"),
        ({"price": 0.0, "budget": 2.0}, "price is 0.0, expected positive with a budget"),
        ({"price_share": 0.0}, "price_share is 0.0, expected above 0 and at most 1"),
        ({"budget": 0.0}, "budget is 0.0, expected positive"),
        ({"batch": 0}, "batch is 0, expected 1 or more"),
        ({"model": "dbo"}, "model is 'dbo', expected gp, sw, tv, st, field"),
        ({"scale": 0.0}, "scale is 0.0, expected positive"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)


def test_simulate_refuses_an_unknown_moment():
    with pytest.raises(ValueError, match="queries is 'later', expected before, after, both"):
        play(build(), 2, queries="later")


def test_places_count_a_repeated_arm_once():
    """The play repeats the best arm asked about: most rounds evaluate as many places as queries."""
    run, records = play(build(price=0.02, epsilon=0.3, horizon=60))
    for each, places in zip(records, run.places, strict=True):
        assert places == len({each.arm, *each.queries.tolist()})
    assert (run.places == run.expert_queries).mean() > 0.5


@pytest.mark.parametrize("rule", ["pandora", "knowledge_gradient", "pairs", "upper_bound"])
@pytest.mark.parametrize("there", [[30], [10, 30]])
def test_only_arms_that_are_there_are_asked_about(rule, there):
    """Also where the one that is left needs no query, and the others have larger indices."""
    policy = build(rule=rule, price=0.01, epsilon=0.3, horizon=60, number=ARMS)
    rng, available = np.random.default_rng(0), np.isin(np.arange(ARMS), there)
    for t, arm in enumerate((5, 30), start=1):
        policy.observe(t, arm, 1.0 if arm == 30 else 0.2)
    while len(asked := policy.expert_queries(3, rng, available)):
        assert available[asked].all()
        policy.observe_expert(3, asked, np.full(len(asked), 0.5))
    assert policy.choose(3, rng, available) in there


def test_most_bounds_a_fixed_number_too():
    arms = np.arange(float(ARMS))[:, None]
    values = {"arms": arms, "kernel": KERNEL, "noise_variance": 0.01, "rule": "upper_bound", "number": 3}
    policy, rng, asked = policies.make("pandora_gp_ucb", most=1, **values), np.random.default_rng(0), 0
    while len(arms := policy.expert_queries(1, rng)):
        policy.observe_expert(1, arms, np.zeros(len(arms)))
        asked += len(arms)
    assert asked == 1
