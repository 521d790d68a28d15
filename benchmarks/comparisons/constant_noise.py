"""GP-UCB with constant noise: append and weight space against refitting."""

from __future__ import annotations

from benchmarks.harness import Comparison, Contender, Target, needs
from benchmarks.problem import forget, lend, play, sine


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms."""
    problem = sine(horizon)

    def ours(engine: str, cold: bool = True):
        def run():
            if cold:
                forget()
            return play(problem.policy("gp_ucb", engine=engine), problem.rewards)

        return run

    def peer(make_engine):
        def run():
            engine = make_engine()(problem.arms, problem.kernel, problem.noise_variance)
            return play(lend(problem.policy("gp_ucb", engine="append"), engine), problem.rewards)

        return run

    return Comparison(
        name="constant_noise",
        title="GP-UCB, constant noise",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.02 of the signal's",
        contenders=[
            Contender("dense Cholesky", peer(dense_cholesky)),
            Contender("tvgp (auto)", ours("auto")),
            Contender("tvgp (auto), not the first run", ours("auto", cold=False)),
            Contender("tvgp append", ours("append")),
            Contender("tvgp weight space", ours("weight_space")),
            Contender("scikit-learn refit", peer(scikit_learn), needs("sklearn")),
            Contender("GPyTorch", peer(gpytorch), needs("gpytorch")),
            Contender("BoTorch", peer(botorch), needs("botorch")),
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


def dense_cholesky():
    """The plain loop. Peers are imported on first use, so that none is required."""
    from benchmarks.peers.dense_cholesky import DenseCholesky

    return DenseCholesky


def scikit_learn():
    """scikit-learn's regressor."""
    from benchmarks.peers.scikit_learn import ScikitLearn

    return ScikitLearn


def gpytorch():
    """GPyTorch's exact GP."""
    from benchmarks.peers.gpytorch import GPyTorch

    return GPyTorch


def botorch():
    """BoTorch's SingleTaskGP."""
    from benchmarks.peers.botorch import BoTorch

    return BoTorch
