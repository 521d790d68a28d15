"""pi-GP-UCB against IGP-UCB, against brute force, and the invariants of its partition."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment
from tvgp.environments.matern_rkhs import grid
from tvgp.policies import pi_gp_ucb
from tvgp.simulate import simulate
from tvgp.theory.partitions import partition_exponent, regret_exponent, splitting_exponent

MATERN = kernels.make("matern32", length_scale=0.2)


def environment(seed, d=2, n_side=9):
    return environments.make("matern_rkhs", d=d, n_side=n_side, rng=np.random.default_rng(seed))


def build(name, world, horizon, kernel=MATERN, **values):
    values = {"norm_bound": 2.0, "delta": 0.1, "horizon": horizon} | values
    return policies.make(name, arms=world.arms, kernel=kernel, noise_variance=1.0, **values)


def play(policy, world, horizon, seed=0, watch=None):
    class Watched(Environment):
        arms, noise_std, noise_law = world.arms, world.noise_std, "uniform"
        expert_noise_std = world.noise_std

        @staticmethod
        def mean_rewards(t):
            if watch is not None and t > 1:
                watch(t)
            return world.mean_rewards(t)

    n_arms = len(world.arms)
    return simulate(
        policy,
        Watched(),
        horizon,
        rng=streams.generator("test", seed),
        noise=streams.NoiseField(n_arms, "test", seed, "noise"),
        expert_noise=streams.NoiseField(n_arms, "test", seed, "expert"),
    )


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_one_cell_that_never_splits_is_igp_ucb(seed, d):
    world = environment(seed, d, n_side=12)
    one = build("pi_gp_ucb", world, 300, cells_per_side=1, splitting=False)
    ours, theirs = play(one, world, 300, seed), play(build("igp_ucb", world, 300), world, 300, seed)
    np.testing.assert_array_equal(ours.arm, theirs.arm)
    np.testing.assert_array_equal(ours.reward, theirs.reward)
    np.testing.assert_allclose(one.posterior(301)[0], ours_mean(world, ours), atol=1e-8)


def ours_mean(world, run):
    K = MATERN(world.arms, world.arms)
    A = K[np.ix_(run.arm, run.arm)] + np.eye(len(run.arm))
    return K[:, run.arm] @ np.linalg.solve(A, run.reward)


class BruteForce:
    """The algorithm as it is written down: every cell, every point, every round, from scratch; what the data
    in a cell determine is computed once for them."""

    def __init__(self, arms, kernel, smoothness, per_side, norm_bound, delta, factor=1.0):
        self.arms, self.kernel, self.B, self.delta, self.factor = arms, kernel, norm_bound, delta, factor
        self.d = arms.shape[1]
        self.b = (self.d + 1) / (self.d + 2 * smoothness)
        lows = np.indices((per_side,) * self.d).reshape(self.d, -1).T / per_side
        self.cells = [(low, 1 / per_side) for low in lows]
        self.played, self.values, self.largest_gain = [], [], 0.0
        self.known = {}

    def inside(self, cell, points):
        low, side = cell
        return ((points >= low - 1e-9) & (points <= low + side + 1e-9)).all(axis=1)

    def choose(self, t, rng, available=None):
        if not self.played:
            return int(rng.choice(len(self.arms)))
        scores = np.full(len(self.arms), -np.inf)
        X = self.arms[self.played]
        for cell in self.cells:
            here, mean, variance, gain = self.posterior(cell, np.flatnonzero(self.inside(cell, X)))
            n_tilde = 4 * (t + 1) ** (self.b * self.d)
            width = self.B + np.sqrt(2 * (self.factor * gain + 1 + np.log(n_tilde / self.delta)))
            scores[here] = np.maximum(scores[here], mean + width * np.sqrt(variance))
        return int(np.flatnonzero(scores >= scores.max() - 1e-9)[0])

    def posterior(self, cell, data):
        """Arms in a cell, their means and variances, and the gain, from the rounds `data`."""
        low, side = cell
        if (key := (*low, side, *data)) not in self.known:
            here, X = self.inside(cell, self.arms), self.arms[self.played][data]
            k = self.kernel(X, self.arms[here])
            A = self.kernel(X, X) + np.eye(len(X))
            mean = k.T @ np.linalg.solve(A, np.array(self.values)[data])
            variance = 1.0 - np.einsum("ng,ng->g", k, np.linalg.solve(A, k))
            self.known[key] = here, mean, variance, 0.5 * np.linalg.slogdet(A)[1]
        return self.known[key]

    def observe(self, t, arm, reward):
        self.played.append(arm)
        self.values.append(reward)
        kept = []
        for low, side in self.cells:
            X = self.arms[self.played][self.inside((low, side), self.arms[self.played])]
            points = len(X)
            if self.inside((low, side), self.arms[[arm]])[0]:
                gain = 0.5 * np.linalg.slogdet(self.kernel(X, X) + np.eye(points))[1]
                self.largest_gain = max(self.largest_gain, gain)
            if side ** (-1 / self.b) < points + 1:
                for corner in np.indices((2,) * self.d).reshape(self.d, -1).T:
                    kept.append((low + corner * side / 2, side / 2))
            else:
                kept.append((low, side))
        self.cells = kept

    def expert_queries(self, t, rng, available=None):
        return []


@pytest.mark.parametrize(
    ("d", "n_side", "per_side", "kernel", "nu", "factor"),
    [
        (1, 33, 1, "matern32", 1.5, 1.0),
        (1, 33, 3, "matern52", 2.5, 1.0),
        (2, 9, 1, "matern32", 1.5, 1.0),  # arms on the borders of cells, shared by up to four
        (2, 9, 1, "matern32", 1.5, 3.0),
        (2, 9, 2, "matern12", 0.5, 1.0),
        (2, 10, 4, "matern32", 1.5, 1.0),
        (3, 5, 2, "matern32", 1.5, 1.0),
    ],
)
def test_plays_equal_brute_force(d, n_side, per_side, kernel, nu, factor):
    horizon = 120
    world = environment(d, d, n_side)
    covariance = kernels.make(kernel, length_scale=0.2)
    values = {"cells_per_side": per_side, "gain_factor": factor}
    policy = build("pi_gp_ucb", world, horizon, covariance, **values)
    brute = BruteForce(world.arms, covariance, nu, per_side, 2.0, 0.1, factor)
    np.testing.assert_array_equal(play(policy, world, horizon).arm, play(brute, world, horizon).arm)
    assert policy.n_cells == len(brute.cells) > per_side**d
    with_arms = [cell for cell in brute.cells if brute.inside(cell, world.arms).any()]
    theirs = sorted((*low, side) for low, side in with_arms)
    np.testing.assert_allclose(sorted((*cell.low, cell.side) for cell in policy.cells), theirs)


@pytest.mark.parametrize(("d", "per_side"), [(1, None), (2, 1), (2, None), (3, 1)])
def test_cells_partition_the_domain_and_split_by_the_rule(d, per_side):
    horizon = 400
    world = environment(4, d, n_side=9)
    policy = build("pi_gp_ucb", world, horizon, cells_per_side=per_side)
    first = policy.n_cells
    b = splitting_exponent(d, 1.5)
    played, made = [], {(*cell.low, cell.side) for cell in policy.cells}
    learn = policy.observe

    def observe(t, arm, reward):
        learn(t, arm, reward)
        played.append(arm)

    policy.observe = observe

    def watch(t):
        cells = policy.cells
        made.update((*cell.low, cell.side) for cell in cells)
        assert policy.n_cells >= len(cells) and policy.n_made >= len(made)
        # closed cubes that overlap at borders only
        assert sum(cell.side**d for cell in cells) <= 1.0 + 1e-9
        assert len(np.unique(np.concatenate([cell.arms for cell in cells]))) == len(world.arms)
        n_tilde = 4 * t ** (b * d)  # that of round t - 1, after which these cells were made
        assert policy.n_cells <= (n_tilde if per_side == 1 else max(first, n_tilde))
        visits = np.bincount(played, minlength=len(world.arms))
        for cell in cells:
            assert cell.side ** (-1 / b) >= cell.n + 1  # whatever is due has been split
            assert cell.n == visits[cell.arms].sum()

    play(policy, world, horizon, watch=watch)
    assert policy.n_cells > first
    visits = np.bincount(played, minlength=len(world.arms))
    for cell in policy.cells:
        np.testing.assert_array_equal(cell.count, visits[cell.arms])


def test_gain_factor_scales_the_gain_in_the_width():
    """Of IGP-UCB; of pi-GP-UCB's cells by the plays of brute force."""
    world, played, squares = environment(3, 2), [0, 5, 5, 44], []
    for factor in (1.0, 2.0):
        policy = build("igp_ucb", world, 60, sub_gaussian=0.5, gain_factor=factor)
        for t, arm in enumerate(played, start=1):
            policy.observe(t, arm, 1.0)
        squares.append(((policy.confidence_band(5)[2] - 2.0) / 0.5) ** 2)
    log_det = np.linalg.slogdet(MATERN(world.arms[played], world.arms[played]) + np.eye(4))[1]
    assert squares[1] - squares[0] == pytest.approx(log_det) and log_det > 0.5


