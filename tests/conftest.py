"""Fixtures shared by all tests."""

import os
import re
from pathlib import Path

# before NumPy is imported: two BLAS threads on small matrices cost more than they give
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import pytest  # noqa: E402

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project() -> Path:
    """Root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def library_example() -> str:
    """The code of the README's example of the library."""
    return re.search(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.S)[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real raw files kept beside the project; tests that need them are skipped without them."""
    path = PROJECT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the real raw files (../shared/data) are not on this machine")
    return path
