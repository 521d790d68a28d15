"""Ask and tell on a box: maxima, contexts, pending points, bounded time, determinism, bad input."""

import copy
import pickle
import re

import numpy as np
import pytest

from tvgp import kernels
from tvgp.continuous import Box, Category, Integer, Optimiser, Real, policies
from tvgp.continuous.policies.base import policy as base
from tvgp.continuous.policies.base.exact import Exact
from tvgp.continuous.policies.base.policy import ModelPolicy
from tvgp.continuous.simulate import initial_points, simulate_continuous
from tvgp.environments import make as make_environment
from tvgp.theory.widths import logarithmic_width

KERNEL = kernels.make("matern52", length_scale=0.3)
SQUARE = {"x": (0.0, 1.0), "y": (-2.0, 2.0)}
SHORT = {"candidates": 64, "starts": 2}  # a search, where what it finds does not matter
NAMES = [name for name in policies.names() if name not in ("s_gp_ts", "uniform")]


def optimiser(name="tv_gp_ucb", sides=SQUARE, context=(), seed=0, **values):
    return Optimiser(name, box=Box(sides, context), kernel=KERNEL, noise_variance=0.01, seed=seed, **values)


def upper(made, t, points):
    """mu + width sigma by the default width."""
    mean, std = made.posterior(t, points)
    return mean + logarithmic_width(0.8, 4.0, t) * std


def f(point, t=0):
    return float(np.cos(5 * point["x"] - 0.02 * t) - (point["y"] - 1) ** 2)


def play(made, rounds, first=1):
    plays = []
    for t in range(first, first + rounds):
        plays.append(made.ask(t))
        made.tell(t, plays[-1], f(plays[-1], t))
    return plays


@pytest.mark.parametrize("name", NAMES)
def test_policies_find_the_maximum(name):
    made = optimiser(name)
    plays = play(made, 30)
    best = made.recommend(31)
    assert f(best, 31) > 0.8 and np.mean([f(p, 30) for p in plays[-5:]]) > 0.3
    mean, std = made.posterior(31, [best])
    assert mean[0] == pytest.approx(f(best, 31), abs=0.4) and 0 < std[0] < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_the_same_calls_give_the_same_points(name):
    first, second, other = (optimiser(name, seed=seed, **SHORT) for seed in (3, 3, 4))
    assert play(first, 8) == play(second, 8)
    assert first.ask(9) == first.ask(9) == second.ask(9)
    assert play(other, 8)[0] != first.ask(9)


@pytest.mark.parametrize("parameters", ["given", "learn"])
@pytest.mark.parametrize("name", NAMES)
def test_points_do_not_depend_on_the_unit_of_values(name, parameters):
    def points(size):
        model = {
            "kernel": kernels.make("matern52", variance=size**2, length_scale=0.3),
            "noise_variance": 0.01 * size**2,
        }
        given = model if parameters == "given" else {}
        made = Optimiser(name, box=Box(SQUARE), parameters=parameters, **given, **SHORT)
        for t in range(1, 13):
            point = made.ask(t)
            made.tell(t, point, size * f(point, t))
            yield [*point.values()]

    # a power of two, which changes no digit; learnt priors have digits of their own
    np.testing.assert_allclose(list(points(2.0**-40)), list(points(1.0)), atol=1e-6)


@pytest.mark.parametrize("name", ["gp_ucb", "w_gp_ucb", "st_gp_ucb"])
def test_the_acquisition_maximum_is_that_of_a_dense_grid(name):
    """No point of 101 x 101 is better; the grid's best is within its spacing."""
    made = optimiser(name)
    play(made, 15)
    grid = [{"x": x, "y": y} for x in np.linspace(0, 1, 101) for y in np.linspace(-2, 2, 101)]
    largest = upper(made, 16, grid).max()
    assert largest - 1e-9 <= upper(made, 16, [made.ask(16)])[0] <= largest + 0.02


def test_the_logarithmic_width_grows_with_observations():
    """Not with t, which may begin at any number."""
    made, other = optimiser("gp_ucb"), optimiser("gp_ucb")
    for t, point in enumerate(play(made, 12), 1):
        other.tell(10**12 + t, point, f(point, t))
    assert other.ask(10**12 + 13) == pytest.approx(made.ask(13), abs=1e-3)


