"""What the table `answer` says about readings: before the choice and after it, their price, their sites."""

from __future__ import annotations

from collections.abc import Sequence

from tvgp.study.report.wording import Parts, Row, compared, label, number, row_of
from tvgp.study.results import readings
from tvgp.study.results.statistics import digits

CURVES = "Readings before and after"
RARE = 0.005  # share of the rounds
SITES = 6  # named


def advice(parts: Parts, round_label: str) -> str:
    """How many readings to make beside the choice itself, if they can be made."""
    text = []
    reader = next((str(row["name"]) for row in parts.get("reader", ())), "")
    gain = row_of(parts, "price", "gain")
    if tuned := row_of(parts, "tuned", reader):
        text.append(f"If you can read sites before you choose, {_settled(parts, tuned, round_label)}.")
    elif reader:
        index, none = _index(parts), _nothing(parts)
        made = f"{index['queries_per_round']:.3g}"
        if index["setting"]:
            text.append(
                f"If you can read sites before you choose, let Pandora's index read {made} per"
                f" {round_label} on average: at {_per_reading(index)}, that costs {digits(index['value'])}"
                f" per {round_label}, regret and readings together, where no reading costs {number(none)}"
                f" ({label(none)})."
            )
        else:
            text.append(
                f"If you can read sites before you choose, let Pandora's index read {made} per"
                f" {round_label} on average, by its budget: the regret is then {number(index)}."
            )
    elif gain:
        text.append(_not_worth(parts, gain, round_label))
    tuned = row_of(parts, "tuned", readings.TUNED["after"])
    if tuned and tuned["verdict"] == "lower":
        text.append(f"If you can read only after it, {_settled(parts, tuned, round_label)}.")
    return " ".join(text)


def _not_worth(parts: Parts, gain: Row, round_label: str) -> str:
    """That the index is of no clear use, with both costs."""
    index, none = _index(parts), _nothing(parts)
    if not index["queries_per_round"]:
        where = f"At {_per_reading(index)}" if index["setting"] else "With this budget"
        return f"{where}, Pandora's index makes no reading before the choice: none pays."
    made = f"{index['queries_per_round']:.3g}"
    if not index["setting"]:
        return (
            f"Pandora's index, which makes {made} readings before the choice, by its budget, has no clearly"
            f" lower regret ({number(index)}, without {number(none)})."
        )
    dear = gain["verdict"] == "higher"
    worth = "would clearly cost more than it saves" if dear else "is not clearly worth its price"
    return (
        f"Pandora's index, which reads before the choice, {worth}: with {made} readings it costs"
        f" {digits(index['value'])} per {round_label}, where no reading costs {number(none)} ({label(none)})."
    )


def _settled(parts: Parts, row: Row, round_label: str) -> str:
    """To read the number of sites that cost least in training, at its price."""
    none, made = _nothing(parts), f"{row['queries_per_round']:.3g}"
    sites, bounds = ("site", "bound") if made == "1" else ("sites", "bounds")
    until = f" for the next {round_label}" if row["name"] == readings.TUNED["after"] else ""
    return (
        f"use {_label(parts)} and read {made} {sites} every {round_label}{until}, at the largest upper"
        f" {bounds}, a number chosen in the training part: at {_per_reading(_index(parts))}, that costs"
        f" {digits(row['value'])} per {round_label}, regret and readings together, where no reading costs"
        f" {number(none)} ({label(none)})"
    )


def paragraphs(parts: Parts, round_label: str) -> dict[str, str]:
    """On the number of readings, on their price and on the sites."""
    if "before" not in parts:
        return {}
    text = {CURVES: _curves(parts, round_label)}
    if "price" in parts:
        text["At your price"] = _price(parts, round_label)
        gain = row_of(parts, "price", "gain")
        if not gain or gain["verdict"] != "higher":
            text["Which sites"] = _sites(parts, round_label)
    return text


def table(rows: Sequence[Row]) -> list[tuple[str, Row | None, Row | None]]:
    """(number, row of reading before, row of reading after) by number of readings per round."""
    parts = {moment: [row for row in rows if row["question"] == moment] for moment in ("before", "after")}
    curves = {moment: {_number(row): row for row in _curve(parts, moment)} for moment in parts}
    numbers = sorted({**curves["before"], **curves["after"]}, key=float)
    return [(number, curves["before"].get(number), curves["after"].get(number)) for number in numbers]


