"""Checks of results that a study left in `results/<scale>/`; skipped where there are none.

They read what a reader would read: figures, tables and the report, against the results that the study's own
records name, whatever configuration it had.
"""

import csv
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tvgp.live import Live
from tvgp.study import results, tables
from tvgp.study.claims import judge
from tvgp.study.config import loading
from tvgp.study.execution import files, provenance
from tvgp.study.figures.base import style
from tvgp.study.results import presentation
from tvgp.study.tables import claims as claims_table

ROOT = Path(__file__).resolve().parents[2] / "results"
STUDIES = sorted(path.parent for path in ROOT.glob("*/report.html"))


@pytest.fixture(params=STUDIES or [None], ids=lambda p: p.name if p else "none")
def study(request) -> Path:
    if request.param is None:
        pytest.skip("no study was run here (make study writes results/quick)")
    return request.param


@pytest.fixture
def collected(study) -> dict:
    return {p.stem: results.read(p) for p in sorted((study / "collected").glob("*.nc"))}


def drawn(study: Path, kind: str) -> Iterator[tuple[dict, list]]:
    """Each product of a kind, "figures" or "tables", as it was ordered, and the results that it reads."""
    for path in sorted(study.rglob("records/*.json")):
        record = files.read_object(path)
        for product in record["job"].get("products", ()):
            if product["kind"] == kind:
                yield product, [results.read(path.parent / name) for name in record["inputs"]]


def rows(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_the_last_run_printed_no_warning_of_python(study):
    log = max((study / "logs").glob("snakemake-*.log"))
    assert not re.findall(r".*[a-z]Warning: .*", log.read_text(encoding="utf-8"))


def test_every_figure_is_there_twice_and_says_what_it_shows(study):
    figures = list(drawn(study, "figures"))
    assert figures
    for product, shown in figures:
        (png,) = study.rglob(f"{product['stem']}.png")
        assert png.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
        with Image.open(png) as image:
            _, folder, name = product["stem"].split("/")
            assert image.text["Title"] == f"{folder}/{name if product['across'] else product['module']}"
            caption = image.text["Description"]
        assert ("stand-in data" in caption.lower()) == any(map(results.is_standin, shown)), png


def test_every_variant_has_a_look_of_its_own(collected, project):
    policies = loading.read(project / "config")["policies"]
    for data in collected.values():
        every = [str(name) for name in data.policy.values]
        # the members of a sweep share a relative's look by intention: its name
        names = [n for n in every if not isinstance(policies.get(n, {}).get("look"), str)]
        with presentation.of(policies):
            looks = [style.look(n) for n in names]
        assert len({(str(look.line), look.marker, look.filled) for look in looks}) == len(names)


def test_regret_table_agrees_with_the_runs(study, collected):
    table = study / "tables/regret.csv"
    if not table.exists():
        pytest.skip("this study selects no regret table")
    runs = {}
    for name, data in collected.items():
        regret = data.regret.mean(("seed", "round"))
        for policy, alpha in itertools.product(data.policy.values, data.alpha.values):
            runs[name, str(policy), str(alpha)] = float(regret.sel(policy=policy, alpha=alpha))
    found = {(r["experiment"], r["policy"], r["alpha"]): float(r["average_regret"]) for r in rows(table)}
    assert found.keys() == {key for key, value in runs.items() if np.isfinite(value)}
    for key, value in found.items():
        assert value == pytest.approx(runs[key], rel=1e-5, abs=1e-12)


def test_checks_name_every_experiment(study, collected):
    assert set(files.read_object(study / "check.json")) == set(collected)


def test_tables_are_what_the_results_give(study):
    made = list(drawn(study, "tables"))
    assert made
    for product, inputs in made:
        if product["module"] != "comparisons":  # as slow as all others together
            fresh = tables.rows(product["module"], inputs, **product["parameters"])
            (path,) = study.rglob(f"{product['stem']}.csv")
            assert len(fresh) == len(rows(path)), path


def test_verdicts_are_known_and_standins_settle_nothing(study):
    path = study / "tables/claims.csv"
    if not path.exists():
        pytest.skip("this study selects no claims table")
    for row in rows(path):
        assert row["verdict"] in judge.VERDICTS
        assert judge.category(row["claim_verdict"]) in judge.VERDICTS
        assert row["data"] != "standin" or row["verdict"] == "not comparable"


def test_facts_of_the_environments(collected):
    """Uniform play 1.347 and best fixed arm .313 on moving_bump, optimum 1.36 on rkhs_sine."""
    frame = claims_table.rows(list(collected.values()))
    facts = frame[(frame.paper == "fact") & frame.item.isin(["moving_bump", "rkhs_sine"])]
    judged = facts[facts.verdict != "not comparable"]
    assert set(judged.verdict) <= {"confirmed"}


def test_report_is_small_and_independent_of_the_machine(study):
    page = (study / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 6e6
    for link in set(re.findall(r'(?:src|href)="(?!data:image/png;base64,|#)([^"]*)', page)):
        target = (study / link).resolve()
        assert target.is_file() and target.is_relative_to(ROOT.parent), link
    assert not re.search(r"<(?:link|iframe)\b|<script[^>]+src|@import|url\(", page)
    assert str(ROOT.parent) not in page
    shown = re.findall(r'<img src="(figures/[^"]*)"', page)
    assert len(shown) == len(set(shown)) == len(list((study / "figures").rglob("*.png")))


def test_every_product_is_the_one_that_its_record_names(study):
    records = sorted(study.rglob("records/*.json"))
    known = set()
    for record in records:
        content = files.read_object(record)
        provenance.require({str(record): content["recipe"]})
        known |= {(record.parent / name).resolve() for name in content["products"]}
    shown = [*study.rglob("figures/**/*.p*"), study / "report.html"]
    ordered = {product["stem"].rpartition("/")[2] for product, _ in drawn(study, "tables")}
    made = [path for path in study.rglob("tables/*.*") if path.stem in ordered]
    assert {path.resolve() for path in (*shown, *made)} <= known


def test_nothing_half_written_is_left(study):
    assert not list(study.rglob(".part-*"))


def test_files_to_take_live_are_what_their_names_say(study):
    for folder in study.glob("live/*/"):
        for name in ("policy.db", "reading.db", "reading_after.db"):
            with Live.load(folder / name) as started:
                assert len(started.names) > 1
        if (season := folder / "season.json").exists():
            assert files.read_object(season).keys() == set(started.names)
