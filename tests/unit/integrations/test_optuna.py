"""The Optuna sampler passes Optuna's own test cases, and follows an objective that drifts."""

import pickle

import pytest

optuna = pytest.importorskip("optuna", reason="the extra `optuna` is not installed")
cases = pytest.importorskip("optuna.testing.pytest_samplers", reason="Optuna has no test cases of samplers")

from tvgp import kernels  # noqa: E402
from tvgp.fitting.learning import Learner  # noqa: E402
from tvgp.integrations.optuna import TimeVaryingSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.WARNING)


class TestSampler(cases.BasicSamplerTestCase, cases.RelativeSamplerTestCase, cases.SingleOnlySamplerTestCase):
    """Optuna's own."""

    @pytest.fixture
    def sampler(self):
        return TimeVaryingSampler


def drifting(trial):
    """A hill at .3 that moves by .005 a trial; maximum 1."""
    x = trial.suggest_float("x", 0.0, 1.0)
    return 1.0 - 8.0 * (x - 0.3 - 0.005 * trial.number) ** 2


def late_regret(sampler):
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(drifting, n_trials=80)
    return sum(1.0 - trial.value for trial in study.trials[40:]) / 40


def test_moving_hill_is_followed_where_tpe_stays_behind():
    assert late_regret(TimeVaryingSampler(seed=1)) < 0.5 * late_regret(optuna.samplers.TPESampler(seed=1))


@pytest.mark.parametrize(
    ("given", "says"),
    [({"policy": "tv_gp"}, "tv_gp_ucb"), ({"epsilom": 0.1}, "epsilom"), ({"epsilon": "small"}, "epsilon")]
    + [({"parameters": "lern"}, "given or learn"), ({"parameters": "given"}, "needs kernel")]
    + [({"policy": "s_gp_ts"}, "s_gp_ts cannot learn"), ({"policy": "uniform"}, "uniform")],
)
def test_wrong_arguments_are_refused_before_a_trial(given, says):
    with pytest.raises(ValueError, match=says):
        TimeVaryingSampler(**given)


def test_recommendation_is_of_the_present():
    sampler = TimeVaryingSampler(seed=1)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(drifting, n_trials=60)
    assert sampler.recommend(study)["x"] == pytest.approx(0.6, abs=0.08)


def test_same_seed_gives_the_same_trials_from_a_store(tmp_path):
    """A study that is interrupted, and taken up by a new process, goes on as it would have."""

    def points(breaks, store):
        for trials in breaks:
            sampler = pickle.loads(pickle.dumps(TimeVaryingSampler(seed=3)))
            study = optuna.create_study(
                study_name="s", storage=f"sqlite:///{store}", sampler=sampler, load_if_exists=True
            )
            study.optimize(
                lambda trial: trial.suggest_int("n", 1, 9) + trial.suggest_float("x", 0, 1), trials
            )
        return [trial.params for trial in study.trials]

    whole, parts = points([8], tmp_path / "a.db"), points([4, 4], tmp_path / "b.db")
    assert whole == parts
    assert all(set(each) == {"n", "x"} for each in parts)


def test_trials_that_ended_out_of_order_are_learnt_again_so():
    """Fits come at numbers of data, so that their order matters."""
    sampler, seen = TimeVaryingSampler(seed=1), []
    study = optuna.create_study(sampler=sampler)
    open_trials = [study.ask() for _ in range(3)]
    for k in range(14):
        trial = open_trials.pop(k % 3)
        study.tell(trial, (trial.suggest_float("x", 0, 1) - 0.4) ** 2)
        sampler.recommend(study)  # learns each as it ends
        open_trials.append(study.ask())
    for one in (sampler, pickle.loads(pickle.dumps(sampler))):
        seen.append(one.recommend(study))
    assert seen[0] == seen[1]


