"""Claims and measurements. `tvgp.study.claims.judge` decides the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tvgp.study.results.statistics import Estimate

KINDS = ("published", "fact", "hypothesis")  # of a paper; computed by us; a guess of ours


class NotComparable(Exception):
    """These results cannot decide a claim; the message says why."""


@dataclass(frozen=True)
class Within:
    """The claim: the quantity lies between `least` and `most`, and the 95 % interval decides.

    open_constant: the claim is that some constant exists, and the bound has one that we chose: it can
    confirm the claim, but not contradict it."""

    least: float = -math.inf
    most: float = math.inf
    open_constant: bool = False


@dataclass(frozen=True)
class Trend:
    """The claim is about a limit, and a slope between `least` and `most` over finitely many rounds
    agrees with it. The interval decides between agreement and disagreement; neither is a proof.

    worst_case: the claim is about the worst function and measured on random ones, which may be easier: the
    slope can agree with it, but not disagree."""

    least: float = -math.inf
    most: float = math.inf
    worst_case: bool = False


@dataclass(frozen=True)
class Printed:
    """The claim: the quantity is `value`, to within the share `tolerance` of it. The interval must lie
    within the tolerance to confirm that (a test of equivalence) and outside to contradict it."""

    value: float
    tolerance: float = 0.0


@dataclass(frozen=True)
class Holds:
    """The claim is a condition on computed values, without an interval: it holds or it does not."""

    holds: bool


@dataclass(frozen=True)
class Vacuous:
    """The claim is a bound that nothing could exceed."""


Comparison = Within | Trend | Printed | Holds | Vacuous


@dataclass(frozen=True)
class Measured:
    """Name of the measured quantity; our estimate; what the claim says about it, None where the claim has a
    `rule`; a note for readers."""

    quantity: str
    ours: Estimate
    claimed: Comparison | None
    note: str = ""


@dataclass(frozen=True)
class Interpretation:
    """One way to read a claim: its name, the arguments and the experiments that differ from those of
    the claim, and a remark of its own."""

    name: str
    arguments: Mapping[str, object]
    experiments: tuple[str, ...] = ()
    remark: str = ""


def interpretation(
    name: str, /, *, experiments: tuple[str, ...] = (), remark: str = "", **arguments: object
) -> Interpretation:
    """An interpretation; `arguments` replace those of the claim's measurement, or add to them."""
    return Interpretation(name, arguments, experiments, remark)


@dataclass(frozen=True)
class Claim:
    """A claim: paper, item, wording, and the function of `tvgp.study.claims.measures` that measures
    it, with its arguments. `paper` "fact" or "hypothesis": a statement of our own.

    experiments: the experiments or analyses on which it is measured, one by one; with `together`,
    once on all of them, a mapping from their names; none for a claim that is not judged, of which the remark
    says why. `between`: what they differ in. interpretations: the
    ways to read the claim, each measured on every experiment; `depends`: what they differ in.
    `horizon`: number of rounds for which the claim is stated, None for any; `data`: how the data, or the
    set-up of synthetic ones, differ from the paper's, "" where they do not and for data that name
    themselves a substitute;
    `remark`: what a reader must know to judge the comparison; `rule`: what the claim says about the measured
    quantity, where that can be said without results, so that a published number can be judged again.
    """

    paper: str
    item: str
    experiments: tuple[str, ...]
    claimed: str
    measure: Callable[..., Measured]
    arguments: Mapping[str, object] = field(default_factory=dict)
    horizon: int | None = None
    remark: str = ""
    together: bool = False
    interpretations: tuple[Interpretation, ...] = ()
    depends: str = "the reading"
    between: str = "the experiment"
    data: str = ""
    rule: Comparison | None = None

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return self.paper if self.paper in KINDS else "published"


@dataclass(frozen=True)
class Source:
    """What the claims of a group share: their paper, experiments, horizon, what the experiments differ
    in, and how their data or set-up differ from the paper's (see `Claim`)."""

    paper: str
    experiments: tuple[str, ...]
    horizon: int | None = None
    between: str = "the experiment"
    data: str = ""

    def claim(
        self,
        item: str,
        claimed: str,
        measure: Callable[..., Measured],
        /,
        *,
        remark: str = "",
        together: bool = False,
        interpretations: tuple[Interpretation, ...] = (),
        depends: str = "the reading",
        rule: Comparison | None = None,
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
            interpretations,
            depends,
            self.between,
            self.data,
            rule,
        )
