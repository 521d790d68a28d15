"""What a fit tells of the training part besides its model."""

import numpy as np

from tvgp import fitting
from tvgp.study.data.field import Field
from tvgp.study.fit import training


def field(values):
    time = np.datetime64("2021-01-01") + np.arange(len(values))
    nowhere = np.full(values.shape[1], np.nan)
    attrs = {"frequency": "day"}
    return Field(values, time, np.array([f"s{k}" for k in range(values.shape[1])]), nowhere, nowhere, attrs)


def test_lags_end_where_the_correlation_has_halved(monkeypatch):
    """A long record has a third of its rounds as lags; time would grow with their square."""
    rng = np.random.default_rng(0)
    known, asked = fitting.lag_correlations, []
    monkeypatch.setattr(
        fitting, "lag_correlations", lambda y, t, longest: asked.append(longest) or known(y, t, longest)
    )
    for smooth in (1, 20):
        values = np.apply_along_axis(np.convolve, 0, rng.normal(size=(3000, 2)), np.ones(smooth), "valid")
        found = training._correlations(field(values))
        every = known(values, np.arange(len(values)), 1000)
        assert found["half"] == 1 + int(np.argmax(every < 0.5)) and max(asked) <= 48
        np.testing.assert_array_equal([found[lag] for lag in "123"], every[:3])
