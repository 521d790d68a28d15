"""Pages are written from tables alone."""

import pytest

from tvgp.study.config import loading
from tvgp.study.execution import files
from tvgp.study.publish import pages, tables


@pytest.fixture
def root(tmp_path):
    """A checkout with one published table."""
    folder = tmp_path / "docs" / "results" / "tables" / "main"
    folder.mkdir(parents=True)
    (folder / "regret.csv").write_text(
        "experiment,policy,alpha,average_regret,low,high,other,other_low,other_high\n"
        "sine,sparq,1,0.92211,0.88397,0.960249,-1234.5,-2000,0.00004\n"
        "sine,sparq,fit,0.5,,,1,,\n"
    )
    files.write_object(tmp_path / "docs" / "results" / "study.json", {"study": "main", "figures": {}})
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
        (f'value("main/regret", "average_regret", digits=2, {SPARQ})', "0.92"),
        (f'interval("regret", "average_regret", {SPARQ})', "0.922 [0.884, 0.96]"),
        (f'interval("regret", "other", {SPARQ})', "-1,234 [-2,000, 0.00004]"),
        ('value("regret", "average_regret", policy="sparq", alpha="fit")', "0.5"),
        ("percent(0.0868)", "8.7 %"),
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
        ('{{ value("ranks", "mean") }}', "ranks.csv: not readable"),
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


SHORT = {"parameters": {"horizon": 100, "n_arms": 50, "kernel": {"length_scale": 3.0}}, "seeds": 30}


@pytest.fixture
def beside(root, monkeypatch):
    """A function that writes a page from the table of another study, whose settings differ by `changes`."""
    (root / "docs" / "results" / "tables" / "long").mkdir()
    (root / "docs" / "results" / "tables" / "long" / "slopes.csv").write_text("slope\n0.5\n")

    def write(**changes):
        selected = {"experiments": [], "analyses": ["ageing"]}
        long = {
            "selection": selected,
            "experiments": {},
            "analyses": {"ageing": loading.merged(SHORT, changes)},
        }
        settings = {"main": long | {"analyses": {"ageing": SHORT, "drift": {}}}, "long": long}
        monkeypatch.setattr(pages, "_settings", lambda folder, study: settings[study])
        return page(root, '{{ value("long/slopes", "slope") }}\n')

    return write


def test_a_longer_study_of_the_same_problems_may_stand_beside(beside):
    assert beside(seeds=5, parameters={"horizon": 1000}) == "0.5\n"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"n_arms": 20}, r"analyses\.ageing\.parameters\.n_arms \(50, 20\)"),
        ({"kernel": {"length_scale": 9}}, r"parameters\.kernel\.length_scale \(3\.0, 9\)"),
        ({"noise": 0.1}, r"parameters\.noise \(None, 0\.1\)"),
    ],
)
def test_studies_of_different_problems_are_never_compared(beside, changes, where):
    with pytest.raises(ValueError, match=f"long cannot stand beside main.*{where}"):
        beside(parameters={"horizon": 1000, **changes})


def test_the_long_regimes_are_longer_runs_of_the_short_ones(project):
    short, long = (pages._settings(project / "config", name) for name in ("published", "regimes_long"))
    assert list(tables.differences(short, long)) == []
    for bed in ("ageing", "drift"):
        runs = [each["analyses"][bed]["parameters"] for each in (short, long)]
        assert set(runs[1]["alphas"]) < set(runs[0]["alphas"]) and runs[1]["horizon"] > runs[0]["horizon"]


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


@pytest.mark.parametrize(
    "text",
    [
        "Mauduit25b's Fig. 2 and Table 1, Theorem 5.3, (19), Prop. 2.6, Tables 1 and 2",
        "`alpha = 1`, {{ given('T = 500') }} and [text](tables/a2.csv)",
        "```sh\nmake 12\n```",
        "1. A Matern 5/2 kernel on I-880, Hartmann-6",
    ],
)
def test_names_and_expressions_are_no_typed_numbers(text):
    assert pages.typed(text) == []


@pytest.mark.parametrize(
    ("text", "found"), [("has 0.92 of it", ["0.92"]), ("-0.1 [0.2, 1]", ["-0.1", "0.2,", "1"])]
)
def test_numbers_in_the_text_are_found(text, found):
    assert pages.typed(text) == found