def test_a_trial_that_never_ends_blocks_no_point_for_ever():
    """Of a worker that was killed at the maximum: what is believed of it ages as values do."""
    given = {"kernel": kernels.make("se", length_scale=0.15), "noise_variance": 0.01, "epsilon": 0.03}
    sampler = TimeVaryingSampler(seed=1, parameters="given", **given, candidates=64, starts=2)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for k in range(60):
        if k == 3:
            study.enqueue_trial({"x": 0.5})
        trial = study.ask()
        value = -8.0 * (trial.suggest_float("x", 0, 1) - 0.5) ** 2
        if k != 3:
            study.tell(trial, value)
    late = [trial.params["x"] for trial in study.trials[30:]]
    assert sum(abs(x - 0.5) < 0.1 for x in late) > 10


def test_ranges_that_change_with_each_trial_are_learnt_once(monkeypatch):
    """All trials are learnt again, by one fit, not by one at each number of data at which a fit is due."""
    fits, update = [], Learner._fit
    monkeypatch.setattr(Learner, "_fit", lambda self, *data: (fits.append(1), update(self, *data))[1])
    study = optuna.create_study(direction="maximize", sampler=TimeVaryingSampler(seed=1))
    study.optimize(lambda trial: -((trial.suggest_float("x", 0, 1 + trial.number) - 0.4) ** 2), n_trials=20)
    assert 5 < len(fits) <= 2 * 20


def test_independent_studies_have_seeds_of_their_own():
    first = []
    for _ in range(2):
        study = optuna.create_study(sampler=TimeVaryingSampler())
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        first.append([trial.params["x"] for trial in study.trials])
    assert not set(first[0]) & set(first[1])


def test_several_objectives_are_refused_before_a_trial():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=TimeVaryingSampler(seed=1))
    for call in (study.ask, lambda: study.sampler.recommend(study)):
        with pytest.raises(ValueError, match="multi-objective"):
            call()


def test_time_is_a_user_attribute_of_trial_or_study():
    sampler = TimeVaryingSampler(time="hour", seed=1)
    study = optuna.create_study(sampler=sampler)
    for hour in (1, 5, 9):
        study.set_user_attr("hour", hour)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    study.enqueue_trial({"x": 0.5}, user_attrs={"hour": 12})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert [trial.system_attrs["tvgp:round"] for trial in study.trials] == [1, 5, 9, 12]
    for wrong in ("noon", 10**18):  # as time.time_ns()
        study.set_user_attr("hour", wrong)
        with pytest.raises(ValueError, match=f"attribute 'hour' of the trial or the study is {wrong!r}"):
            study.ask()


def test_running_trials_of_other_workers_are_avoided():
    study = optuna.create_study(sampler=TimeVaryingSampler(seed=1, width=20.0))  # explores
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    asked = [study.ask().suggest_float("x", 0, 1) for _ in range(3)]
    assert len({round(x, 6) for x in asked}) == 3


@pytest.mark.parametrize("fails", [False, True])
def test_a_best_point_that_fails_is_not_asked_for_again(fails):
    def hole(trial):
        x = trial.suggest_float("x", 0, 1)
        if abs(x - 0.6) < 0.1:
            if fails:
                return float("nan")
            raise optuna.TrialPruned
        return -((x - 0.6) ** 2)

    study = optuna.create_study(direction="maximize", sampler=TimeVaryingSampler(seed=1))
    study.optimize(hole, n_trials=25)
    assert sum(trial.state != optuna.trial.TrialState.COMPLETE for trial in study.trials[5:]) < 10
    assert study.best_value > -0.03


def test_trials_without_a_value_count_as_poor():
    """A failure as the worst value before it, a pruned trial as the median, one before all not at all."""
    study = optuna.create_study(sampler=TimeVaryingSampler(seed=1))
    state, side = optuna.trial.TrialState, {"x": optuna.distributions.FloatDistribution(0, 1)}
    for given in (state.FAIL, 5.0, 3.0, state.FAIL, 7.0, float("inf"), 4.0, state.PRUNED):
        kind = {"state": given} if isinstance(given, state) else {"value": given}
        study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions=side, **kind))
    study.sampler.recommend(study)
    data = study.sampler._optimiser._policy.data
    assert data.rounds.tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert data.values.tolist() == [-5.0, -3.0, -5.0, -7.0, -7.0, -4.0, -4.5]


