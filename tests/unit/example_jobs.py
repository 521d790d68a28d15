"""Jobs on a small synthetic experiment, as tests of runs and of collected files need them."""

from dataclasses import replace

from tvgp.study.run.job import Experiment, RunJob

FIT = {
    "kernel": {"name": "se", "variance": 0.5, "length_scale": 3.0},
    "noise_variance": 0.01,
    "epsilon": 0.03,
    "norm_bound": 5.0,
    "prior_mean": 0.0,
    "gamma": 0.9,
    "source": "synthetic",
}
SINE = Experiment("rkhs_sine", "rkhs_sine", {"n_arms": 51}, None, 15, None, False)


def run_job(algorithm, policy=None, experiment=SINE, **changes):
    job = RunJob(
        experiment=experiment,
        policy=policy or algorithm,
        algorithm=algorithm,
        alpha="1",
        parameters={},
        from_fit={},
        tuned=None,
        delta=0.05,
        exact_norm=False,
        squared_error=False,
    )
    return replace(job, **changes)
