"""What a loader makes of raw files: the field and its quality counts, or the one line of a refusal."""

import pytest

from tvgp.study import datasets


def load(name, files, **parameters):
    """The field, and the counts of its quality table by item."""
    result, quality = datasets.make(name, **parameters).load(list(files))
    return result, {item: count for item, count, _ in quality}


def fails(name, files, **parameters):
    """The message, one line, with which the files are refused."""
    with pytest.raises(ValueError) as error:
        load(name, files, **parameters)
    text = str(error.value)
    assert "\n" not in text
    return text
