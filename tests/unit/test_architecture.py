"""docs/architecture.md shows today's imports, and they point one way."""

import runpy

import pytest


@pytest.fixture(scope="module")
def architecture(project):
    return runpy.run_path(str(project / "docs" / "architecture.py"))


def test_imports_point_to_lower_layers(architecture):
    assert architecture["faults"](architecture["imports"]()) == []


@pytest.mark.parametrize(
    ("package", "name", "fault"),
    [
        ("kernels", "policies", "kernels imports policies, which is not in a lower layer"),
        ("environments", "posterior", "environments imports posterior, which is not in a lower layer"),
        ("simulate", "study.run", "simulate imports study.run, which is not in a lower layer"),
        (
            "study.figures",
            "study.tables",
            "study.figures imports study.tables, which is not in a lower layer",
        ),
        (
            "study.tables",
            "study.figures",
            "study.tables imports study.figures, which is not in a lower layer",
        ),
        ("study.figures", "study.claims", "study.figures imports study.claims, not only results"),
        ("study.figures", "study.datasets", "study.figures imports study.datasets, not only results"),
        ("study.tables", "study.data", "study.tables imports study.data, not only results"),
        ("study.tables", "study.run", "study.tables imports study.run, not only results"),
        (
            "study.papers",
            "study.results",
            "study.papers imports study.results, which is not in a lower layer",
        ),
        ("study.misc", "kernels", "study.misc has no layer in docs/architecture.py"),
    ],
)
def test_wrong_imports_are_named(architecture, package, name, fault):
    found = architecture["imports"]()
    found[package] = found.get(package, set()) | {name}
    assert architecture["faults"](found) == [fault]


def test_page_is_up_to_date(project, architecture):
    text = (project / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert architecture["page"](text) == text, "run make architecture"
