"""A scheduler that doesn't answer is an error even if every simulated study is there already."""

from types import SimpleNamespace

import pytest

from analysis.power.job import run_power
from stimuli.errors import UserError
from stimuli.workers import Workers


def test_a_scheduler_is_asked_before_anything_is_prepared(tmp_path, monkeypatch):
    monkeypatch.setattr("stimuli.workers.CONNECT_S", 0.5)
    begun = []
    question = SimpleNamespace(figures=(), run=begun.append)
    with pytest.raises(UserError, match="can't be reached"):
        run_power(question, tmp_path / "out", Workers(scheduler="tcp://127.0.0.1:9"))
    assert not begun
