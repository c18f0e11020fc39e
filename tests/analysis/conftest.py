"""What saves time: reports have the page's drawings alone, and a single worker is this process.

Reports of three studies are written in `every_format`. To start a worker takes three seconds;
jobs of two workers start theirs.
"""

from dataclasses import replace

import pytest

from stimuli import workers
from tests.analysis.formats import page_alone


@pytest.fixture(scope="module", autouse=True)
def drawings_of_the_page_alone():
    with page_alone():
        yield


@pytest.fixture(scope="module", autouse=True)
def a_single_worker_works_here():
    started = workers._started

    def here(asked):
        return started(replace(asked, here=asked.here or asked.processes == 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_started", here)
        yield
