"""Space-time engines against the textbook formula over the product of kernels."""

import functools
import operator
import pickle

import numpy as np
import pytest

from tvgp import acquisition, kernels, posterior
from tvgp.posterior import Prior, SpaceTime, StateSpace, space_time, state_space
from tvgp.posterior.state_space import harmonic_weights

ARMS = np.linspace(-15, 15, 31)[:, None]
SMOOTH = kernels.make("se", variance=0.5, length_scale=3.0)
LONG = kernels.make("se", variance=0.5, length_scale=12.0)
ROUGH = kernels.make("matern12", variance=0.5, length_scale=3.0)  # of full rank
NOISE = 0.01
PRIOR = Prior.of(ARMS, SMOOTH)

PERIODIC = kernels.make("periodic", period=7.3)
WITH_STATES = {
    "constant": kernels.make("constant"),
    "ou": kernels.make("matern12", length_scale=9.0),
    "matern32": kernels.make("matern32", length_scale=9.0),
    "slow matern32": kernels.make("matern32", length_scale=90.0),
    "se": kernels.make("se", length_scale=4.0),
    "slow se": kernels.make("se", length_scale=200.0),
    "periodic": PERIODIC,
    "quasi": PERIODIC * kernels.make("matern12", length_scale=30.0),
    "smooth quasi": kernels.make("matern32", length_scale=30.0) * PERIODIC,
    "periodic se": PERIODIC * kernels.make("se", length_scale=20.0),
}
OTHERS = {
    "matern52": kernels.make("matern52", length_scale=9.0),
}
ALL = WITH_STATES | OTHERS


def data(n=60, seed=0):
    """Times with gaps and repeats, arms, values, noise variances."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, 90, n))
    return times, rng.integers(0, 31, n), rng.normal(size=n), NOISE * rng.uniform(0.5, 4.0, n)


def textbook(kernel, time_kernel, now, times, arms, values, variances):
    K = kernel(ARMS, ARMS)
    at, moment = times[:, None].astype(float), np.array([[float(now)]])
    A = K[np.ix_(arms, arms)] * time_kernel(at, at) + np.diag(variances)
    k = K[arms] * time_kernel(at, moment)
    half = np.linalg.solve(A, k)
    determinant = np.linalg.slogdet(A / np.sqrt(np.outer(variances, variances)))[1]
    prior = K.diagonal() * time_kernel.diagonal(moment)
    return half.T @ values, prior - np.einsum("ng,ng->g", k, half), determinant


def feed(engine, times, arms, values, variances):
    now = 0
    for t, arm, value, variance in zip(times, arms, values, variances, strict=True):
        if t > now:
            engine.advance(int(t - now))
            now = t
        engine.observe(int(arm), float(value), float(variance))
    return now


def check(engine, expected, atol):
    for ours, theirs in zip((engine.mean, engine.variance, engine.log_det), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=atol)


@pytest.mark.parametrize("kernel", [SMOOTH, ROUGH], ids=["low rank", "full rank"])
@pytest.mark.parametrize("name", ALL)
def test_space_time_is_the_textbook_formula(name, kernel):
    prior, record = Prior.of(ARMS, kernel), data()
    engine = SpaceTime(prior, NOISE, ALL[name])
    now = feed(engine, *record)
    for later in (0, 1, 13):
        engine.advance(later)
        now += later
        check(engine, textbook(kernel, ALL[name], now, *record), 1e-8)
    again = SpaceTime(prior, NOISE, ALL[name])
    again.advance(int(now))
    again.condition(*record)
    check(again, textbook(kernel, ALL[name], now, *record), 1e-8)
    engine.reset()
    assert engine.n == 0 and engine.log_det == 0.0 and not engine.mean.any()


@pytest.mark.parametrize("name", WITH_STATES)
def test_the_filter_is_the_textbook_formula(name):
    large = name == "periodic se"  # 170 states for each feature
    record, kernel = data(12 if large else 60), LONG if large else SMOOTH
    prior = Prior.of(ARMS, kernel)
    engine = StateSpace(prior, NOISE, [(prior, WITH_STATES[name])])
    now = feed(engine, *record)
    # eight harmonics: 4e-9 of the kernel; ten states: 1.1e-8
    exact = not any(each in name for each in ("periodic", "quasi", "se"))
    tolerance = 1e-9 if exact else 1e-5 if name == "slow se" else 1e-6
    for later in (0, 1, 13):
        engine.advance(later)
        now += later
        check(engine, textbook(kernel, WITH_STATES[name], now, *record), tolerance)
    engine.reset()
    assert engine.n == 0 and engine.log_det == 0.0 and not engine.mean.any()


SUMS = {
    "two scales, full rank": [(ROUGH, "ou"), (ROUGH, "constant")],
    "two scales, low rank": [(SMOOTH, "ou"), (SMOOTH, "matern32")],
    "low and full rank": [(SMOOTH, "matern32"), (ROUGH, "ou"), (SMOOTH, "quasi")],
    "full and low rank": [(ROUGH, "matern32"), (SMOOTH, "constant")],
}


@pytest.mark.parametrize(
    "products", [[(SMOOTH, name)] for name in WITH_STATES if name != "periodic se"] + list(SUMS.values())
)
@pytest.mark.parametrize("together", [7, 60, 256])
def test_data_conditioned_on_in_blocks_are_those_seen_one_by_one(monkeypatch, products, together):
    """The same state, of which the engine's later data and rounds make the same."""
    monkeypatch.setattr(state_space, "_TOGETHER", together)
    total = Prior.of(ARMS, functools.reduce(operator.add, (kernel for kernel, _ in products)))
    spaces = [Prior.of(ARMS, kernel) if kernel is SMOOTH else kernel(ARMS, ARMS) for kernel, _ in products]
    given = [(space, WITH_STATES[time]) for space, (_, time) in zip(spaces, products, strict=True)]
    one_by_one, blocks = (StateSpace(total, NOISE, given) for _ in range(2))
    now = feed(one_by_one, *data())
    one_by_one.advance(4)
    blocks.observe(3, 1.0)  # forgotten
    blocks.advance(int(now) + 4)
    blocks.condition(*data())
    for _ in range(3):
        check(blocks, (one_by_one.mean, one_by_one.variance, one_by_one.log_det), 1e-9)
        assert blocks.n == one_by_one.n
        for engine in (one_by_one, blocks):
            engine.observe(5, -0.3)
            engine.advance(2)
    blocks.condition(*(each[:0] for each in data()))
    assert blocks.n == 0 and blocks.log_det == 0.0 and not blocks.mean.any()


