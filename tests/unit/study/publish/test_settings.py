"""Settings that pages quote are those that were played."""

import pytest

from tvgp.study.publish.settings import Settings


@pytest.fixture(scope="module")
def setting(project):
    return Settings(project / "config")


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (("multiverse_axes", "horizon", "fewer_rounds"), 250),  # of a part of the analysis
        (("equal_tuning", "horizon"), 200),  # the default of the analysis
        (("equal_tuning", "n_arms", "orbit"), 441),  # of the problem
        (("phase_diagram", "n_arms"), 201),  # of the test bed, where the analysis has another default
        (("ageing_widths_long", "horizon"), 100_000),  # of all parts
        (("lifted_ackley", "n_arms"), 2000),  # the default of the environment
        (("thompson_1d", "horizon"), 1000),  # of the experiment
        (("detections", "seeds"), 25),
    ],
)
def test_the_value_is_that_of_what_was_played(setting, asked, value):
    assert setting(*asked) == value


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("million", "seeds"), "million: no part of the publication plays it"),
        (("multiverse_axes", "horizon"), r"horizon is \[500, 500, .* in the parts .*; name one of them"),
        (("multiverse", "arms"), "multiverse, part .*: no setting arms"),
        (("rkhs_sine", "arms"), "rkhs_sine: no setting arms"),
    ],
)
def test_what_has_no_value_or_several_is_refused(setting, asked, said):
    with pytest.raises(ValueError, match=said):
        setting(*asked)
