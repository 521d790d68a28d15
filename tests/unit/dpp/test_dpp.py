"""The M-DPP samplers against enumeration, closed forms, exact arithmetic and DPPy.

Statistical tests are seeded and reject at p < 1e-4; 19 of them make the false-alarm rate of the
file below 0.0019 for a new set of seeds.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import lapack

from tvgp import dpp, kernels
from tvgp.dpp import fast, swap
from tvgp.dpp.cholesky import incomplete_cholesky
from tvgp.dpp.projection import sample_projection
from tvgp.dpp.spectrum import Spectrum
from tvgp.dpp.subsets import WeightedSubsets
from tvgp.posterior import Prior

ALARM = 1e-4


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """All that follows is of the compiled forms where numba is installed; CI also blocks its import."""
    monkeypatch.setattr(fast, "_PATIENCE", 0)


@pytest.fixture
def problems(monkeypatch):
    """Matrices whose eigenproblems the exact samplers solve: duals of the rows of a factor in use."""
    found = []
    monkeypatch.setattr(
        "tvgp.dpp.exact.Spectrum", lambda matrix, leading: found.append(matrix) or Spectrum(matrix, leading)
    )
    return found


def se_matrix(x, length_scale=3.0, variance=0.5):
    X = np.asarray(x, dtype=float).reshape(-1, 1)
    return kernels.make("se", variance=variance, length_scale=length_scale)(X, X)


def spread_matrix(n, seed=0):
    """A well-conditioned random kernel matrix with unequal variances."""
    A = np.random.default_rng(seed).standard_normal((n, n + 2))
    return A @ A.T / n


def law(K, size):
    """Probability of each subset by enumeration of determinants."""
    weights = {Z: max(np.linalg.det(K[np.ix_(Z, Z)]), 0.0) for Z in combinations(range(len(K)), size)}
    total = sum(weights.values())
    return {Z: w / total for Z, w in weights.items()}


def p_value(samples, probabilities):
    """Chi-square p-value; subsets expected fewer than 5 times are pooled."""
    counts = Counter(tuple(int(i) for i in Z) for Z in samples)
    assert set(counts) <= set(probabilities)
    observed, expected, rest = [], [], [0.0, 0.0]
    for Z, p in probabilities.items():
        if p * len(samples) >= 5:
            observed.append(counts[Z])
            expected.append(p * len(samples))
        else:
            rest[0] += counts[Z]
            rest[1] += p * len(samples)
    if rest[1] >= 5:
        observed.append(rest[0])
        expected.append(rest[1])
    else:
        assert rest[0] <= rest[1] + 12, "subsets of negligible probability were drawn"
    observed, expected = np.array(observed), np.array(expected)
    return stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1)


# exact sampler


@pytest.mark.parametrize("size", [1, 3, 5])
def test_exact_sampler_has_the_law_of_the_determinants(size):
    K = spread_matrix(6)
    sampler, rng = dpp.KDPP(K), np.random.default_rng(11)
    samples = [sampler.sample(size, rng) for _ in range(4000)]
    assert p_value(samples, law(K, size)) > ALARM


@pytest.mark.parametrize("size", [2, 4])
def test_exact_sampler_on_a_smooth_kernel_with_a_fast_spectrum(size):
    K = se_matrix([0.0, 1.0, 1.5, 4.0, 9.0, 9.5, 12.0])
    sampler, rng = dpp.KDPP(K), np.random.default_rng(12)
    samples = [sampler.sample(size, rng) for _ in range(4000)]
    assert p_value(samples, law(K, size)) > ALARM


@pytest.mark.parametrize("given", ["matrix", "factor"])
@pytest.mark.parametrize("size", [3, 4])
def test_exact_sampler_through_the_dual(given, size):
    B = np.random.default_rng(3).standard_normal((7, 4))
    K = B @ B.T
    sampler = dpp.KDPP(K) if given == "matrix" else dpp.KDPP.from_factor(B)
    rng = np.random.default_rng(13)
    samples = [sampler.sample(size, rng) for _ in range(4000)]
    assert sampler.rank == 4
    assert p_value(samples, law(K, size)) > ALARM


def test_equal_items_exclude_each_other_and_share_probability():
    K = se_matrix([0.0, 3.0, 0.0, 5.0, 3.0, 9.0])
    sampler, rng = dpp.KDPP(K), np.random.default_rng(14)
    samples = [sampler.sample(4, rng) for _ in range(4000)]
    assert all(not {0, 2} <= set(Z) and not {1, 4} <= set(Z) for Z in map(set, samples))
    probabilities = {Z: p for Z, p in law(K, 4).items() if p > 1e-12}
    assert len(probabilities) == 4
    assert p_value(samples, probabilities) > ALARM


def log_elementary_symmetric(values, size):
    """log e_size(values), from the growth of the polynomials; -inf where too few are positive."""
    positive = values[values > 0]
    if size > len(positive):
        return -math.inf
    subsets = WeightedSubsets(positive)
    return math.fsum(subsets.log_growth(m) for m in range(1, size + 1))


def marginals(K, size):
    """Pr(i in Z) = sum_n v_in^2 lambda_n e_{M-1}(lambda without n) / e_M(lambda)."""
    values, vectors = np.linalg.eigh(K)
    values = np.maximum(values, 0.0)
    whole = log_elementary_symmetric(values, size)
    chosen = np.zeros(len(values))
    for n in np.flatnonzero(values):
        rest = log_elementary_symmetric(np.delete(values, n), size - 1)
        chosen[n] = math.exp(math.log(values[n]) + rest - whole)
    return vectors**2 @ chosen


@pytest.mark.parametrize(("n", "size"), [(60, 12), (60, 45), (150, 20)])
def test_inclusion_probabilities_of_larger_sets(n, size):
    K = se_matrix(np.random.default_rng(5).uniform(-50, 50, n))
    if size == 45:  # SE kernel has no such rank
        K = spread_matrix(n)
    expected = marginals(K, size)
    assert expected.sum() == pytest.approx(size)
    sampler, rng, draws = dpp.KDPP(K), np.random.default_rng(15), 1500
    included = np.zeros(n)
    for _ in range(draws):
        included[sampler.sample(size, rng)] += 1
    deviation = np.abs(included - draws * expected)
    # Binomial, Bonferroni over n items; +1 for the discreteness of rare items.
    bound = stats.norm.isf(ALARM / (2 * n)) * np.sqrt(draws * expected * (1 - expected)) + 1
    assert (deviation <= bound).all()


def test_same_law_as_dppy():
    finite_dpps = pytest.importorskip("dppy.finite_dpps")
    K, size, draws = spread_matrix(6, seed=1), 3, 1500
    theirs = finite_dpps.FiniteDPP("likelihood", L=K)
    state, rng = np.random.RandomState(1), np.random.default_rng(16)
    sampler = dpp.KDPP(K)
    subsets = list(combinations(range(6), size))
    table = np.zeros((2, len(subsets)))
    for _ in range(draws):
        drawn = theirs.sample_exact_k_dpp(size=size, random_state=state)
        table[0, subsets.index(tuple(sorted(int(i) for i in drawn)))] += 1
        table[1, subsets.index(tuple(int(i) for i in sampler.sample(size, rng)))] += 1
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    assert stats.chi2_contingency(table).pvalue > ALARM


def test_samples_are_a_function_of_the_generator():
    K = se_matrix(np.linspace(-50, 50, 80))
    first = [dpp.KDPP(K).sample(m, np.random.default_rng(m)) for m in (1, 5, 20, 30)]
    shared = dpp.KDPP(K)
    for m, expected in zip((30, 20, 5, 1), first[::-1], strict=True):  # tables made for 30 first
        again = shared.sample(m, np.random.default_rng(m))
        np.testing.assert_array_equal(again, expected)
        assert again.dtype == np.intp and (np.diff(again) > 0).all() and len(again) == m


def test_samples_ignore_eigenvector_signs_and_scale(monkeypatch):
    K = se_matrix(np.random.default_rng(2).uniform(-50, 50, 60))
    expected = [dpp.KDPP(K).sample(m, np.random.default_rng(m)) for m in range(2, 36)]
    scaled = [dpp.KDPP(K * 2.0**40).sample(m, np.random.default_rng(m)) for m in range(2, 36)]
    eigh = np.linalg.eigh

    def flipped(matrix):
        values, vectors = eigh(matrix)
        return values, vectors * np.where(np.arange(len(values)) % 2, 1.0, -1.0)

    monkeypatch.setattr(np.linalg, "eigh", flipped)
    signs = [dpp.KDPP(K).sample(m, np.random.default_rng(m)) for m in range(2, 36)]
    for one, two, three in zip(expected, scaled, signs, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


def test_smallest_and_largest_sizes(monkeypatch):
    K, rng = se_matrix([0.0, 1.0, 7.0]), np.random.default_rng(0)
    monkeypatch.setattr("tvgp.dpp.exact.Spectrum", None)  # a call would raise
    for size in (3, 4, 10**9):
        np.testing.assert_array_equal(dpp.KDPP(K).sample(size, rng), [0, 1, 2])
    assert len(dpp.KDPP(K).sample(0, rng)) == 0
    assert len(dpp.KDPP(np.zeros((0, 0))).sample(3, rng)) == 0
    twice = dpp.KDPP(se_matrix([0.0, 0.0, 7.0]))
    np.testing.assert_array_equal(twice.sample(3, rng), [0, 2])


# rank deficiency

GROUNDS = {
    "every arm three times": (np.tile(np.linspace(-50, 50, 30), 3), 3.0),
    "500 equal arms": (np.full(500, 2.5), 3.0),
    "near duplicates": (np.concatenate([np.arange(20.0), np.arange(20.0) + 1e-9]), 3.0),
    "tiny length-scale": (np.linspace(-50, 50, 60), 0.1),
    "huge length-scale": (np.linspace(-50, 50, 60), 1e5),
    "dense grid": (np.linspace(-5, 5, 101), 3.0),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_degenerate_ground_sets_give_valid_subsets(name):
    x, length_scale = GROUNDS[name]
    rng = np.random.default_rng(17)
    K = se_matrix(x, length_scale)
    sampler = dpp.KDPP(K)
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        start = dpp.greedy(K, 25)
        drawn = [sampler.sample(25, rng) for _ in range(20)]
        drawn.append(dpp.swap_chain(K, start, 300, rng))
        drawn.append(start)
    for Z in drawn:
        assert len(Z) >= 1
        assert len(set(np.round(x[Z], 6))) == len(Z), "two equal items"
        sign, _ = np.linalg.slogdet(K[np.ix_(Z, Z)] + 1e-15 * np.eye(len(Z)))
        assert sign == 1
    assert len(drawn[0]) == min(25, sampler.rank)


def test_size_is_capped_at_the_numerical_rank(monkeypatch):
    B = np.random.default_rng(4).standard_normal((12, 5))
    rng = np.random.default_rng(0)
    assert len(dpp.KDPP(B @ B.T).sample(9, rng)) == 5
    assert len(dpp.KDPP.from_factor(B).sample(9, rng)) == 5
    assert len(dpp.greedy(B @ B.T, 9)) == 5
    assert len(dpp.KDPP(np.zeros((4, 4))).sample(2, rng)) == 0
    small = np.diag([1.0, 1e-3, 1e-11, 1.0, 1e-18])
    assert len(dpp.KDPP(small).sample(4, rng)) == 3
    monkeypatch.setattr("tvgp.dpp.exact._TOLERANCE", 1e-12)
    assert len(dpp.KDPP(small).sample(4, rng)) == 4


def complete_factor(K):
    """Its rows are those of a sampler that is given K."""
    return incomplete_cholesky(K, 4 * len(K) * np.finfo(float).eps * K.max(), int(0.9 * len(K)))


def test_eigenvectors_from_the_dual_are_orthonormal(monkeypatch):
    """Those of a largest sample, which is drawn from all."""
    K, bases = se_matrix(np.linspace(-5, 5, 101)), []
    factor, rank = complete_factor(K), dpp.KDPP(K).rank
    turn, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((len(factor),) * 2))
    sampler = dpp.KDPP.from_factor(factor.T @ turn)
    assert sampler.rank == rank
    monkeypatch.setattr(
        "tvgp.dpp.exact.sample_projection",
        lambda basis, *values: bases.append(basis) or sample_projection(basis, *values),
    )
    assert len(sampler.sample(rank, np.random.default_rng(0))) == rank < 40
    (basis,) = bases
    assert basis.shape == (rank, 101)
    np.testing.assert_allclose(basis @ basis.T, np.eye(rank), atol=1e-13)


# rows of a factor that are left out

LINE = np.linspace(-50, 50, 300)


def whole(make):
    """The sampler with nothing left out, as its rank has been asked for."""
    sampler = make()
    assert sampler.rank
    return sampler


@pytest.mark.parametrize("given", ["matrix", "factor", "factor and dual"])
def test_negligible_rows_of_a_factor_are_omitted(given, problems):
    K = se_matrix(LINE)
    arms = LINE[:, None]
    B = Prior(arms, kernels.make("se", variance=0.5, length_scale=3.0)).factor(256)

    def make():
        if given == "matrix":
            return dpp.KDPP(K)
        known = {"dual": B.T @ B, "diagonal": K.diagonal(), "distinct": True}
        return dpp.KDPP.from_factor(B, **(known if "dual" in given else {}))

    full, short = whole(make), make()
    ours, theirs = np.random.default_rng(23), np.random.default_rng(23)
    for _ in range(20):
        np.testing.assert_array_equal(short.sample(30, ours), full.sample(30, theirs))
    everything, used = problems
    rows = len(used)
    assert rows / len(everything) < (1.0 if given == "matrix" else 0.9)
    # the two laws, by 1 - e_M(H H') / e_M(K), and the bound on it
    log_e = lambda matrix: log_elementary_symmetric(np.maximum(np.linalg.eigvalsh(matrix), 0.0), 30)  # noqa: E731
    assert -math.expm1(log_e(used) - log_e(K)) <= 1e-8
    columns = complete_factor(K).T if given == "matrix" else B
    left_out = np.square(columns[:, rows:]).sum()
    values = np.linalg.eigvalsh(used)
    growth = WeightedSubsets(values[values > 1e-14]).log_growth(30)
    assert left_out > 0.0 and math.log(left_out) - growth <= math.log(1e-8)
    # nothing is left out where it matters
    assert short.rank == full.rank and len(problems[-1]) == len(everything)
    np.testing.assert_array_equal(
        short.sample(full.rank, np.random.default_rng(1)),
        full.sample(full.rank, np.random.default_rng(1)),
    )


def test_large_samples_after_small_ones_use_all_rows(problems):
    K = se_matrix(LINE)
    make = lambda: dpp.KDPP(K)  # noqa: E731
    full, short = whole(make), make()
    rows = []
    for size in (5, 5, 40, 60, full.rank, 5):
        drawn = [sampler.sample(size, np.random.default_rng(size)) for sampler in (short, full)]
        np.testing.assert_array_equal(*drawn)
        rows.append(len(problems[-1]))
    assert rows[0] == rows[1] < rows[2] <= rows[3] <= rows[4] == rows[5] == len(problems[0])


def test_misleading_row_norms_fall_back_to_all_rows(problems):
    """Columns that nearly coincide: the second eigenvalue is as small as what is left out."""
    rng = np.random.default_rng(24)
    common = rng.standard_normal(7)
    B = np.column_stack([common, common + 1e-4 * rng.standard_normal(7), 1e-5 * rng.random(7)])
    sampler = dpp.KDPP.from_factor(B)
    assert B[:, 2] @ B[:, 2] < 1e-9
    samples = [sampler.sample(2, rng) for _ in range(4000)]
    assert len(problems[-1]) == 3
    assert p_value(samples, law(B @ B.T, 2)) > ALARM


@pytest.mark.parametrize("in_logs", [False, True])
def test_growth_of_elementary_symmetric_polynomials(in_logs, monkeypatch):
    monkeypatch.setattr(WeightedSubsets, "_MOST_BINOMIAL", 10 if in_logs else 1000)
    values = np.logspace(2, -9, 40)
    subsets = WeightedSubsets(values)
    exact = [Fraction(1)] + [Fraction(0)] * 40
    for value in map(Fraction, values.tolist()):
        for m in range(40, 0, -1):
            exact[m] += value * exact[m - 1]
    for size in (30, 1, 40):
        growth = math.log(exact[size] / exact[size - 1])
        assert subsets.log_growth(size) == pytest.approx(growth, abs=1e-11)


@pytest.mark.parametrize("order", ["as they lie", "shuffled", "in clusters"])
def test_incomplete_cholesky_in_stages_is_complete(order):
    x = np.linspace(-50, 50, 400)
    if order == "shuffled":
        x = np.random.default_rng(0).permutation(x)
    elif order == "in clusters":  # the first stage, every third item, misses most of them
        x[1::3] = 80.0 + x[1::3] / 1000.0
        x[2::3] += 100.0
    K = se_matrix(x)
    floor = 1e-13
    T = incomplete_cholesky(K, floor, 360)
    assert np.abs(K - T.T @ T).max() <= 2 * floor
    assert len(T) <= 2 * np.count_nonzero(np.linalg.eigvalsh(K) > floor)
    assert incomplete_cholesky(K, floor, len(T) - 1) is None
    assert incomplete_cholesky(spread_matrix(300), floor, 270) is None


def test_projection_sampler_never_takes_two_equal_items():
    twins = np.array([0, 0, 2, 3])  # told so, whatever the matrix says
    for seed in range(20):
        uniforms = np.random.default_rng(seed).random(3)
        chosen = sample_projection(np.eye(4), uniforms, twins)
        assert {2, 3} < set(chosen) and len(set(chosen)) == 3


# greedy


def test_greedy_maximises_the_determinant_at_each_step():
    K = spread_matrix(12, seed=6)
    chosen = dpp.greedy(K, 8).tolist()
    for k in range(8):
        sets = {x: chosen[:k] + [x] for x in set(range(12)) - set(chosen[:k])}
        assert chosen[k] == max(sets, key=lambda x: np.linalg.det(K[np.ix_(sets[x], sets[x])]))


def test_greedy_breaks_ties_by_index_and_reads_single_columns():
    x = np.linspace(-50, 50, 101)
    K = se_matrix(x)
    K_noisy = K * (1 + 1e-12 * np.sin(np.add.outer(np.arange(101), np.arange(101))))
    chosen = dpp.greedy(K, 20)
    assert chosen[0] == 0
    np.testing.assert_array_equal(chosen, dpp.greedy(K_noisy, 20))
    asked = []

    def column(i):
        asked.append(i)
        return K[:, i]

    np.testing.assert_array_equal(dpp.greedy(column, 20, diagonal=np.diag(K)), chosen)
    assert asked == chosen.tolist()


def test_greedy_stops_at_the_tolerance():
    K = se_matrix(np.linspace(-5, 5, 101))
    loose, tight = dpp.greedy(K, 101, tolerance=1e-3), dpp.greedy(K, 101)
    assert len(loose) < len(tight) < 40

    def residual(Z):
        K_Z = K[np.ix_(Z, Z)]
        return (np.diag(K) - np.einsum("ij,ij->j", K[Z], np.linalg.solve(K_Z, K[Z]))).max()

    assert residual(loose) <= 1e-3 * 0.5 < residual(loose[:-1])
    np.testing.assert_array_equal(tight[: len(loose)], loose)


# swap chain


def test_swap_chain_leaves_the_law_unchanged():
    K, size, draws = spread_matrix(6, seed=7), 3, 3000
    probabilities = law(K, size)
    subsets = list(probabilities)
    rng = np.random.default_rng(18)
    starts = rng.choice(len(subsets), size=draws, p=np.array(list(probabilities.values())))
    ends = [tuple(dpp.swap_chain(K, subsets[i], 6, rng).tolist()) for i in starts]
    assert np.mean([subsets[i] != end for i, end in zip(starts, ends, strict=True)]) > 0.3
    assert p_value(ends, probabilities) > ALARM


def transition_matrix(K, size):
    """Mauduit25a, Alg. 2, over all sets: i in Z, j outside, p = 1/2 min(1, det K_Z' / det K_Z)."""
    sets = list(combinations(range(len(K)), size))
    det = {Z: np.linalg.det(K[np.ix_(Z, Z)]) for Z in sets}
    P = np.zeros((len(sets), len(sets)))
    for row, Z in enumerate(sets):
        for i in Z:
            for j in set(range(len(K))) - set(Z):
                other = tuple(sorted({*Z, j} - {i}))
                P[row, sets.index(other)] += 0.5 * min(1.0, det[other] / det[Z])
        P[row] /= size * (len(K) - size)
        P[row, row] = 1.0 - P[row].sum()
    return sets, P


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_swap_chain_from_greedy_has_the_papers_law(steps):
    K = se_matrix([0.0, 1.0, 2.5, 3.0, 5.0, 7.5])
    start = tuple(np.sort(dpp.greedy(K, 3)).tolist())
    sets, P = transition_matrix(K, 3)
    expected = np.linalg.matrix_power(P, steps)[sets.index(start)]
    rng = np.random.default_rng(22)
    ends = [dpp.swap_chain(K, start, steps, rng) for _ in range(3000)]
    reached = {Z: p for Z, p in zip(sets, expected, strict=True) if p > 0}
    assert p_value(ends, reached) > ALARM


@pytest.mark.parametrize("error", [0.3, 0.01])
def test_mixing_steps_suffice(error):
    for n, size, gap in ((2, 1, 1.0), (6, 3, 1.0), (7, 2, 4.0), (7, 5, 2.0)):
        K = se_matrix(gap * np.arange(n))
        sets, P = transition_matrix(K, size)
        start = sets.index(tuple(np.sort(dpp.greedy(K, size)).tolist()))
        reached = np.linalg.matrix_power(P, dpp.mixing_steps(n, size, error))[start]
        assert 0.5 * np.abs(reached - list(law(K, size).values())).sum() <= error


def test_mixing_steps_by_hand():
    """2 M N (log(M log(M N)) + log(2 / e^2)) for N = 100, M = 28, e = 0.05."""
    assert dpp.mixing_steps(100, 28, 0.05) == 67_696
    assert dpp.mixing_steps(9, 9, 0.5) == dpp.mixing_steps(9, 0, 0.5) == 0
    with pytest.raises(ValueError, match="4 of 3 items"):
        dpp.mixing_steps(3, 4, 0.5)
    with pytest.raises(ValueError, match="error is 0; expected a number between 0 and 1"):
        dpp.mixing_steps(3, 2, 0)


def test_swap_chain_converges_from_a_fixed_start():
    K, size = se_matrix([0.0, 2.0, 3.0, 5.0, 9.0, 11.0]), 2
    rng = np.random.default_rng(19)
    ends = [dpp.swap_chain(K, dpp.greedy(K, size), 100, rng) for _ in range(400)]
    assert p_value(ends, law(K, size)) > ALARM


def test_swap_chain_updates_agree_with_fresh_factorisations(monkeypatch):
    K = se_matrix(np.random.default_rng(8).uniform(-50, 50, 60))
    start = dpp.greedy(K, 18)
    factorise, calls, ends = lapack.dpotrf, [], []
    monkeypatch.setattr(lapack, "dpotrf", lambda *a, **b: calls.append(0) or factorise(*a, **b))
    for refresh in (1, 7, 10**9):
        monkeypatch.setattr(swap, "_REFRESH", refresh)
        ends.append(dpp.swap_chain(K, start, 2000, np.random.default_rng(9)))
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
    assert set(ends[0]) != set(start)
    calls.clear()
    monkeypatch.setattr(swap, "_REFRESH", 10**9)
    dpp.swap_chain(K, start, 300, np.random.default_rng(9))
    assert len(calls) == 1, "the updated conditionals drifted within 300 steps"


def test_swap_chain_is_lazy_and_keeps_whole_sets():
    K, rng = spread_matrix(5), np.random.default_rng(20)
    np.testing.assert_array_equal(dpp.swap_chain(K, [3, 1], 0, rng), [1, 3])
    np.testing.assert_array_equal(dpp.swap_chain(K, [4, 2, 0, 1, 3], 50, rng), np.arange(5))
    assert len(dpp.swap_chain(K, [], 50, rng)) == 0
    # One step from {0} in a chain of 2 equal-variance items: stays with probability 1/2.
    stays = sum(dpp.swap_chain(np.eye(2), [0], 1, rng)[0] == 0 for _ in range(2000))
    assert stats.binomtest(int(stays), 2000, 0.5).pvalue > ALARM


# elementary symmetric polynomials


def test_elementary_symmetric_polynomials_against_fractions():
    values = [0.5, 3.0, 0.125, 7.0, 0.0, 1.0, 2.5]
    for size in range(7):
        exact = sum(
            (math.prod(map(Fraction, chosen)) for chosen in combinations(values, size)),
            start=Fraction(0),
        )
        computed = log_elementary_symmetric(np.array(values), size)
        assert computed == pytest.approx(math.log(exact), abs=1e-13)
    assert log_elementary_symmetric(np.array(values), 7) == -math.inf


@pytest.mark.parametrize("in_logs", [False, True])
@pytest.mark.parametrize("decades", [0, 20, 300])
def test_symmetric_polynomials_of_501_values_equal_mpmath(decades, in_logs, monkeypatch):
    monkeypatch.setattr(WeightedSubsets, "_MOST_BINOMIAL", 500 if in_logs else 501)
    mpmath = pytest.importorskip("mpmath")
    values = np.logspace(decades / 2, -decades / 2, 501)
    shuffled = np.random.default_rng(0).permutation(values)
    with mpmath.workdps(40):
        e = [mpmath.mpf(1)] + [mpmath.mpf(0)] * 40
        for value in values:
            value = mpmath.mpf(float(value))
            for m in range(40, 0, -1):
                e[m] += value * e[m - 1]
        for size in (1, 17, 40):
            exact = float(mpmath.log(e[size]))
            computed = log_elementary_symmetric(shuffled, size)
            assert computed == pytest.approx(exact, rel=1e-13, abs=1e-11)


def test_flat_spectra_of_any_length():
    with np.errstate(all="raise"):
        for n in (1000, 1001, 1100):
            expected = math.lgamma(n + 1) - math.lgamma(n // 2 + 1) - math.lgamma(n - n // 2 + 1)
            computed = log_elementary_symmetric(np.ones(n), n // 2)
            assert computed == pytest.approx(expected, rel=1e-12)


def test_choices_of_eigenvectors_agree_between_the_two_tables(monkeypatch):
    weights = np.exp(np.random.default_rng(5).normal(scale=6.0, size=60))
    uniforms = np.random.default_rng(6).random((200, 20))
    plain = WeightedSubsets(weights)
    monkeypatch.setattr(WeightedSubsets, "_MOST_BINOMIAL", 10)
    in_logs = WeightedSubsets(weights)
    for row in uniforms:
        np.testing.assert_array_equal(plain.sample(20, row), in_logs.sample(20, row))


def test_eigenvalues_over_300_orders_of_magnitude(monkeypatch):
    monkeypatch.setattr("tvgp.dpp.exact._TOLERANCE", 0.0)
    K = np.diag(np.logspace(150, -150, 501))
    sampler, rng = dpp.KDPP(K), np.random.default_rng(21)
    with np.errstate(all="raise"):
        drawn = sampler.sample(40, rng)
    assert (np.diff(drawn) > 0).all() and drawn[0] <= 2


# bad input


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\)"),
        (np.ones(3), r"shape \(3,\)"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "not finite"),
        (np.array([[np.inf, 0.0], [0.0, 1.0]]), "not finite"),
        (np.array([[1.0, 0.5], [0.1, 1.0]]), "not symmetric"),
        (np.array([[-1.0, 0.0], [0.0, 1.0]]), "negative variance"),
    ],
)
def test_bad_matrices_give_one_line_errors(K, message):
    rng = np.random.default_rng(0)
    for call in (
        lambda: dpp.KDPP(K).sample(1, rng),
        lambda: dpp.greedy(K, 1),
        lambda: dpp.swap_chain(K, [0], 10, rng),
    ):
        with pytest.raises(ValueError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_other_bad_input():
    K, rng = spread_matrix(4), np.random.default_rng(0)
    for size in (-1, 2.5, "3", None):
        with pytest.raises(ValueError, match="must be an integer >= 0"):
            dpp.KDPP(K).sample(size, rng)
        with pytest.raises(ValueError, match="must be an integer >= 0"):
            dpp.greedy(K, size)
    with pytest.raises(ValueError, match="number of steps is -5"):
        dpp.swap_chain(K, [0], -5, rng)
    for indefinite in (np.array([[1.0, 2.0], [2.0, 1.0]]), 0.1 * np.eye(5) - 0.05):
        with pytest.raises(ValueError, match="positive semidefinite"):
            dpp.KDPP(indefinite).sample(1, rng)
    with pytest.raises(ValueError, match="duplicate item"):
        dpp.swap_chain(K, [1, 1], 10, rng)
    with pytest.raises(ValueError, match=r"in 0\.\.3"):
        dpp.swap_chain(K, [1, 4], 10, rng)
    with pytest.raises(ValueError, match="0 to rounding"):
        dpp.swap_chain(se_matrix([0.0, 0.0, 1.0]), [0, 1], 10, rng)
    with pytest.raises(ValueError, match="diagonal"):
        dpp.greedy(lambda i: K[:, i], 2)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        dpp.KDPP.from_factor(np.ones(3))
    with pytest.raises(ValueError, match="not finite"):
        dpp.KDPP.from_factor(np.full((5, 2), np.nan))
    known = {"dual": np.full((2, 2), np.nan), "diagonal": np.ones(5), "distinct": True}
    with pytest.raises(ValueError, match="dual has entries that are not finite"):
        dpp.KDPP.from_factor(np.full((5, 2), np.nan), **known).sample(1, rng)


@pytest.mark.parametrize("n", [1, 20, 60, 150])
def test_eigenvectors_do_not_depend_on_the_requested_subset(n):
    """Those asked for first and all others later are one orthonormal set, also where eigenvalues
    are equal, as on a square grid."""
    side = np.linspace(0, 1, 12)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    factor = np.random.default_rng(n).standard_normal((n, n))
    for matrix in (factor @ factor.T, kernels.make("matern32", length_scale=0.3)(grid, grid)):
        spectrum, every = Spectrum(matrix), np.arange(len(matrix))
        first = spectrum.vectors(every[::3])
        whole = spectrum.vectors(every)
        np.testing.assert_allclose(first, whole[::3], atol=1e-13)
        np.testing.assert_allclose(whole @ whole.T, np.eye(len(every)), atol=1e-12)
        rebuilt = (whole.T * spectrum.values) @ whole
        np.testing.assert_allclose(rebuilt, matrix, atol=1e-12 * spectrum.values[-1])


def test_weights_that_differ_by_rounding_keep_their_order():
    """As equal eigenvalues do, which every eigensolver rounds in its own way."""
    weights = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 0.5])
    rounded = weights * (1 + 1e-15 * np.array([1, -1, 3, 2, -4, 0]))
    for seed in range(50):
        uniforms = np.random.default_rng(seed).random(3)
        first, second = (WeightedSubsets(each).sample(3, uniforms) for each in (weights, rounded))
        assert first.tolist() == second.tolist()
