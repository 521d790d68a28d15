"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project() -> Path:
    """Root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real raw files kept beside the project; tests that need them are skipped without them."""
    path = PROJECT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the real raw files (../shared/data) are not on this machine")
    return path