def test_discrete_sides_are_maximised_over_all_their_values():
    """Against every pair of integer and category, with the number at its best of 201."""
    sides = {"x": (0.0, 1.0), "n": Integer(1, 5), "c": Category(["a", "b", "c"])}
    made = optimiser("gp_ucb", sides)
    for t in range(1, 15):
        p = made.ask(t)
        made.tell(t, p, np.sin(5 * p["x"]) + (p["c"] == "b") - 0.2 * (p["n"] - 3) ** 2)
    points = [
        {"x": x, "n": n, "c": c} for x in np.linspace(0, 1, 201) for n in range(1, 6) for c in ("a", "b", "c")
    ]
    values = upper(made, 15, points)
    chosen = made.ask(15)
    assert chosen["n"] == points[values.argmax()]["n"] and chosen["c"] == points[values.argmax()]["c"]
    assert upper(made, 15, [chosen])[0] >= values.max() - 1e-9


def test_a_search_goes_on_to_better_integers_and_categories():
    """From one of two random candidates: no single step of a side is better than the end."""
    made = optimiser("gp_ucb", {"n": Integer(1, 9), "c": Category(["a", "b", "c"])}, candidates=2, starts=1)
    for t, (n, c) in enumerate([(1, "a"), (9, "a"), (4, "b"), (6, "c"), (5, "b")], 1):
        made.tell(t, {"n": n, "c": c}, 3.0 * (c == "b") - 0.2 * (n - 5) ** 2)
    for t in range(6, 12):
        chosen = made.ask(t)
        near = [chosen | {"n": n} for n in range(max(chosen["n"] - 1, 1), min(chosen["n"] + 1, 9) + 1)]
        near += [chosen | {"c": c} for c in "abc"]
        assert upper(made, t, [chosen])[0] >= upper(made, t, near).max() - 1e-9


def test_time_goes_back_for_what_is_told_alone():
    made = optimiser()
    made.ask(6)
    with pytest.raises(ValueError, match="round 5"):
        made.ask(5)
    made.tell(2, {"x": 0.5, "y": 0.0}, 1.0)  # comes late
    for call in (made.ask, made.recommend):
        with pytest.raises(ValueError, match="round 5"):
            call(5)
    assert made.ask(6) is not None


@pytest.mark.parametrize("parameters", ["given", "learn"])
@pytest.mark.parametrize("name", NAMES)
def test_a_copy_goes_on_as_its_original(name, parameters):
    made = learning(name, **SHORT) if parameters == "learn" else optimiser(name, **SHORT)
    play(made, 6)
    others = copy.deepcopy(made), pickle.loads(pickle.dumps(made))
    plays = play(made, 6, 7)
    for other in others:
        assert play(other, 6, 7) == plays and other.model == made.model


@pytest.mark.parametrize("parameters", ["given", "learn"])
def test_calls_taken_back_leave_no_trace(parameters):
    """A far round that drops old data and is learnt from, with a late call after it."""
    made, other = (
        learning(most=24, **SHORT) if parameters == "learn" else optimiser(most=24, **SHORT) for _ in range(2)
    )
    for t in range(1, 101):
        (point,) = play(made, 1, t)
        assert play(other, 1, t) == [point]
        if t % 23 == 0:
            other.ask(10**9)
            for each in (0.0, 50.0):
                other.tell(10**9, point, each)
            for each in (made, other):
                each.tell(t - 1, point, 0.5)
            other.take_back(10**9)
            assert other.latest == made.latest == t and repr(other) == repr(made)
    assert other.model == made.model and other.recommend(101) == made.recommend(101)


