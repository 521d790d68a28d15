"""The benchmark's page from its own files: verdicts, long runs, separate weights."""

import csv
import json

import pytest

MINIMUM = {"comparison": "kdpp_first", "title": "Exact k-DPP", "job": "one sample", "remark": ""}


@pytest.fixture
def page(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project))
    from benchmarks import page

    return page


def series(plot, line, seconds, **others):
    rows = [
        {"line": line, "size": t, "seconds": s, "plot": plot, "peak_mb": 100.0, **others}
        for t, s in seconds.items()
    ]
    return rows


def test_the_page_holds_every_measurement(page, tmp_path):
    results, docs = tmp_path / "results", tmp_path / "docs"
    times = [
        MINIMUM
        | {
            "contender": name,
            "rounds": 5,
            "median_seconds": s,
            "least_seconds": s,
            "largest_seconds": s,
            "before_mb": 70,
            "peak_mb": 80,
        }
        for name, s in {"ours": 0.002, "theirs": 0.03}.items()
    ]
    ratio = {"comparison": "kdpp_first", "slow": "theirs", "fast": "ours", "ratio": 15.0}
    ratio |= {"least": 14.0, "largest": 16.0, "at_least": 15, "reached": "yes"}
    page.write_csv(results / "times.csv", times)
    page.write_csv(results / "ratios.csv", [ratio])
    arms = {"algorithm": "gp_ucb", "engine": "append", "asked": "", "kernel": "Haswell"}
    page.write_csv(results / "identical_arms.csv", [arms | {"sha256": "a"}])
    page.write_csv(results / "scaling.csv", series("rounds", "GP-UCB", {1000: 1e-5, 100_000: 2e-5}))
    long = series("long", "UI", {1000: 1e-3, 100_000: 3e-3}, run=200.0, engine="merged")
    for row, weights in zip(long, (1e-4, 2e-3), strict=True):
        row["weights"] = weights
    page.write_csv(results / "long" / "scaling.csv", long)
    many = series("many_arms", "GP-UCB", {1000: 1e-3, 10_000: 9e-3}, run=50.0, engine="lazy")
    page.write_csv(results / "many_arms" / "scaling.csv", many)
    for name in ("rounds", "long/long", "many_arms/many_arms"):
        (results / f"{name}.png").write_bytes(b"figure")
    (results / "machine.json").write_text(json.dumps({"cores": "2"}))
    page.write(results, docs)
    text = (docs / "benchmarks.md").read_text()
    assert "| Exact k-DPP | theirs / ours | at least 15 | 15 [14, 16] | yes |" in text
    assert "| GP-UCB | at most 1.5 | 2.00 | no |" in text
    assert "whole runs, weights apart | UI | at most 1.5 | 1.11 | yes |" in text
    assert "| UI | merged | 100,000 | 200 s | 1 (0.1) | 3 (2) | 3.00 | 1.11 | 100 |" in text
    assert "| GP-UCB | at most 3 GB | 0.10 GB | yes |" in text
    assert {p.name for p in (docs / "benchmarks").iterdir()} == {"rounds.png", "long.png", "many_arms.png"}
    with open(results / "long" / "scaling.csv", encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == 2


@pytest.mark.parametrize(
    ("method", "seconds", "judged"),
    [
        ("gp_ucb", 0.019, "at most 2.0 floors | 1.9 | yes"),
        ("sparq_gp_ucb", 0.026, "at most 2.5 floors | 2.6 | no"),
    ],
)
def test_page_judges_each_method_by_its_floor(page, method, seconds, judged):
    row = MINIMUM | {"comparison": "methods", "title": "Fig. 2", "contender": f"tvgp: {method}"}
    row |= {"median_seconds": str(seconds), "floor_seconds": "0.01"}
    assert f"| Fig. 2 | tvgp: {method} | {judged} |" in page._targets([row], [], [])


def test_page_judges_the_figure_by_twelve_seconds(page):
    row = MINIMUM | {"comparison": "figure", "contender": "tvgp study"}
    for seconds, judged in (("0.39", "12 s (30 x one seed) | yes"), ("0.42", "13 s (30 x one seed) | no")):
        assert judged in page._targets([row | {"median_seconds": seconds}], [], [])
