"""Random streams are named, independent of the order of use, and collision-free by name."""

import numpy as np
import pytest

from tvgp import streams


def test_a_name_is_a_stream():
    a, b = streams.generator("x", 1), streams.generator("x", 1)
    np.testing.assert_array_equal(a.random(5), b.random(5))


def test_different_names_differ():
    names = [("x", 1), ("x", "1"), ("x1",), ("x", 1, "noise"), (1, "x")]
    draws = {streams.generator(*n).integers(2**63) for n in names}
    assert len(draws) == len(names)


def test_noise_belongs_to_round_and_arm():
    forward, backward = (streams.NoiseField(501, "e", "1", 3, "noise") for _ in range(2))
    rounds = range(1, 400)
    first = {t: forward.at(t).copy() for t in rounds}
    for t in reversed(rounds):
        np.testing.assert_array_equal(first[t], backward.at(t))


def test_policies_share_read_only_noise():
    first, second = (streams.NoiseField(501, "shared", 3, "noise") for _ in range(2))
    assert np.shares_memory(first.at(200), second.at(200))
    with pytest.raises(ValueError, match="read-only"):
        first.at(200)[:] = 0.0
    by_text = streams.NoiseField(501, "shared", "3", "noise").at(200)
    assert not np.array_equal(by_text, first.at(200))


def test_noise_is_standard_normal():
    """Mean and variance of 501,000 draws within 4.5 standard errors (false alarm about 1e-5)."""
    field = streams.NoiseField(501, "e", "1", 4, "noise")
    draws = np.concatenate([field.at(t) for t in range(1, 1001)])
    assert abs(draws.mean()) < 4.5 / np.sqrt(draws.size)
    assert abs(draws.var() - 1) < 4.5 * np.sqrt(2 / draws.size)
    assert abs(np.corrcoef(field.at(1), field.at(2))[0, 1]) < 4.5 / np.sqrt(501)
