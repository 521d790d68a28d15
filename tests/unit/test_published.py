"""What is published says what the published tables say."""

import hashlib
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from tvgp.study.publish import pages, verdicts

# columns of results; the others say which row it is
FOUND = ["average_regret", "ours", "low", "high", "verdict", "mean_rank", "value", "exponent", "detections"]
FOUND += ["tied_with_best", "against_best_verdict", "best_without_expert", "published_inside", "bound_hit"]

# what may stand in a template without an expression: code, links' targets, names with a number, dates
_CODE = re.compile(r"```.*?```|`[^`\n]*`|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\]\([^)]*\)", re.DOTALL)
_NAMES = re.compile(
    r"[A-Z][A-Za-z]*\d{2}[ab]?\b"  # Mauduit25b
    r"|\b(?:Fig\.|Figs\.|Tables?|Theorems?|Prop\.|Propositions?|Lemma|Lemmas|Remark|Assumption|Alg\.|App\.|Sec\.|"
    r"section|rule|reference|footnote|et al\.)\s*\(?\[?[\dA-Z][\d.a-z]*\)?\]?"
    r"(?:(?:,| and| to)\s\(?\d[\d.a-z]*\)?)*"
    r"|\(\d+\)"  # an equation of the paper
    r"|^\d+\. |sha256"  # an item of a list; a digest
    r"|Mat[eé]rn \d/2|I-\d+|[A-Z][a-z]+-\d\b|[_^]\d\b",  # the last: an index or a power
    re.MULTILINE,
)


def _typed(template):
    """The numbers that a template's text has itself, instead of reading them from a table."""
    return re.findall(r"[-+]?\d[\d.,]*", _NAMES.sub(" ", _CODE.sub(" ", template)))


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
    assert _typed(text) == []


@pytest.mark.parametrize(
    ("text", "found"), [("has 0.92 of it", ["0.92"]), ("-0.1 [0.2, 1]", ["-0.1", "0.2,", "1"])]
)
def test_numbers_in_the_text_are_found(text, found):
    assert _typed(text) == found


def test_no_template_has_a_number_of_its_own(project):
    templates = sorted((project / pages.TEMPLATES).rglob("*.md"))
    typed = {path: _typed(path.read_text(encoding="utf-8")) for path in templates}
    assert len(templates) >= 4
    assert not {path: numbers for path, numbers in typed.items() if numbers}


def test_what_this_study_played_is_no_number_of_a_paper(project):
    """Rounds, arms and runs are looked up by `setting`, or in a table."""
    typed = re.compile(
        r'given\("[\d,.]+"\) \}\} (?:rounds|arms|runs)|given\("[^"]*(?:rounds|arms|runs)[^"]*"\)'
    )
    templates = (project / pages.TEMPLATES).rglob("*.md")
    found = {path.name: typed.findall(path.read_text(encoding="utf-8")) for path in templates}
    assert not {name: each for name, each in found.items() if each}


def test_every_page_is_what_its_template_makes_of_the_tables(project):
    differ = [page.name for page, text in pages.render(project) if page.read_text(encoding="utf-8") != text]
    assert differ == []


def test_no_empty_line_breaks_a_table(project):
    row_alone = re.compile(r"\|\n\n+\|.*\n(?!\| ?-)")  # the first row of a table has a line below it
    assert not {
        page: row_alone.findall(text) for page, text in pages.render(project) if row_alone.search(text)
    }


def test_published_verdicts_are_by_todays_rules(project, tmp_path):
    """As far as they need no results; a rule that changes does so in the published tables."""
    for path in (project / pages.RESULTS).glob("*/tables/*s.csv"):
        if path.stem in ("claims", "verdicts"):
            copy = tmp_path / path.relative_to(project / pages.RESULTS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    assert verdicts.renew(tmp_path) == []
    (stale,) = tmp_path.glob("janz20/tables/claims.csv")
    published = stale.read_text(encoding="utf-8")
    stale.write_text(
        published.replace("trend agrees,trend agrees,,interval", "inconclusive,inconclusive,,interval")
    )
    assert stale in verdicts.renew(tmp_path)
    rows = pd.read_csv(stale).query("item == 'Section 1, lower bound'")
    assert set(rows.verdict) == set(rows.claim_verdict) == {"trend agrees"}


def test_the_digest_of_the_leagues_runs_is_stated(project):
    league = project / pages.RESULTS / "league"
    digest = hashlib.sha256((league / "league_runs.csv").read_bytes()).hexdigest()
    assert f"sha256 `{digest}`" in (league / "README.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_contents_of_the_site(project):
    contents = (project / "docs" / "index.md").read_text(encoding="utf-8").split()
    pages_of_parts = sorted((project / pages.RESULTS).glob("*/README.md"))
    assert [path for path in pages_of_parts if f"results/{path.parent.name}/README" not in contents] == []


def test_no_verdict_or_number_stops_the_publication(project, tmp_path):
    """Every page can be written whatever the study finds: numbers drawn anew, verdicts exchanged."""
    shutil.copytree(project / "docs", tmp_path / "docs")
    shutil.copytree(project / "config", tmp_path / "config")
    shutil.copyfile(project / "README.md", tmp_path / "README.md")
    rng = np.random.default_rng(1)
    for path in (tmp_path / pages.RESULTS).glob("*/tables/*.csv"):
        table = pd.read_csv(path)
        drawn = table.get("decided_by", pd.Series("", table.index)) != "computation"  # not what is exact
        if "average_regret" in table:
            drawn &= table.average_regret > 0  # the oracle's regret is no other policy's
        for column in table.columns.intersection(FOUND):
            table.loc[drawn, column] = rng.permutation(table.loc[drawn, column].to_numpy(copy=True))
        table.to_csv(path, index=False)
    assert all(text for _, text in pages.render(tmp_path))


def test_the_paper_cites_what_its_bibliography_has(project):
    cited = re.findall(r"[\[;\s]@(\w+)", (project / "paper" / "paper.md").read_text(encoding="utf-8"))
    listed = re.findall(r"^@\w+\{(\w+),", (project / "paper" / "paper.bib").read_text(encoding="utf-8"), re.M)
    assert set(cited) == set(listed)
