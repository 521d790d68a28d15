"""How often the intervals of the study hold the truth, by law and number of runs.

Each case draws many samples with a fixed seed and counts. The expected coverage is that of 200,000
samples; a case fails by chance with probability below 1e-4 (four standard deviations of the count).
"""

import numpy as np
import pytest

from tvgp.study.results.statistics import half_width, largest_mean, log_slope, mean_interval

SAMPLES = 4000
LAWS = {
    "normal": (lambda rng, size: rng.normal(1.0, 0.5, size), 1.0),
    "exponential": (lambda rng, size: rng.exponential(1.0, size), 1.0),
    "lognormal": (lambda rng, size: rng.lognormal(0.0, 0.5, size), np.exp(0.125)),
}
EXPECTED = {
    ("normal", 5): 0.950,
    ("normal", 10): 0.950,
    ("normal", 30): 0.950,
    ("exponential", 5): 0.884,
    ("exponential", 10): 0.902,
    ("exponential", 30): 0.929,
    ("lognormal", 5): 0.916,
    ("lognormal", 10): 0.922,
    ("lognormal", 30): 0.935,
}


def _close(found: float, expected: float, samples: int = SAMPLES) -> bool:
    return abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / samples)


@pytest.mark.parametrize(("law", "runs"), EXPECTED)
def test_intervals_of_means_cover_as_stated(law, runs):
    draw, truth = LAWS[law]
    values = draw(np.random.default_rng(runs), (runs, SAMPLES))
    inside = np.abs(values.mean(axis=0) - truth) <= half_width(values)
    assert _close(inside.mean(), EXPECTED[law, runs])


@pytest.mark.parametrize("runs", [5, 10, 30])
def test_false_verdicts_are_as_rare_as_the_report_says(runs):
    """A claim that is just false (its limit is the truth) is confirmed in 2.5 % of normal samples; with
    exponential ones a claim "less than" is, with 5 runs, in 11 %, and "more than" in less than 1 %."""
    rng = np.random.default_rng(runs)
    shares = {}
    for law in ("normal", "exponential"):
        values = LAWS[law][0](rng, (runs, SAMPLES))
        mean, half = values.mean(axis=0), half_width(values)
        shares[law] = (mean + half < 1.0).mean(), (mean - half > 1.0).mean()
    assert all(_close(share, 0.025) for share in shares["normal"])
    assert shares["exponential"][0] < 0.13 and shares["exponential"][1] < 0.015


def test_the_largest_of_several_means_is_covered():
    """Ten equal means of 8 runs: the interval of the maximum misses on each side in 2.5 % at most."""
    rng = np.random.default_rng(0)
    above = below = 0
    for _ in range(400):  # misses above are rarer: all ten means would have to lie low
        ours, index = largest_mean(list(rng.normal(0.0, 1.0, (10, 8))))
        above, below = above + (ours.low > 0), below + (ours.high < 0)
        assert 0 <= index < 10
    assert above <= 20 and below <= 20  # 10 expected: more than 20 has probability 1e-3 at most
    one, _ = largest_mean([[1.0, 2.0, 4.0]])
    assert one == mean_interval([1.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="no samples"):
        largest_mean([])


def test_slopes_over_independent_samples_cover_as_stated():
    """Three samples of 5 normal runs of relative spread .2: 95 % and a little more, for Welch's degrees
    of freedom err on the safe side."""
    rng, x, hits = np.random.default_rng(1), np.log([0.001, 0.01, 0.03]), 0
    for _ in range(1000):
        samples = [np.exp(0.4 * v) * rng.normal(1.0, 0.2, 5) for v in x]
        ours = log_slope(x, samples)
        hits += ours.low <= 0.4 <= ours.high
    assert 0.925 < hits / 1000 < 0.985
