"""Fixtures shared by all tests."""

import os
import re
from pathlib import Path

# before NumPy is imported: two BLAS threads on small matrices cost more than they give
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import pytest  # noqa: E402

PROJECT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The tests of a file share a worker (`--dist loadgroup`), unless they are of a group over files."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def project() -> Path:
    """Root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def library_example() -> str:
    """The code of the README's example of the library."""
    return re.search(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.S)[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real raw files that TVGP_REAL_DATA names; without it the test is skipped."""
    folder = os.environ.get("TVGP_REAL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("TVGP_REAL_DATA names no folder of real raw files")
    return Path(folder)
