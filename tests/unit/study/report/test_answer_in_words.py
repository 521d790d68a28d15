"""The answer in words follows the table: each verdict, the bounds of the fit, units, and the CSV file."""

import example_results
import pandas as pd
import pytest

from tvgp.study import results, tables
from tvgp.study.report import answer
from tvgp.study.results import mathematics
from tvgp.study.results.statistics import Estimate
from tvgp.study.tables.base.rows import COLUMNS


def frame(*rows):
    """Rows (question, name, verdict), further values as a mapping."""
    made = []
    for question, name, verdict, *more in rows:
        row = {"experiment": "mine", "question": question, "name": name, "verdict": verdict, "label": name}
        row |= {"setting": "", "value": 2.0, "low": 1.0, "high": 3.0, "units": "degC"}
        row |= {"difference": 0.5, "difference_low": -1.0, "difference_high": 2.0}
        row |= {"queries_per_round": 4.0, "sample": "10 blocks of 3 days"}
        made.append(row | (more[0] if more else {}))
    return pd.DataFrame(made, columns=COLUMNS)


def words(*rows, best=("method", "A", "least"), chosen=("A", "lower"), **values):
    advised = ("advice", *chosen, values)
    return dict(answer.paragraphs(frame(advised, best, *rows), "day"))


RULE = ("reference", "prior_order", "higher", {"value": 4.0, "setting": "site S1"})


def test_a_method_is_recommended_with_its_setting():
    said = words(RULE, setting="window 5")
    assert next(iter(said)) == "What to do"
    assert said["What to do"] == (
        "Use A with window 5: one reading per day. It is clearly better than reading the best site of the"
        " training part (4 °C)."
    )


def test_the_rule_is_said_as_what_it_is():
    said = words(RULE, chosen=("prior_order", "least"), setting="site S1")["What to do"]
    assert said == (
        "Read site S1 every day, the site with the best mean in the training part, or the next best where it"
        " has no value. No method is clearly better than this rule."
    )


def test_what_to_expect_is_beside_every_reference_but_itself():
    best = ("reference", "preference_order", "lower", {"setting": "site S2"})
    rows = (RULE, best, ("reference", "yesterdays_best", "no clear difference"))
    said = words(*rows)["What to expect"]
    assert said.startswith(
        "A regret of 2 °C [1, 3] per day with one reading: the gap to the best site of the same day (in"
        " brackets the 95 % interval of each by itself). Beside it: "
    )
    assert (
        "the best site of the training part, else the next best (site S1): 4 °C [1, 3], clearly more" in said
    )
    assert (
        "known only afterwards (site S2): 2 °C [1, 3], clearly less; the best site of the day before" in said
    )
    assert said.endswith("a reading of every site: 2 °C [1, 3], not clearly different.")
    rule = words(*rows, chosen=("prior_order", "least"))["What to expect"]
    assert "training part" not in rule


def test_no_better_than_chance_is_said():
    random = ("reference", "uniform", "no clear difference")
    assert words(RULE, random)["What to do"].endswith("It is not clearly better than a site at random.")


@pytest.mark.parametrize("verdict", ["lower", "no clear difference", "higher"])
def test_a_best_site_of_the_hour_that_wins_is_said(verdict):
    said = words(RULE, ("reference", "best_of_hour", verdict, {"setting": "from 3 h a, 9 h b"}))
    sentence = (
        "reading the one that was best at that hour in the training part (from 3 h a, 9 h b), which needs no"
        " method, has clearly less regret (2 °C)."
    )
    assert (sentence in said["What to do"]) == (verdict == "lower")
    assert "the best site of the same hour of the day in the training part" in said["What to expect"]


def test_anomalies_are_another_question():
    about = ("about", "anomaly", "", {"setting": "harmonic"})
    said = words(RULE, about)
    assert said["What to do"].startswith("What follows answers which site is best relative to its own season")
    assert "clearly better than keeping to one site (4 °C)" in said["What to do"]
    assert "one and the same site, as none is best in training" in said["What to expect"]
    rule = words(RULE, about, chosen=("prior_order", "least"), setting="site S1")["What to do"]
    assert "Keep to one site, such as site S1: less what was subtracted, all have one mean" in rule


def test_a_short_record_is_called_short():
    said = words(RULE, sample="9 blocks of 3 days")["What to do"]
    assert said.endswith("The record is short (9 blocks of 3 days): only large differences can be clear.")