def test_pruned_trials_and_a_huge_value_do_not_stop_it():
    """The last two trials, and a value that no reward may have."""

    def hill(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number >= 10:
            raise optuna.TrialPruned
        return 1e101 if trial.number == 4 else -((x - 0.3) ** 2)

    study = optuna.create_study(direction="maximize", sampler=TimeVaryingSampler(seed=1))
    study.optimize(hill, n_trials=12)
    assert 0 <= study.sampler.recommend(study)["x"] <= 1


@pytest.mark.parametrize("stores", [2, 1])
def test_a_sampler_takes_no_study_for_another(stores, tmp_path):
    """Studies in memory have one number, those of one store several; here with one parameter each."""
    sampler, recommended = TimeVaryingSampler(seed=1), []
    store = f"sqlite:///{tmp_path}/studies.db" if stores == 1 else None
    for name, best in (("x", 0.1), ("y", 0.9), ("x", 0.3)):
        study = optuna.create_study(direction="maximize", sampler=sampler, storage=store)
        study.optimize(lambda trial, x=name, b=best: -((trial.suggest_float(x, 0, 1) - b) ** 2), n_trials=15)
        recommended.append(sampler.recommend(study)[name])
    assert recommended == pytest.approx([0.1, 0.9, 0.3], abs=0.15)


def test_trials_that_are_added_count_with_their_time():
    study = optuna.create_study(sampler=TimeVaryingSampler(time="day", seed=1))
    study.set_user_attr("day", 500)
    side = {"x": optuna.distributions.FloatDistribution(0, 1)}
    for day in (490, 492):
        study.add_trial(
            optuna.create_trial(params={"x": 0.5}, distributions=side, value=0.0, user_attrs={"day": day})
        )
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    study.sampler.recommend(study)
    assert study.sampler._optimiser._policy.data.rounds.tolist() == [490, 492, 500]


def test_a_range_that_changed_is_learnt_in():
    """Trials inside the new range count; the study does not become random for ever."""
    sampler = TimeVaryingSampler(seed=1)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(lambda trial: -((trial.suggest_float("x", 0, 1) - 0.4) ** 2), n_trials=8)
    study.optimize(lambda trial: -((trial.suggest_float("x", 0, 2) - 0.4) ** 2), n_trials=10)
    assert max(abs(trial.params["x"] - 0.4) for trial in study.trials[-4:]) < 0.3
    assert abs(sampler.recommend(study)["x"] - 0.4) < 0.2


def test_a_recommendation_has_the_parameters_of_one_value():
    study = optuna.create_study(direction="maximize", sampler=TimeVaryingSampler(seed=1))
    goal = lambda trial: (  # noqa: E731
        -((trial.suggest_float("x", 0, 1) - 0.4) ** 2)
        + trial.suggest_int("n", 3, 3)
        + (trial.suggest_categorical("kind", ["only"]) == "only")
    )
    study.optimize(goal, n_trials=4)
    found = study.sampler.recommend(study)
    assert found["n"] == 3 and found["kind"] == "only" and goal(optuna.trial.FixedTrial(found)) > 3
    alone = optuna.create_study(sampler=TimeVaryingSampler(seed=1))
    alone.optimize(lambda trial: trial.suggest_int("n", 3, 3), n_trials=2)
    assert alone.sampler.recommend(alone) == {"n": 3}


def test_an_added_trial_needs_the_time_that_others_have():
    study = optuna.create_study(sampler=TimeVaryingSampler(time="day", seed=1))
    side = {"x": optuna.distributions.FloatDistribution(0, 1)}
    study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions=side, value=0.1))
    study.enqueue_trial({}, user_attrs={"day": 20000})
    with pytest.raises(ValueError, match="trial 0: user attribute 'day' of the trial or the study is None"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