def _curves(parts: Parts, round_label: str) -> str:
    """Knee and clear losses of each order."""
    text = [f"Beside the choice itself, {_label(parts)} can read other sites of the same {round_label}."]
    for moment, words in (
        ("before", "Before the choice"),
        ("after", f"After it, for the next {round_label}"),
    ):
        curve = _curve(parts, moment)
        if not curve:
            continue
        points = ", ".join(f"{digits(row['value'])} with {_number(row)}" for row in curve)
        unit = number(curve[0]).partition(" ")[2]
        said = f"{words}, the regret{f' ({unit})' if unit else ''} is {points}"
        text.append(f"{said}; {_ends(parts, moment, curve)}.")
    if every := row_of(parts, "reference", "yesterdays_best"):
        text.append(
            f"Reading every site after the choice, and playing the best of the {round_label} before (a random"
            f" site in the first), has {number(every)}."
        )
    return " ".join(text)


def _ends(parts: Parts, moment: str, curve: list[Row]) -> str:
    """Where further readings begin to pay less; which numbers cost regret."""
    clear = [row for row in curve if row["verdict"] == "lower"]
    costly = [_number(row) for row in curve if row["verdict"] == "higher"]
    knee = _knee(parts, moment)
    if not clear:
        text = "no number clearly saves regret"
    elif knee is None:
        text = f"the first that clearly saves regret is {_number(clear[0])}"
    else:
        text = f"beyond {_number(knee)}, each further reading saves less than those before"
    return f"{text}, and {', '.join(costly)} clearly costs regret" if costly else text


def _price(parts: Parts, round_label: str) -> str:
    """The cost of the index, of none and of the best fixed number."""
    index = _index(parts)
    best = next(row for row in parts["price"] if row["verdict"] == "least")
    fixed = _number(best)
    if not index["setting"]:
        return (
            f"Pandora's index makes {index['queries_per_round']:.3g} readings on average, by its budget,"
            f" with regret {number(index)}; {fixed} every {round_label} have {number(best)}"
            f" ({compared(index)})."
        )
    none = _nothing(parts)
    text = (
        f"At {_per_reading(index)} (the key price), Pandora's index stops after"
        f" {index['queries_per_round']:.3g} on average and costs {number(index)} per {round_label}, regret"
        f" and readings together; no reading costs {digits(none['value'])} ({label(none)}), and the best"
        f" fixed number under {_label(parts)}, {fixed}, known only afterwards, {digits(best['value'])}: the"
        f" index is {compared(index)}."
    )
    when = {readings.TUNED["before"]: "before the choice", readings.TUNED["after"]: "after it"}
    costs = [
        f"{digits(row['value'])} with {row['queries_per_round']:.3g} {when[row['name']]} ({compared(row)})"
        for row in parts.get("tuned", ())
    ]
    if costs:
        text += (
            " The numbers of readings that were chosen in the training part cost, beside no reading,"
            f" {' and '.join(costs)}."
        )
    return text


def _sites(parts: Parts, round_label: str) -> str:
    """How often the index makes how many readings, and of which sites."""
    days = [f"{row['name']} on {row['value']:.0%}" for row in parts.get("counts", ()) if row["value"] >= RARE]
    text = [f"Readings that the index made, by share of the {round_label}s: {', '.join(days)}."]
    if asked := parts.get("asked", ()):
        shown = [f"{row['name']} on {row['value']:.0%}" for row in asked[:SITES]]
        more = f" and {len(asked) - SITES} more less often" if len(asked) > SITES else ""
        text.append(f"Sites that it read, by share of the {round_label}s: {', '.join(shown)}{more}.")
    if first := [str(row["name"]) for row in parts.get("first", ())]:
        text.append(f"Before anything has been read, begin with {', then '.join(first)}.")
    return " ".join(text)


def _curve(parts: Parts, moment: str) -> list[Row]:
    """The rows of one order; numbers that read every site, and so are the same, once."""
    rows = [row for row in parts.get(moment, ()) if row["name"] != "knee"]
    return list({row["queries_per_round"]: row for row in reversed(rows)}.values())[::-1]


def _knee(parts: Parts, moment: str) -> Row | None:
    """The row of the number at the knee."""
    knee = row_of(parts, moment, "knee")
    rows = parts.get(moment, ())
    return next((row for row in rows if knee and readings.number(row["name"]) == knee["value"]), None)


def _nothing(parts: Parts) -> Row:
    """What reads no other site."""
    return parts["price"][0]


def _index(parts: Parts) -> Row:
    return next(row for row in parts["price"] if readings.price(row["name"]) or readings.budget(row["name"]))


def _per_reading(index: Row) -> str:
    """The price with its unit."""
    price = float(index["setting"].removeprefix("price "))
    return f"{number({**index, 'value': price})} per reading"


def _label(parts: Parts) -> str:
    return str(parts["before"][0]["label"])


def _number(row: Row) -> str:
    """Readings per round: the number asked for, or what gaps leave of it."""
    made, asked = row["queries_per_round"], readings.number(row["name"])
    return str(asked) if asked == round(made) else f"{made:.3g}"
