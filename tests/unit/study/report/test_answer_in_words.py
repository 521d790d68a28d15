"""The answer in words follows the table: each verdict, the bounds of the fit, units, and the CSV file."""

import example_results
import pandas as pd
import pytest

from tvgp.study import results, tables
from tvgp.study.report import answer
from tvgp.study.results import mathematics
from tvgp.study.tables.answer import COLUMNS


def frame(*rows):
    """Rows (question, name, verdict), further values as a mapping."""
    made = []
    for question, name, verdict, *more in rows:
        row = {"experiment": "mine", "question": question, "name": name, "verdict": verdict, "label": name}
        row |= {"setting": "", "value": 2.0, "low": 1.0, "high": 3.0, "units": "degC"}
        row |= {"difference": 0.0, "queries_per_round": 4.0, "sample": "10 blocks of 3 days"}
        made.append(row | (more[0] if more else {}))
    return pd.DataFrame(made, columns=COLUMNS)


def words(*rows, best=("method", "A", "least")):
    return dict(answer.paragraphs(frame(best, *rows), "day"))


def test_one_method_may_be_clearly_best():
    said = words(("method", "B", "higher"), best=("method", "A", "least", {"setting": "window 5"}))
    assert said["Which method"] == (
        "A with window 5 has the least regret, 2 °C [1, 3] per day on average, clearly less than every"
        " other method."
    )


def test_without_a_clear_winner_the_answer_says_so():
    said = words(("method", "B", "no clear difference"))["Which method"]
    assert said.startswith("No method is clearly better than another. A has the least regret")
    assert "no other is clearly worse" in said


def test_close_and_worse_methods_are_told_apart():
    said = words(("method", "B", "no clear difference"), *(("method", c, "higher") for c in "CDEFG"))
    assert "Not clearly worse: B. Clearly worse: C, D, E, F and 1 more." in said["Which method"]


@pytest.mark.parametrize(
    ("uniform", "fixed", "conclusion"),
    [
        ("no clear difference", "lower", "No method is clearly better than a site at random."),
        ("higher", "lower", "A good single site, once known, is clearly better than any method."),
        ("higher", "higher", "A is clearly better than any single site."),
        ("higher", "no clear difference", "No method is clearly better than the best single site."),
    ],
)
def test_the_conclusion_compares_with_doing_without_a_method(uniform, fixed, conclusion):
    said = words(
        ("reference", "best_fixed_arm", fixed, {"setting": "site S1"}), ("reference", "uniform", uniform)
    )
    assert next(iter(said)) == "In short" and said["In short"] == conclusion
    compared = {"lower": "clearly less than", "higher": "clearly more than"}
    expected = compared.get(fixed, "not clearly different from")
    assert f"known only afterwards (site S1): 2 °C [1, 3], {expected} A" in said["Beside no method"]


def test_a_short_record_is_called_short():
    least = ("method", "A", "least", {"sample": "9 blocks of 3 days"})
    said = words(("reference", "uniform", "higher"), best=least)["In short"]
    assert said.endswith("The record is short (9 blocks of 3 days): only large differences can be clear.")


@pytest.mark.parametrize(
    ("verdict", "start"),
    [
        (
            "",
            "Half of what a reading tells about its site is gone after 2 days [1, 3], by epsilon 0.5",
        ),
        ("lower bound", "The fit finds no drift"),
        ("upper bound", "The fit finds no memory"),
    ],
)
def test_drift_is_told_in_days_or_as_a_bound(verdict, start):
    epsilon = ("drift", "epsilon", verdict, {"units": "days", "setting": "epsilon 0.5 (fitted)"})
    assert words(epsilon)["Drift"].startswith(start)
    assert "with care" not in words(epsilon)["Drift"]
    assert "with care: the kernel's variance" in words(epsilon, ("drift", "variance", "lower bound"))["Drift"]
    assert (
        "how much values change per day, not" in words(epsilon, ("drift", "variance", "upper bound"))["Drift"]
    )
    season = ("drift", "season", "", {"value": 0.92})
    assert "a yearly wave makes up 92% of the variance" in words(epsilon, season)["Drift"]


