"""Growth of the time of set-up and of a step, with rounds and arms.

`measure(table, line, quick)` returns a line of a table: rows with `line`, `size`, `seconds`; `slope(rows)`
is its growth. A policy whose `line` has no variant plays by its defaults, for all rounds that it has planned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, solve_triangular

from benchmarks.problem import Problem, forget, play
from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Hindsight, Policy
from tvgp.policies import pandora_gp_ucb

QUICK, CHECKPOINTS = 2_000, (1_000, 10_000, 100_000)  # rounds
N_ARMS = 101  # of whole runs
SIDE = 30  # of the cube of 27,000 arms
ARMS, STEPS = (200, 2_000, 20_000, 200_000), 30
DECISIONS = (500, 5_000)
SITES, LONG = (40, 100, 400), (500, 2_000)

_VARIANTS: dict[str, dict] = {
    "sw_gp_ucb, 73 rounds": {"window": 73},
    "w_gp_ucb, gamma 0.99": {"gamma": 0.99},
    "gp_ucb, matern32, planned for 300 rounds": {"horizon": 300},
    "st_gp_ucb, planned for 1,000 rounds": {"horizon": 1_000},
    "st_gp_ucb, se": {"time_kernel": "se"},
    "st_gp_ucb, matern32 in time": {"time_kernel": "matern32"},
    "st_gp_ucb, periodic": {"time_kernel": "periodic"},
}
_POLICIES = {name: {} for name in policies.names() if "horizon" in policies.parameters(name)} | _VARIANTS
_BATCHES = ("r_perp",)
_STATIC = {"GP-UCB": "gp_ucb", "IGP-UCB": "igp_ucb"}
# Field-GP-UCB takes up to 4,096 arms: levels of single arms have full rank, so theory says n^2 and more
_EVERY = [name for name in policies.names() if name != "field_gp_ucb"]


@dataclass(frozen=True)
class Rows:
    """A (T, G) table made row by row: stored whole, it would be larger than the posterior."""

    horizon: int
    row: Callable[[int], np.ndarray]

    def __len__(self) -> int:
        return self.horizon

    def __iter__(self) -> Iterator[np.ndarray]:
        return map(self.row, range(1, self.horizon + 1))


def rounds(line: str, quick: bool) -> list[dict]:
    """Whole runs: mean seconds per step over the half before each checkpoint, over nine tenths where whole
    batches are planned in their first round, which a half may miss."""
    environment = environments.make("rkhs_sine", n_arms=N_ARMS)
    noise = streams.NoiseField(N_ARMS, "benchmarks", "long", "noise")
    std = environment.noise_std
    table = Rows(QUICK if quick else 100_000, lambda t: environment.mean_rewards(t) + std * noise.at(t))
    algorithm, kernel = line.partition(",")[0], environment.kernel
    if algorithm == "pi_gp_ucb" or ", matern32," in line:
        kernel = kernels.make("matern32", variance=0.5, length_scale=3.0)
    problem = Problem(environment.arms, kernel, std**2, table)
    share = 0.9 if algorithm in _BATCHES else 0.5
    return _along(line, problem.policy(algorithm, **_POLICIES[line]), table, share)


def many_arms(line: str, quick: bool) -> list[dict]:
    """The same for 27,000 arms with the lazy engine, which reads O(t G) numbers once per block."""
    problem = grid(SIDE, QUICK if quick else 10_000)
    return _along(line, problem.policy(_STATIC[line]), problem.rewards)


def _along(line: str, policy: Policy, table: Rows, share: float = 0.5) -> list[dict]:
    rng, seconds = streams.generator("benchmarks", "long", line), np.empty(len(table))
    for t, row in enumerate(table, start=1):
        started = time.process_time()
        _step(policy, t, row, rng)
        seconds[t - 1] = time.process_time() - started
    return [
        {"line": line, "size": t, "seconds": float(seconds[t - round(share * t) : t].mean())}
        for t in CHECKPOINTS
        if t <= len(table)
    ]


def _step(policy: Policy, t: int, row: np.ndarray, rng: np.random.Generator) -> None:
    arm = policy.choose(t, rng)
    policy.observe(t, arm, float(row[arm]))
    asked = policy.expert_queries(t, rng)
    if len(asked):
        policy.observe_expert(t, asked, row[asked])


def grid(side: int, horizon: int) -> Problem:
    """side^3 arms in the unit cube and a smooth static reward with noise of std 0.1."""
    axis = np.linspace(0.0, 1.0, side)
    arms = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    mean = np.sin(5.0 * arms).sum(axis=1)
    noise = 0.1 * streams.generator("benchmarks", "arms", side).standard_normal(horizon)
    kernel = kernels.make("matern32", variance=1.0, length_scale=0.3)
    return Problem(arms, kernel, 0.01, Rows(horizon, lambda t: mean + noise[t - 1]))


def arms(line: str, quick: bool) -> list[dict]:
    """Even grids on the line, SE kernel: mean seconds per step after the first."""
    return [{"line": line, "size": n, "seconds": _played(line, n)[1]} for n in ARMS[: 2 if quick else None]]


def set_up(line: str, quick: bool) -> list[dict]:
    """The same grids: seconds to make a policy and to play its first round."""
    return [{"line": line, "size": n, "seconds": _played(line, n)[0]} for n in ARMS[: 2 if quick else None]]


def _played(algorithm: str, n_arms: int) -> tuple[float, float]:
    """Seconds of set-up and of a step."""
    problem = line_of_arms(n_arms)
    known = {"horizon": 2_000} | ({"alpha": 1.0} if algorithm == "ui_gp_ucb" else {})
    known = {name: value for name, value in known.items() if name in policies.parameters(algorithm)}
    rng, moments = streams.generator("benchmarks", "grown", algorithm), []
    forget()
    started = time.process_time()
    policy = policies.make(algorithm, **problem, **known)
    row = np.sin(9.0 * problem["arms"][:, 0])
    if isinstance(policy, Hindsight):
        policy.foresee(np.tile(row, (STEPS, 1)))
    for t in range(1, STEPS + 1):
        _step(policy, t, row, rng)
        moments.append(time.process_time())
    return moments[0] - started, (moments[-1] - moments[0]) / (STEPS - 1)


def queries(line: str, quick: bool) -> list[dict]:
    """n arms and TV-GP-UCB's model: mean time of a decision whether to ask and about which arm, before the
    choice, with the answers."""
    rows = []
    for n in DECISIONS:
        environment = environments.make("rkhs_sine", n_arms=n)
        prior = kernels.make("se", variance=0.5, length_scale=3.0)
        given = {"arms": environment.arms, "kernel": prior, "noise_variance": 0.01, "epsilon": 0.3}
        policy = policies.make("pandora_gp_ucb", rule=line, price=0.03, **given)
        rng, decisions, spent = np.random.default_rng(0), 0, 0.0
        for t in range(1, (STEPS if n < 1_000 else 3) + 1):
            f, asked = environment.mean_rewards(t), np.zeros(1)
            started = time.process_time()
            while len(asked):
                asked, decisions = policy.expert_queries(t, rng), decisions + 1
                policy.observe_expert(t, asked, f[asked])
            spent += time.process_time() - started
            arm = policy.choose(t, rng)
            policy.observe(t, arm, f[arm])
        rows.append({"line": line, "size": n, "seconds": spent / decisions})
    return rows


def line_of_arms(n_arms: int) -> dict:
    """A problem on [0, 1], whose prior has rank 33."""
    kernel = kernels.make("se", variance=0.5, length_scale=0.1)
    return {"arms": np.linspace(0.0, 1.0, n_arms)[:, None], "kernel": kernel, "noise_variance": 0.01}


def sites(line: str, quick: bool) -> list[dict]:
    """n sites in the plane and two time scales: mean time per step of a whole run on the filter; the
    least time of three for the step after its last round by the dense formula."""
    method, number = line.split(", ")
    horizon = LONG[_RUNS.index(number)]
    rows = []
    for n in SITES[:2] if quick else SITES:
        rng = streams.generator("benchmarks", "sites", n)
        kernel = kernels.make("matern12", variance=1.0, length_scale=0.5)
        problem = Problem(rng.random((n, 2)), kernel, 0.1, rng.standard_normal((horizon, n)))
        policy = problem.policy("field_gp_ucb")
        K, arms, spent = kernel(problem.arms, problem.arms), rng.integers(n, size=horizon), []
        for _ in range(1 if method == "filter" else 3):
            started = time.process_time()
            if method == "filter":
                play(policy, problem.rewards)
            else:
                _dense_step(K, arms)
            spent.append(time.process_time() - started)
        seconds = spent[0] / horizon if method == "filter" else min(spent)
        rows.append({"line": line, "size": n, "seconds": seconds})
    return rows


def _dense_step(K: np.ndarray, arms: np.ndarray) -> None:
    """Mean and variance at all sites from one reading in each of the last rounds, of arms (T,)."""
    ages = np.arange(len(arms), 0.0, -1.0)

    def covariance(lags: np.ndarray, others: np.ndarray) -> np.ndarray:
        slow = 0.3 * np.exp(-lags / 200.0) * np.where(arms[:, None] == others, 1.0, 0.5)
        return K[np.ix_(arms, others)] * (0.7 * np.exp(-lags / 2.0) + slow)

    A = covariance(np.abs(np.subtract.outer(ages, ages)), arms) + 0.1 * np.eye(len(arms))
    across = covariance(ages[:, None], np.arange(len(K)))
    lower = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)[0]
    V = solve_triangular(lower, across, lower=True, check_finite=False)
    V.T @ solve_triangular(lower, np.ones(len(arms)), lower=True, check_finite=False)
    K.diagonal() - np.einsum("tn,tn->n", V, V)


_RUNS = ("short run", "long run")
_TABLES = {
    "rounds": (rounds, _POLICIES),
    "many_arms": (many_arms, _STATIC),
    "arms": (arms, _EVERY),
    "set_up": (set_up, _EVERY),
    "queries": (queries, pandora_gp_ucb.RULES),
    "sites": (sites, [f"{method}, {run}" for method in ("filter", "dense formula") for run in _RUNS]),
}
LINES = {table: tuple(lines) for table, (_, lines) in _TABLES.items()}
TITLES = {
    "rounds": ("round", "Time per step of whole runs of 100,000 rounds, 101 arms, SE kernel"),
    "many_arms": ("round", "Time per step of whole runs of 10,000 rounds, 27,000 arms, Matern 3/2"),
    "sites": (
        "sites",
        "Time per step of Field-GP-UCB, two time scales, after 500 rounds (short) and 2,000 (long)",
    ),
    "arms": ("arms", f"Time per step of {STEPS} rounds, one-dimensional arms, SE kernel"),
    "set_up": ("arms", "Time to make a policy and to play its first round, the same arms"),
    "queries": ("arms", "Time per decision whether to ask, and about which arm, of Pandora-GP-UCB's rules"),
}


def slope(rows: Sequence[Mapping]) -> float:
    """Slope of log time in log size of one line, by least squares."""
    sizes, seconds = (np.log([row[key] for row in rows]) for key in ("size", "seconds"))
    return float(np.polyfit(sizes, seconds, 1)[0])


def measure(table: str, line: str, quick: bool) -> list[dict]:
    """One line of a table."""
    return _TABLES[table][0](line, quick)
