"""The report: one self-contained page, the same bytes twice, no path of the machine."""

import re
from html.parser import HTMLParser
from pathlib import Path

import example_results
import pytest

from tvgp.study import figures, files, results
from tvgp.study.claims import CLAIMS
from tvgp.study.report import findings
from tvgp.study.report import page as report


@pytest.fixture(scope="module")
def parts(tmp_path_factory, request) -> dict:
    folder = tmp_path_factory.mktemp("study")
    small = {"horizon": 40, "seeds": 3}
    collected = [
        example_results.write(folder, "rkhs_sine", alphas=("1", "0.5"), **small),
        example_results.write(folder, "berkeley_france", "standin", **small),
    ]
    pngs = [
        figures.make(name, path, folder / "figures" / path.stem / name)[1]
        for path in collected
        for name in ("average_regret", "controls")
    ]
    (folder / "berkeley_france").mkdir()
    quality = folder / "berkeley_france" / "quality.csv"
    quality.write_text("item,count,what was done\ncells in the outline,40,kept\n")
    manifest = folder / "berkeley_france" / "raw.json"
    source = {"path": "/home/someone/raw/file.nc", "bytes": 1234, "sha256": "ab" * 32, "url": None}
    content = {"dataset": "berkeley_france", "source": "standin", "note": "", "files": [source]}
    files.write_object(manifest, content)
    tuned = folder / "tuned.json"
    files.write_object(
        tuned,
        {
            "experiment": "rkhs_sine",
            "policy": "sw_gp_ucb_tuned",
            "parameter": "window",
            "value": 25,
            "grid": [10, 25],
            "average_regret": [1.5, 1.25],
            "training_seeds": 4,
            "at_edge_of_grid": True,
        },
    )
    check = folder / "check.json"
    files.write_object(check, {"rkhs_sine": {"regret": 100}})
    project = Path(__file__).resolve().parents[4]
    return {
        "template": project / "workflow/report/report.html.j2",
        "config": {"scale": "smoke", "experiments": {"rkhs_sine": {"model": {"delta": 0.05}}}},
        "collected": collected,
        "figures": pngs,
        "tables": ["tables/regret.csv"],
        "tuned": [tuned],
        "quality": [quality],
        "manifests": [manifest],
        "check": check,
    }


@pytest.fixture(scope="module")
def page(parts) -> str:
    return report.render(report.Inputs(**parts))


class Links(HTMLParser):
    """Collects what a browser would load or follow, and the ids there are."""

    def __init__(self):
        super().__init__()
        self.loaded, self.followed, self.ids, self.images = [], [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        for key in ("src", "srcset", "data", "poster"):
            if key in attrs:
                self.loaded.append(attrs[key])
        if tag in ("link", "script", "iframe", "object", "base"):
            self.loaded.append(tag)
        if "href" in attrs:
            self.followed.append(attrs["href"])
        if tag == "img":
            self.images.append(attrs)


def test_page_needs_nothing_from_outside(page):
    links = Links()
    links.feed(page)
    assert all(address.startswith("data:image/png;base64,") for address in links.loaded)
    assert all(address.startswith("#") for address in links.followed)
    assert {address[1:] for address in links.followed} <= set(links.ids)
    assert len(links.ids) == len(set(links.ids))
    assert not re.search(r"@import|url\(", page)


def test_every_figure_is_there_with_words_for_who_cannot_see_it(page, parts):
    links = Links()
    links.feed(page)
    assert len(links.images) == len(parts["figures"])
    assert all(len(image["alt"]) > 50 for image in links.images)


def test_standins_are_marked_at_the_top_and_in_their_section(page):
    assert page.count('class="banner"') == 2
    assert page.index("Stand-in data:") < page.index('id="claims"')


def test_kinds_of_claims_have_tables_and_counts_of_their_own(page):
    """Three headings with the number of claims of each kind; a claim with readings has one verdict of
    its own; the number of false verdicts to expect is printed."""
    for kind, heading in (
        ("published", "Claims of the papers"),
        ("fact", "Facts computed by this study"),
        ("hypothesis", "Hypotheses of this study"),
    ):
        assert f"{heading}: {sum(claim.kind == kind for claim in CLAIMS)}</h3>" in page
    whole = re.findall(r'<tr class="whole">.*?</tr>', page)
    assert sum("W-SparQ&#39;s queries are T^" in row for row in whole) == 1
    assert re.search(r"had to decide \d+ rows.*?, [\d.]+ false verdicts are to be expected", page)


def test_page_has_claims_methods_tuning_origin_and_checks(page):
    for text in (
        "Published claims",
        "Mauduit25b",
        "squared exponential",
        "delta = 0.05",
        "edge of the grid",
        "cells in the outline",
        "ab" * 32,
        "rkhs sine: regret",
        "0123456789ab",
        "generated by the study",
    ):
        assert text in page, text
    assert "/home/someone" not in page


def test_same_input_same_page(page, parts):
    assert report.render(report.Inputs(**parts)) == page


def test_the_order_of_definitions_does_not_matter(page, parts):
    config = dict(reversed(parts["config"].items()))
    assert list(config) != list(parts["config"])
    assert report.render(report.Inputs(**parts | {"config": config})) == page


def test_findings_show_what_beats_the_methods(tmp_path):
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    text = " ".join(findings.sentences(results.read(path)))
    assert "yesterday's best arm" in text and "clearly less than every published method" in text
    assert "Replacing the k-DPP" in text and "Evaluations (plays and expert queries) per day" in text
    assert "ends on a bound" not in text and "The fit ended on a bound: epsilon" in text


def test_findings_follow_the_numbers(tmp_path, monkeypatch):
    worse = ("Yesterday's best", "control", "yesterdays_best", 1.5)
    monkeypatch.setitem(example_results.VARIANTS, "yesterdays_best", worse)
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    text = " ".join(findings.sentences(results.read(path)))
    assert "not clearly less than any published method" in text


@pytest.mark.parametrize(
    "value, text",
    [
        (10405.3, "10\u2009405"),
        (0.12345, "0.123"),
        (12345, "12\u2009345"),
        (float("nan"), "–"),
        (None, "–"),
        ("a", "a"),
        (-0.5, "\u22120.5"),
        (True, "True"),
        (1e-7, "1e\u221207"),
    ],
)
def test_numbers(value, text):
    assert report.number(value) == text


def test_missing_input_is_one_line_and_leaves_no_file(parts, tmp_path):
    cases = [
        ({"collected": []}, "no collected results"),
        ({"template": tmp_path / "no.j2"}, "no.j2: no such file"),
        ({"figures": [tmp_path / "no.png"]}, "no.png: not a readable PNG"),
        ({"tuned": [tmp_path / "no.json"]}, "no.json: no such file"),
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
