"""UI-GP-UCB: all noise variances change each step."""

from __future__ import annotations

from benchmarks.comparisons.constant_noise import dense_cholesky, gpytorch, scikit_learn
from benchmarks.harness import Comparison, Contender, Target, needs
from benchmarks.problem import forget, lend, play, sine


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms, noise variance growing with age, alpha = 1."""
    problem = sine(horizon)

    def ours():
        forget()
        return play(problem.policy("ui_gp_ucb", alpha=1.0), problem.rewards)

    def peer(make_engine):
        def run():
            engine = make_engine()(problem.arms, problem.kernel, problem.noise_variance)
            return play(lend(problem.policy("ui_gp_ucb", alpha=1.0), engine), problem.rewards)

        return run

    return Comparison(
        name="changing_noise",
        title="UI-GP-UCB, all noises change each step",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.01 (1 + age)",
        contenders=[
            Contender("dense Cholesky", peer(dense_cholesky)),
            Contender("tvgp (auto)", ours),
            Contender("scikit-learn refit", peer(scikit_learn), needs("sklearn")),
            Contender("GPyTorch", peer(gpytorch), needs("gpytorch")),
        ],
        targets=[
            Target("scikit-learn refit", "tvgp (auto)", 12),
            Target("dense Cholesky", "tvgp (auto)", 6),
            Target("GPyTorch", "tvgp (auto)"),
        ],
    )
