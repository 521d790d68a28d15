"""Which model of a field: mean, covariance and time scales by the predictive likelihood of blocks left out.

    mean        common: one level; site: a mean of each site (`shrunk_means`)
    covariance  empirical (`shrunk_covariance`), or a k(l) + b I of the positions for a kernel k of
                length-scale l, with the a, b and l of the largest Gaussian likelihood given that covariance
    time        static: f does not change; one: a first-order autoregression; two: a slow part under a fast
                one (`tvgp.fitting.field_model`)

of the values, or of their logarithms on a scale (`tvgp.log_scale`); scores are densities of the values.

The training part is cut into `BLOCKS` blocks. Each is predicted from its own past, round by round, under
the mean and covariance of the other blocks:

    score = 1/N sum_b sum_t log p(y_t; y_1, ..., y_(t-1) of block b, mean and covariance without b)

over the first `ROUNDS` rounds of each block, with N values of the `_SCORED` fullest sites. Blocks left out
in turn show all seasons of training to every candidate, as its last part alone does not. The covariance about
a common mean is that of second moments, so that lasting differences between the sites are part of it. Scales
and noise, four numbers, are fitted to the blocks together for the scores, on `_SITES` sites; those of the
model chosen are fitted to the whole panel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product

import numpy as np
from scipy.spatial.distance import pdist

from tvgp import kernels
from tvgp.fitting.field_model import FieldFit, FieldPrior, PanelLikelihood, fit_field
from tvgp.fitting.observations import as_numbers
from tvgp.fitting.shrinkage import shrunk_covariance, shrunk_means
from tvgp.log_scale import LogScale

MEANS = ("common", "site")
COVARIANCES = ("se", "matern32", "empirical")
TIMES = ("static", "one", "two")
BLOCKS, ROUNDS = 4, 60

Name = tuple[str, str, str]  # of a mean, a covariance and a time
CANDIDATES: tuple[Name, ...] = tuple(product(MEANS, COVARIANCES, TIMES))
LeftOut = tuple[slice, np.ndarray, "dict[Name, FieldModel]"]

_SITES = 24  # to which scales and noise are fitted
_SCORED = 120  # whose values are predicted: the cost grows with their cube
_OWN = 0.5
_LEAST = 5  # values of a site outside a block
_LENGTHS, _RATIOS = 24, np.geomspace(1e-3, 3.0, 24)  # of l, and b/a
_SMALLEST = 1e-9  # share of the largest eigenvalue


@dataclass(frozen=True, kw_only=True)
class FieldModel(FieldPrior):
    """mean: of each site, (S,); scale: that of mean, covariance and noise, None for the values themselves."""

    mean: np.ndarray
    scale: LogScale | None = None


class FieldChoice:
    """name: of the model; scale: on which it is; scores: of every candidate, mean log density of a value, in
    the units of the values."""

    def __init__(
        self,
        scores: Mapping[Name, float],
        scale: LogScale | None,
        whole: Callable[[Name], tuple[FieldModel, FieldFit]],
    ) -> None:
        self.scores = scores
        self.scale = scale
        self.name = max(scores, key=scores.__getitem__)
        self._whole = whole

    @property
    def score(self) -> float:
        """That of the model."""
        return self.scores[self.name]

    @property
    def model(self) -> FieldModel:
        """It, fitted to all of the panel."""
        return self._fitted[0]

    @property
    def fit(self) -> FieldFit:
        """Its scales and noise, with standard errors."""
        return self._fitted[1]

    @cached_property
    def _fitted(self) -> tuple[FieldModel, FieldFit]:
        """When asked for: of several scales, only one choice is played."""
        model, fit = self._whole(self.name)
        return replace(model, scale=self.scale), fit


def choose_field(
    values: np.ndarray,
    times: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    scale: LogScale | None = None,
    among: Collection[Name] = CANDIDATES,
) -> FieldChoice:
    """The candidate with the largest score, fitted to all of a panel.

    values: (T, S), NaN where missing; times: (T,) the round of each row, increasing, None for 1, 2, ..., T;
    positions: (S, d), None without, which leaves the empirical covariance; scale: on which values are
    learnt; among: candidates. ValueError for positions of another number of sites or all at one place, where
    no candidate can be fitted, where no two sites have values enough outside a block, and where a fit of
    `shrunk_means`, `shrunk_covariance` or `fit_field` raises it.
    """
    values, t, positions = _checked(values, times, positions)
    panel = _on(scale, values)
    times_of = _times(panel, t, among)
    totals: dict[Name, float] = {}
    number, slope = 0, 0.0
    for quarter, sites, models in _left_out(panel, positions, times_of, among):
        block = slice(quarter.start, min(quarter.start + ROUNDS, quarter.stop))
        scored = panel[block][:, sites]
        for name, score in _scores(scored, t[block], models).items():
            totals[name] = totals.get(name, 0.0) + score
        number += int(np.isfinite(scored).sum())
        if scale is not None:
            slope += float(np.nansum(scale.log_slope(values[block][:, sites])))
    if not number:
        raise ValueError(f"fit: no two sites have {_LEAST} values outside a quarter of {len(values)} times")
    if not totals:
        raise ValueError(f"fit: no candidate of {sorted(among)} can be fitted without positions")
    scores = {name: (total + slope) / number for name, total in totals.items()}
    return FieldChoice(scores, scale, lambda name: _whole(panel, t, positions, [name])[name])


def _on(scale: LogScale | None, values: np.ndarray) -> np.ndarray:
    return values if scale is None else scale.of(values)


def left_out(
    values: np.ndarray,
    times: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    scale: LogScale | None = None,
    among: Collection[Name] = CANDIDATES,
) -> Iterator[LeftOut]:
    """Each quarter of a panel, for replays of it: its rows, the sites with values enough elsewhere, at most
    `_SCORED`, and the candidates for these sites on a scale: their mean and covariance are those of the other
    rows, their time scales and noise of all. Arguments and errors as `choose_field`."""
    values, t, positions = _checked(values, times, positions)
    panel = _on(scale, values)
    for quarter, sites, models in _left_out(panel, positions, _times(panel, t, among), among):
        yield quarter, sites, {name: replace(model, scale=scale) for name, model in models.items()}


def _left_out(
    values: np.ndarray,
    positions: np.ndarray | None,
    times: Mapping[tuple[str, str], FieldFit],
    among: Collection[Name],
) -> Iterator[LeftOut]:
    fullest = np.zeros(values.shape[1], dtype=bool)
    fullest[_fullest(values, _SCORED)] = True
    for rest, quarter in _quarters(len(values)):
        sites = fullest & (np.isfinite(values[rest]).sum(axis=0) >= _LEAST)
        if sites.sum() >= 2:
            where = None if positions is None else positions[sites]
            yield quarter, sites, _models(values[rest][:, sites], where, times, among)


def _quarters(rounds: int) -> Iterator[tuple[np.ndarray, slice]]:
    """The rows outside each block, and its own."""
    ends = np.linspace(0, rounds, BLOCKS + 1).astype(int)
    for start, end in pairwise(ends.tolist()):
        yield np.concatenate([np.arange(start), np.arange(end, rounds)]), slice(start, end)


def _times(values: np.ndarray, t: np.ndarray, among: Collection[Name]) -> dict[tuple[str, str], FieldFit]:
    """Scales and noise of each mean and time of the candidates, fitted to the fullest sites in the first rows
    of all blocks."""
    wanted = {(mean, time) for mean, _, time in among}
    quarters = [quarter for _, quarter in _quarters(len(values))]
    rows = np.concatenate([np.arange(len(values))[quarter][:ROUNDS] for quarter in quarters])
    panel = values[np.ix_(rows, _fullest(values[rows], _SITES))]
    found = {}
    for mean, m in _means(panel).items():
        C = _covariance(panel - m)
        for scales, time in enumerate(TIMES):
            if (mean, time) in wanted:
                found[mean, time] = fit_field(panel - m, 0.0, C, t[rows], scales=scales, own_share=_OWN)
    return found


def _fullest(values: np.ndarray, number: int) -> np.ndarray:
    """The sites with most values, in order, at most so many."""
    counts = np.isfinite(values).sum(axis=0)
    return np.sort(np.argsort(-counts, kind="stable")[:number])


def _means(values: np.ndarray) -> dict[str, np.ndarray]:
    """Prior mean of each site under each mean, (S,)."""
    means = shrunk_means(values)
    return {"common": np.full(values.shape[1], means.common), "site": means.mean}


def field_models(
    values: np.ndarray,
    times: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    among: Collection[Name] = CANDIDATES,
) -> dict[Name, FieldModel]:
    """The candidates of `choose_field`, each fitted to all of a panel."""
    values, t, positions = _checked(values, times, positions)
    return {name: model for name, (model, _) in _whole(values, t, positions, among).items()}


def _checked(
    values: np.ndarray, times: np.ndarray | None, positions: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The panel, the time of each row, and the positions. ValueError for too few or many positions."""
    values = as_numbers(values)
    t = np.arange(1.0, len(values) + 1) if times is None else np.asarray(times, dtype=float)
    if positions is not None and len(positions) != values.shape[1]:
        raise ValueError(f"fit: {len(positions)} positions for {values.shape[1]} sites")
    return values, t, positions


