"""The spectrum behind Theorem 0.B.1 of Mauduit25a, against quadrature."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.theory import eigenvalues


@pytest.mark.parametrize("std", [12.5, 3.0])
def test_tail_bound_sums_the_eigenvalues_of_the_operator(std):
    kernel = kernels.make("se", variance=0.5, length_scale=3.0)
    x = np.linspace(-8 * std, 8 * std, 601)
    weights = np.exp(-(x**2) / (2 * std**2)) / (np.sqrt(2 * np.pi) * std) * (x[1] - x[0])
    root = np.sqrt(weights)
    numeric = np.linalg.eigvalsh(root[:, None] * kernel(x[:, None], x[:, None]) * root)[::-1]
    constant = np.sqrt(2 * np.pi) * std * np.exp(8)
    bound = eigenvalues.tail_bound(np.arange(21), 3.0, 0.5, 8 * std) / constant
    np.testing.assert_allclose(-np.diff(bound), numeric[:20], rtol=1e-8)
    np.testing.assert_allclose(bound[:10], [numeric[q:].sum() for q in range(10)], rtol=1e-8)


def test_tail_of_a_matrix():
    gram = np.diag([3.0, 0.5, 2.0, 1.0])
    assert [eigenvalues.tail(gram, q) for q in (0, 1, 3, 4, 5)] == pytest.approx([6.5, 3.5, 0.5, 0.0, 0.0])
