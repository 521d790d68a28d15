"""The compiled forms of the exact M-DPP against those without numba; whole runs have the same arms."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import lapack

from tvgp import dpp, environments, kernels, policies, simulate, streams
from tvgp.dpp import fast, swap
from tvgp.dpp.projection import sample_projection
from tvgp.dpp.spectrum import Spectrum
from tvgp.dpp.subsets import WeightedSubsets
from tvgp.study.execution import provenance

needs_numba = pytest.mark.skipif(not fast.load(), reason="numba is not installed")
LINE = np.linspace(-50, 50, 300)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)


@pytest.fixture
def both(monkeypatch):
    """Results of a function without numba and with it."""

    def run(function):
        results = []
        for patience in (math.inf, 0):
            monkeypatch.setattr(fast, "_PATIENCE", patience)
            results.append(function())
        return results

    return run


def spread(n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n + 2))
    return A @ A.T / n


@needs_numba
@pytest.mark.parametrize(
    ("K", "sizes"),
    [
        (KERNEL(LINE[::5], LINE[::5]), (3, 20, 28)),  # below the rank
        (KERNEL(LINE, LINE), (1, 12, 37, 90)),  # dual, rows of the factor omitted for small samples
        (spread(60), (7, 45, 59)),  # items and eigenvalues left out
        (KERNEL(LINE[::4] % 20, LINE[::4] % 20), (2, 9, 40)),  # equal items
    ],
)
def test_hundreds_of_draws_are_the_same(both, K, sizes):
    def draws():
        sampler, rng = dpp.KDPP(K), np.random.default_rng(41)
        return np.concatenate([sampler.sample(m, rng) for _ in range(60) for m in sizes])

    np.testing.assert_array_equal(*both(draws))


@needs_numba
@pytest.mark.parametrize("algorithm", ["sparq_gp_ucb", "w_sparq_gp_ucb"])
def test_compiled_and_plain_runs_are_identical(both, algorithm):
    environment = environments.make("rkhs_sine", n_arms=301)

    def run():
        policy = policies.make(
            algorithm,
            arms=environment.arms,
            kernel=environment.kernel,
            noise_variance=0.01,
            norm_bound=5.0,
            horizon=300,
        )
        fields = streams.noise_fields(301, "test", 1)
        return simulate.simulate(policy, environment, 300, rng=np.random.default_rng(2), **fields)

    without, compiled = both(run)
    np.testing.assert_array_equal(without.arm, compiled.arm)
    np.testing.assert_array_equal(without.regret, compiled.regret)
    np.testing.assert_array_equal(without.expert_queries, compiled.expert_queries)


@needs_numba
@pytest.mark.parametrize("complement", [False, True])
def test_variances_lost_to_rounding_are_not_drawn(both, complement):
    """A basis that is not quite orthonormal: cumulative variances end below 0 or above the whole."""
    rows = np.zeros((3, 5)) if complement else np.eye(5)[:3]
    if complement:
        rows[:, :3] = np.eye(3) * (1.0 + 1e-9)
    for u in (0.0, 0.3, np.nextafter(1.0, 0.0)):
        uniforms = np.full(2, u)
        drawn = both(lambda u=uniforms: sample_projection(rows, u, complement=complement))
        np.testing.assert_array_equal(*drawn)
        assert set(drawn[1]) <= ({3, 4} if complement else {0, 1, 2}) and len(set(drawn[1])) == 2


@needs_numba
def test_tables_are_the_same_to_the_last_bit(both):
    """By the polynomials of the first n weights, which are its column n, and sets drawn from it."""
    rng = np.random.default_rng(5)
    weights, uniforms = -np.sort(-np.exp(rng.normal(scale=6.0, size=60))), rng.random((200, 40))

    def table():
        growth = [
            WeightedSubsets(weights[:n]).log_growth(size) for n in range(1, 61) for size in range(1, n + 1)
        ]
        subsets = WeightedSubsets(weights)
        return growth, [subsets.sample(size, u[:size]).tolist() for size in (3, 4, 40) for u in uniforms]

    plain, compiled = both(table)
    assert plain == compiled


@pytest.fixture
def solved(monkeypatch):
    """Grows with every tridiagonal eigenproblem that LAPACK solves with all its vectors."""
    found, solve = [], lapack.dstevd
    monkeypatch.setattr(lapack, "dstevd", lambda *values: found.append(0) or solve(*values))
    return found


@needs_numba
@pytest.mark.parametrize("case", ["apart", "repeated", "in blocks", "zero"])
def test_eigenvectors_one_by_one_span_the_same_spaces(both, case, solved):
    """Repeated eigenvalues have no vectors of their own: all are then computed together."""
    side = np.linspace(0, 1, 8)
    if case == "apart":
        matrix = KERNEL(LINE[::4], LINE[::4])
    elif case == "repeated":
        grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
        matrix = kernels.make("matern32", length_scale=0.3)(grid, grid)
    else:
        matrix = np.zeros((60, 60)) if case == "zero" else np.kron(np.eye(2), spread(30))
    spectrum, expected = both(lambda: Spectrum(matrix, leading=True))[1], Spectrum(matrix)
    index = np.arange(len(matrix))[-20:]  # whole groups of equal values
    solved.clear()
    ours = spectrum.vectors(index)
    assert len(solved) == (case != "apart")
    theirs = expected.vectors(index)
    np.testing.assert_allclose(ours @ ours.T, np.eye(20), atol=1e-9)
    np.testing.assert_allclose(spectrum.values, expected.values, atol=1e-12)
    if case != "zero":
        np.testing.assert_allclose(ours.T @ ours, theirs.T @ theirs, atol=1e-9)


@needs_numba
@pytest.mark.parametrize("member", [0, 1])
def test_one_vector_of_an_equal_pair_is_not_computed_alone(member, monkeypatch, solved):
    monkeypatch.setattr(fast, "_PATIENCE", 0)
    spectrum = Spectrum(np.kron(np.eye(2), spread(30)), leading=True)
    assert not solved
    spectrum.vectors(np.array([30 + member]))  # values come in pairs, apart from each other
    assert solved


RANK_ONE = {
    "random": (np.sort(np.random.default_rng(3).random(40)), np.random.default_rng(4).standard_normal(40)),
    "equal values": (np.repeat([0.0, 1.0, 2.0], [3, 4, 1]), np.linspace(-1, 1, 8)),
    "no weight": (np.arange(5.0), np.zeros(5)),
    "tiny weights": (np.array([0, 0, 1, 1, 1.0]), np.array([1, 0, 1e-200, 1, 1e-9])),
    "wide range": (np.exp(np.linspace(-40, 3, 60)), np.exp(np.linspace(-20, 1, 60))),
    "one value": (np.ones(1), np.ones(1)),
}


@needs_numba
@pytest.mark.parametrize("case", RANK_ONE)
def test_rank_one_eigenproblem_agrees_with_lapack(case):
    values, vector = RANK_ONE[case]
    n, matrix = len(values), np.diag(values) + np.outer(vector, vector)
    new, turn = np.empty(n), np.empty((n, n))
    fast.load().rank_one(values, vector, new, turn)
    rounding = 20 * n * np.finfo(float).eps
    scale = np.linalg.eigvalsh(matrix)[-1]
    np.testing.assert_allclose(new, np.linalg.eigvalsh(matrix), atol=rounding * scale)
    np.testing.assert_allclose(turn @ turn.T, np.eye(n), atol=rounding)
    np.testing.assert_allclose(turn @ matrix, new[:, None] * turn, atol=rounding * scale)


def growing(monkeypatch, steps):
    """Spectra after `steps` added rows of a smooth kernel's factor, followed and from scratch, and the steps
    that were no update of the one before."""
    monkeypatch.setattr(fast, "_PATIENCE", 0)
    updates, rank_one = [], fast.load().rank_one
    monkeypatch.setattr(fast.load(), "rank_one", lambda *values: updates.append(n) or rank_one(*values))
    values, vectors = np.linalg.eigh(KERNEL(LINE, LINE))
    factor = np.random.default_rng(5).permutation((vectors * np.sqrt(np.maximum(values, 0.0)))[:, -70:])
    followed = Spectrum(factor[:100].T @ factor[:100], leading=True)
    for n in range(100, 100 + steps):
        followed = followed.grown(factor[: n + 1].T @ factor[: n + 1], factor[n : n + 1])
    fresh = sorted(set(range(100, 100 + steps)) - set(updates))
    return followed, Spectrum(factor[: 100 + steps].T @ factor[: 100 + steps]), fresh


@needs_numba
@pytest.mark.parametrize("steps", [1, 60, 100])
def test_updated_spectrum_equals_the_one_from_scratch(steps, monkeypatch):
    followed, scratch, fresh = growing(monkeypatch, steps)
    assert fresh == ([164] if steps == 100 else [])  # after 64 in a row
    leading = np.arange(30, 70)
    np.testing.assert_allclose(followed.values, scratch.values, atol=1e-12)
    ours, theirs = followed.vectors(leading), scratch.vectors(leading)
    np.testing.assert_allclose(ours.T @ ours, theirs.T @ theirs, atol=1e-9)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", ours, theirs)), 1.0, atol=1e-9)


@needs_numba
@pytest.mark.parametrize("refresh", [1, 7, 50])
@pytest.mark.parametrize(
    ("K", "size"),
    [(spread(40), 12), (KERNEL(LINE[::3], LINE[::3]), 25), (KERNEL(LINE, LINE), 60), (np.eye(9), 1)],
    ids=["spread", "line", "nearly singular", "one item"],
)
def test_swap_chains_are_the_same(both, monkeypatch, K, size, refresh):
    """Also where the two variances of a proposal disagree, which nearly singular sets force."""
    monkeypatch.setattr(swap, "_REFRESH", refresh)
    start = dpp.greedy(K, size)

    def chains():
        return [dpp.swap_chain(K, start, 300, np.random.default_rng(seed)) for seed in range(8)]

    assert fast.load().DISAGREEMENT == swap._DISAGREEMENT
    plain, compiled = both(chains)
    np.testing.assert_array_equal(plain, compiled)
    assert any(set(each) != set(start) for each in plain)


@needs_numba
def test_nearly_equal_eigenvalues_force_a_fresh_factorisation(monkeypatch):
    followed, scratch, fresh = growing(monkeypatch, 5)
    assert not fresh
    close = np.arange(4)  # of order 1e-9
    np.testing.assert_array_equal(followed.vectors(close), scratch.vectors(close))


@needs_numba
def test_a_sampler_saved_with_numba_goes_on_without(monkeypatch):
    sampler, again = dpp.KDPP(KERNEL(LINE, LINE)), []
    monkeypatch.setattr(fast, "_PATIENCE", 0)
    sampler.sample(20, np.random.default_rng(1))
    saved = pickle.dumps(sampler)
    for load in (fast.load, lambda: None):
        monkeypatch.setattr(fast, "load", load)
        monkeypatch.setattr("tvgp.dpp.spectrum.load", load)
        again.append(pickle.loads(saved).sample(30, np.random.default_rng(2)))
    np.testing.assert_array_equal(*again)


def test_plain_forms_run_without_numba_or_a_writable_cache(monkeypatch):
    monkeypatch.setattr(fast, "_PATIENCE", 0)
    monkeypatch.setitem(sys.modules, "numba", None)  # an import raises ImportError
    monkeypatch.delitem(sys.modules, "tvgp.dpp.compiled", raising=False)
    monkeypatch.delattr(dpp, "compiled", raising=False)
    fast.load.cache_clear()
    try:
        assert fast.compiled() is None
        assert len(dpp.KDPP(spread(40)).sample(5, np.random.default_rng(0))) == 5
    finally:
        fast.load.cache_clear()


def test_a_process_with_few_draws_does_not_import_numba():
    code = """
import sys, numpy as np
from tvgp import dpp
sampler, rng = dpp.KDPP(np.diag(np.arange(1.0, 60.0))), np.random.default_rng(0)
for _ in range(200):
    sampler.sample(20, rng)
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_of_sparq_depend_on_the_compiled_code():
    assert "tvgp.dpp.compiled" in provenance.closure("tvgp.policies.sparq_gp_ucb")
