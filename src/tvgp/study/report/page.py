"""The report, one HTML page: papers, claims, findings, figures, tables, fits and provenance.

The page needs no network. Its text, styles and key figures are in it; other figures, tables and results
are files beside it, to which it links. It has no date, so the same results give the same bytes.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import xarray as xr

from tvgp import kernels
from tvgp.study import claims, files, provenance, results
from tvgp.study.claims import judge
from tvgp.study.figures.base import style
from tvgp.study.report import answer, findings, mathematics, pictures
from tvgp.study.report.links import Links
from tvgp.study.report.papers import PAPERS, Paper
from tvgp.study.report.pictures import Picture
from tvgp.study.tables import answer as answer_table
from tvgp.study.tables import cards as cards_table
from tvgp.study.tables import claims as claims_table
from tvgp.study.tables import fits as fits_table
from tvgp.study.tables import ranks as ranks_table
from tvgp.study.tables import regret as regret_table
from tvgp.study.tables import verdicts as verdicts_table


@dataclass(frozen=True)
class Inputs:
    """Inputs of the page.

    collected: one NetCDF per experiment; analyses: one per analysis; figures: PNG files written by
    `tvgp.study.figures`, whose PDFs, if any, lie beside them; tables: CSV files and other formats; quality:
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
    files.write_text(output, render(inputs, output.parent))
    return output


def render(inputs: Inputs, folder: str | Path) -> str:
    """The page as text, with links relative to `folder`, where it will lie. ValueError, one line naming
    the file, for an input that is missing or unreadable."""
    config = inputs.config
    template = _environment(Path(inputs.template))
    data = [results.read(source) for source in inputs.collected]
    if not data and not inputs.analyses and not inputs.timed:
        raise ValueError("report: no collected results; expected at least one file")
    analyses = [results.read(source) for source in inputs.analyses]
    drawn = pictures.read(inputs.figures)
    sources = [_source(path) for path in inputs.manifests]
    quality = [(_dataset(path), _frame(_read_csv(path))) for path in inputs.quality]
    check = _checks(inputs.check)
    origins = [d.attrs["provenance"] for d in data + analyses if "provenance" in d.attrs]
    commit, versions = provenance.described(origins)
    names = [results.name(d) for d in data + analyses]
    link = Links(Path(folder), inputs.template, [*inputs.collected, *inputs.analyses], inputs.tables)
    frame = claims_table.rows(data + analyses, claims_table.Parameters())
    experiments = [_experiment(d, drawn, config, link) for d in data]
    return template.render(
        scale=config.get("scale", ""),
        commit=commit or "unknown (no result records one)",
        versions=versions,
        standins=[results.title(d) for d in data if results.is_standin(d)],
        answers=[e for e in experiments if e["answer"]["paragraphs"]],
        papers=[_paper(paper, data, drawn, frame, link) for paper in PAPERS if paper.covers(names)],
        claims=_claims(frame, drawn, link, config),
        chapters=_chapters(experiments, _across(drawn, inputs.tables, config, link)),
        analyses=[(results.title(d), link.results(results.name(d))) for d in analyses],
        ranks=_ranks(data, config),
        sources=sources,
        quality=quality,
        check=check,
        timed=inputs.timed,
        tables=[(Path(path).name, link.to(path)) for path in inputs.tables],
    )