def test_an_interrupted_call_leaves_no_trace(monkeypatch):
    """Ctrl-C during a fit, after which the call is made again, or another one."""
    made, other = (learning(**SHORT) for _ in range(2))
    play(made, 12), play(other, 12)
    other.tell(11, {"x": 0.5, "y": 0.0}, 9.0)

    def interrupted(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tvgp.fitting.learning.Learner.update", interrupted)
        for call in (lambda: other.tell(12, {"x": 0.5, "y": 0.0}, 9.0), lambda: other.take_back(11)):
            with pytest.raises(KeyboardInterrupt):
                call()
    other.take_back(11), made.take_back(11)
    assert repr(other) == repr(made) and play(other, 5, 13) == play(made, 5, 13)


def test_only_recent_calls_can_be_taken_back():
    made = optimiser(**SHORT)
    with pytest.raises(ValueError, match="round 1: its calls are not among the latest 0"):
        made.take_back(1)
    made.tell(1, {"x": 0.5, "y": 0.0}, 1.0)
    for t in range(2, 200):
        made.ask(t)
    made.tell(1, {"x": 0.5, "y": 0.0}, 1.0)
    with pytest.raises(ValueError, match="round 1: its calls are not among the latest"):
        made.take_back(1)
    made.take_back(199)
    assert made.latest == 198 and repr(made) == "Optimiser(policy='tv_gp_ucb', told=2, latest=198)"


def test_rounds_without_data_have_points_of_their_own():
    made = optimiser()
    assert len({tuple(made.ask(t).values()) for t in range(1, 6)}) == 5


def test_a_context_comes_back_as_it_was_given():
    sides = {"x": (0.0, 1.0), "load": (0.0, 3.0)}
    made = optimiser("gp_ucb", sides, context=["load"])
    point = made.ask(1, {"load": 1})
    assert point["load"] == 1 and isinstance(point["load"], int)
    made.tell(1, point, 0.0)
    assert made.recommend(2, {"load": 0.1})["load"] == 0.1


def test_the_best_point_depends_on_the_context():
    """The maximum is where x is the hour's share of a day."""
    made = optimiser("gp_ucb", {"x": (0.0, 1.0), "hour": (0.0, 24.0)}, context=["hour"])
    for t in range(1, 41):
        hour = float(5 * t % 24)
        point = made.ask(t, {"hour": hour})
        assert point["hour"] == hour
        made.tell(t, point, -((point["x"] - hour / 24) ** 2))
    for hour in (4.0, 12.0, 20.0):
        assert made.recommend(41, {"hour": hour})["x"] == pytest.approx(hour / 24, abs=0.1)


def test_pending_points_are_not_proposed_again():
    made, box = optimiser("gp_ucb"), Box(SQUARE)
    play(made, 10)
    batch = [made.ask(11)]
    for _ in range(3):
        batch.append(made.ask(11, pending=batch))
    u = np.array([box.encode(p) for p in batch])
    apart = np.linalg.norm(u[:, None] - u, axis=2)[np.triu_indices(4, 1)]
    assert (apart > 1e-3).all()


def test_pending_points_of_earlier_rounds_age_as_values_do():
    """The choice is that of a policy that was told the posterior mean of each point in its round."""
    values = {"kernel": KERNEL, "noise_variance": 0.01, "epsilon": 0.1, "width": 1.0}
    made = policies.make("tv_gp_ucb", domain=Box(SQUARE).domain, **values)
    rng = np.random.default_rng(5)
    for t in range(1, 11):
        x = rng.uniform(size=(1, 2))
        made.observe_points(t, x, np.cos(5 * x[:, 0]))
    waiting, rounds = rng.uniform(size=(3, 2)), np.array([4, 12, 4])
    told = copy.deepcopy(made)
    for s in (4, 12):
        points = waiting[rounds == s]
        told.observe_points(s, points, made.posterior(s).moments(points)[0])
    pending = made.propose(12, np.random.default_rng(6), pending=waiting, rounds=rounds)
    np.testing.assert_array_equal(pending, told.propose(12, np.random.default_rng(6)))
    at_once = made.propose(12, np.random.default_rng(6), pending=waiting)
    assert not np.allclose(pending, at_once)


def test_values_told_at_once_are_those_told_one_by_one():
    one, all_at_once = (optimiser(epsilon=0.1) for _ in range(2))
    plays, rounds = play(one, 12), [*range(1, 13)]
    values = [f(point, t) for t, point in zip(rounds, plays, strict=True)]
    all_at_once.tell_all([], [], [])
    all_at_once.tell_all(rounds, plays, values)
    assert all_at_once.latest == 12 and all_at_once.ask(13) == one.ask(13)
    with pytest.raises(ValueError, match="round 3: its calls are not among the latest 1,"):
        all_at_once.take_back(3)
    with pytest.raises(ValueError, match="2 rounds, 1 points, 1 values; expected as many of each"):
        all_at_once.tell_all([13, 14], plays[:1], values[:1])
    with pytest.raises(ValueError, match="rounds are 2, expected one per pending point, 1"):
        one.ask(13, pending=plays[:1], rounds=[1, 2])
    with pytest.raises(ValueError, match="a pending point is of round 14, expected up to round 13"):
        one.ask(13, pending=plays[:1], rounds=[14])


def test_a_batch_begins_alike_and_does_not_repeat_itself():
    """The same as one point, then one with the former pending."""
    made = policies.make("gp_ucb", domain=Box(SQUARE).domain, kernel=KERNEL, noise_variance=0.01)
    x = np.random.default_rng(5).uniform(size=(10, 2))
    made.observe_points(1, x, np.cos(5 * x[:, 0]) - x[:, 1])
    batch, rng = made.propose(2, np.random.default_rng(6), 3), np.random.default_rng(6)
    one = made.propose(2, rng)
    two = np.vstack([one, made.propose(2, rng, pending=one)])
    np.testing.assert_array_equal(batch, np.vstack([two, made.propose(2, rng, pending=two)]))
    assert len(np.unique(batch.round(3), axis=0)) == 3


def test_a_log_side_is_searched_on_its_own_scale():
    made = optimiser("gp_ucb", {"rate": Real(1e-6, 1.0, log=True)})
    for t in range(1, 21):
        point = made.ask(t)
        made.tell(t, point, -((np.log10(point["rate"]) + 4) ** 2) / 4)
    assert np.log10(made.recommend(21)["rate"]) == pytest.approx(-4, abs=0.3)


def test_late_and_repeated_rounds_count_with_their_age():
    made, other = optimiser(), optimiser()
    for t, x in ((1, 0.2), (4, 0.5), (2, 0.9)):
        made.tell(t, {"x": x, "y": 0.0}, x)
    for t, x in ((1, 0.2), (2, 0.9), (4, 0.5)):
        other.tell(t, {"x": x, "y": 0.0}, x)
    points = [{"x": 0.4, "y": 0.1}, {"x": 0.8, "y": 0.3}]
    np.testing.assert_allclose(made.posterior(6, points), other.posterior(6, points))


def test_data_kept_are_bounded_and_so_is_the_work(monkeypatch):
    """Counted in rows factorised, over 200 rounds with 32 kept; every round before 32 costs less."""
    rows = []
    init = Exact.__init__
    monkeypatch.setattr(
        Exact, "__init__", lambda self, m, d, data, *a: rows.append(len(data)) or init(self, m, d, data, *a)
    )
    made = policies.make(
        "tv_gp_ucb",
        domain=np.array([[0.0], [1.0]]),
        kernel=KERNEL,
        noise_variance=0.01,
        most=32,
        candidates=16,
    )
    rng = np.random.default_rng(0)
    for t in range(1, 201):
        x = made.propose(t, rng)
        made.observe_points(t, x, np.sin(5 * x[:, 0] - 0.05 * t))
        assert len(made.data) <= 32
    late = rows[-80:]
    assert max(rows) == 33 and sum(late[40:]) <= 1.1 * sum(late[:40])
    assert made.data.rounds.max() == 200


@pytest.mark.parametrize(("name", "values"), [("tv_gp_ucb", {"epsilon": 0.05}), ("gp_ucb", {})])
def test_what_is_forgotten_hardly_changes_the_posterior(name, values):
    """300 data in two dimensions, of which 88 to 100 are kept: the mean moves by less than a quarter of the
    posterior's own deviation in the mean square."""
    rng = np.random.default_rng(1)
    made = [
        policies.make(
            name,
            domain=np.array([[0.0] * 2, [1.0] * 2]),
            kernel=KERNEL,
            noise_variance=0.05,
            most=most,
            **values,
        )
        for most in (100, 1000)
    ]
    for t in range(1, 301):
        x = rng.uniform(size=(1, 2))
        y = np.sin(5 * x[:, 0]) * x[:, 1] + 0.2 * rng.standard_normal(1)
        for each in made:
            each.observe_points(t, x, y)
    points = rng.uniform(size=(200, 2))
    (mean, _), (exact, variance) = (each.posterior(301).moments(points) for each in made)
    assert len(made[0].data) <= 100 < len(made[1].data)
    assert np.mean((mean - exact) ** 2) < 0.25**2 * np.mean(variance) or name == "gp_ucb"
    assert np.mean((mean - exact) ** 2) < 0.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda o: o.ask(4), "round 4: time is at round 5 already and does not go back; if 5 is wrong,"),
        (lambda o: o.recommend(4), "round 4: time is at round 5 already and does not go back"),
        (lambda o: o.ask(0), "round 0: expected t from 1 to 2**53"),
        (lambda o: o.ask(6.5), "round 6.5: t is 6.5, expected an integer of 1 or more"),
        (lambda o: o.ask(6, {"x": 0.1}), "box: context has ['x'], expected a value for each of []"),
        (
            lambda o: o.tell(6, {"x": 0.1}, 0.0),
            "box: point has ['x'], expected a value for each of ['x', 'y']",
        ),
        (lambda o: o.tell(6, {"x": 1.1, "y": 0}, 0.0), "box: x is 1.1, expected a number from 0.0 to 1.0"),
        (
            lambda o: o.tell(6, {"x": 0.1, "y": 0}, np.nan),
            "round 6: the value is nan, expected a finite number",
        ),
        (lambda o: o.tell(6, {"x": 0.1, "y": 0}, [1.0]), "round 6: the value is a list, expected one number"),
        (lambda o: o.tell(6, {"x": 0.1, "y": 0}, 1e200), "expected at most 1e+100 in size"),
        (lambda o: o.tell(-1, {"x": 0.1, "y": 0}, 1.0), "round -1: expected t from 1 to 2**53"),
    ],
)
def test_bad_calls_are_one_line_and_change_nothing(call, message):
    made, same = optimiser(), optimiser()
    play(made, 5), play(same, 5)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        call(made)
    assert "\n" not in str(caught.value)
    assert made.ask(6) == same.ask(6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "s_gp_ts"}, "policy s_gp_ts has no model of f_t, so it cannot ask and tell on a box"),
        ({"policy": "tv_gp_ucbb"}, "no 'tv_gp_ucbb' in policies (did you mean tv_gp_ucb?)"),
        ({"box": [0, 1]}, "box is [0, 1], expected a Box"),
        ({"seed": 1.5}, "seed is 1.5, expected a whole number"),
        ({"noise_variance": 0.0}, "policy tv_gp_ucb: noise variance is 0.0, expected a positive number"),
        ({"noise_variance": "0.1"}, "policy tv_gp_ucb: noise variance is '0.1', expected a positive number"),
        ({"noise_variance": True}, "policy tv_gp_ucb: noise variance is True, expected a positive number"),
        ({"kernel": "se"}, "policy tv_gp_ucb: kernel is 'se', expected one as of tvgp.kernels.make"),
        ({"noise_variance": 1e-12}, "noise variance is 1e-12, expected at least 1e-09"),
        ({"epsilon": 1.0}, "policy parameter epsilon is 1.0, expected from 0 to below 1"),
        ({"width": "wide"}, "policy parameter width is 'wide', expected logarithmic or a number"),
        ({"most": 2}, "policy parameter most is 2, expected 8 or more"),
        (
            {"kernel": kernels.make("se", length_scale=(1.0, 1.0, 1.0))},
            "3 values of length_scale for points in 2",
        ),
    ],
)
def test_bad_arguments_are_one_line(change, message):
    values = {"policy": "tv_gp_ucb", "box": Box(SQUARE), "kernel": KERNEL, "noise_variance": 0.01} | change
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Optimiser(values.pop("policy"), **values)
    assert "\n" not in str(caught.value)