@pytest.mark.parametrize("name", SUMS)
def test_the_filter_of_a_sum_is_the_textbook_formula(name):
    """Mean, variance, covariances between arms, and log det, under sum_i k_i k_T,i."""
    products = [(kernel, WITH_STATES[time]) for kernel, time in SUMS[name]]
    times, arms, values, variances = data()
    total = Prior.of(ARMS, functools.reduce(operator.add, (kernel for kernel, _ in products)))
    spaces = [Prior.of(ARMS, kernel) if kernel is SMOOTH else kernel(ARMS, ARMS) for kernel, _ in products]
    given = [(space, time) for space, (_, time) in zip(spaces, products, strict=True)]
    engine = StateSpace(total, NOISE, given)
    now = feed(engine, times, arms, values, variances)
    for later in (0, 1, 13):
        engine.advance(later)
        now += later
        at, moment = times[:, None].astype(float), np.array([[float(now)]])
        A, k, prior = np.diag(variances), np.zeros((len(arms), 31)), np.zeros((31, 31))
        for kernel, time in products:
            K = kernel(ARMS, ARMS)
            A = A + K[np.ix_(arms, arms)] * time(at, at)
            k, prior = k + K[arms] * time(at, moment), prior + K * time(moment, moment)
        covariance = prior - k.T @ np.linalg.solve(A, k)
        determinant = np.linalg.slogdet(A / np.sqrt(np.outer(variances, variances)))[1]
        tolerance = 1e-6 if "and full" in name else 1e-9  # eight harmonics
        expected = k.T @ np.linalg.solve(A, values), covariance.diagonal(), determinant
        check(engine, expected, tolerance)
        among = np.array([3, 30, 3, 0])
        np.testing.assert_allclose(engine.covariance(among), covariance[among], atol=tolerance)
    engine.reset()
    np.testing.assert_allclose(engine.covariance(np.arange(31)), prior, atol=1e-8)
    assert engine.n == 0 and not engine.mean.any()


