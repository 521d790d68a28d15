"""What the table `answer` says about drift: plain correlations first, then what the models make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tvgp.study.report.wording import Parts, Row, amount, number

BEYOND = "beyond training"
DECISIVE = 2.0  # nats: just above half the 95 % point of chi-squared with one degree of freedom


def paragraph(parts: Parts, round_label: str) -> str:
    """The text; "" without rows."""
    drift = {row["name"]: row for row in parts.get("drift", ())}
    lags = {row["name"]: row for row in parts.get("correlation", ())}
    scales = {row["name"]: row for row in parts.get("scale", ())}
    text = [
        _correlations(lags, round_label),
        _scales(scales, round_label),
        _epsilon(drift, lags, round_label),
    ]
    if forgetting := drift.get("forgetting"):
        gain = forgetting["value"]
        said = "better than" if gain > DECISIVE else "worse than" if gain < -DECISIVE else "no better than"
        text.append(f"On the training data, this drift predicts the next value {said} no drift does.")
    if season := drift.get("season"):
        text.append(
            f"Read this with care: a yearly wave makes up {season['value']:.0%} of the variance within sites,"
            " and the fit takes it for drift; the key anomaly: harmonic removes it."
        )
    elif "variance" in drift:
        text.append(
            f"Read this with care: the data tell how much values change per {round_label}, not how far they"
            " can stray, for which the fit takes the spread of the training values."
            if drift["variance"]["verdict"] == "upper bound"
            else "Read this with care: the kernel's variance ended on a bound of the fit."
        )
    return " ".join(filter(None, text))


def _correlations(lags: Mapping[Any, Row], round_label: str) -> str:
    """The plain correlations of the training values."""
    words = {"1": "one", "2": "two", "3": "three"}
    known = {words[n]: row["value"] for n, row in lags.items() if n in words and row["value"] == row["value"]}
    if not known:
        return ""
    half = lags["half"]["value"]
    ends = (
        f"it falls below 0.5 after {half:.0f} {round_label}{'s' * (half > 1)}"
        if half == half
        else "it does not fall below 0.5 within a third of the training part"
    )
    shown, counted = ", ".join(f"{value:.2f}" for value in known.values()), ", ".join(known)
    return (
        f"In the training part, a site's values less their mean have correlation {shown} with those {counted}"
        f" {round_label}s later; {ends}."
    )


def _scales(scales: Mapping[Any, Row], round_label: str) -> str:
    """What moves in the model chosen in training, and how long it lasts."""
    if not scales:
        return ""
    parts = [
        (row, words)
        for name, words in (("fast", "moves fast"), ("slow", "moves slowly"))
        if (row := scales.get(name)) and row["setting"] != "0%"
    ]
    said = [f"{row['setting']} of the variance {how} ({_lasting(row, 'half-life')})" for row, how in parts]
    if len(parts) == 1:
        said = [f"the sites move with a half-life {_lasting(parts[0][0], 'of')}"]
    text = f"In the model chosen for Field-GP-UCB, {' and '.join(said) or 'the sites do not move'}."
    if log := scales.get("log"):
        text += (
            f" It learns $c \\log(1 + |y - y_0|/c)$ of values $y$, which are skewed, with $c$ = {amount(log)}"
            f" and $y_0$ = {log['sample']}. In replays of the training part, regret and readings then cost"
            f" {log['setting']} per {round_label}."
        )
    return text


def _lasting(row: Row, before: str) -> str:
    """A half-life after a word, where the training part is long enough to tell it."""
    return "longer than the training part" if row["verdict"] == BEYOND else f"{before} {number(row)}"


def _epsilon(drift: Mapping[Any, Row], lags: Mapping[Any, Row], round_label: str) -> str:
    """The forgetting rate of TV-GP-UCB's model in rounds."""
    epsilon = drift.get("epsilon")
    if not epsilon:
        return ""
    if epsilon["verdict"] == "lower bound":
        return (
            "TV-GP-UCB's model finds no drift ($ε$ at its lower bound): a reading keeps its worth, and"
            " forgetting cannot help."
        )
    if epsilon["verdict"] == "upper bound":
        return (
            "TV-GP-UCB's model finds no memory ($ε$ at its upper bound): a reading says nothing about the"
            f" next {round_label}."
        )
    trained = f" from {epsilon['sample']}" if epsilon["sample"] else ""
    text = (
        "By TV-GP-UCB's model, half of what a reading tells about its site is gone after"
        f" {amount(epsilon)}, by {epsilon['setting']}{trained}."
    )
    half = lags["half"]["value"] if "half" in lags else float("nan")
    if half < epsilon["low"] or half - 1.0 > epsilon["high"]:  # it is half somewhere in the round before
        text += (
            " It differs from the plain correlation because one time scale must serve what is fast and"
            " what lasts."
        )
    return text