def test_less_regret_that_is_not_clear_is_called_so():
    end = ", but in the part after training the difference is not clear (2 °C and 4 °C)."
    replayed = [("evidence", "A", ""), ("evidence", "prior_order", "", {"value": 3.0})]
    for evidence, where in ((replayed, " over the whole record"), ((), "")):
        said = words(RULE, *evidence, chosen=("A", "no clear difference"))["What to do"]
        assert said.endswith(f"than reading the best site of the training part{where}{end}")


@pytest.mark.parametrize(
    ("chosen", "end"),
    [
        ("field_gp_ucb", "None of 1 other methods is clearly better than field_gp_ucb, if one allows"),
        ("prior_order", "The first is clearly worse than prior_order after the training part. None of 1"),
        ("A", "A is clearly better than the choice among these, although it was found on the same rounds"),
    ],
)
def test_the_choice_says_what_it_was_made_between(chosen, end):
    values = {"field_gp_ucb": 2.0, "prior_order": 2.1}
    evidence = [("evidence", name, "", {"value": value}) for name, value in values.items()]
    methods = [("method", name, "higher") for name in ("prior_order", "field_gp_ucb")]
    said = words(RULE, *evidence, *methods, chosen=(chosen, "lower"))["What was chosen, and why"]
    assert "on the training part alone" in said and end in said
    assert "tell: field_gp_ucb 2 °C, prior_order 2.1 °C." in said
    alone = words(evidence[0], chosen=("A", "least"))["What was chosen, and why"]
    assert "was not played, so A, which has the least regret after that part, is advised, clear" in alone


def test_regret_is_not_below_zero_and_sites_are_in_brackets():
    best = ("method", "prior_order", "least", {"setting": "site S1", "low": -1.0})
    said = words(RULE, ("method", "B", "higher"), best=best, low=-1.0)
    assert "A regret of 2 °C [0, 3]" in said["What to expect"]
    assert "Prior_order (site S1) has the least regret, 2 °C [0, 3]" in said["Other methods"]


def test_one_method_may_be_clearly_least():
    said = words(("method", "B", "higher"), best=("method", "A", "least", {"setting": "window 5"}))
    assert said["Other methods"] == (
        "A with window 5 has the least regret, 2 °C [1, 3] per day on average, clearly less than every"
        " other method."
    )


def test_without_a_clear_winner_the_answer_says_so():
    said = words(("method", "B", "no clear difference"))["Other methods"]
    assert said.startswith("No method is clearly better than another. A has the least regret")
    assert "no other is clearly worse" in said


def test_close_and_worse_methods_are_told_apart():
    said = words(("method", "B", "no clear difference"), *(("method", c, "higher") for c in "CDEFG"))
    assert "Not clearly worse: B. Clearly worse: C, D, E, F and 1 more." in said["Other methods"]


def test_queries_that_cost_regret_are_not_called_useless():
    said = words(
        ("query", "sparq_gp_ucb", "higher"), ("query", "b", "lower", {"label": "B, SparQ's budget"})
    )["Asking an expert"]
    assert "against A: sparq_gp_ucb 2 °C [1, 3] with 4 queries per day, clearly more; B with SparQ's" in said
    assert said.startswith("Methods that ask") and "published ones and controls with their budget" in said


