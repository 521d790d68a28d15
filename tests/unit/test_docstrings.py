"""The examples in docstrings give what they show."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
SHOWN = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("module", SHOWN)
def test_examples_give_what_they_show(module):
    result = doctest.testmod(import_module(module))
    assert result.attempted > 0 == result.failed
