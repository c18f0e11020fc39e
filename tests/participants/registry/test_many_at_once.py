"""Many processes with one registry: nobody twice, no gap, the cells of every rig evenly filled.

On a file of SQLite's, and on a PostgreSQL server.
"""

import os
from collections import Counter

import pytest

from participants.registry import Registry

CELLS = 8


@pytest.mark.skipif(os.name != "posix", reason="forks processes")
@pytest.mark.parametrize(
    ("processes", "count", "rigs"),
    [
        (4, 16, 2),
        pytest.param(8, 200, 2, marks=pytest.mark.slow),
        pytest.param(16, 128, 4, marks=pytest.mark.slow),
    ],
)
def test_many_processes_enrol_and_assign_people_at_once(either_url, start, processes, count, rigs):
    worker = start("enrol_many", either_url, processes, count, rigs)
    given = [line.split() for line in worker.communicate()[0].splitlines()]
    assert worker.returncode == 0
    codes = {code for _, code, _, _ in given}
    assert len(codes) == len(given) == count
    for rig in range(rigs):
        cells = Counter((place, order) for at, _, place, order in given if at == f"rig-{rig}")
        assert sum(cells.values()) == count // rigs
        assert len(cells) == CELLS
        assert max(cells.values()) - min(cells.values()) <= 1
    registry = Registry.open(either_url)
    people = registry.list()
    registry.close()
    assert {person.code for person in people} == codes
    assert all(person.sessions == 1 for person in people)
