"""An Optuna sampler for objectives that drift (extra `optuna`).

    study = optuna.create_study(direction="maximize", sampler=TimeVaryingSampler(seed=1))
    study.optimize(objective, n_trials=200)
    study.sampler.recommend(study)

`study.best_params` is the best of the past; `recommend` has the largest posterior mean for the round to come.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from tvgp import kernels
from tvgp.continuous import Box, Category, Integer, Optimiser, Real
from tvgp.continuous.box import Side
from tvgp.policies.base.checks import LARGEST_REWARD, LAST_ROUND

_ROUND = "tvgp:round"  # system attribute of a trial


@dataclass(frozen=True)
class _Parameter:
    """A side of the box, and the parameter's values as values of the side and back."""

    side: Side
    inward: Callable[[Any], Any]
    outward: Callable[[Any], Any]


class TimeVaryingSampler(BaseSampler):
    """A policy of `tvgp.continuous` on the parameters that all completed trials share; others are random.

    Rounds are trial numbers from 1, or the whole numbers that a user attribute gives. Trials of other workers
    that still run are taken at the posterior mean of their round, which ages as a value does. A trial that
    fails, or whose value is not finite or beyond 1e100, counts as the worst value so far, and one that is
    pruned as the median, so that other points are tried until that has aged; before any value neither counts.
    Trials are learnt in the order in which they ended, those from before the parameters or their ranges last
    changed at once. Studies with several objectives raise ValueError.
    """

    def __init__(
        self,
        policy: str = "tv_gp_ucb",
        *,
        time: str | None = None,
        seed: int | None = None,
        parameters: str = "learn",
        **values: Any,
    ) -> None:
        """policy, parameters, values: as of `Optimiser`; time: a user attribute of the trial (of one that was
        enqueued with it), else of the study, None for trial numbers; seed: of all choices, None for one of
        chance. ValueError for an unknown policy, one without a model or that cannot learn, and for values
        that are not its parameters."""
        if parameters == "given" and not {"kernel", "noise_variance"} <= set(values):
            raise ValueError("parameters='given' needs kernel and noise_variance")
        self._policy = {"policy": policy, "parameters": parameters, **values}
        any_model = {"kernel": kernels.make("se"), "noise_variance": 1.0}
        # what cannot be played is refused before a trial is paid for
        Optimiser(box=Box({"x": (0.0, 1.0)}), **self._policy | any_model)
        self._time, self._seed = time, secrets.randbits(32) if seed is None else seed
        self._independent = RandomSampler(self._seed)
        self._forget()

    def _forget(self) -> None:
        self._of: tuple[BaseStorage, int, dict[str, BaseDistribution]] | None = None
        self._lock = threading.RLock()  # one sampler serves all threads of a study

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("_policy", "_time", "_seed", "_independent")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Of independent parameters, in the processes of one study."""
        self._independent.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Note the round of a trial. ValueError for a time that is not a whole number, and for a study with
        several objectives."""
        self._raise_error_if_multi_objective(study)
        study._storage.set_trial_system_attr(trial._trial_id, _ROUND, self._round(study, trial))

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters that all completed trials share and that have several values, with the ranges of the
        latest trial."""
        return {name: each for name, each in _shared(study).items() if not each.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The policy's choice. ValueError for a study with several objectives."""
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        now = self._round(study, trial)
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            self._learn(study, trials, search_space)
            running = [each for each in trials if each.state == TrialState.RUNNING and each != trial]
            others = [each for each in running if self._fits(each)]
            t, points = max(now, self._optimiser.latest), [self._point(each) for each in others]
            rounds = [min(t, each.system_attrs.get(_ROUND, t)) for each in others]
            point = self._optimiser.ask(t, pending=points, rounds=rounds)
        return self._outward(point)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A random value."""
        self._raise_error_if_multi_objective(study)
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def recommend(self, study: Study) -> dict[str, Any]:
        """The parameters with the largest posterior mean in the round after the latest. ValueError where no
        trial that completed shares parameters with the others, and for a study with several objectives."""
        self._raise_error_if_multi_objective(study)
        shared = _shared(study)
        if not shared:
            raise ValueError(
                "recommend: the study has no completed trial with parameters that all trials share"
            )
        space = {name: each for name, each in shared.items() if not each.single()}
        only = {name: _only(each) for name, each in shared.items() if each.single()}
        if not space:
            return only
        with self._lock:
            self._learn(study, study.get_trials(deepcopy=False), space)
            return only | self._outward(self._optimiser.recommend(self._optimiser.latest + 1))

    def _round(self, study: Study, trial: FrozenTrial) -> int:
        """The round of a trial that is asked for, or was added."""
        if self._time is None:
            return trial.number + 1
        found = trial.user_attrs.get(self._time, study.user_attrs.get(self._time))
        if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= LAST_ROUND:
            raise ValueError(
                f"trial {trial.number}: user attribute {self._time!r} of the trial or the study is {found!r},"
                " expected a whole number from 1 to 2**53"
            )
        return found

    def _noted(self, study: Study, trial: FrozenTrial) -> int:
        """The round of a trial; those that were added have had no `before_trial`."""
        return trial.system_attrs.get(_ROUND) or self._round(study, trial)

    def _learn(self, study: Study, trials: list[FrozenTrial], space: Mapping[str, BaseDistribution]) -> None:
        """Tell the optimiser what has ended since; all of it again where the parameters changed."""
        ended = sorted(
            (each for each in trials if each.state.is_finished()),
            key=lambda each: (each.datetime_complete, each.number),
        )
        sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
        # studies in memory all have the same number, each in a storage of its own
        key = (study._storage, study._study_id, dict(space))
        if self._of != key:
            self._of = key
            self._named = {name: _parameter(each) for name, each in space.items()}
            box = Box({name: each.side for name, each in self._named.items()})
            self._optimiser = Optimiser(box=box, seed=self._seed, **self._policy)
            self._told: set[int] = set()
            self._values: list[float] = []
            changed = max((i for i, each in enumerate(ended, 1) if _differs(each, space)), default=0)
            if early := self._calls(study, ended[:changed], sign):
                self._optimiser.tell_all(*zip(*early, strict=True))
            self._told.update(each.number for each in ended[:changed])
        for each in ended:
            if each.number not in self._told and self._fits(each):
                for call in self._calls(study, [each], sign):
                    self._optimiser.tell(*call)
                self._told.add(each.number)

    def _calls(
        self, study: Study, trials: list[FrozenTrial], sign: float
    ) -> list[tuple[int, dict[str, Any], float]]:
        """Rounds, points and values of trials within the ranges that count."""
        found = [(each, self._value(each, sign)) for each in trials if self._fits(each)]
        return [
            (self._noted(study, each), self._point(each), value) for each, value in found if value is not None
        ]

    def _value(self, trial: FrozenTrial, sign: float) -> float | None:
        """The value to maximise; of a trial without one, what it counts as, None before any value.

        Without it the point would be asked for again for ever. The median, as pruned trials are often better
        than most. The worst value for failures, as these often gather in a region: of 120 trials 6 failed on
        a square where all those of a quarter do, 94 with the median in its place, 110 with nothing. Where
        one in 15 fails wherever it is, that costs: regret was 1.6, then 1.3 and 1.2 (TV-GP-UCB on a moving
        bump, 4 runs; 4.0 of TPE).
        """
        done = trial.state == TrialState.COMPLETE
        if done and trial.value is not None and abs(trial.value) <= LARGEST_REWARD:
            self._values.append(sign * trial.value)
            return sign * trial.value
        if not self._values:
            return None
        return median(self._values) if trial.state == TrialState.PRUNED else min(self._values)

    def _fits(self, trial: FrozenTrial) -> bool:
        """Whether a trial has a value of each parameter, within its range, which may have changed."""
        assert self._of is not None
        return all(
            name in trial.params and each._contains(each.to_internal_repr(trial.params[name]))
            for name, each in self._of[2].items()
        )

    def _point(self, trial: FrozenTrial) -> dict[str, Any]:
        return {name: each.inward(trial.params[name]) for name, each in self._named.items()}

    def _outward(self, point: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each.outward(point[name]) for name, each in self._named.items()}


def _shared(study: Study) -> dict[str, BaseDistribution]:
    """The parameters of all completed trials, as in the latest."""
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    names = set.intersection(*(set(each.params) for each in trials)) if trials else set()
    return {name: trials[-1].distributions[name] for name in sorted(names)}


def _differs(trial: FrozenTrial, space: Mapping[str, BaseDistribution]) -> bool:
    """Whether a trial completed on other ranges."""
    own = {name: each for name, each in trial.distributions.items() if name in space}
    return trial.state == TrialState.COMPLETE and own != space


def _only(distribution: BaseDistribution) -> Any:
    """The value of a distribution that has one."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[0]
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return distribution.low


def _parameter(distribution: BaseDistribution) -> _Parameter:
    """A distribution as a side: one with steps, and categories, by their places."""
    if isinstance(distribution, CategoricalDistribution):
        choices = distribution.choices
        return _Parameter(
            Category(range(len(choices))),
            lambda value: int(distribution.to_internal_repr(value)),
            lambda place: choices[place],
        )
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    low, high, step = distribution.low, distribution.high, distribution.step
    if isinstance(distribution, FloatDistribution) and step is None:
        return _Parameter(Real(low, high, distribution.log), float, float)
    if distribution.log:
        return _Parameter(Integer(int(low), int(high), True), int, int)
    assert step is not None
    number = float if isinstance(distribution, FloatDistribution) else int
    return _Parameter(
        Integer(0, round((high - low) / step)),
        lambda value: round((value - low) / step),
        lambda place: number(min(max(low + place * step, low), high)),
    )
