"""The section of an experiment: its answer, facts, findings, figures, regret, fit and tuned parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr

from tvgp import kernels
from tvgp.study import results
from tvgp.study.report import answer, answer_on_readings, cells, findings, live, pictures
from tvgp.study.report.cells import number
from tvgp.study.report.links import Links
from tvgp.study.report.pictures import Picture
from tvgp.study.results import mathematics
from tvgp.study.tables import answer as answer_table
from tvgp.study.tables import cards as cards_table
from tvgp.study.tables import fits as fits_table
from tvgp.study.tables import regret as regret_table


def section(data: xr.Dataset, drawn: list[Picture], config: Mapping, link: Links) -> dict:
    """An experiment as the page shows it: its answer, facts, findings, figures and tables."""
    name = str(data.attrs["experiment"])
    part = results.at_alpha(data)
    return {
        "name": name,
        "over": [name],
        "title": results.title(data),
        "results": link.results(name),
        "answer": _answer(data, drawn, config, link),
        "standin": results.is_standin(data),
        "facts": _facts(data),
        "methods": _methods(data, config),
        "findings": findings.sentences(data),
        "figures": [pictures.linked(p, link) for p in drawn if p.experiment == name],
        "regret": _regret_rows(part),
        "alphas": _alpha_rows(data),
        "unit": results.unit_text(results.units(data)),
        "rounds": results.round_label(data),
        "fits": fits_table.rows([data]).to_dict("records"),
        "optimiser": _optimiser(results.fit(data)),
        "tuned": [
            {
                "label": results.label(part, policy),
                "parameter": mathematics.symbol(t["parameter"]),
                "value": t["value"],
                "grid": list(zip(t["grid"], t["average_regret"], strict=True)),
                "edge": bool(t.get("at_edge_of_grid", False)),
            }
            for policy, t in results.tuned(data).items()
            if policy in part.policy.values
        ],
    }


def _answer(data: xr.Dataset, drawn: list[Picture], config: Mapping, link: Links) -> dict:
    """For sensor operators: the table in words, its figure, and its rows on methods and queries."""
    frame = answer.as_written(answer_table.rows([data]))
    text = answer.paragraphs(frame, results.round_label(data))
    settings = config.get("experiments", {}).get(results.name(data), {})
    dataset = config.get("datasets", {}).get(settings.get("dataset"), {})
    own = {p.name: p for p in drawn if p.experiment == results.name(data)}
    shown = {name: own.get(name) for name in ("own_readings", "controls", "sites")}
    found = frame.fillna({"setting": ""}).to_dict("records")
    return {
        "paragraphs": text,
        "first": answer.UP_TO_READINGS,
        "readings": answer_on_readings.table(found),
        "figures": {name: p and pictures.embedded(p, link) for name, p in shown.items()},
        "played": _played(data),
        "best": "largest" if dataset.get("maximise", True) else "smallest",
        "methods": [row for row in found if row["question"] in ("method", "reference")],
        "names": sum(row["question"] == "method" for row in found),
        "queries": [row for row in found if row["question"] == "query"],
        "csv": link.table("answer.csv"),
        "live": live.lines(
            f"{config.get('results', 'results')}/live/{results.name(data)}",
            results.round_label(data),
            dataset.get("maximise", True),
            str(dataset.get("anomaly", "")),
        )
        if dataset.get("loader") == "table"
        else "",
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
        ("arms", number(data.sizes["arm"])),
        (f"{results.round_label(data)}s", number(data.sizes["round"])),
        ("runs", f"{len(seeds)} (seeds {seeds.min()} to {seeds.max()})"),
        ("intervals over", results.sample_words(data)),
        ("variants", str(data.sizes["policy"])),
        ("$α$", ", ".join(map(str, data.alpha.values))),
        *_card(data),
    ]


def _card(data: xr.Dataset) -> list[tuple[str, str]]:
    """What is known of the environment or the data themselves."""
    card = cards_table.row(data)
    moves = f"{number(card['optimum_moves'])} times" if card["optimum"] == "moves" else "never"
    described = [
        ("regret of the best fixed arm", number(card["best_fixed_regret"])),
        ("optimal arm changes", moves),
        ("path of the optimum (diameters)", number(card["path_length"])),
        ("variation, sup norm", number(card["sup_variation"])),
        ("variation, RKHS norm", number(card["rkhs_variation"])),
        ("period", number(card["period"])),
        ("change points", card["change_points"] or "none"),
    ]
    return [(name, value) for name, value in described if value != number(None)]


def _methods(data: xr.Dataset, config: Mapping) -> str:
    """The methods paragraph, from the configuration and the fit."""
    name = str(data.attrs["experiment"])
    settings = config.get("experiments", {}).get(name, {})
    fit = results.fit(data)
    kernel = fit.get("kernel", {})
    text = [
        f"Every variant played {data.sizes['round']} {results.round_label(data)}s on {data.sizes['arm']}"
        f" arms, in {data.sizes['seed']} runs. All variants had the same rewards and, arm by arm and"
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
            f" $ε$ {number(fit.get('epsilon'))} by marginal likelihood, one prior mean"
            + (" per site." if fit.get("centre") == "sensors" else " for all sites.")
        )
    elif kernel:
        numbers = {k: v for k, v in kernel.items() if k != "name"}
        given = [k for k in ("variance", "length_scale") if k not in fit.get("estimated", [])]
        per_site = isinstance(fit.get("prior_mean"), list)
        origin = "as the paper states" if len(given) == 2 else "fitted by marginal likelihood"
        text.append(
            f"All models shared one kernel ({kernels.find(kernel['name']).label},"
            f" {_settings(numbers)}), {origin}; noise variance"
            f" {number(fit.get('noise_variance'))}, norm bound $B = {number(fit.get('norm_bound'))}$,"
            + (" one prior mean per site." if per_site else f" prior mean {number(fit.get('prior_mean'))}.")
        )
    delta = settings.get("model", {}).get("delta")
    if delta is not None:
        text.append(f"Confidence level $δ = {number(delta)}$.")
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

    return ", ".join(f"{mathematics.symbol(k)} {shown(v)}" for k, v in values.items()) or "no parameters"


def _regret_rows(part: xr.Dataset) -> list[dict]:
    """Rows of the regret table at the main alpha, with the length of its bar."""
    frame = regret_table.rows([part.expand_dims("alpha")])
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
    frame = regret_table.rows([data])
    rows = ["label", "policy"]  # labels need not be unique
    wide = frame.pivot(index=rows, columns="alpha", values="average_regret")[alphas]
    moving = wide[(wide.max(axis=1) - wide.min(axis=1)) > 1e-9 * wide.abs().max(axis=1)]
    if moving.empty:
        return None
    moving = moving.sort_values(alphas[0]).reset_index("policy", drop=True).reset_index()
    return cells.table(moving.rename(columns={a: f"$α = {a}$" for a in alphas}))


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
    if sample := results.training_values(fit):
        text += f" on {sample}"
    return f"{text}."
