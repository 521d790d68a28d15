"""What the papers' numbers and names are filed under."""

from importlib import import_module

import pytest


@pytest.mark.parametrize("paper", ["bogunovic16", "janz20", "mauduit25a"])
def test_methods_are_called_as_in_the_configuration(definitions, paper):
    labels = import_module(f"tvgp.study.papers.{paper}").LABELS
    assert labels == {name: definitions["policies"][name]["label"] for name in labels}
