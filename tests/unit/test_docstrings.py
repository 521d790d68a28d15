"""The examples in docstrings give what they show, with every NumPy."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
PUBLIC = {  # number of examples, so that none gets lost
    "tvgp.kernels": 3,
    "tvgp.policies": 8,
    "tvgp.environments": 3,
    "tvgp.simulate": 6,
    "tvgp.live": 6,
    "tvgp.continuous.box": 4,
    "tvgp.continuous.optimiser": 6,
    "tvgp.dpp.exact": 2,
    "tvgp.fitting.marginal_likelihood": 6,
    "tvgp.posterior": 10,
}
SHOWN = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): examples
    for path in sorted(SOURCE.rglob("*.py"))
    if (examples := path.read_text().count(">>> "))
}


@pytest.mark.parametrize("module", {**SHOWN, **PUBLIC})
def test_examples_give_what_they_show(module):
    result = doctest.testmod(import_module(module))
    assert (result.failed, result.attempted) == (0, PUBLIC.get(module, SHOWN.get(module)))


@pytest.mark.parametrize("module", SHOWN)
def test_examples_show_no_numpy_scalar(module):
    """NumPy 1 prints 11.4 where NumPy 2 prints np.float64(11.4)."""
    shown = [
        example.want
        for test in doctest.DocTestFinder().find(import_module(module))
        for example in test.examples
    ]
    assert not [each for each in shown if re.search(r"\bnp\.(float|int|bool|str|True_|False_)", each)]