def _models(
    values: np.ndarray,
    positions: np.ndarray | None,
    times: Mapping[tuple[str, str], FieldFit],
    among: Collection[Name],
) -> dict[Name, FieldModel]:
    """The candidates, their mean and covariance those of the values, their scales and noise as given."""
    found = {}
    for (mean, covariance), (m, C) in _moments(values, positions, among).items():
        spectrum, U = np.linalg.eigh(C)
        for time in (each for each in TIMES if (mean, covariance, each) in among):
            fit = times[mean, time]
            left = np.maximum(spectrum - fit.noise_variance, _SMALLEST * spectrum[-1])
            found[mean, covariance, time] = _model(m, fit, (U * left) @ U.T)
    return found


def _whole(
    values: np.ndarray, t: np.ndarray, positions: np.ndarray | None, among: Collection[Name]
) -> dict[Name, tuple[FieldModel, FieldFit]]:
    """The candidates, with scales and noise of the whole panel too."""
    found = {}
    for (mean, covariance), (m, C) in _moments(values, positions, among).items():
        for scales, time in enumerate(TIMES):
            name = (mean, covariance, time)
            if name in among:
                fit = fit_field(values - m, 0.0, C, t, scales=scales, own_share=_OWN)
                found[name] = _model(m, fit, fit.covariance), fit
    return found


