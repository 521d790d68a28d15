"""The spectrum behind Theorem 0.B.1 of Mauduit25a, against quadrature."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.theory import eigenvalues


@pytest.mark.parametrize("std", [12.5, 3.0])
def test_eigenvalues_are_those_of_the_discretised_operator(std):
    kernel = kernels.make("se", variance=0.5, length_scale=3.0)
    x = np.linspace(-8 * std, 8 * std, 601)
    weights = np.exp(-(x**2) / (2 * std**2)) / (np.sqrt(2 * np.pi) * std) * (x[1] - x[0])
    root = np.sqrt(weights)
    numeric = np.linalg.eigvalsh(root[:, None] * kernel(x[:, None], x[:, None]) * root)[::-1]
    np.testing.assert_allclose(eigenvalues.gaussian_eigenvalues(20, 3.0, 0.5, std), numeric[:20], rtol=1e-8)


def test_tail_bound_sums_the_eigenvalues():
    all_of_them = eigenvalues.gaussian_eigenvalues(2000, 3.0, 0.5, 12.5)
    constant = np.sqrt(2 * np.pi) * 12.5 * np.exp(8)
    expected = [constant * all_of_them[q:].sum() for q in (0, 10, 40)]
    np.testing.assert_allclose(eigenvalues.tail_bound(np.array([0, 10, 40]), 3.0, 0.5, 100.0), expected)


def test_tail_of_a_matrix():
    gram = np.diag([3.0, 0.5, 2.0, 1.0])
    assert [eigenvalues.tail(gram, q) for q in (0, 1, 3, 4, 9)] == pytest.approx([6.5, 3.5, 0.5, 0.0, 0.0])