@pytest.mark.parametrize(
    ("gain", "said"), [(5.0, "better than"), (1.0, "no better than"), (-5.0, "worse than")]
)
def test_drift_must_predict_better_than_none(gain, said):
    drift = words(("drift", "forgetting", "", {"value": gain}))["Drift"]
    assert drift == (f"On the training data, this drift predicts the next value {said} no drift does.")


def test_the_worth_of_a_query_has_the_unit_of_the_values():
    unit = {"units": "degC per query"}
    rows = [
        ("query", "sparq_gp_ucb", "no clear difference", unit),
        ("query", "a_same_budget_sparq", "higher", unit | {"difference": 1.0}),
        ("query", "b_same_budget_sparq", "lower", unit | {"difference": -1.0, "label": "B, SparQ's budget"}),
    ]
    said = words(*rows)["What a query is worth"]
    assert said.startswith(
        "Further readings of the same day (queries) clearly save regret with B with SparQ's"
    )
    assert "sparq_gp_ucb 2 °C [1, 3] (4 queries per day, not clear); B with" in said
    assert "a_same_budget" not in said  # only the best control is named
    assert "save no clear regret." in words(rows[0])["What a query is worth"]


def test_without_a_method_there_is_nothing_to_say():
    assert answer.paragraphs(frame(), "day") == []


def test_sentences_from_the_file_omit_a_missing_unit(tmp_path):
    rows = frame(("method", "A", "least"))
    rows.assign(experiment="own", units="").to_csv(tmp_path / "answer.csv", index=False)
    said = dict(answer.read(tmp_path / "answer.csv", "own", "day"))["Which method"]
    assert "nan" not in said and "A has the least regret" in said


def test_the_file_says_the_same_as_the_table(tmp_path):
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    csv = tables.make("answer", [path], tmp_path / "answer.csv")
    direct = answer.paragraphs(tables.rows("answer", [path]), "day")
    assert answer.read(csv, "ozone", results.round_label(results.read(path))) == [
        (heading, mathematics.plain(text)) for heading, text in direct
    ]
    assert [heading for heading, _ in direct] == [
        "In short",
        "Which method",
        "Beside no method",
        "Drift",
        "What a query is worth",
    ]
    assert answer.read(csv, "other", "day") == []


READINGS = (
    ("reading", "field_gp_ucb", "higher", {"value": 6.0, "queries_per_round": 0.0, "setting": "price 0.5"}),
    ("reading", "field_reads_3", "least", {"value": 2.0, "queries_per_round": 3.0, "setting": "price 0.5"}),
    (
        "reading",
        "pandora_at_0_5",
        "lower",
        {"value": 1.5, "queries_per_round": 2.5, "setting": "price 0.5"},
    ),
    ("readings", "0", "", {"value": 0.25}),
    ("readings", "4 to 5", "", {"value": 0.75}),
    ("readings", "11 or more", "", {"value": 0.0}),
    ("first", "S2", ""),
    ("first", "S1", ""),
)


def test_readings_before_have_their_price_and_their_days():
    said = words(*READINGS)["Can you read before you choose?"]
    assert said == (
        "If so, read one site after another, and choose then. Regret by readings per day (°C): 6 with 0, 2"
        " with 3. At a price of 0.5 per reading, the index stops after 2.5 on average: 2.75 per day, regret"
        " and readings together, clearly less than the 3.5 of the best fixed number, 3, which is known only"
        " afterwards. Readings that it made, by share of the days: 0 on 25%, 4 to 5 on 75%. Before anything"
        " has been read, begin with S2, then S1."
    )


def test_numbers_that_read_every_site_are_said_once():
    again = ("reading", "field_reads_5", "higher", READINGS[1][3])
    said = words(*READINGS[:2], again, *READINGS[2:])["Can you read before you choose?"]
    assert said.count("2 with 3") == 1


def test_under_a_budget_the_regrets_are_compared():
    rows = [(*row[:3], {**row[3], "setting": ""}) if row[0] == "reading" else row for row in READINGS[:-2]]
    said = words(*rows)["Can you read before you choose?"]
    assert "The index makes 2.5 readings on average, by its budget" in said
    assert "clearly less than 3 every day" in said and "begin with" not in said