def _model(mean: np.ndarray, fit: FieldFit, covariance: np.ndarray) -> FieldModel:
    noise = fit.noise_variance
    return FieldModel(mean=mean, scale=None, covariance=covariance, noise_variance=noise, **fit.parameters())


def _moments(
    values: np.ndarray, positions: np.ndarray | None, among: Collection[Name]
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """Means of the sites, and covariance of their readings, under each mean and covariance of the
    candidates."""
    wanted = {name[:2] for name in among}
    means = {name: m for name, m in _means(values).items() if name in {mean for mean, _ in wanted}}
    empirical = {mean: _covariance(values - m) for mean, m in means.items()}
    matrices = {"empirical": empirical}
    if positions is not None:
        for kernel in COVARIANCES[:2]:
            if kernel in {covariance for _, covariance in wanted}:
                fitted = _parametric(list(empirical.values()), positions, kernel)
                matrices[kernel] = dict(zip(means, fitted, strict=True))
    names = [name for name in product(means, matrices) if name in wanted]
    return {(mean, covariance): (means[mean], matrices[covariance][mean]) for mean, covariance in names}


def _covariance(anomalies: np.ndarray) -> np.ndarray:
    """That of `shrunk_covariance`; a site with fewer than two values, as one that starts late, has the mean
    variance of the others and their mean correlation."""
    seen = np.isfinite(anomalies).sum(axis=0) > 1
    known = shrunk_covariance(anomalies[:, seen])
    variances = np.full(len(seen), known.covariance.diagonal().mean())
    variances[seen] = known.covariance.diagonal()
    C = known.correlation * np.sqrt(np.outer(variances, variances))
    np.fill_diagonal(C, variances)
    C[np.ix_(seen, seen)] = known.covariance
    return C


def _parametric(matrices: Sequence[np.ndarray], positions: np.ndarray, kernel: str) -> list[np.ndarray]:
    """Of each C (S, S): A = a k(l) + b I with the least log |A| + tr(A^-1 C), over a grid of l and b/a."""
    distances = pdist(positions)
    distances = distances[distances > 0]
    if not len(distances):
        raise ValueError(f"fit: all {len(positions)} sites are at one place; expected others, or none given")
    best, found = [math.inf] * len(matrices), list(matrices)
    for length in np.geomspace(0.5 * np.quantile(distances, 0.02), 3.0 * distances.max(), _LENGTHS):
        R = kernels.make(kernel, length_scale=float(length))(positions, positions)
        spectrum, U = np.linalg.eigh(R)
        w = np.maximum(spectrum, 0.0) + _RATIOS[:, None]
        for c, C in enumerate(matrices):
            along = np.einsum("ij,ij->j", U, C @ U)
            a = (along / w).mean(axis=1)
            loss = np.log(a) + np.log(w).mean(axis=1)
            i = int(loss.argmin())
            if loss[i] < best[c]:
                best[c], found[c] = float(loss[i]), a[i] * (R + _RATIOS[i] * np.eye(len(C)))
    return found


def _scores(values: np.ndarray, t: np.ndarray, models: Mapping[Name, FieldModel]) -> dict[Name, float]:
    """Log density of a block under each model."""
    found: dict[Name, float] = {}
    for mean, slow in {(name[0], name[2] == "two") for name in models}:  # a state without a slow part is half
        chosen = {
            name: model for name, model in models.items() if name[0] == mean and (name[2] == "two") == slow
        }
        m = next(iter(chosen.values())).mean
        panel = PanelLikelihood(values - m, t, np.eye(len(m)), _OWN, len(m))
        terms = panel.of(
            [
                (each.covariance, {**each.parameters(), "noise_variance": each.noise_variance})
                for each in chosen.values()
            ]
        )
        found |= zip(chosen, terms.sum(axis=(1, 2)).tolist(), strict=True)
    return {name: found[name] for name in models}
