"""UI-GP-UCB: all noise variances change each step."""

from __future__ import annotations

from benchmarks.contenders import ours, peer
from benchmarks.harness import Comparison, Target
from benchmarks.problem import sine


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms, noise variance growing with age, alpha = 1."""
    problem = sine(horizon)
    return Comparison(
        name="changing_noise",
        title="UI-GP-UCB, all noises change each step",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.01 (1 + age)",
        contenders=[
            peer("dense Cholesky", problem, "ui_gp_ucb", alpha=1.0),
            ours("tvgp (auto)", problem, "ui_gp_ucb", alpha=1.0),
            peer("scikit-learn refit", problem, "ui_gp_ucb", alpha=1.0),
            peer("GPyTorch", problem, "ui_gp_ucb", alpha=1.0),
        ],
        targets=[
            Target("scikit-learn refit", "tvgp (auto)", 12),
            Target("dense Cholesky", "tvgp (auto)", 6),
            Target("GPyTorch", "tvgp (auto)"),
        ],
    )