@pytest.mark.parametrize(
    ("length_scale", "harmonics", "error"),
    [(1.0, 4, 3e-4), (1.0, 6, 2e-6), (1.0, 8, 6e-9), (0.5, 8, 2e-4), (2.0, 4, 5e-7)],
)
def test_harmonics_sum_to_the_periodic_kernel(length_scale, harmonics, error):
    lags = np.linspace(0.0, 7.3, 50)
    q = harmonic_weights(length_scale, harmonics)
    ours = q @ np.cos(2 * np.pi * np.arange(harmonics + 1)[:, None] * lags / 7.3)
    exact = kernels.make("periodic", length_scale=length_scale, period=7.3)
    found = np.abs(ours - exact(np.zeros((1, 1)), lags[:, None])[0]).max()
    assert error / 3 < found < error


def test_the_states_of_a_smooth_kernel_have_its_correlations():
    """At lags of 0 to 40 length-scales, the largest error is at most that of the docstring and at least half
    of it; A is a contraction, as f's variance must not grow."""
    slow, step = kernels.make("se", length_scale=50.0), state_space.transition(ALL["slow se"], 4, 8)
    h, A = state_space.observation_row(slow, 0, 8), state_space.transition(slow, 1, 8)
    row, ours = h.copy(), []
    for _ in range(2001):
        ours.append(row @ h)
        row = row @ A
    exact = slow(np.zeros((1, 1)), np.arange(2001.0)[:, None])[0]
    assert 0.9e-8 < np.abs(ours - exact).max() < 1.1e-8
    np.testing.assert_allclose(step, A, rtol=1e-13)
    assert np.linalg.eigvalsh(np.eye(len(A)) - A @ A.T).min() > -1e-14


