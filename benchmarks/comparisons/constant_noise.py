"""GP-UCB with constant noise: append and weight space against refitting."""

from __future__ import annotations

from benchmarks.contenders import ours, peer
from benchmarks.harness import Comparison, Target
from benchmarks.problem import sine


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms."""
    problem = sine(horizon)
    return Comparison(
        name="constant_noise",
        title="GP-UCB, constant noise",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.02 of the signal's",
        contenders=[
            peer("dense Cholesky", problem, "gp_ucb", engine="append"),
            ours("tvgp (auto)", problem, "gp_ucb"),
            ours("tvgp (auto), not the first run", problem, "gp_ucb", cold=False),
            ours("tvgp append", problem, "gp_ucb", engine="append"),
            ours("tvgp weight space", problem, "gp_ucb", engine="weight_space"),
            peer("scikit-learn refit", problem, "gp_ucb", engine="append"),
            peer("GPyTorch", problem, "gp_ucb", engine="append"),
            peer("BoTorch", problem, "gp_ucb", engine="append"),
        ],
        targets=[
            Target("scikit-learn refit", "tvgp (auto)", 100),
            Target("scikit-learn refit", "tvgp (auto), not the first run"),
            Target("dense Cholesky", "tvgp (auto)"),
            Target("GPyTorch", "tvgp (auto)"),
            Target("BoTorch", "tvgp (auto)"),
            Target("tvgp append", "tvgp weight space"),
        ],
    )
