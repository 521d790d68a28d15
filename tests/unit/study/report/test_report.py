"""The report: a page with links to files beside it, the same bytes twice, no path of the machine."""

import base64
import dataclasses
import io
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import example_results
import numpy as np
import pytest
from PIL import Image

from tvgp.study import figures, results, tables
from tvgp.study.claims import CLAIMS
from tvgp.study.execution import files
from tvgp.study.report import findings, links
from tvgp.study.report import page as report
from tvgp.study.report.cells import number
from tvgp.study.report.experiment import section
from tvgp.study.report.papers import PAPERS, Paper
from tvgp.study.results import advice, mathematics


@pytest.fixture(scope="module")
def parts(tmp_path_factory, request) -> dict:
    folder = tmp_path_factory.mktemp("study")
    small = {"horizon": 40, "seeds": 3}
    collected = [
        example_results.write(folder, "rkhs_sine", alphas=("1", "0.5", "fit"), **small),
        example_results.write(folder, "berkeley_france", "standin", **small),
    ]
    (folder / "records").mkdir()
    (folder / "records" / "report.json").write_text("written after the page")
    (folder / "claims.csv").write_text(tables.rows("claims", collected).to_csv(index=False))
    pngs = [
        figures.make(name, path, folder / "figures" / path.stem / name, pdf_fonts=3)[1]
        for path in collected
        for name in ("average_regret", "controls")
    ]
    again = folder / "figures" / "rkhs_sine" / "regret_again"  # a figure may be drawn with several settings
    for suffix in (".pdf", ".png"):
        shutil.copy(pngs[0].with_suffix(suffix), again.with_suffix(suffix))
    pngs.append(again.with_suffix(".png"))
    (folder / "berkeley_france").mkdir()
    quality = folder / "berkeley_france" / "quality.csv"
    quality.write_text("item,count,what was done\ncells in the outline,40,kept\n")
    manifest = folder / "berkeley_france" / "raw.json"
    source = {"path": "/home/someone/raw/file.nc", "bytes": 1234, "sha256": "ab" * 32, "url": None}
    content = {"dataset": "berkeley_france", "source": "standin", "note": "", "files": [source]}
    files.write_object(manifest, content)
    check = folder / "check.json"
    files.write_object(check, {"rkhs_sine": {"regret": 100}})
    project = Path(__file__).resolve().parents[4]
    return {
        "template": project / "workflow/report/report.html.j2",
        "config": {"scale": "smoke", "experiments": {"rkhs_sine": {"model": {"delta": 0.05}}}},
        "collected": collected,
        "figures": pngs,
        "tables": [folder / "claims.csv"],
        "quality": [quality],
        "manifests": [manifest],
        "check": check,
    }


@pytest.fixture(scope="module")
def page(parts) -> str:
    return report.render(report.Inputs(**parts), folder_of(parts))


def folder_of(parts) -> Path:
    return Path(parts["check"]).parent


class Links(HTMLParser):
    """Collects what a browser would load or follow, and the ids there are."""

    def __init__(self, page: str):
        super().__init__()
        self.loaded, self.followed, self.ids, self.images, self.headings = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.loaded += [attrs[key] for key in ("src", "srcset", "data", "poster") if key in attrs]
        if tag in ("link", "iframe", "object", "base"):
            self.loaded.append(tag)
        if "href" in attrs:
            self.followed.append(attrs["href"])
        if tag == "img":
            self.images.append(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))


def test_all_links_lead_to_something_beside_the_page_or_in_it(page, parts):
    links = Links(page)
    folder = folder_of(parts)
    assert len(links.ids) == len(set(links.ids))
    inside = {address for address in links.followed if address.startswith("#")}
    assert {address[1:] for address in inside} <= set(links.ids)
    outside = {*links.loaded, *links.followed} - inside
    files_beside = [address for address in outside if not address.startswith("data:image/png;base64,")]
    assert all((folder / address).is_file() for address in files_beside)
    assert not any(address.startswith("/") or ":" in address for address in files_beside)
    assert not re.search(r"@import|url\(", page)


def test_every_figure_is_there_with_words_for_who_cannot_see_it(page, parts):
    images = Links(page).images
    shown = [image for image in images if not image["src"].startswith("data:")]
    assert len(shown) == len(parts["figures"])
    assert all(30 < len(image["alt"]) < 300 and "$" not in image["alt"] for image in images)


