"""Grids of panels."""

import pytest

from tvgp.study.figures.base import grid


@pytest.mark.parametrize(("count", "lowest"), [(1, 1), (3, 2), (4, 2)])
def test_a_grid_has_no_spare_axes_and_labels_outside(count, lowest):
    figure, shown = grid.panels(count, 2, (0.8, 2.0), "title", "x", "y", sharex=True, sharey=True)
    assert figure.axes == shown and len(shown) == count
    assert [axes.get_xlabel() for axes in shown] == [""] * (count - lowest) + ["x"] * lowest
    assert [axes.get_ylabel() for axes in shown] == ["y", "", "y", ""][:count]
