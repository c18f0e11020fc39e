from multiprocessing import Pipe

import pytest

from experiments.robot_input import inject
from stimuli.errors import UserError


def test_a_hand_that_ended_says_that_keys_cannot_be_injected():
    ours, theirs = Pipe()
    theirs.close()
    with pytest.raises(UserError, match="XTest is missing"):
        inject._await_ready(ours)


def test_a_hand_that_is_late_is_said_to_be_late(monkeypatch):
    monkeypatch.setattr(inject, "READY_WAIT_S", 0.01)
    ours, _theirs = Pipe()
    with pytest.raises(UserError, match="hasn't started within 0 s; close other programs"):
        inject._await_ready(ours)


def test_a_hand_that_is_ready_is_taken():
    ours, theirs = Pipe()
    theirs.send(inject.READY)
    inject._await_ready(ours)