def test_tables_have_captions_and_heads_a_scope(page):
    heads, tables_of_page = re.findall(r"<th[^e][^>]*>", page), re.findall(r"<table[^>]*>\s*(<\w+)", page)
    assert heads and all('scope="col"' in head for head in heads)
    assert len(tables_of_page) > 10 and set(tables_of_page) == {"<caption"}
    assert re.search(r'class="skip" href="#(\w+)"', page)[1] in Links(page).ids


def test_only_key_figures_are_embedded_in_the_page(page):
    """rkhs_sine/average_regret is the key figure of Mauduit25b; it keeps the size of its file."""
    key, *others = Links(page).images
    assert key["src"].startswith("data:") and not any(i["src"].startswith("data:") for i in others)
    content = base64.b64decode(key["src"].partition(",")[2])
    with Image.open(io.BytesIO(content)) as image:
        assert image.mode == "P" and image.width == 2 * int(key["width"])
    assert len(content) < 100_000


def test_figures_of_one_kind_keep_their_configured_names(page, monkeypatch, parts):
    ids = Links(page).ids
    assert len(ids) == len(set(ids))
    assert {"rkhs_sine-average_regret", "rkhs_sine-regret_again"} <= set(ids)
    [paper] = [p for p in PAPERS if p.key == "Mauduit25b"]
    renamed = dataclasses.replace(paper, figures=(("rkhs_sine", "regret_again"),))
    monkeypatch.setattr(report, "PAPERS", (renamed,))
    other = report.render(report.Inputs(**parts), folder_of(parts))
    assert '<a href="#rkhs_sine-regret_again"><img src="data:' in other


def test_the_page_tells_its_story_before_it_lists_claims(page):
    """Papers with three sentences and a figure, then verdicts, then folded sections; below 6 MB."""
    order = [
        page.index(f'id="{name}"') for name in ("Mauduit25b", "verdicts", "claims", "experiments", "made")
    ]
    assert order == sorted(order)
    story = page[: page.index('id="claims"')]
    assert story.count('<section class="paper">') == 1  # of the other papers nothing was run
    measured = re.search(r"<p>[^\n]*W-SparQ-GP-UCB has an average regret of [^\n]*</p>", story)
    assert measured and "paired difference" in measured[0]
    assert len(page) < 6e6
    assert "<details open" not in page


def test_a_report_on_own_questions_omits_papers_and_claims(parts, tmp_path, monkeypatch):
    monkeypatch.setitem(example_results.SCALES, "tides", 2.0)
    monkeypatch.setitem(example_results.TITLES, "tides", "Tides")
    own = example_results.write(tmp_path, "tides", horizon=40, seeds=3)
    alone = {"template": parts["template"], "config": parts["config"], "collected": [own]}
    page = report.render(report.Inputs(**alone), tmp_path)
    assert 'id="tides"' in page and "Further experiments" not in page
    assert 'class="paper"' not in page and 'class="claims"' not in page and 'id="verdicts"' not in page


def test_data_of_ones_own_have_the_answer_first(parts, tmp_path, monkeypatch):
    """Title, conclusion and figure come before everything else; the table is folded."""
    monkeypatch.setitem(example_results.SCALES, "tides", 2.0)
    monkeypatch.setitem(example_results.TITLES, "tides", "Tides")
    own = example_results.write(tmp_path, "tides", "real", horizon=40, seeds=3)
    drawn = figures.make("controls", own, tmp_path / "figures" / "controls", pdf_fonts=3)[1]
    csv = tables.make("answer", [own], tmp_path / "answer.csv")
    config = {
        "experiments": {"tides": {"dataset": "tides"}},
        "datasets": {"tides": {"maximise": False}},
    }
    given = {"template": parts["template"], "config": config, "collected": [own]}
    page = report.render(report.Inputs(**given, figures=[drawn], tables=[csv]), tmp_path)
    assert "<h1>Tides</h1>" in page and "the smallest value is best" in page
    marks = ('<h2 id="answer"', "What to do", "data:image/png", "Every method and query", 'id="experiments"')
    order = [page.index(mark) for mark in marks]
    assert order == sorted(order) and page.count('class="answer"') == 1
    assert 'href="answer.csv"' in page


