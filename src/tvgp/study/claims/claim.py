"""Claims and measurements. `tvgp.study.claims.judge` decides the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tvgp.study.results.statistics import Estimate


class NotComparable(Exception):
    """These results cannot decide a claim; the message says why."""


@dataclass(frozen=True)
class Within:
    """The claim: the quantity lies between `least` and `most`, and the 95 % interval decides.

    `refutable` False: an interval outside contradicts nothing, as for a lower bound, which holds
    for the worst function, where the functions here are drawn at random.
    """

    least: float = -math.inf
    most: float = math.inf
    refutable: bool = True


@dataclass(frozen=True)
class Printed:
    """The claim: the quantity is `value`, to within the share `tolerance` of it or to within the
    interval; without a tolerance the interval decides alone."""

    value: float
    tolerance: float | None = None


@dataclass(frozen=True)
class Holds:
    """The claim is a condition on computed values, without an interval: it holds or it does not."""

    holds: bool
    refutable: bool = True


@dataclass(frozen=True)
class Vacuous:
    """The claim is a bound that nothing could exceed."""


Comparison = Within | Printed | Holds | Vacuous


@dataclass(frozen=True)
class Measured:
    """Name of the measured quantity; our estimate; what the claim says about it; a note for readers."""

    quantity: str
    ours: Estimate
    claimed: Comparison
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim: paper, item, wording, and the function of `tvgp.study.claims.measures` that measures
    it, with its arguments. `experiments`: the experiments or analyses on which it is measured, one
    by one; with `together`, once on all of them, a mapping from their names. `horizon`: number of
    rounds for which it is stated, None for any; `remark`: what a reader must know to judge the
    comparison."""

    paper: str
    item: str
    experiments: tuple[str, ...]
    claimed: str
    measure: Callable[..., Measured]
    arguments: Mapping[str, object] = field(default_factory=dict)
    horizon: int | None = None
    remark: str = ""
    together: bool = False


@dataclass(frozen=True)
class Source:
    """What the claims of a group share: their paper, experiments (see `Claim`) and horizon."""

    paper: str
    experiments: tuple[str, ...]
    horizon: int | None = None

    def claim(
        self,
        item: str,
        claimed: str,
        measure: Callable[..., Measured],
        /,
        *,
        remark: str = "",
        together: bool = False,
        **arguments: object,
    ) -> Claim:
        """A claim of this source; `arguments` are those of the measurement."""
        return Claim(
            self.paper,
            item,
            self.experiments,
            claimed,
            measure,
            arguments,
            self.horizon,
            remark,
            together,
        )