def test_nothing_told_leaves_nothing_to_recommend():
    with pytest.raises(ValueError, match="round 3: nothing has been told"):
        optimiser().recommend(3)
    assert repr(optimiser()) == "Optimiser(policy='tv_gp_ucb', told=0, latest=1)"


@pytest.mark.parametrize("name", NAMES)
def test_policies_play_batches_in_an_environment(name):
    environment = make_environment("continuous_optimisation", function="hartmann")
    made = policies.make(name, domain=environment.domain, kernel=KERNEL, noise_variance=0.5, candidates=64)
    assert isinstance(made, ModelPolicy)
    first = initial_points(environment, 5, np.random.default_rng(0))
    rng, noise = np.random.default_rng(1), np.random.default_rng(2)
    run = simulate_continuous(made, environment, 2, 3, rng=rng, noise=noise, initial=first)
    assert run.points.shape == (11, 6) and len(made.data) == 11
    assert base.LEAST_NOISE < 1e-6


def learning(name="tv_gp_ucb", sides=SQUARE, **values):
    return Optimiser(name, box=Box(sides), parameters="learn", **values)


@pytest.mark.parametrize("name", NAMES)
def test_values_far_from_0_are_learnt(name):
    """In a large unit with a large mean; nothing is given."""
    made = learning(name, **SHORT)
    for t in range(1, 31):
        point = made.ask(t)
        made.tell(t, point, 1e6 * f(point) - 1e6)
    assert f(made.recommend(31)) > 0.8