def test_real_fields_of_a_study_have_the_answer_in_their_section(page):
    section = page[page.index('id="berkeley_france"') :]
    assert page.count('class="answer"') == 1 and "What to expect" in section
    assert 'id="answer"' not in page


def test_headings_leave_out_no_level(page):
    levels = Links(page).headings
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_no_formula_is_left_in_plain_characters(page):
    assert len(re.findall("<i>", page)) > 100
    text = re.sub(r"<(script|style|code)\b.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
    assert not re.findall(r".{0,40}(?:\balpha\b|\bepsilon\b|alpha_tilde|T\^|\$|\\).{0,40}", text)


def test_every_claim_has_data_and_a_definition(page):
    """The table of claims has a body for each claim, and every row of it links to the CSV and names its
    definition; the rows of experiments that were run link to figure and NetCDF."""
    table = re.search(r'<table class="claims">.*?</table>', page, re.DOTALL)[0]
    assert table.count("<tbody") == len(CLAIMS)
    rows = re.findall(r'<div class="links screen">.*?</div>', table)
    assert all(">CSV</a>" in row and ".py, measured by " in row for row in rows)
    run = [row for row in rows if "rkhs_sine.nc" in row]
    assert run and all('href="#rkhs_sine-average_regret"' in row for row in run)


def test_a_page_in_the_project_links_its_definitions(parts):
    project = Path(parts["template"]).parents[2]
    page = report.render(report.Inputs(**parts | {"figures": []}), project / "results" / "any")
    assert 'href="../../src/tvgp/study/claims/mauduit25b.py"' in page


def test_standins_are_marked_at_the_top_and_in_their_section(page):
    assert page.count('class="banner"') == 2
    assert page.index("Stand-in data:") < page.index('id="claims"')


def test_the_matrix_counts_every_claim_by_kind_paper_and_verdict(page):
    """A row for each paper with published claims, and the sums of the kinds; a claim with readings has
    one verdict of its own; the number of false verdicts to expect is printed."""
    matrix = re.search(r'<table class="matrix">.*?</table>', page, re.DOTALL)[0]
    rows = re.findall(r"<tr[^>]*><td>([^<]*)</td>(.*?)</tr>", matrix)
    assert [name for name, _ in rows][: len(PAPERS)] == [p.key for p in PAPERS]
    for name, cells in rows:
        *counts, total = [int(n) for n in re.findall(r">(\d+)<", cells)]
        assert sum(counts) == total, name
    totals = {name: int(re.findall(r">(\d+)<", cells)[-1]) for name, cells in rows}
    for kind, name in (
        ("published", "All of the papers"),
        ("fact", "Facts computed by this study"),
        ("hypothesis", "Hypotheses of this study"),
    ):
        assert totals[name] == sum(claim.kind == kind for claim in CLAIMS)
    whole = re.findall(r'<tr class="whole">.*?</tr>', page)
    assert sum("W-SparQ's queries are <i>T</i><sup>(4 <i>α</i>" in row for row in whole) == 1
    assert re.search(r"had to decide \d+ rows.*?, [\d.]+ false verdicts are to be expected", page)


def test_page_has_claims_methods_tuning_origin_and_checks(page, parts):
    for text in (
        "Verdicts on the claims",
        "Mauduit25b",
        "squared exponential",
        "Confidence level <i>δ</i> = 0.05.",
        "edge of the grid",
        "cells in the outline",
        "ab" * 32,
        "rkhs sine: regret",
        "0123456789ab",
        "generated by the study",
    ):
        assert text in page, text
    assert "/home/someone" not in page and str(folder_of(parts)) not in page


def test_same_input_same_page_whatever_the_order_of_definitions(page, parts):
    config = dict(reversed(parts["config"].items()))
    assert list(config) != list(parts["config"])
    assert report.render(report.Inputs(**parts | {"config": config}), folder_of(parts)) == page


def test_variants_may_share_a_label(parts, tmp_path, monkeypatch):
    monkeypatch.setitem(example_results.VARIANTS, "mine", ("UI-GP-UCB", "control", "ui_gp_ucb", 0.3))
    small = {"alphas": ("1", "0.5"), "horizon": 40, "seeds": 3}
    own = example_results.write(tmp_path, "rkhs_sine", variants=("gp_ucb", "ui_gp_ucb", "mine"), **small)
    data = results.read(own)
    data["regret"] = data.regret.where(data.alpha == "1", 2.0 * data.regret)
    link = links.Links(tmp_path, parts["template"], [own], [])
    rows = section(data, [], {}, link)["alphas"]["rows"]
    assert [row[0] for row in rows].count("UI-GP-UCB") == 2 and len(rows) == 3
    assert all(row[1] == pytest.approx(2.0 * row[2]) for row in rows)


def test_findings_show_what_beats_the_methods(tmp_path):
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    text = " ".join(findings.sentences(results.read(path)))
    assert "yesterday's best arm" in text and "clearly less than every published method" in text
    assert (
        "Replacing the exact k-DPP of SparQ" in text
        and "Evaluations (plays and expert queries) per day" in text
    )
    assert re.search(r"Least average .*\], an interval that allows for the choice among [0-9]+\.", text)
    assert "ends on a bound" not in text and "The fit ended on a bound: $ε$." in text


def test_findings_follow_the_numbers(tmp_path, monkeypatch):
    worse = ("Yesterday's best", "control", "yesterdays_best", 1.5)
    monkeypatch.setitem(example_results.VARIANTS, "yesterdays_best", worse)
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    text = " ".join(findings.sentences(results.read(path)))
    assert "not clearly less than any published method" in text


def test_a_paper_in_sentences_follows_the_numbers(tmp_path):
    """What was asked; the first pair that was run; the counts of verdicts. Nothing run, nothing said."""
    run = results.read(example_results.write(tmp_path, "rkhs_sine", horizon=80, seeds=4))
    pairs = (("not_run", "sparq_gp_ucb", "gp_ucb"), ("rkhs_sine", "sparq_gp_ucb", "gp_ucb"))
    judged = ["confirmed", "confirmed", "trend agrees", "depends on the reading"]
    paper = Paper("Key24", "Reference", "What?", pairs, ())
    asked, measured, counted = findings.of_paper(paper, [], {"rkhs_sine": run}, judged)
    swapped = dataclasses.replace(paper, pairs=(("rkhs_sine", "gp_ucb", "sparq_gp_ucb"),))
    _, other_way = findings.of_paper(swapped, [], {"rkhs_sine": run}, [])
    assert asked == "What?"
    assert {"clearly less than" in measured, "clearly less than" in other_way} == {True, False}
    assert {"clearly more than" in measured, "clearly more than" in other_way} == {True, False}
    assert counted == (
        "Of its 4 claims: 2 confirmed, 1 supported by the trend, 1 decided differently by different"
        " readings or experiments."
    )
    assert findings.of_paper(paper, [], {}, []) == ["What?"]


@pytest.mark.parametrize(
    ("verdicts", "denied", "begins"),
    [
        (["confirmed", "confirmed"], False, "Yes (Key24, Theorem 1). "),
        (["trend agrees", "vacuous"], False, "Yes, so far (Key24"),
        (["contradicted"], False, "No (Key24"),
        (["trend agrees", "trend disagrees"], False, "It depends (Key24"),
        (["confirmed"], True, "No (Key24"),
    ],
)
def test_a_question_is_answered_by_the_verdicts_on_its_claims(verdicts, denied, begins):
    paper = Paper("Key24", "Reference", "Is it so?", (), (), denied=denied)
    row = {"paper": "Key24", "item": "Theorem 1", "experiment": "sine", "quantity": "exponent of R_T"}
    claims = [row | {"verdict": verdict, "ours": 0.61, "low": 0.5, "high": 0.7} for verdict in verdicts]
    asked, answer = findings.of_paper(paper, claims, {}, [])
    assert asked == "Is it so?" and answer.startswith(begins)
    assert f"sine, exponent of R_T: 0.61 [0.5, 0.7] ({verdicts[0]})" in answer and "vacuous" not in answer
    computed = [claims[0] | {"low": np.nan, "high": np.nan}]
    assert "exponent of R_T: 0.61 (" in findings.of_paper(paper, computed, {}, [])[1]
    undecided = [claims[0] | {"verdict": "inconclusive"}]
    assert findings.of_paper(paper, undecided, {}, []) == ["Is it so?"]


def test_papers_are_those_of_the_claims_and_name_what_exists(definitions):
    assert {p.key for p in PAPERS} == {c.paper for c in CLAIMS if c.kind == "published"}
    claimed = {(c.paper, c.item, mathematics.plain(c.claimed)) for c in CLAIMS}
    for paper in PAPERS:
        source, item, beginning = paper.answered
        assert not item or any(
            (p, c.startswith(beginning), i.startswith(item)) == (source, True, True) for p, i, c in claimed
        )
        for experiment, *pair in paper.pairs:
            assert experiment in definitions["experiments"] and set(pair) <= set(definitions["policies"])
        for experiment, figure in paper.figures:
            assert figure in definitions["figures"] and (
                experiment == "across" or experiment in definitions["experiments"]
            )


@pytest.mark.parametrize(
    "value, text",
    [
        (10405.3, "10\u2009405"),
        (999.6, "1\u2009000"),
        (0.12345, "0.123"),
        (12345, "12\u2009345"),
        (float("nan"), "–"),
        (None, "–"),
        ("a", "a"),
        (-0.5, "\u22120.5"),
        (True, "True"),
        (1e-7, "1e\u221207"),
        (float("-inf"), "\u2212∞"),
    ],
)
def test_numbers_are_printed_readably(value, text):
    assert number(value) == text


def test_missing_input_is_one_line_and_leaves_no_file(parts, tmp_path):
    cases = [
        ({"collected": []}, "no collected results"),
        ({"template": tmp_path / "no.j2"}, "no.j2: no such file"),
        ({"figures": [tmp_path / "no.png"]}, "no.png: not a readable PNG"),
        ({"manifests": [parts["check"]]}, "not a manifest"),
        ({"quality": [tmp_path / "no.csv"]}, "no.csv: not readable as a table"),
        ({"collected": [tmp_path / "no.nc"]}, "no.nc: no such file"),
    ]
    for change, expected in cases:
        with pytest.raises(ValueError, match=expected) as caught:
            report.write(tmp_path / "report.html", report.Inputs(**parts | change))
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "report.html").exists()


