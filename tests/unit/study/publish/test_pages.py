"""Pages are written from tables alone."""

import shutil
from pathlib import Path

import pytest

from tvgp.study.config import jobs, loading
from tvgp.study.execution import files
from tvgp.study.publish import pages, parts

TABLES = Path("docs", "results", "mauduit25", "tables")


def part(root, name, figures=()):
    folder = root / "docs" / "results" / name
    (folder / "tables").mkdir(parents=True)
    files.write_object(folder / "study.json", {"figures": list(figures)})


@pytest.fixture
def root(tmp_path):
    """A checkout with two published parts, of which the first has a table."""
    part(tmp_path, "mauduit25")
    part(tmp_path, "methods")
    (tmp_path / TABLES / "regret.csv").write_text(
        "experiment,policy,alpha,average_regret,low,high,other,other_low,other_high\n"
        "sine,sparq,1,0.92211,0.88397,0.960249,-1234.5,-2000,0.00004\n"
        "sine,sparq,fit,0.5,,,1,,\n"
    )
    (tmp_path / "docs" / "templates" / "docs").mkdir(parents=True)
    return tmp_path


def page(root, text, name="docs/page.md"):
    template = root / "docs" / "templates" / name
    template.write_text(text)
    pages.write(root)
    return (root / name).read_text()


SPARQ = 'experiment="sine", policy="sparq", alpha=1'


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (f'value("regret", "average_regret", {SPARQ})', "0.922"),
        (f'value("mauduit25/regret", "average_regret", digits=2, {SPARQ})', "0.92"),
        (f'interval("regret", "average_regret", {SPARQ})', "0.922 [0.884, 0.96]"),
        (f'interval("regret", "other", {SPARQ})', "-1,234 [-2,000, 0.00004]"),
        ('value("regret", "average_regret", policy="sparq", alpha="fit")', "0.5"),
        ("percent(0.0868)", "8.7 %"),
        ("shown(1.234e-6)", "0.00000123"),
        ("shown(2e-9)", "0.000000002"),
        ("percent(0.996)", "100 %"),
        ('given("T = 500")', "T = 500"),
    ],
)
def test_numbers_are_printed_as_documents_print_them(root, expression, text):
    assert page(root, f"{{{{ {expression} }}}}\n") == f"{text}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{{ value("regret", "average_regret", policy="none") }}', "0 rows with policy = none"),
        ('{{ value("regret", "average_regret", policy="sparq") }}', "2 rows with policy = sparq"),
        ('{{ value("regret", "average_regret", method="sparq") }}', "no column method"),
        ('{{ value("ranks", "mean") }}', "ranks: no published table of this name"),
        ("{% do expect(2 < 1, 'two is less') %}", "the numbers do not say: two is less"),
        ("{% do expect(false, 'less', 0.2044, 'no') %}", r"the numbers do not say: less \(0.204, no\)"),
        ("{{ unknown }}", "unknown"),
    ],
)
def test_a_page_unsupported_by_the_tables_is_refused(root, text, said):
    (root / "docs" / "page.md").write_text("before")
    with pytest.raises(ValueError, match=said) as refused:
        page(root, text)
    assert "page.md" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (root / "docs" / "page.md").read_text() == "before"


OTHER = "experiment,policy,alpha,average_regret\nsine,sparq,1,7\nbump,sparq,1,3\n"


def test_a_row_is_that_of_the_first_part_that_has_it(root):
    (root / "docs" / "results" / "methods" / "tables" / "regret.csv").write_text(OTHER)
    both = '{{ value("regret", "average_regret", policy="sparq", alpha=1, experiment=EXPERIMENT) }} in '
    both += '{{ table("regret", experiment=EXPERIMENT) }}'
    assert page(root, both.replace("EXPERIMENT", '"sine"')) == "0.922 in mauduit25/tables/regret.csv"
    assert page(root, both.replace("EXPERIMENT", '"bump"')) == "3 in methods/tables/regret.csv"
    assert page(root, '{{ value("methods/regret", "average_regret", experiment="sine") }}') == "7"


@pytest.mark.parametrize("played", ["sine", "bounds, sine"])
def test_a_claim_that_a_part_has_not_played_is_that_of_another(root, played):
    """Also a claim on several experiments, which is named by the first of them where none was played."""
    unplayed = played.split(", ")[0]
    claims = f"paper,experiment,data,ours\nA,{unplayed},,\nA,bump,,\n"
    (root / TABLES / "claims.csv").write_text(claims)
    other = claims.replace(f"A,{unplayed},,", f'A,"{played}",synthetic,3')
    (root / "docs" / "results" / "methods" / "tables" / "claims.csv").write_text(other)
    counted = '{{ rows("claims") | length }} {{ rows("methods/claims") | length }}'
    assert page(root, f'{{{{ value("claims", "ours", experiment="{played}") }}}} {counted}') == "3 2 1"