def test_learning_starts_at_random_and_is_repeatable():
    first, second = learning(seed=1), learning(seed=1)
    plays = play(first, 20)
    assert plays == play(second, 20) and len({p["x"] for p in plays[:3]}) == 3
    assert first.model == second.model and len(first.model.kernel.length_scale) == 2


def test_workers_start_at_random_points_of_their_own():
    """Those of a batch, which has the same stream."""
    made, box = learning(), Box(SQUARE)
    asked = [made.ask(1)]
    for _ in range(3):
        asked.append(made.ask(1, pending=asked))
    batch = policies.make("tv_gp_ucb", domain=box.domain, parameters="learn").propose(
        1, made._stream(1, "ask"), 4
    )
    np.testing.assert_allclose([box.encode(point) for point in asked], batch)
    assert len(np.unique(batch.round(6), axis=0)) == 4


@pytest.mark.parametrize("level", [0.0, 1000.0])
def test_a_plateau_is_left_at_random(level):
    """Equal values teach nothing; with the model of before, the mean of a high plateau is a peak."""
    made, found = learning(**SHORT), []
    for t in range(1, 41):
        point = made.ask(t)
        found.append(point["x"] > 0.7 and point["y"] < -1)
        made.tell(t, point, level + found[-1])
    assert sum(found) > 10


