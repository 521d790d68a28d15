"""The report, one HTML page: papers, claims, findings, figures, tables, fits and provenance.

The page needs no network. Its text, styles and key figures are in it; other figures, tables and results
are files beside it, to which it links. It has no date, so the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
import pandas as pd
import xarray as xr
from markupsafe import Markup

from tvgp.study import results, tables
from tvgp.study.execution import files, provenance
from tvgp.study.report import cells, experiment, findings, pictures, sources, verdicts
from tvgp.study.report.links import Links
from tvgp.study.report.papers import PAPERS, Paper
from tvgp.study.report.pictures import Picture
from tvgp.study.results import mathematics, presentation
from tvgp.study.tables import claims as claims_table
from tvgp.study.tables import verdicts as verdicts_table

LONGEST = 300  # rows of a table on the page; longer ones are only linked
WIDEST = 21  # columns of a table on the page, as many as landscape paper takes; the file has the others


@dataclass(frozen=True)
class Inputs:
    """Inputs of the page.

    collected: one NetCDF per experiment; analyses: one per analysis; figures: PNG files written by
    `tvgp.study.figures`, whose PDFs, if any, lie beside them; tables: CSV files and other formats, without
    whose `claims` the page has no papers and verdicts; quality:
    `<dataset>/quality.csv`; manifests: `<dataset>/raw.json`; check: JSON of the checks; timed: figures and
    tables of measured times, by name beside the page; they are only linked, because they differ from run
    to run.
    """

    template: str | Path
    config: Mapping
    collected: Sequence[str | Path]
    analyses: Sequence[str | Path] = ()
    figures: Sequence[str | Path] = ()
    tables: Sequence[str | Path] = ()
    quality: Sequence[str | Path] = ()
    manifests: Sequence[str | Path] = ()
    check: str | Path | None = None
    timed: Sequence[str] = ()


def write(output: str | Path, inputs: Inputs) -> Path:
    """Render the page (see `render`) and write it atomically."""
    output = Path(output)
    with presentation.of(inputs.config.get("policies", {})):
        files.write_text(output, render(inputs, output.parent))
    return output


def render(inputs: Inputs, folder: str | Path) -> str:
    """The page as text, with links relative to `folder`, where it will lie. ValueError, one line naming
    the file, for an input that is missing or unreadable."""
    config = inputs.config
    template = _template(Path(inputs.template))
    data = [results.read(source) for source in inputs.collected]
    if not data and not inputs.analyses and not inputs.timed:
        raise ValueError("report: no collected results; expected at least one file")
    analyses = [results.read(source) for source in inputs.analyses]
    drawn = pictures.read(inputs.figures)
    raw = [sources.manifest(path) for path in inputs.manifests]
    quality = [(Path(path).parent.name, cells.table(sources.table(path))) for path in inputs.quality]
    check = sources.checks(inputs.check)
    origins = [d.attrs["provenance"] for d in data + analyses if "provenance" in d.attrs]
    commit, versions = provenance.described(origins)
    names = [results.name(d) for d in data + analyses]
    link = Links(Path(folder), inputs.template, [*inputs.collected, *inputs.analyses], inputs.tables)
    frame = claims_table.rows(data + analyses)
    experiments = [experiment.section(d, drawn, config, link) for d in data]
    chosen = any(Path(path).stem == "claims" for path in inputs.tables)
    papers = [paper for paper in PAPERS if chosen and paper.covers(names)]
    return template.render(
        scale=config.get("scale", ""),
        commit=commit or "unknown (no result records one)",
        versions=versions,
        standins=[results.title(d) for d in data if results.is_standin(d)],
        answers=[e for e in experiments if e["answer"]["paragraphs"]],
        papers=_papers(papers, data, drawn, frame, link),
        claims=verdicts.section(frame, drawn, link, config),
        chapters=_chapters(papers, experiments, _across(data + analyses, drawn, inputs.tables, config, link)),
        analyses=[(results.title(d), link.results(results.name(d))) for d in analyses],
        sources=raw,
        quality=quality,
        check=check,
        timed=inputs.timed,
        tables=[(Path(path).name, link.to(path)) for path in inputs.tables],
    )


def _template(path: Path) -> jinja2.Template:
    if not path.is_file():
        raise ValueError(f"{path}: no such file; expected the report's template")
    return _environment(path.parent).get_template(path.name)


@cache
def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = cells.number
    environment.filters["mathematics"] = lambda text: Markup(mathematics.html(str(text)))
    environment.filters["verdict_class"] = lambda text: text.removeprefix("trend ").split()[0]
    environment.filters["capitalize_first"] = _capitalised
    environment.filters["first_sentence"] = _first_sentence
    return environment


def _papers(
    papers: Sequence[Paper], data: list[xr.Dataset], drawn: list[Picture], frame: pd.DataFrame, link: Links
) -> list[dict]:
    """The papers as the page introduces them: some sentences and the key figure, a figure only once."""
    runs = {results.name(d): d for d in data}
    unseen = {(p.experiment, p.name): p for p in drawn}
    introduced = []
    for paper in papers:
        claimed = frame[frame.paper == paper.key].drop_duplicates(verdicts_table.CLAIM)
        key = next((name for name in paper.figures if name in unseen), None)
        source, item, beginning = paper.answered
        own = frame[(frame.paper == source) & frame["item"].str.startswith(item)]
        own = own[own.claimed.map(mathematics.plain).str.startswith(beginning)]
        answered: list[dict] = own.to_dict("records")
        introduced.append(
            {
                "key": paper.key,
                "reference": paper.reference,
                "sentences": findings.of_paper(paper, answered, runs, list(claimed.claim_verdict)),
                "figure": pictures.embedded(unseen.pop(key), link) if key else None,
            }
        )
    return introduced


def _chapters(papers: Sequence[Paper], experiments: list[dict], across: list[dict]) -> list[dict]:
    """Experiments, and figures and tables over several, by the first paper whose claims they serve."""
    chapters: list[dict] = [{"key": p.key, "experiments": [], "across": []} for p in papers]
    further: dict = {"key": "", "experiments": [], "across": []}
    for kind, parts in (("experiments", experiments), ("across", across)):
        for part in parts:
            owners = (c for c, p in zip(chapters, papers, strict=True) if p.covers(part["over"]))
            next(owners, further)[kind].append(part)
    return [c for c in (*chapters, further) if c["experiments"] or c["across"]]


def _first_sentence(text: str) -> str:
    return mathematics.plain(text).partition(". ")[0].rstrip(".") + "."


def _capitalised(text: str) -> str:
    """A sentence begins with a capital, unless it begins with a symbol."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def _across(
    data: list[xr.Dataset], drawn: list[Picture], paths: Sequence[str | Path], config: Mapping, link: Links
) -> list[dict]:
    """Figures, and the first WIDEST columns of tables of at most LONGEST rows, over chosen experiments and
    analyses."""
    parts = [
        {"over": verdicts.over(p.name, "figures", config), "figure": pictures.linked(p, link)}
        for p in drawn
        if p.experiment == "across"
    ]
    held = {results.name(d): d for d in data}
    for path in map(Path, paths):
        over = verdicts.over(path.stem, "tables", config)
        if path.suffix == ".csv" and over:
            settings = config["tables"][path.stem]
            read = [held[name] for name in over if name in held]
            frame = tables.rows(settings.get("module", path.stem), read, **settings.get("parameters", {}))
            if len(frame) <= LONGEST:
                table = {
                    "title": path.stem.replace("_", " "),
                    "frame": cells.table(frame.iloc[:, :WIDEST]),
                    "csv": link.to(path),
                    "more": max(0, len(frame.columns) - WIDEST),
                }
                parts.append({"over": over, "table": table})
    return parts