def test_largest_gain_includes_the_splitting_point():
    world = environment(5, 2, n_side=17)
    policy = build("pi_gp_ucb", world, 400)
    run = play(policy, world, 400)
    brute = BruteForce(
        world.arms, MATERN, 1.5, round(build("pi_gp_ucb", world, 400).n_cells ** 0.5), 2.0, 0.1
    )
    for t, (arm, reward) in enumerate(zip(run.arm, run.reward, strict=True), 1):
        brute.observe(t, arm, reward)
    assert policy.largest_gain() == pytest.approx(brute.largest_gain)
    assert policy.largest_gain() > max(cell.log_det / 2 for cell in policy.cells) + 1e-6


def test_skipping_cells_does_not_change_the_arms():
    """A mask of all arms evaluates all cells."""
    world = environment(1, 2, n_side=17)
    short, long = (build("pi_gp_ucb", world, 500) for _ in range(2))
    choose = long.choose
    everything = np.ones(len(world.arms), dtype=bool)
    long.choose = lambda t, rng, available: choose(t, rng, everything)
    np.testing.assert_array_equal(play(short, world, 500).arm, play(long, world, 500).arm)


def test_large_cells_use_another_engine(monkeypatch):
    world = environment(2, 2, n_side=9)
    policy = build("pi_gp_ucb", world, 200)
    usual = play(policy, world, 200)
    assert policy.engine == "grid"
    monkeypatch.setattr(pi_gp_ucb, "_GRID_LIMIT", 1)
    policy = build("pi_gp_ucb", world, 200)
    np.testing.assert_array_equal(play(policy, world, 200).arm, usual.arm)
    assert policy.engine == "append"