@pytest.mark.parametrize(
    ("verdict", "start"),
    [
        (
            "",
            "By TV-GP-UCB's model, half of what a reading tells about its site is gone after 2 days [1,"
            " 3], by"
            " epsilon 0.5",
        ),
        ("lower bound", "TV-GP-UCB's model finds no drift"),
        ("upper bound", "TV-GP-UCB's model finds no memory"),
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


def correlations(half):
    values = {"1": 0.8, "2": 0.6, "3": 0.4, "half": half}
    return [("correlation", lag, "", {"value": value}) for lag, value in values.items()]


@pytest.mark.parametrize(
    ("half", "said", "differs"),
    [
        (3.0, "it falls below 0.5 after 3 days.", False),
        (1.0, "it falls below 0.5 after 1 day.", False),
        (4.0, "it falls below 0.5 after 4 days.", False),  # somewhere between 3 and 4
        (9.0, "it falls below 0.5 after 9 days.", True),  # epsilon: 1 to 3 days
        (float("nan"), "it does not fall below 0.5 within a third of the training part.", False),
    ],
)
def test_the_plain_correlation_stands_beside_the_fitted_drift(half, said, differs):
    epsilon = ("drift", "epsilon", "", {"units": "days", "setting": "epsilon 0.5 (fitted)"})
    drift = words(epsilon, *correlations(half))["Drift"]
    assert drift.startswith(
        "In the training part, a site's values less their mean have correlation 0.80, 0.60, 0.40 with those"
        f" one, two, three days later; {said}"
    )
    assert ("It differs from the plain correlation" in drift) == differs
    first, _, third, end = correlations(half)  # no two values are two days apart
    gap = ("correlation", "2", "", {"value": float("nan")})
    assert "0.80, 0.40 with those one, three days later" in words(first, gap, third, end)["Drift"]


@pytest.mark.parametrize(
    ("model", "parts", "said"),
    [
        (
            "site empirical two",
            (("fast", 2.0, "60%"), ("slow", 90.0, "40%")),
            "60% of the variance moves fast (half-life 2 days) and 40% of the variance moves slowly"
            " (half-life 90"
            " days).",
        ),
        ("common se one", (("fast", 2.0, "100%"),), "the sites move with a half-life of 2 days."),
        (
            "site se two",
            (("fast", 3.0, "0%"), ("slow", 6.0, "100%")),
            "the sites move with a half-life of 6 days.",
        ),
        ("site se static", (), "the sites do not move."),
    ],
)
def test_the_chosen_model_has_its_half_lives(model, parts, said):
    rows = [("scale", n, "", {"setting": share, "value": v, "units": "days"}) for n, v, share in parts]
    drift = words(("scale", "model", "", {"setting": model}), *rows)["Drift"]
    assert drift == f"In the model chosen for Field-GP-UCB, {said}"


def test_what_outlasts_the_training_part_has_no_half_life():
    slow = ("scale", "slow", "beyond training", {"setting": "40%", "value": 3000.0})
    fast = ("scale", "fast", "", {"setting": "60%", "value": 2.0})
    drift = words(("scale", "model", "", {"setting": "site se two"}), fast, slow)["Drift"]
    assert drift.endswith("40% of the variance moves slowly (longer than the training part).")
    only = ("scale", "fast", "beyond training", {"setting": "100%", "value": 3000.0})
    drift = words(("scale", "model", "", {"setting": "site se one"}), only)["Drift"]
    assert drift.endswith("the sites move with a half-life longer than the training part.")


def test_a_model_of_logarithms_has_its_scale():
    log = (
        "scale",
        "log",
        "",
        {"setting": "1.9 in place of 2.6", "value": 2.03, "units": "ppb", "sample": "60"},
    )
    drift = words(("scale", "model", "", {"setting": "site se static"}), log)["Drift"]
    assert "learns $c \\log(1 + |y - y_0|/c)$ of values $y$, which are skewed, with $c$ = 2.03 ppb" in drift
    assert " and $y_0$ = 60. In replays" in drift
    assert drift.endswith("regret and readings then cost 1.9 in place of 2.6 per day.")


def test_the_chosen_model_is_told_in_words():
    rows = ("evidence", "field_gp_ucb", ""), ("scale", "model", "", {"setting": "site se one"})
    said = words(*rows)["What was chosen, and why"]
    assert "alone: a mean for each site, a squared-exponential covariance, one time scale. Regrets" in said


@pytest.mark.parametrize(
    ("gain", "said"), [(5.0, "better than"), (1.0, "no better than"), (-5.0, "worse than")]
)
def test_drift_must_predict_better_than_none(gain, said):
    drift = words(("drift", "forgetting", "", {"value": gain}))["Drift"]
    assert drift == (f"On the training data, this drift predicts the next value {said} no drift does.")


def test_without_a_method_there_is_nothing_to_say():
    assert answer.paragraphs(frame(), "day") == []


def test_sentences_from_the_file_omit_a_missing_unit(tmp_path):
    rows = frame(("advice", "A", "least"), ("method", "A", "least"))
    rows.assign(experiment="own", units="").to_csv(tmp_path / "answer.csv", index=False)
    said = dict(answer.read(tmp_path / "answer.csv", "own", "day"))["Other methods"]
    assert "nan" not in said and "A has the least regret" in said


def test_the_file_says_the_same_as_the_table(tmp_path, monkeypatch):
    between = Estimate(
        1.0650000001, 0.98249999999, 1.1550000001, 4
    )  # numbers of three digits, but for the rest
    monkeypatch.setattr("tvgp.study.tables.base.rows.mean_interval", lambda values: between)
    path = example_results.write(tmp_path, "ozone", "real", horizon=80, seeds=4)
    csv = tables.make("answer", [path], tmp_path / "answer.csv")
    direct = answer.paragraphs(answer.as_written(tables.rows("answer", [path])), "day")
    assert answer.read(csv, "ozone", results.round_label(results.read(path))) == [
        (heading, mathematics.plain(text)) for heading, text in direct
    ]
    assert [heading for heading, _ in direct] == [
        "What to do",
        "What to expect",
        "Drift",
        "Other methods",
        "Asking an expert",
    ]
    assert answer.read(csv, "other", "day") == []


PRICE = {"setting": "price 0.5"}
READINGS = (
    RULE,
    ("reference", "yesterdays_best", "lower", {"value": 3.0}),
    *(
        (
            moment,
            f"field_reads_{n}{end}" if n else "field_gp_ucb",
            verdict,
            {"value": v, "queries_per_round": n},
        )
        for moment, end, curve in (
            ("before", "", ((0, 6.0, "least"), (1, 5.9, "no clear difference"), (3, 2.0, "lower"))),
            ("after", "_after", ((0, 6.0, "least"), (1, 6.4, "higher"), (3, 5.0, "lower"))),
        )
        for n, v, verdict in curve
    ),
    ("before", "knee", "", {"value": 3.0}),
    ("after", "knee", "lower", {"value": 3.0}),
    ("price", "A", "higher", {"value": 6.0, "queries_per_round": 0.0, **PRICE}),
    ("price", "field_reads_3", "least", {"value": 3.5, "queries_per_round": 3.0, **PRICE}),
    ("price", "pandora_at_0_5", "lower", {"value": 2.75, "queries_per_round": 2.5, **PRICE}),
    ("price", "gain", "lower"),
    ("tuned", "field_reads_tuned", "lower", {"value": 3.6, "queries_per_round": 2.0}),
    ("tuned", "field_reads_tuned_after", "lower", {"value": 5.5, "queries_per_round": 1.0}),
    ("reader", "pandora_at_0_5", ""),
    ("counts", "0", "", {"value": 0.25}),
    ("counts", "4 to 5", "", {"value": 0.75}),
    ("counts", "11 or more", "", {"value": 0.0}),
    *(("asked", f"S{k}", "", {"value": 0.9 - k / 10}) for k in range(8)),
    ("first", "S2", ""),
    ("first", "S1", ""),
)


def test_readings_that_pay_are_part_of_what_to_do():
    said = words(*READINGS)["What to do"]
    assert (
        "let Pandora's index read 2.5 per day on average: at 0.5 °C per reading, that costs 2.75 per day"
        in said
    )
    assert said.endswith(
        "If you can read only after it, use field_gp_ucb and read 1 site every day for the next day, at the"
        " largest upper bound, a number chosen in the training part: at 0.5 °C per reading, that costs 5.5"
        " per day, regret and readings together, where no reading costs 6 °C (A)."
    )
    without = [row for row in READINGS if row[0] != "reader"]
    worthless = [(*row[:2], "no clear difference") if row[1] == "gain" else row for row in without]
    assert (
        "is not clearly worth its price: with 2.5 readings it costs 2.75 per day, where no reading costs 6 °C"
        " (A). If you can read only" in words(*worthless)["What to do"]
    )
    idle = [
        (*row[:3], row[3] | {"queries_per_round": 0.0}) if row[1] == "pandora_at_0_5" else row
        for row in worthless
    ]
    none = "Pandora's index makes no reading before the choice: none pays."
    assert f"At 0.5 °C per reading, {none}" in words(*idle)["What to do"]
    budget = [
        (row[0], row[1].replace("at_0_5", "budget_2_0"), row[2], row[3] | {"setting": ""})
        if row[1] == "pandora_at_0_5"
        else row
        for row in worthless
    ]
    said_of_budget = words(*(row for row in budget if row[0] != "tuned"))["What to do"]
    assert "by its budget, has no clearly lower regret (2.75 °C, without 6 °C)" in said_of_budget
    number = words(*worthless, ("reader", "field_reads_tuned", ""))["What to do"]
    assert (
        "before you choose, use field_gp_ucb and read 2 sites every day, at the largest upper bounds"
        in number
    )
    assert "that costs 3.6 per day" in number and "index" not in number
    losing = words(*((*row[:2], "higher") if row[1] == "gain" else row for row in without))
    assert "would clearly cost more than it saves" in losing["What to do"]
    assert "Which sites" not in losing and "At your price" in losing


def test_both_orders_have_curve_knee_and_losses():
    said = words(*READINGS)["Readings before and after"]
    assert "Before the choice, the regret (°C) is 6 with 0, 5.9 with 1, 2 with 3; beyond 3, each" in said
    assert "After it, for the next day, the regret (°C) is 6 with 0, 6.4 with 1, 5 with 3; beyond 3" in said
    assert "saves less than those before, and 1 clearly costs regret." in said
    assert said.endswith("playing the best of the day before (a random site in the first), has 3 °C.")


def test_a_price_is_compared_with_none_and_with_the_best_number():
    assert words(*READINGS)["At your price"] == (
        "At 0.5 °C per reading (the key price), Pandora's index stops after 2.5 on average and costs 2.75"
        " °C per"
        " day, regret and readings together; no reading costs 6 (A), and the best fixed number under"
        " field_gp_ucb, 3, known only afterwards, 3.5: the index is clearly less. The numbers of readings"
        " that were chosen in the training part cost, beside no reading, 3.6 with 2 before the choice"
        " (clearly less) and 5.5 with 1 after it (clearly less)."
    )
    after = words(*(row for row in READINGS if row[1] != "field_reads_tuned"))["At your price"]
    assert after.endswith("cost, beside no reading, 5.5 with 1 after it (clearly less).")


def test_sites_and_days_have_their_shares():
    assert words(*READINGS)["Which sites"] == (
        "Readings that the index made, by share of the days: 0 on 25%, 4 to 5 on 75%. Sites that it read, by"
        " share of the days: S0 on 90%, S1 on 80%, S2 on 70%, S3 on 60%, S4 on 50%, S5 on 40% and 2 more less"
        " often. Before anything has been read, begin with S2, then S1."
    )


def test_a_site_may_be_called_na(tmp_path):
    rows = [("asked", "NA", "", {"value": 0.95}) if row[:2] == ("asked", "S0") else row for row in READINGS]
    made = frame(("advice", "A", "lower"), ("method", "A", "least"), *rows)
    made.to_csv(tmp_path / "answer.csv", index=False)
    said = dict(answer.read(tmp_path / "answer.csv", "mine", "day"))["Which sites"]
    assert "NA on 95%, S1 on 80%" in said


def test_numbers_that_read_every_site_are_said_once():
    again = ("before", "field_reads_5", "lower", {"value": 2.0, "queries_per_round": 3})
    assert words(*READINGS, again)["Readings before and after"].count("2 with 3") == 1
    with_gaps = words(*FEWER, (*again[:3], again[3] | {"queries_per_round": 2.97}))
    assert "2 with 3; beyond" in with_gaps["Readings before and after"]


FEWER = [
    (*row[:3], row[3] | {"queries_per_round": 2.97}) if row[1] == "field_reads_3" else row for row in READINGS
]


def test_numbers_of_readings_are_those_asked_for_despite_gaps():
    said = words(*FEWER)
    assert "2 with 3; beyond 3" in said["Readings before and after"]
    assert "the best fixed number under field_gp_ucb, 3, known" in said["At your price"]


def test_without_an_interval_a_drift_is_one_number():
    nan = float("nan")
    epsilon = ("drift", "epsilon", "", {"units": "days", "setting": "epsilon 0.5", "low": nan, "high": nan})
    assert "is gone after 2 days, by epsilon 0.5" in words(epsilon)["Drift"]


def test_under_a_budget_the_regrets_are_compared():
    rows = [
        (*row[:3], {**row[3], "setting": ""}) if row[0] == "price" and len(row) > 3 else row
        for row in READINGS
        if row[0] != "tuned"
    ]
    said = words(*rows)
    assert "The" not in said["At your price"][:3] and "by its budget, with regret" in said["At your price"]
    assert "3 every day have 3.5 °C (clearly less)" in said["At your price"]
    assert "by its budget: the regret is then 2.75 °C" in said["What to do"]