def test_versions_and_commit_are_those_of_the_blocks(page):
    assert "Commit 0123456789ab." in page
    assert "<tr><td>numpy</td><td>1.99</td></tr>" in page


def test_the_best_method_with_the_same_budget_is_named(tmp_path, monkeypatch):
    for name, level in (("tv_same_budget_sparq", 0.01), ("gp_same_budget_sparq", 0.3)):
        label = f"{name[:2].upper()}-GP-UCB, SparQ's budget"
        monkeypatch.setitem(example_results.VARIANTS, name, (label, "control", "tv_gp_ucb", level))
    path = example_results.write(tmp_path, "rkhs_sine", horizon=80, seeds=4)
    part = results.read(path)
    text = " ".join(findings.sentences(part))
    assert (
        "With as many evaluations as SparQ-GP-UCB, each the argmax of its own upper bound, TV-GP-UCB" in text
    )
    assert "clearly less than that of SparQ-GP-UCB" in text and "as many evaluations as W-SparQ" not in text
    of_two = advice.difference(results.at_alpha(part), "tv_same_budget_sparq", "sparq_gp_ucb", among=2)
    assert f"paired difference {of_two.shown('')}" in text


@pytest.mark.parametrize(
    ("longest", "widest", "shown", "more"),
    [(300, 99, True, False), (0, 99, False, False), (300, 2, False, True)],
)
def test_a_page_links_what_it_has_no_room_for(parts, monkeypatch, longest, widest, shown, more):
    monkeypatch.setattr(report, "LONGEST", longest)
    monkeypatch.setattr(report, "WIDEST", widest)
    last = parts["collected"][-1:]
    table = tables.make("regret", last, folder_of(parts) / "regret.csv")
    config = parts["config"] | {"tables": {"regret": {"over": ["berkeley_france"]}}, "selection": {}}
    given = {"config": config, "collected": last, "figures": [], "tables": [table]}
    page = report.render(report.Inputs(**parts | given), folder_of(parts))
    assert (">average_regret</th>" in page or "average regret</th>" in page) == shown
    assert 'href="regret.csv"' in page
    assert ("more columns" in page) == more
