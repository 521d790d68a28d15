"""TV-GP-UCB: scaling and Kalman steps against a dense factorisation each step."""

from __future__ import annotations

from benchmarks.contenders import ours, peer
from benchmarks.harness import Comparison, Target
from benchmarks.problem import sine

EPSILON = 0.03


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms, epsilon = 0.03."""
    problem = sine(horizon)
    job = {"problem": problem, "algorithm": "tv_gp_ucb", "epsilon": EPSILON}
    return Comparison(
        name="time_kernel",
        title="TV-GP-UCB",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, epsilon = 0.03",
        contenders=[
            peer("dense Cholesky", engine="append", **job),
            ours("tvgp (auto)", **job),
            ours("tvgp append", engine="append", **job),
            ours("tvgp weight space", engine="weight_space", **job),
            peer("scikit-learn refit", engine="append", **job),
        ],
        targets=[
            Target("dense Cholesky", "tvgp (auto)", 70),
            Target("scikit-learn refit", "tvgp (auto)"),
            Target("tvgp append", "tvgp weight space"),
        ],
    )
