"""Pages whose numbers are read from the published tables.

A template below docs/templates has the path of its page: docs/templates/docs/differences.md makes
docs/differences.md, and docs/templates/docs/results/_part.md the page of every published part. Those at the
top, docs/templates/README.md, make the part between `BEGIN` and `END` of a page that has other parts; a name
that starts with an underscore is a part that others include. Expressions read the tables (`value`,
`interval`, `percent`, `number`, `rows`, `row`), link them (`table`, `figure`), quote a setting of what was
played (`setting`) or a number that a paper prints (`given`), and stop the publication where a sentence is no
longer true (`expect`).
Formulas are marked as in `tvgp.study.results.mathematics`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import jinja2

from tvgp.study.execution import files
from tvgp.study.publish import parts
from tvgp.study.publish.settings import Settings
from tvgp.study.publish.tables import Tables
from tvgp.study.report.papers import PAPERS
from tvgp.study.results import mathematics
from tvgp.study.tables import verdicts

TEMPLATES = Path("docs", "templates")
RESULTS = Path("docs", "results")
PART = "docs/results/_part.md"
BEGIN = "<!-- published: begin -->\n"
END = "<!-- published: end -->"
CLAIM = ["kind", "paper", "item", "claimed", "reading", "experiment"]  # what names a row of `claims`


def write(root: str | Path) -> list[Path]:
    """Write every page of the checkout `root` from its templates and docs/results; the pages' paths.

    Nothing is written unless all pages can be. ValueError, one line, for a template that cannot be rendered.
    """
    rendered = list(render(Path(root)))
    for page, text in rendered:
        files.write_text(page, text)
    return [page for page, _ in rendered]


def render(root: Path) -> Iterator[tuple[Path, str]]:
    """Every page with its text."""
    folder = root / TEMPLATES
    environment = _environment(root)
    for template in sorted(folder.rglob("[!_]*.md")):
        name = template.relative_to(folder)
        text = _rendered(environment, name.as_posix())
        page = root / name
        yield page, text if template.parent != folder else _between(page, text)
    for part in parts.records(root / RESULTS) if (folder / PART).is_file() else ():
        yield root / RESULTS / part / "README.md", _rendered(environment, PART, part=part)


def _rendered(environment: jinja2.Environment, template: str, **names: Any) -> str:
    try:
        text = environment.get_template(template).render(**names)
        return re.sub(r"\$[^$\n]+\$", lambda marked: mathematics.html(marked[0]), text)
    except (jinja2.TemplateError, ValueError) as error:
        raise ValueError(f"{TEMPLATES / template}: {' '.join(str(error).split())}") from None


def _between(page: Path, text: str) -> str:
    """The page with `text` between its markers. ValueError for a page without them."""
    before = page.read_text(encoding="utf-8")
    if before.count(BEGIN) != 1 or before.count(END) != 1:
        raise ValueError(f"{page}: expected one line {BEGIN.strip()} and one line {END.strip()}")
    head, rest = before.split(BEGIN)
    return head + BEGIN + text + END + rest.split(END)[1]


def shown(value: float | str, digits: int = 3) -> str:
    """A number to some significant digits, without an exponent, as documents print it; text as it is."""
    if isinstance(value, str):
        return value
    if value != value:
        return "none"
    if abs(value) >= 10**digits:
        return f"{round(value):,}"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    return f"{round(value):,}" if abs(value) >= 1 else f"{Decimal(text):f}"


def _environment(root: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root / TEMPLATES),
        extensions=["jinja2.ext.do"],
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    records = parts.records(root / RESULTS)
    tables = Tables(root / RESULTS, list(records))
    environment.filters["cell"] = lambda value: "" if value != value else str(value).replace("|", "\\|")
    environment.tests["nan"] = lambda value: value != value
    environment.globals.update(_expressions(tables, records), parts=records, titles=parts.PARTS)
    environment.globals["setting"] = Settings(root / "config")
    return environment


def _expressions(tables: Tables, records: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What templates can call, beside `parts`, the records of the published parts, and `titles`."""

    def value(table: str, column: str, digits: int = 3, **where: Any) -> str:
        return shown(tables.row(table, **where)[column], digits)

    def interval(table: str, column: str, digits: int = 3, sign: bool = False, **where: Any) -> str:
        """Value and interval; the bounds are the columns `<column>_low` or `low`."""
        row = tables.row(table, **where)
        prefix = f"{column}_" if f"{column}_low" in row else ""
        low, high = (shown(row[f"{prefix}{end}"], digits) for end in ("low", "high"))
        plus = "+" if sign and row[column] > 0 else ""
        return f"{plus}{shown(row[column], digits)} [{low}, {high}]"

    def number(table: str, column: str, **where: Any) -> float:
        """For comparisons and arithmetic in a template."""
        return float(tables.row(table, **where)[column])

    def expect(holds: bool, sentence: str, *found: float | str) -> str:
        """Nothing; ValueError with the numbers found where they do not say this."""
        if not holds:
            numbers = f" ({', '.join(map(shown, found))})" if found else ""
            raise ValueError(f"the numbers do not say: {sentence}{numbers}")
        return ""

    def figure(experiment: str, name: str) -> str:
        """Where, in the folder of results, the figure of the first part that has it is."""
        for part, record in records.items():
            for entry in record["figures"]:
                if (entry["experiment"], entry["name"]) == (experiment, name):
                    return f"{part}/{entry['png']}"
        raise ValueError(f"no part has published the figure {name} of {experiment}")

    def counted(part: str = "") -> list[dict[Hashable, Any]]:
        """Claims by paper and verdict, of one part or of all."""
        table = f"{part}/claims" if part else "claims"
        has_claims = not part or "claims" in tables.names(part)
        return verdicts.counted(tables.frame(table)).to_dict("records") if has_claims else []

    def changed(earlier: str) -> list[dict[Hashable, Any]]:
        """Claims whose verdict is not that of an earlier table of claims, which has the columns that end with
        `_before`, or that are not in it (`verdict_before`: "new")."""
        now, before = (
            tables.frame(name).fillna({"reading": "", "experiment": ""}) for name in ("claims", earlier)
        )
        both = now.merge(before, how="left", on=CLAIM, suffixes=("", "_before"))
        both["verdict_before"] = both.verdict_before.fillna("new")
        return both[both.verdict != both.verdict_before].to_dict("records")

    return {
        "changed": changed,
        "value": value,
        "interval": interval,
        "number": number,
        "rows": tables.rows,
        "row": tables.row,
        "table": tables.link,
        "names": tables.names,
        "figure": figure,
        "counted": counted,
        "asked": {paper.key: paper.asked for paper in PAPERS},
        "shown": shown,
        "percent": lambda share, digits=2: f"{shown(100 * share, digits)} %",
        "expect": expect,
        "given": lambda text: text,
    }
