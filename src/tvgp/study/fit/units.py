"""Units of an experiment's fitted numbers."""

from __future__ import annotations


def units_of(value: str, coordinate: str, round_label: str) -> dict[str, str]:
    """Units of every fitted number, from those of rewards, coordinates and rounds."""
    squared = value if value == "1" else f"({value})^2"
    return {
        "variance": squared,
        "length_scale": coordinate,
        "noise_variance": squared,
        "epsilon": f"1/{round_label}",
        "alpha": "1",
        "gamma": f"factor per {round_label}",
        "norm_bound": "1",
        "prior_mean": value,
        "standard_errors": "log of the parameter; epsilon: logit",
    }