def test_exponents_and_first_partition():
    """Janz20, section 3, for nu = 3/2: ceil(T^(q/d)) is 22, 13 and 8 at T = 10,000."""
    for d, b, q, per_side in ((1, 1 / 2, 1 / 3, 22), (2, 3 / 5, 6 / 11, 13), (3, 2 / 3, 2 / 3, 8)):
        exponents = splitting_exponent(d, 1.5), partition_exponent(d, 1.5), regret_exponent(d, 1.5)
        assert exponents == pytest.approx((b, q, (1 + q) / 2))

        class World:
            arms = grid(5, d)

        assert build("pi_gp_ucb", World, 10_000).n_cells == per_side**d

    class Plane:
        arms = grid(5, 2)

    # 2^13 rounds: T^(3/13) is 8, and comes out above it
    assert build("pi_gp_ucb", Plane, 8192, kernels.make("matern52", length_scale=0.2)).n_cells == 8**2


def test_the_number_of_cells_made_is_that_of_the_arms():
    """The first partition for 10^5 rounds in five dimensions has 7^5 cells; 30 arms lie in 30 of them."""

    class World:
        arms = np.random.default_rng(0).uniform(size=(30, 5))

    policy = build("pi_gp_ucb", World, 10**5, kernels.make("matern12", length_scale=0.2))
    rng = np.random.default_rng(0)
    assert policy.n_cells == policy.n_made == 7**5 and len(policy.cells) <= 32
    for t in (1, 2, 10**6, 10**9):
        policy.observe(t, policy.choose(t, rng), 1.0)
    assert len(policy.cells) <= 32


def test_smooth_kernels_split_the_whole_domain_only():
    world = environment(3, 2, n_side=9)
    kernel = kernels.make("se", length_scale=0.2)
    policy = build("pi_gp_ucb", world, 100, kernel)
    assert policy.n_cells == 1
    play(policy, world, 100)
    assert policy.n_cells == 4


def test_cells_have_the_posterior_of_their_data_with_its_noise():
    """Also those that inherited it, in batches or one by one; a coordinate of all arms is the same."""
    rng = np.random.default_rng(0)

    class World:
        arms = np.column_stack([rng.uniform(size=20), np.full(20, 7.0)])

    policy = build("pi_gp_ucb", World, 100, cells_per_side=2, prior_mean=3.0)
    played, y, noise = rng.integers(0, 20, 60), rng.normal(size=60), rng.uniform(0.5, 4.0, 60)
    for t, part in enumerate(np.split(np.arange(60), [1, 2, 3, 10, 30, 31]), start=1):
        policy.observe_batch(t, played[part], 3.0 + y[part], noise[part])
    assert policy.n_made > 8 and len(policy.cells) > 3
    for cell in policy.cells:
        inside = np.isin(played, cell.arms)
        X, arms = World.arms[played[inside]], World.arms[cell.arms]
        half = np.linalg.solve(MATERN(X, X) + np.diag(noise[inside]), MATERN(X, arms))
        np.testing.assert_allclose(cell.mean, half.T @ y[inside], atol=1e-9)
        np.testing.assert_allclose(cell.std**2, 1 - np.sum(MATERN(X, arms) * half, axis=0), atol=1e-9)
        np.testing.assert_array_equal(cell.count, np.bincount(played, minlength=20)[cell.arms])
        assert cell.n == cell.count.sum() == inside.sum()


def test_observe_rejects_nan():
    policy = build("pi_gp_ucb", environment(0), 10, cells_per_side=1, splitting=False)
    with pytest.raises(ValueError, match="round 1: the reward of arm . is nan"):
        policy.observe(1, 0, float("nan"))


def test_bad_parameters():
    with pytest.raises(ValueError, match="cells_per_side is 0, expected 1 or more"):
        build("pi_gp_ucb", environment(0), 10, cells_per_side=0)
    with pytest.raises(ValueError, match="sub_gaussian is -1.0, expected 0 or more"):
        build("igp_ucb", environment(0), 10, sub_gaussian=-1.0)
