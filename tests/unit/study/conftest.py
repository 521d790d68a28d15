"""The study's tests see policies as the configuration presents them."""

import pytest

from tvgp.study.config import jobs, loading
from tvgp.study.results import presentation


@pytest.fixture(scope="session", autouse=True)
def presented(project):
    config = loading.read(project / "config")
    with presentation.of(jobs.presentation(config, [("analyses", "any")])):
        yield
