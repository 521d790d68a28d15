"""A test's name says subject and outcome, in a line that fits a report."""

import re

LONGEST = 60


def test_names_of_tests_are_at_most_60_characters(project):
    names = re.compile(r"^\s*def (test_\w+)", re.M)
    found = {path: names.findall(path.read_text("utf-8")) for path in (project / "tests").rglob("test_*.py")}
    assert sum(map(len, found.values())) > 1000
    long = [f"{path.name}: {name}" for path in found for name in found[path] if len(name) > LONGEST]
    assert not long, "say subject and outcome in fewer words, and the rest in the docstring"
