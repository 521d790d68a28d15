"""Fixtures shared by all tests."""

import copy
import gc
import os
import pickle
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

# before NumPy is imported: two BLAS threads on small matrices cost more than they give
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

# in memory, if there is room and programs may run there: files of `Live` wait for the disk at each call
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2e9 and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
    tempfile.tempdir = os.environ.setdefault("TMPDIR", str(MEMORY))

import pytest  # noqa: E402
from xdist.scheduler import LoadFileScheduling  # noqa: E402

from tvgp.study.config import loading  # noqa: E402

PROJECT = Path(__file__).resolve().parents[1]
# files that share a copy of the project with its fork server, and most of them a finished study
SHARING = re.compile(r"tests/workflow/test_(damaged_results|reproducible|reruns|smoke|stale)\.py")


class FilesTogether(LoadFileScheduling):
    """The tests of a file share a worker, and so do the files that share a copy of the project."""

    def _split_scope(self, nodeid: str) -> str:
        return "a copy of the project" if SHARING.match(nodeid) else super()._split_scope(nodeid)


def pytest_collection_finish():
    """Collect garbage seldom, and only among what tests make: going through 7,000 collected tests and all
    modules took a tenth to a sixth of the time."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pytest_xdist_make_scheduler(config, log):
    """For `--dist loadfile`."""
    return FilesTogether(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def project() -> Path:
    """Root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def definitions() -> dict:
    """What the files of config/ say; tests do not change it."""
    return loading.read(PROJECT / "config")


@pytest.fixture(scope="session")
def schema() -> Path:
    """The schema of configurations."""
    return PROJECT / "workflow" / "schemas" / "config.schema.yaml"


@pytest.fixture(scope="session")
def known_once() -> Iterator[None]:
    """A file of configuration is parsed once, and a part of one that fits the schema is not looked at again:
    for the whole study both take half a second."""
    from jsonschema.validators import extend

    from tvgp.study.config import strict_yaml, validation

    parse, referred = strict_yaml.read, validation._Validator.VALIDATORS["$ref"]
    parsed: dict[tuple[str, bytes], bytes] = {}
    valid: set[tuple[str, str]] = set()

    def read(path):
        key = str(path), Path(path).read_bytes()
        if key not in parsed:
            parsed[key] = pickle.dumps(parse(path))
        return pickle.loads(parsed[key])

    def refer(validator, reference, instance, schema):
        key = reference, repr(instance)
        if key not in valid and not (yield from _counted(referred(validator, reference, instance, schema))):
            valid.add(key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_yaml, "read", read)
        patch.setattr(validation, "_Validator", extend(validation._Validator, {"$ref": refer}))
        yield


def _counted(errors: Iterable[Any]) -> Generator[Any, None, int]:
    """Yield these errors; their number."""
    count = 0
    for count, error in enumerate(errors, 1):  # noqa: B007
        yield error
    return count


@pytest.fixture(scope="module")
def fitted_once() -> Iterator[None]:
    """Models are fitted once to the same values."""
    from tvgp import fitting  # not above: the process that hands out the tests runs none

    with pytest.MonkeyPatch.context() as patch:
        for name in ("choose_field", "field_models", "fit_predictive"):
            patch.setattr(fitting, name, _remembered(getattr(fitting, name)))
        yield


def _remembered(function: Callable) -> Callable:
    """The function, with what it has returned for the same arguments."""
    known: dict[bytes, Any] = {}

    def remembered(*arguments, **named):
        key = pickle.dumps((arguments, named))
        if key not in known:
            known[key] = function(*arguments, **named)
        return copy.deepcopy(known[key])

    return remembered


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
