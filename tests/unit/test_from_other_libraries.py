"""The page for users of other libraries: tvgp's lines find the moving best, and those of the others run."""

import re

import pytest

NEEDS = {"Optuna": "optuna", "BoTorch": "botorch", "scikit-optimize": "skopt", "bayes_opt": "bayes_opt"}


@pytest.fixture
def page(project):
    text = (project / "docs" / "from_other_libraries.md").read_text()
    sections = dict(re.findall(r"^(?:## |# )([^\n]+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    return {title: re.findall(r"```python\n(.*?)```", body, re.S) for title, body in sections.items()}


def test_the_lines_of_tvgp_follow_the_best(page):
    found: dict = {}
    exec(page["From other libraries"][0] + page["tvgp"][0], found)
    assert abs(found["best"]["x"] - 8.0) < 1.0 and 0.003 < found["best"]["rate"] < 0.03


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", NEEDS)
def test_the_lines_of_others_run(page, library):
    pytest.importorskip(NEEDS[library])
    found: dict = {}
    few = page["From other libraries"][0].replace("rounds = 120", "rounds = 8")
    exec(few + page[library][0], found)
    assert len(found["best"]) == 2


def test_optuna_studies_change_their_sampler_only(page):
    pytest.importorskip("optuna")
    study, sampler = page["Optuna"]
    found: dict = {}
    lines = study.replace("sampler = optuna.samplers.TPESampler(seed=0)\n", sampler)
    exec(page["From other libraries"][0] + lines, found)
    best = found["study"].sampler.recommend(found["study"])
    assert abs(best["x"] - 8.0) < 1.0


def test_every_library_of_the_page_is_tried(page):
    assert set(page) == {"From other libraries", "tvgp", *NEEDS, "What it gains", "Words"}
    assert all(len(page[name][0].strip().splitlines()) <= 18 for name in ("tvgp", *NEEDS))
