"""The benchmark's page: ratios with their targets, times, arms, growth."""

import pytest

from benchmarks import page

TIMES = {"title": "Exact k-DPP", "job": "one sample", "rounds": 5, "peak_mb": 80.0, "remark": ""}
RATIO = {"title": "Exact k-DPP", "slow": "theirs", "fast": "ours", "ratio": 15.0, "least": 14.0}


@pytest.fixture
def text():
    times = [
        TIMES | {"contender": name, "median": s, "least": s, "largest": 2 * s}
        for name, s in {"theirs": 1.03, "ours": 0.002}.items()
    ]
    times.append({**TIMES, "contender": "absent", "remark": "skipped: absent is not installed"})
    ratios = [
        RATIO | {"largest": 16.0, "at_least": 15, "reached": "yes"},
        RATIO | {"largest": 16.0, "at_least": None, "reached": ""},
    ]
    arms = [
        {"algorithm": algorithm, "engine": engine, "kernel": "Haswell", "sha256": digest}
        for algorithm, engine, digest in [("gp_ucb", "append", "a"), ("gp_ucb", "lazy", "a")]
        + [("w_gp_ucb", "merged", "b"), ("w_gp_ucb", "dense", "c")]
    ]
    series = [
        {"table": "rounds", "line": line, "size": size, "seconds": seconds, "peak_mb": 231.4}
        for line, size, seconds in [("GP", 1_000, 1e-5), ("GP", 100_000, 2e-5), ("append", 1_000, 3e-4)]
        + [("full", 10_000, 1.0001e-3), ("full", 100_000, 1e-3), ("full", 1_000, 1e-4)]
    ]
    return page.text({"cores": "2"}, times, ratios, arms, series)


@pytest.mark.parametrize(
    "line",
    [
        "| cores | 2 |",
        "| Exact k-DPP | theirs | ours | 15 [14, 16] | at least 15: yes |",
        "| Exact k-DPP | theirs | ours | 15 [14, 16] |  |",
        "| gp_ucb | append, lazy | identical |",
        "| w_gp_ucb | merged, dense | 2 different |",
        "| round | 1,000 | 10,000 | 100,000 | slope | at the end | peak memory, MB |",
        "| GP | 0.01 |  | 0.02 | 0.15 | 0.15 | 231 |",
        "| append | 0.3 |  |  |  |  | 231 |",
        "| full | 0.1 | 1 | 1 | 0.50 | 0.00 | 231 |",
    ],
)
def test_page_has_every_number(text, line):
    assert f"\n{line}\n" in text


def test_page_lists_the_fastest_first(text):
    order = ["| ours | 2 ms [2, 4] | 5 | 80 |", "| theirs | 1.03 s [1.03, 2.06] | 5 | 80 |"]
    order.append("| absent | skipped: absent is not installed |  |  |")
    assert "\n".join(order) in text
