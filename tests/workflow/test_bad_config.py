"""A fault of the configuration stops Snakemake before any job, in one line, without a traceback."""

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"selection": {"experiments": ["rkhs_sine"], "policies": ["gp_ucbx"]}},
            "ERROR: config: selection.policies: unknown name in policies: 'gp_ucbx'; known: ",
        ),
        ({"colour": "red"}, "ERROR: config: the top level: unknown key 'colour'"),
    ],
)
def test_the_study_stops_with_one_line(pristine, tmp_path, change, line):
    run = pristine.study(tmp_path, change)
    assert run.returncode != 0
    lines = [text for text in run.stdout.splitlines() if "ERROR" in text]
    assert len(lines) == 1 and lines[0].startswith(line), run.stdout
    assert "Traceback" not in run.stdout
    assert not (tmp_path / "results").exists()