def test_coordinates_of_a_category_share_a_length_scale():
    made = learning("gp_ucb", {"x": (0.0, 1.0), "c": Category(["a", "b", "c"])})
    for t in range(1, 16):
        point = made.ask(t)
        made.tell(t, point, np.sin(5 * point["x"]) + (point["c"] == "b"))
    lengths = made.model.kernel.length_scale
    assert len(lengths) == 4 and lengths[1] == lengths[2] == lengths[3] != lengths[0]
    assert made.recommend(16)["c"] == "b"


@pytest.mark.filterwarnings("error", "ignore:parameters stay as they are.*values differ by")
@pytest.mark.parametrize("values", [[0.0], [1e90, -1e90], [0.0, 1e-200], [5.0, 5.0, 6.0]])
def test_learning_never_fails_a_round(values):
    for name in NAMES:
        made = learning(name, **SHORT)
        for t in range(1, 13):
            made.tell(t, made.ask(t), values[t % len(values)])
        made.recommend(13)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": "guess"}, "policy gp_ucb: parameters is 'guess', expected given or learn"),
        ({"kernel": kernels.make("constant")}, "learning needs a kernel of the family se or matern"),
        ({"parameters": "given"}, "policy gp_ucb: give kernel and noise_variance, or let parameters be"),
        ({"policy": "uniform"}, "policy uniform cannot learn: its drift is none of epsilon, alpha, gamma"),
    ],
)
def test_what_cannot_be_learnt_is_named(change, message):
    values = {"policy": "gp_ucb", "box": Box(SQUARE), "parameters": "learn"} | change
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Optimiser(values.pop("policy"), **values)
    assert "\n" not in str(caught.value)


def test_integers_are_searched_as_far_as_numbers():
    """Of six sides with 1,001 values, of a hill inside: no worse than the best real point rounded."""
    points = np.random.default_rng(1).integers(0, 1001, (60, 6))
    found = []
    for side in (Real(0, 1000), Integer(0, 1000)):
        box = Box({f"x{j}": side for j in range(6)})
        given = {"kernel": kernels.make("se", length_scale=1.0), "noise_variance": 1e-6, "seed": 1}
        found.append(Optimiser("gp_ucb", box=box, **given))
        for point in points:
            named = {f"x{j}": int(value) for j, value in enumerate(point)}
            found[-1].tell(1, named, -float(((point / 1000 - 0.4) ** 2).sum()))
    rounded = {name: round(value) for name, value in found[0].recommend(2).items()}
    means = [found[1].posterior(2, [point])[0].item() for point in (found[1].recommend(2), rounded)]
    assert means[0] >= means[1] - 1e-4
