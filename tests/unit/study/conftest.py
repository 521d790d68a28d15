"""The study's tests see policies as the configuration presents them."""

import pytest

from tvgp.study.config import jobs
from tvgp.study.results import presentation


@pytest.fixture(scope="session", autouse=True)
def presented(known_once, definitions):
    with presentation.of(jobs.presentation(definitions, [("analyses", "any")])):
        yield
