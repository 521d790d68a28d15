"""TV-GP-UCB: scaling and Kalman steps against a dense factorisation each step."""

from __future__ import annotations

from benchmarks.comparisons.constant_noise import dense_cholesky, scikit_learn
from benchmarks.harness import Comparison, Contender, Target, needs
from benchmarks.problem import forget, lend, play, sine

EPSILON = 0.03


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms, epsilon = 0.03."""
    problem = sine(horizon)

    def ours(engine: str):
        def run():
            forget()
            policy = problem.policy("tv_gp_ucb", epsilon=EPSILON, engine=engine)
            return play(policy, problem.rewards)

        return run

    def peer(make_engine):
        def run():
            engine = make_engine()(problem.arms, problem.kernel, problem.noise_variance, EPSILON)
            policy = problem.policy("tv_gp_ucb", epsilon=EPSILON, engine="append")
            return play(lend(policy, engine), problem.rewards)

        return run

    return Comparison(
        name="time_kernel",
        title="TV-GP-UCB",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, epsilon = 0.03",
        contenders=[
            Contender("dense Cholesky", peer(dense_cholesky)),
            Contender("tvgp (auto)", ours("auto")),
            Contender("tvgp append", ours("append")),
            Contender("tvgp weight space", ours("weight_space")),
            Contender("scikit-learn refit", peer(scikit_learn), needs("sklearn")),
        ],
        targets=[
            Target("dense Cholesky", "tvgp (auto)", 70),
            Target("scikit-learn refit", "tvgp (auto)"),
            Target("tvgp append", "tvgp weight space"),
        ],
    )