@pytest.mark.parametrize("name", ["se", "ou", "matern32", "matern52", "quasi"])
def test_data_that_the_time_kernel_forgets_are_dropped(name):
    """After 3,000 rounds no more are kept than its memory, and room."""
    prior, rng = Prior.of(ARMS, SMOOTH), np.random.default_rng(0)
    kept = {"se": 33, "ou": 291, "matern32": 187, "matern52": 156, "quasi": 968}[name]
    assert space_time.memory(ALL[name]) == pytest.approx(kept, abs=1.0)
    engine = SpaceTime(prior, NOISE, ALL[name])
    for t in range(3 * kept):
        engine.observe(int(rng.integers(31)), np.sin(0.1 * t))
        engine.advance()
    assert engine.n <= kept + 1 + max(32, kept // 16)
    # as large as one that was given only these data
    fresh, n = SpaceTime(prior, NOISE, ALL[name]), engine.n
    fresh.advance(3 * kept)
    fresh.condition(3 * kept - n + np.arange(n), np.zeros(n, dtype=int), np.zeros(n), np.full(n, NOISE))
    assert len(pickle.dumps(engine)) < 1.6 * len(pickle.dumps(fresh))


def test_a_kernel_that_never_decays_keeps_all_data():
    assert np.isinf([space_time.memory(ALL[name]) for name in ("constant", "periodic")]).all()


def test_dropping_old_data_of_a_smooth_kernel_changes_nothing():
    """The published suggestion, dropping them after four length-scales, does: those between carry them."""
    n, rng = 260, np.random.default_rng(0)
    times, arms = np.arange(n), rng.integers(0, 31, n)
    record = times, arms, np.sin(ARMS[arms, 0] + 0.1 * times), np.full(n, NOISE)
    time_kernel = kernels.make("se", length_scale=2.0)
    engine = SpaceTime(Prior.of(ARMS, SMOOTH), NOISE, time_kernel)
    now = feed(engine, *record)
    assert engine.n < 50  # seventeen rounds, and room
    expected = textbook(SMOOTH, time_kernel, now, *record)[:2]
    np.testing.assert_allclose((engine.mean, engine.variance), expected, atol=1e-8)
    everything = SpaceTime(Prior.of(ARMS, SMOOTH), NOISE, time_kernel)
    everything.advance(now)
    everything.condition(*record)
    assert engine.log_det == pytest.approx(everything.log_det, rel=1e-9)  # of all data, kept or not
    recent = tuple(column[-8:] for column in record)
    few = textbook(SMOOTH, time_kernel, now, *recent)[0]
    assert np.abs(few - expected[0]).max() > 1e-4


@pytest.mark.parametrize(
    ("time_kernel", "horizon", "engine"),
    [
        ("constant", 500, "weight_space"),
        ("ou", 500, "weight_space"),
        ("matern32", 500, "space_time"),
        ("matern32", 2_000, "space_time"),
        ("slow matern32", 2_000, "state_space"),
        ("periodic", 100, "space_time"),
        ("periodic", 10_000, "state_space"),
        ("se", 10_000, "space_time"),
        ("slow se", 3_000, "space_time"),
        ("slow se", 10_000, "state_space"),
    ],
)
def test_the_engine_follows_from_the_time_kernel_and_the_horizon(time_kernel, horizon, engine):
    prior = Prior.of(np.linspace(-50, 50, 201)[:, None], SMOOTH)
    made = posterior.make_space_time(prior, NOISE, ALL[time_kernel], horizon=horizon)
    assert made.name == engine


@pytest.mark.parametrize("noise", [NOISE, 1e-7])
def test_many_arms_have_the_posterior_of_the_textbook(noise):
    """501 arms; a small noise as well."""
    arms = np.linspace(-50, 50, 501)[:, None]
    engine = SpaceTime(Prior.of(arms, SMOOTH), noise, PERIODIC)
    rng = np.random.default_rng(0)
    times, seen, values = np.arange(70), rng.integers(0, 501, 70), rng.normal(size=70)
    now = feed(engine, times, seen, values, np.full(70, noise))
    K, at = SMOOTH(arms, arms), times[:, None].astype(float)
    A = K[np.ix_(seen, seen)] * PERIODIC(at, at) + noise * np.eye(70)
    k = K[seen] * PERIODIC(at, np.array([[float(now)]]))
    half = np.linalg.solve(A, k)
    tolerance = 1e-8 if noise == NOISE else 1e-5  # of values that are 1e4 times as large
    np.testing.assert_allclose(engine.mean, half.T @ values, atol=tolerance)
    np.testing.assert_allclose(engine.variance, 0.5 - np.einsum("ng,ng->g", k, half), atol=1e-8)


@pytest.mark.parametrize("noise", [NOISE, 1e-4])
@pytest.mark.parametrize("name", ["periodic", "quasi", "se", "matern32"])
def test_the_best_arm_is_that_of_the_textbook(name, noise):
    """Played for 120 rounds, half of the arms at a time, with a prior mean; most rounds need no posterior of
    all arms."""
    arms = np.linspace(-30, 30, 151)[:, None]
    prior, time_kernel, rng = Prior.of(arms, SMOOTH), ALL[name], np.random.default_rng(0)
    engine, gram = SpaceTime(prior, noise, time_kernel), SMOOTH(arms, arms)
    shift, seen, values, whole = 0.3 * np.cos(arms[:, 0]), [], [], 0
    for t in range(120):
        available = rng.random(151) < 0.5
        if t:
            at = np.arange(float(t))[:, None]
            A = gram[np.ix_(seen, seen)] * time_kernel(at, at) + noise * np.eye(t)
            k = gram[seen] * time_kernel(at, np.array([[float(t)]]))
            half = np.linalg.solve(A, k)
            std = np.sqrt(0.5 - np.einsum("ng,ng->g", k, half))
            expected = acquisition.best_arm(shift + half.T @ values + 2.0 * std, available)
            assert engine.best_arm(2.0, shift, available) == expected
            whole += engine._kept is not None
        arm = int(rng.choice(np.flatnonzero(available))) if t < 20 else expected
        seen.append(arm)
        values.append(np.sin(arms[arm, 0] + 0.3 * t) + np.sqrt(noise) * rng.normal())
        engine.observe(arm, values[-1])
        engine.advance()
    assert whole < 40


@pytest.mark.parametrize("size", [2.0**-40, 2.0**40])
def test_the_best_arm_and_the_bounds_are_those_in_any_unit(size):
    """Of the values; a power of two changes no digit."""
    engines, arm = [], 0
    for unit in (1.0, size):
        prior = Prior.of(ARMS, kernels.make("se", variance=0.5 * unit**2, length_scale=12.0))
        engines.append((unit, SpaceTime(prior, NOISE * unit**2, WITH_STATES["matern32"])))
    assert all(engine._F is not None for _, engine in engines)
    for t in range(60):
        for unit, engine in engines:
            engine.observe(arm, unit * np.sin(0.3 * t + ARMS[arm, 0]))
            engine.advance()
        usual, other = (np.array(engine.variance_bounds()) / unit**2 for unit, engine in engines)
        np.testing.assert_array_equal(usual, other)
        arm, same = (engine.best_arm(2.0) for _, engine in engines)
        assert arm == same


def test_the_best_arm_needs_an_available_one():
    engine = SpaceTime(Prior.of(np.linspace(-2, 2, 20)[:, None], SMOOTH), NOISE, PERIODIC)
    engine.observe(0, 1.0)
    assert engine._F is not None
    with pytest.raises(ValueError, match="no arm is available"):
        engine.best_arm(2.0, available=np.zeros(20, dtype=bool))


@pytest.mark.parametrize("noise", [1e-2, 1e-7])
@pytest.mark.parametrize("name", ["periodic", "se"])
def test_single_precision_error_is_a_fifth_of_the_tolerance(name, noise, monkeypatch):
    """Of the variances by all columns: the middle of the bounds, which leave out nothing then."""
    monkeypatch.setattr(space_time, "_REST", 0.0)
    arms, rng = np.linspace(-50, 50, 201)[:, None], np.random.default_rng(0)
    engine = SpaceTime(Prior(arms, SMOOTH), noise, ALL[name])
    feed(engine, np.arange(150), rng.integers(0, 201, 150), np.zeros(150), np.full(150, noise))
    low, high = engine.variance_bounds()
    errors = np.abs((low + high) / 2 - engine.variance)
    assert 0.0 < errors.max() < 0.2 * ((high - low) / 2).max()


def test_the_first_columns_bound_the_variance_of_all_arms(monkeypatch):
    """Also where they leave out much, more than single precision does."""
    arms, middles = np.linspace(-50, 50, 201)[:, None], []
    for rest in (1e-3, 0.0):
        monkeypatch.setattr(space_time, "_REST", rest)
        rng, engine = np.random.default_rng(0), SpaceTime(Prior(arms, SMOOTH), NOISE, PERIODIC)
        feed(engine, np.arange(150), rng.integers(0, 201, 150), np.zeros(150), np.full(150, NOISE))
        low, high = engine.variance_bounds()
        assert (low <= engine.variance).all() and (engine.variance <= high).all()
        middles.append((low + high) / 2)
    assert np.abs(middles[0] - middles[1]).max() > 5.0 * ((high - low) / 2).max()


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_products_of_other_variances_are_refused_in_any_unit(unit):
    prior = Prior.of(ARMS, kernels.make("se", variance=0.5 * unit**2, length_scale=3.0))
    with pytest.raises(ValueError, match="variances of the products do not add up"):
        StateSpace(prior, NOISE * unit**2, [(prior, PERIODIC), (prior, WITH_STATES["ou"])])


def test_unknown_engines_and_kernels_without_states_are_refused():
    prior = Prior.of(ARMS, SMOOTH)
    with pytest.raises(ValueError, match="unknown engine 'append'; known: auto, space_time, state_space"):
        posterior.make_space_time(prior, NOISE, PERIODIC, horizon=10, engine="append")
    with pytest.raises(ValueError, match="has no finite state-space form; use space_time"):
        StateSpace(prior, NOISE, [(prior, OTHERS["matern52"])])
    for space in (0.5 * prior.gram, prior.gram[1:, 1:]):
        with pytest.raises(ValueError, match="variances of the products do not add up to those of the prior"):
            StateSpace(prior, NOISE, [(space, PERIODIC)])
