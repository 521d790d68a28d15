"""`tvgp explain` for every policy."""

import subprocess
import sys
from dataclasses import dataclass, fields

import pytest

from tvgp import policies
from tvgp.study.command import explain, main


@pytest.mark.parametrize("policy", policies.names())
def test_every_parameter_has_its_default_and_a_meaning(policy):
    text = explain.explanation(policy)
    declared = policies.declaration(policy)
    for field in fields(declared):
        assert f"{field.name} = {field.default!r}" in text
    assert all(explain.meanings(declared).values())
    assert len(text.splitlines()[2]) > 20  # the module's own docstring


def test_a_default_that_no_paper_gives_is_ours():
    assert "width = 2.0 (ours)" in explain.explanation("aw_sparq_gp_ucb")
    assert "confidence = 2.0 (ours)" in explain.explanation("r_perp")
    assert "(ours)" not in explain.explanation("tv_gp_ucb")
    for policy in policies.names():
        assert set(policies.ours(policy)) <= policies.parameters(policy)


def test_the_formula_is_that_of_the_policy(capsys):
    assert main(["explain", "gp_ucb"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("GP-UCB: all data, a static model")


def test_a_subclass_overrides_the_entry_of_its_base():
    @dataclass
    class Base:
        """width: a number, sqrt(c log t); delta, rho: exponents; last: of all."""

        width: float = 1.0
        c: float = 1.0
        delta: float = 1.0
        rho: float = 1.0
        last: int = 1

    @dataclass
    class Sub(Base):
        """width: published by default."""

    assert explain.meanings(Sub) == {
        "width": "published by default.",
        "c": "see width: a number, sqrt(c log t)",
        "delta": "exponents",
        "rho": "exponents",
        "last": "of all.",
    }


def test_an_unknown_policy_is_refused_in_one_line(capsys):
    with pytest.raises(SystemExit):
        main(["explain", "gp_ucbb"])
    (line,) = capsys.readouterr().err.splitlines()
    start = "ERROR: no 'gp_ucbb' in policies (did you mean gp_ucb?); known: aw_sparq_gp_ucb, best_fixed_arm"
    assert line.startswith(start)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("sparq", "sparq_gp_ucb"), ("tv_gpucb", "tv_gp_ucb"), ("TV-GP-UCB", "tv_gp_ucb"), ("zzz", None)],
)
def test_a_name_that_is_nearly_right_gets_a_suggestion(written, meant):
    with pytest.raises(ValueError) as error:
        explain.explanation(written)
    assert (f"(did you mean {meant}?)" in str(error.value)) == (meant is not None)


def test_explanations_name_option_values_and_no_code():
    texts = {name: explain.explanation(name).partition("Parameters, as")[2] for name in policies.names()}
    assert not [name for name, text in texts.items() if "see `" in text]
    assert all(value in texts["sparq_gp_ucb"] for value in ('"dpp"', '"greedy"', '"swap"', '"random"'))
    lines = texts["sequential_query_ucb"].splitlines()
    assert "rate of" in lines[lines.index("  epsilon = 0.03") + 1]


def test_texts_from_docstrings_are_there_without_docstrings():
    """What Python strips under -OO is read from the source."""
    script = """
from tvgp.study.command import main
main(["explain", "sw_gp_ucb"])
main(["list", "policies", "kernels"])
"""
    kept, stripped = (
        subprocess.check_output([sys.executable, *how, "-c", script], text=True) for how in ([], ["-OO"])
    )
    assert kept == stripped and "window" in stripped
