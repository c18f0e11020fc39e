"""Kills of whole process trees: no recorded trial is lost, every planned one is there once."""

import os
import random

import pytest

from bench.parts.crashes import killed_sessions


@pytest.mark.skipif(os.name != "posix", reason="forks and kills groups of processes")
@pytest.mark.parametrize(
    "study", ["human_ai_team", pytest.param("progressive_reveal", marks=pytest.mark.slow)]
)
def test_kills_lose_nothing_and_double_nothing(study, tmp_path):
    found = killed_sessions(study, 3, tmp_path / "lab", random.Random(7))
    assert found.kills == 3
    assert found.acknowledged > 0
    assert (found.lost, found.twice, found.missing, found.untold) == (0, 0, 0, 0)
    assert found.cut <= (found.kills if study == "progressive_reveal" else 0)
