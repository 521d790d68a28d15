"""What a claim is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Claim:
    """A claim: where it stands, in words, and the kind of measurement (a function of that name in
    `tvgp.study.claims.measures`) with its arguments. `experiments`: names of experiments or analyses, each
    of which the claim is measured on; with `together`, it is measured once on all of them.
    `horizon`: rounds for which it is stated, None for any; `remark`: what a reader must know to
    judge the comparison."""

    paper: str
    item: str
    experiments: tuple[str, ...]
    claimed: str
    kind: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    horizon: int | None = None
    remark: str = ""
    together: bool = False


BASELINES_2025A = ("tv_gp_ucb", "w_gp_ucb", "r_gp_ucb", "sw_gp_ucb", "gp_ucb")