def number(value: float | str | None) -> str:
    """A cell: three significant digits, integers with thin spaces from 1000, a dash for a missing value."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool | str):
        return str(value)
    value = float(value)
    if abs(value) >= 1000:
        value = round(value)
    if value == int(value) and abs(value) < 1e12:
        return f"{int(value):,}".replace(",", "\u2009").replace("-", "\u2212")
    return f"{value:.3g}".replace("-", "\u2212")


def _environment(template: Path) -> jinja2.Template:
    if not template.is_file():
        raise ValueError(f"{template}: no such file; expected the report's template")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = number
    environment.filters["mathematics"] = lambda text: mathematics.marked_up(str(text))
    environment.filters["verdict_class"] = lambda text: text.removeprefix("trend ").split()[0]
    environment.filters["capitalize_first"] = _capitalised
    return environment.get_template(template.name)


def _paper(
    paper: Paper, data: list[xr.Dataset], drawn: list[Picture], frame: pd.DataFrame, link: Links
) -> dict:
    """A paper as the page introduces it: three sentences and the key figure."""
    runs = {results.name(d): d for d in data}
    claimed = frame[frame.paper == paper.key].drop_duplicates(verdicts_table.CLAIM)
    found = {(p.experiment, p.name): p for p in drawn}
    key = next((found[name] for name in paper.figures if name in found), None)
    return {
        "key": paper.key,
        "reference": paper.reference,
        "sentences": findings.of_paper(paper.asked, paper.pairs, runs, list(claimed.claim_verdict)),
        "figure": key and _embedded(key, link),
    }


def _figure(picture: Picture, link: Links) -> dict:
    pdf = picture.path.with_suffix(".pdf")
    return {
        "id": picture.anchor,
        "name": picture.name.replace("_", " "),
        "caption": picture.caption,
        "width": picture.width,
        "height": picture.height,
        "address": link.to(picture.path),
        "pdf": link.to(pdf) if pdf.is_file() else None,
    }


def _embedded(picture: Picture, link: Links) -> dict:
    return _figure(picture, link) | {"address": picture.embedded()}


def _chapters(experiments: list[dict], across: list[dict]) -> list[dict]:
    """Experiments, and figures and tables over several, by the first paper whose claims they serve."""
    chapters: list[dict] = [{"key": p.key, "experiments": [], "across": []} for p in PAPERS]
    further: dict = {"key": "", "experiments": [], "across": []}
    for kind, parts in (("experiments", experiments), ("across", across)):
        for part in parts:
            owners = (c for c, p in zip(chapters, PAPERS, strict=True) if p.covers(part["over"]))
            next(owners, further)[kind].append(part)
    return [c for c in (*chapters, further) if c["experiments"] or c["across"]]


def _capitalised(text: str) -> str:
    """A sentence begins with a capital, unless it begins with a symbol."""
    is_symbol = mathematics.marked_up(text).startswith("<math>")
    return text if is_symbol else text[:1].upper() + text[1:]


def _experiment(data: xr.Dataset, drawn: list[Picture], config: Mapping, link: Links) -> dict:
    name = str(data.attrs["experiment"])
    part = results.at_alpha(data)
    return {
        "name": name,
        "over": [name],
        "title": results.title(data),
        "results": link.results(name),
        "answer": _answer(data, drawn, config, link),
        "standin": results.is_standin(data),
        "data": results.data_words(data),
        "facts": _facts(data),
        "methods": _methods(data, config),
        "findings": findings.sentences(data),
        "figures": [_figure(p, link) for p in drawn if p.experiment == name],
        "regret": _regret_rows(part),
        "alphas": _alpha_rows(data),
        "unit": style.unit_text(results.units(data)),
        "rounds": results.round_label(data),
        "fits": _fit_rows(data),
        "optimiser": _optimiser(results.fit(data)),
        "tuned": [
            {
                "label": results.label(part, policy),
                "parameter": t["parameter"].replace("_", " "),
                "value": t["value"],
                "grid": list(zip(t["grid"], t["average_regret"], strict=True)),
                "edge": bool(t.get("at_edge_of_grid", False)),
                "seeds": t.get("training_seeds", ""),
            }
            for policy, t in results.tuned(data).items()
            if policy in part.policy.values
        ],
    }


def _answer(data: xr.Dataset, drawn: list[Picture], config: Mapping, link: Links) -> dict:
    """For who has sensors: the table in words, its figure, and its rows on methods and queries."""
    frame = answer_table.rows([data], answer_table.Parameters())
    text = answer.paragraphs(frame, results.round_label(data))
    settings = config.get("experiments", {}).get(results.name(data), {})
    dataset = config.get("datasets", {}).get(settings.get("dataset"), {})
    shown = next((p for p in drawn if (p.experiment, p.name) == (results.name(data), "controls")), None)
    found = frame.fillna({"setting": ""}).to_dict("records")
    return {
        "paragraphs": text,
        "figure": shown and _embedded(shown, link),
        "played": _played(data),
        "best": "largest" if dataset.get("maximise", True) else "smallest",
        "methods": [row for row in found if row["question"] in ("method", "reference")],
        "queries": [row for row in found if row["question"] == "query"],
        "csv": link.table("answer.csv"),
    }


def _played(data: xr.Dataset) -> str:
    """How many sites and rounds, and when."""
    rounds = f"{number(data.sizes['round'])} {results.round_label(data)}s"
    when = f" from {data.time.values[0]} to {data.time.values[-1]}" if "time" in data else ""
    return f"{number(data.sizes['arm'])} sites, {rounds}{when}"


def _facts(data: xr.Dataset) -> list[tuple[str, str]]:
    """Key figures of an experiment."""
    seeds = data.seed.values
    return [
        ("data", results.data_words(data)),
        ("arms", number(data.sizes.get("arm", float("nan")))),
        (f"{results.round_label(data)}s", number(data.sizes["round"])),
        ("runs", f"{len(seeds)} (seeds {seeds.min()} to {seeds.max()})"),
        ("intervals over", results.sample_words(data)),
        ("variants", str(data.sizes["policy"])),
        ("alpha", ", ".join(map(str, data.alpha.values))),
        *_card(data),
    ]


def _card(data: xr.Dataset) -> list[tuple[str, str]]:
    """What is known of the environment or the data themselves."""
    card = cards_table.row(data)
    if not card["optimum"]:
        return []
    moves = f"{number(card['optimum_moves'])} times" if card["optimum"] == "moves" else "never"
    listed = card["change_points"] or "none"
    return [
        ("regret of the best fixed arm", number(card["best_fixed_regret"])),
        ("optimal arm changes", moves),
        ("path of the optimum (diameters)", number(card["path_length"])),
        ("variation, sup norm", number(card["sup_variation"])),
        ("variation, RKHS norm", number(card["rkhs_variation"])),
        ("period", number(card["period"])),
        ("change points", listed),
    ]


def _methods(data: xr.Dataset, config: Mapping) -> str:
    """The methods paragraph, from the configuration and the fit."""
    name = str(data.attrs["experiment"])
    settings = config.get("experiments", {}).get(name, {})
    fit = results.fit(data)
    kernel = fit.get("kernel", {})
    arms = f"{data.sizes['arm']} arms" if "arm" in data.sizes else "the arms"
    text = [
        f"Every variant played {data.sizes['round']} {results.round_label(data)}s on {arms},"
        f" in {data.sizes['seed']} runs. All variants had the same rewards and, arm by arm and"
        f" {results.round_label(data)} by {results.round_label(data)}, the same noise;"
        " each policy draws its own random numbers from a stream of its name."
    ]
    environment = settings.get("environment")
    if environment:
        listed = _settings(environment.get("parameters", {}))
        text.append(f"The rewards are those of environment {environment['name']} ({listed}).")
    if settings.get("dataset"):
        described = config.get("datasets", {}).get(settings["dataset"], {})
        share = described.get("train_fraction")
        text.append(
            f"The rewards are the values of dataset {settings['dataset']}"
            f" ({described.get('title', 'no title')})"
            + (f"; the first {float(share):.0%} of it was used for fitting only" if share else "")
            + ". A site without a value could not be played in that round."
        )
    if kernel.get("name") == "empirical":
        text.append(
            f"All models shared the sample covariance of the {len(kernel['covariance'])} sites over"
            f" the training part; noise variance {number(fit.get('noise_variance'))},"
            f" epsilon {number(fit.get('epsilon'))} by marginal likelihood, one prior mean"
            + (" per site." if fit.get("centre") == "sensors" else " for all sites.")
        )
    elif kernel:
        numbers = {k: v for k, v in kernel.items() if k != "name"}
        given = [k for k in ("variance", "length_scale") if k not in fit.get("estimated", [])]
        origin = "as the paper states" if len(given) == 2 else "fitted by marginal likelihood"
        text.append(
            f"All models shared one kernel ({kernels.find(kernel['name']).label},"
            f" {_settings(numbers)}), {origin}; noise variance"
            f" {number(fit.get('noise_variance'))}, norm bound B = {number(fit.get('norm_bound'))},"
            f" prior mean {number(fit.get('prior_mean'))}."
        )
    delta = settings.get("model", {}).get("delta")
    if delta is not None:
        text.append(f"Confidence level delta = {number(delta)}.")
    text.append(
        "Regret is counted for plays only; expert queries are counted separately and shown with"
        " every result. Intervals are 95 % Student intervals of the mean over runs or,"
        " on a fixed record, over blocks of its rounds."
    )
    return " ".join(text)


def _settings(values: Mapping) -> str:
    def shown(value: Any) -> str:
        several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        return " and ".join(map(number, several))

    return ", ".join(f"{k.replace('_', ' ')} {shown(v)}" for k, v in values.items()) or "no parameters"


def _regret_rows(part: xr.Dataset) -> list[dict]:
    """Rows of the regret table at the main alpha, with the length of its bar."""
    frame = regret_table.rows([part.expand_dims("alpha")], regret_table.Parameters())
    top = frame["average_regret"].max() or 1.0
    best = results.best_published(part)
    return [
        row | {"share": max(0.0, row["average_regret"] / top), "best": row["policy"] == best}
        for row in frame.to_dict("records")
    ]


def _alpha_rows(data: xr.Dataset) -> dict | None:
    """Average regret by drift exponent, where several were run and a variant depends on alpha."""
    alphas = sorted(map(str, data.alpha.values), key=lambda a: float(a.replace("fit", "inf")))
    if len(alphas) < 2:
        return None
    frame = regret_table.rows([data], regret_table.Parameters())
    wide = frame.pivot(index="label", columns="alpha", values="average_regret")[alphas]
    moving = wide[(wide.max(axis=1) - wide.min(axis=1)) > 1e-9]
    if moving.empty:
        return None
    moving = moving.sort_values(alphas[0]).reset_index()
    return _frame(moving.rename(columns={a: f"alpha = {a}" for a in alphas}))


def _fit_rows(data: xr.Dataset) -> list[dict]:
    return fits_table.rows([data], fits_table.Parameters()).to_dict("records")


def _optimiser(fit: Mapping) -> str:
    """One sentence on the optimiser of the fit."""
    how = fit.get("optimiser") or {}
    if not how or not fit.get("estimated"):
        return ""
    text = f"Optimiser: {how.get('status', 'unknown')}"
    if "starts" in how:
        text += f", {how['starts']} starts"
    if "starts_agreeing" in how:
        text += f", {how['starts_agreeing']} of them ended in the same optimum"
    if fit.get("log_marginal_likelihood") is not None:
        text += f"; log marginal likelihood {number(fit['log_marginal_likelihood'])}"
    if fit.get("points"):
        text += f" on {fit['points']} training values"
    return f"{text}."


def _claims(frame: pd.DataFrame, drawn: list[Picture], link: Links, config: Mapping) -> dict:
    """The matrix of verdicts, every claim with its rows and links, and how many false verdicts to expect."""
    tested, false = judge.expected_false(frame.decided_by)
    shown = _anchors(drawn, config)
    listed: list[dict] = []
    for (kind, paper, item, claimed), part in frame.groupby(verdicts_table.CLAIM, sort=False):
        module, measure = _definitions()[str(paper), str(item), str(claimed)]
        rows = [
            row
            | {
                "figure": next((shown[n] for n in row["experiment"].split(", ") if n in shown), ""),
                "netcdf": [(n, link.results(n)) for n in row["experiment"].split(", ") if link.results(n)],
            }
            for row in part.to_dict("records")
        ]
        listed.append(
            {
                "kind": kind,
                "paper": paper,
                "item": item,
                "claimed": claimed,
                "first": not any((c["kind"], c["paper"]) == (kind, paper) for c in listed),
                "verdict": rows[0]["claim_verdict"],
                "category": judge.category(rows[0]["claim_verdict"]),
                "rows": rows,
                "definition": link.source(module),
                "defined_in": f"{module.rpartition('.')[2]}.py, measured by {measure}",
            }
        )
    return {
        "matrix": verdicts_table.counted(frame).to_dict("records"),
        "verdicts": judge.VERDICTS,
        "listed": listed,
        "csv": link.table("claims.csv"),
        "counts_csv": link.table("verdicts.csv"),
        "tested": tested,
        "false": false,
    }


def _anchors(drawn: list[Picture], config: Mapping) -> dict[str, str]:
    """The figure that shows an experiment or analysis: its own first, or the first over several."""
    shown: dict[str, str] = {}
    for picture in drawn:
        for name in _over(picture.name, "figures", config) if picture.experiment == "across" else ():
            shown.setdefault(name, picture.anchor)
    own: dict[str, str] = {}
    for picture in drawn:
        own.setdefault(picture.experiment, picture.anchor)
    return shown | own


def _over(name: str, kind: str, config: Mapping) -> list[str]:
    """The experiments and analyses that a figure or table over several reads."""
    over = config.get(kind, {}).get(name, {}).get("over", [])
    return [] if over == "all" else list(over)


@cache
def _definitions() -> dict[tuple[str, str, str], tuple[str, str]]:
    """The module of each claim and the function that measures it."""
    found = {}
    for info in pkgutil.iter_modules(claims.__path__, f"{claims.__name__}."):
        for claim in getattr(import_module(info.name), "CLAIMS", ()):
            measure = inspect.unwrap(claim.measure)
            where = f"measures/{measure.__module__.rpartition('.')[2]}.py"
            found[claim.paper, claim.item, claim.claimed] = info.name, f"{measure.__name__} in {where}"
    return found


def _across(drawn: list[Picture], tables: Sequence[str | Path], config: Mapping, link: Links) -> list[dict]:
    """Figures and tables over chosen experiments and analyses."""
    parts = [
        {"over": _over(p.name, "figures", config), "figure": _figure(p, link)}
        for p in drawn
        if p.experiment == "across"
    ]
    for path in map(Path, tables):
        over = _over(path.stem, "tables", config)
        if path.suffix == ".csv" and over:
            title = path.stem.replace("_", " ")
            table = {"title": title, "frame": _frame(_read_csv(path)), "csv": link.to(path)}
            parts.append({"over": over, "table": table})
    return parts


def _ranks(data: list[xr.Dataset], config: Mapping) -> dict | None:
    chosen = config.get("tables", {}).get("ranks", {}).get("experiments")
    data = [d for d in data if chosen is None or results.name(d) in chosen]
    if len(data) < 2:
        return None
    frame = ranks_table.rows(data, ranks_table.Parameters()).drop(
        columns=["policy", "experiments", "of_these_standin"]
    )
    standins = [str(d.attrs["experiment"]) for d in data if results.is_standin(d)]
    return _frame(frame.rename(columns={name: f"{name} (stand-in)" for name in standins}))


def _source(path: str | Path) -> dict:
    """Content of a manifest of raw files, with file names in place of full paths."""
    content = files.read_object(path)
    try:
        return {
            "dataset": content["dataset"],
            "standin": content["source"] == "standin",
            "note": content.get("note", ""),
            "files": [
                {
                    "name": Path(f["path"]).name,
                    "bytes": f["bytes"],
                    "sha256": f["sha256"],
                    "url": f.get("url") or "",
                }
                for f in content["files"]
            ],
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: not a manifest of raw files (no {error})") from None


def _checks(path: str | Path | None) -> list[tuple[str, str]]:
    """The checks as pairs of name and value, nested mappings flattened."""
    if path is None:
        return []

    def flat(value, prefix=""):
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield from flat(inner, f"{prefix}{key}: ".replace("_", " "))
        else:
            yield prefix.rstrip(": "), number(value) if not isinstance(value, list) else str(value)

    return list(flat(files.read_object(path)))


def _dataset(path: str | Path) -> str:
    return Path(path).parent.name


def _read_csv(path: str | Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: not readable as a table ({reason})") from None


def _frame(frame: pd.DataFrame) -> dict:
    """A table for the template: header and rows."""
    return {
        "columns": [str(c).replace("_", " ") for c in frame.columns],
        "rows": frame.values.tolist(),
    }
