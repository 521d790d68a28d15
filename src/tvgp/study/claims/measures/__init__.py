"""What results say to a claim: one function for each kind of claim, one file for each source.

A kind takes the collected results that a `tvgp.study.claims.Claim` names, and its arguments, and returns
(quantity in words, ours, verdict, note). `NotComparable` says why results cannot speak to it.
"""

from tvgp.study.claims.measures import (
    bogunovic16,
    janz20,
    lower_bounds,
    premises,
    regimes,
    study,
    vakili21,
)
from tvgp.study.claims.measures.verdict import VERDICTS, NotComparable

__all__ = ["KINDS", "VERDICTS", "NotComparable"]

KINDS = {
    kind.__name__: kind
    for source in (study, bogunovic16, janz20, vakili21, lower_bounds, regimes, premises)
    for kind in source.KINDS
}