def test_a_figure_is_linked_in_the_first_part_that_has_it(root):
    part(root, "janz20", [{"experiment": "across", "name": "cells", "png": "figures/across/cells.png"}])
    assert page(root, '{{ figure("across", "cells") }}') == "janz20/figures/across/cells.png"
    with pytest.raises(ValueError, match="no part has published the figure none of across"):
        page(root, '{{ figure("across", "none") }}')


def test_every_part_has_a_page(root):
    (root / "docs" / "templates" / "docs" / "results").mkdir()
    (root / "docs" / "templates" / pages.PART).write_text("# {{ titles[part] }}\n")
    pages.write(root)
    assert (root / "docs" / "results" / "methods" / "README.md").read_text().startswith("# Every method")


@pytest.fixture
def chosen(project, definitions):
    """The configuration of each part."""
    folder = project / "config" / "published"
    return {name: loading.overlaid(definitions, [folder / f"{name}.yaml"], {}) for name in parts.PARTS}


def test_every_experiment_and_analysis_is_in_a_part(definitions, chosen):
    """Also the analyses that the study leaves out for their length."""
    expected = {
        "experiments": jobs.selected(definitions, "experiments"),
        "analyses": definitions["analyses"],
    }
    for kind, names in expected.items():
        assert set(names) == {name for config in chosen.values() for name in jobs.selected(config, kind)}


def test_every_overlay_of_a_part_is_known(project):
    assert {path.stem for path in (project / "config" / "published").glob("*.yaml")} == set(parts.PARTS)


def test_the_parts_play_the_problems_of_the_study(project):
    parts.require_same_problems(project / "config")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"n_arms": 20}, r"analyses\.ageing\.parameters\.n_arms"),
        ({"kernel": {"length_scale": 9}}, r"parameters\.kernel"),
    ],
)
def test_a_part_that_plays_another_problem_is_refused(project, tmp_path, changes, where):
    shutil.copytree(project / "config", tmp_path / "config")
    overlay = tmp_path / "config" / "published" / "regimes_long.yaml"
    text = overlay.read_text().replace("horizon: 100000", f"horizon: 100000, {str(changes)[1:-1]}")
    overlay.write_text(text.replace("'", ""))
    with pytest.raises(ValueError, match=f"regimes_long.yaml: differs from the study in.*{where}"):
        parts.require_same_problems(tmp_path / "config")


def test_the_long_regimes_are_longer_runs_of_the_short_ones(chosen):
    for bed in ("ageing", "drift"):
        short, long = (chosen[name]["analyses"][bed]["parameters"] for name in ("regimes", "regimes_long"))
        assert set(long["alphas"]) < set(short["alphas"]) and long["horizon"] > short["horizon"]


def test_a_top_level_template_fills_between_its_markers(root):
    (root / "README.md").write_text(f"above\n{pages.BEGIN}old\n{pages.END}below\n")
    assert page(root, "new\n", "README.md") == f"above\n{pages.BEGIN}new\n{pages.END}below\n"


def test_a_page_without_markers_is_never_replaced(root):
    (root / "README.md").write_text("all of it\n")
    with pytest.raises(ValueError, match="expected one line"):
        page(root, "new\n", "README.md")
    assert (root / "README.md").read_text() == "all of it\n"


def test_a_part_is_included_and_makes_no_page(root):
    (root / "docs" / "templates" / "docs" / "_part.md").write_text("part\n")
    assert page(root, '{% include "docs/_part.md" %}\n') == "part\n"
    assert not (root / "docs" / "_part.md").exists()


CLAIMS = "kind,paper,item,claimed,reading,experiment,data,ours,low,high,verdict\n"


def test_a_page_lists_claims_whose_verdict_changed(root):
    """A claim with another verdict, one with another value alone, one of an experiment not there before."""
    (root / TABLES / "claims.csv").write_text(
        f"{CLAIMS}published,A,Fig. 1,less,,sine,synthetic,2,1,3,contradicted\n"
        "published,A,Fig. 1,less,wide,sine,synthetic,5,4,6,confirmed\n"
        "published,A,Fig. 2,less,,bump,synthetic,1,1,1,confirmed\n"
    )
    before = root / "docs" / "results" / "notes" / "tables" / "before.csv"
    before.parent.mkdir(parents=True)
    before.write_text(
        f"{CLAIMS}published,A,Fig. 1,less,,sine,synthetic,0,-1,1,inconclusive\n"
        "published,A,Fig. 1,less,wide,sine,synthetic,7,6,8,confirmed\n"
    )
    text = (
        '{% for row in changed("notes/before") %}'
        "{{ row.item }}: {{ row.ours_before }} {{ row.verdict_before }}, {{ row.ours }} {{ row.verdict }}\n"
        "{% endfor %}"
    )
    assert page(root, text) == "Fig. 1: 0.0 inconclusive, 2 contradicted\nFig. 2: nan new, 1 confirmed\n"
