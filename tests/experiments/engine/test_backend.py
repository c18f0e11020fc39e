"""Another keyboard backend or clock than the right one stops a session, with the remedy."""

import sys
from types import SimpleNamespace

import pytest

from experiments.engine.input import BACKEND, open_keyboard
from stimuli.errors import UserError


@pytest.fixture
def psychopy(monkeypatch):
    """PsychoPy as a lab PC may have it; the real one would open devices."""
    parts = SimpleNamespace(backend=BACKEND, clock=lambda: 1.0)
    ptb = SimpleNamespace(GetSecs=parts.clock)
    device = SimpleNamespace(getBackend=lambda: parts.backend)
    hardware = SimpleNamespace(Keyboard=lambda backend: device)
    package = SimpleNamespace(
        clock=SimpleNamespace(getTime=parts.clock),
        logging=SimpleNamespace(defaultClock=SimpleNamespace(getLastResetTime=lambda: 0.0)),
        hardware=SimpleNamespace(keyboard=hardware),
    )
    monkeypatch.setitem(sys.modules, "psychtoolbox", ptb)
    monkeypatch.setitem(sys.modules, "psychopy", package)
    monkeypatch.setitem(sys.modules, "psychopy.hardware", package.hardware)
    parts.package, parts.modules = package, monkeypatch
    return parts


def refusal():
    with pytest.raises(UserError) as refused:
        open_keyboard()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_the_right_backend_and_clock_open(psychopy):
    keyboard = open_keyboard()
    assert keyboard.backend == BACKEND
    assert keyboard.clock.name == "psychtoolbox.GetSecs"


def test_without_psychtoolbox_the_reason_and_the_libraries_are_named(psychopy):
    psychopy.modules.setitem(sys.modules, "psychtoolbox", None)
    assert "psychtoolbox can't be loaded" in refusal()
    assert "libjack" in refusal()


@pytest.mark.parametrize("fallback", ["event", "iohub", ""])
def test_a_fallback_to_another_backend_stops(psychopy, fallback):
    psychopy.backend = fallback
    assert f"the backend is {fallback!r}" in refusal()
    assert "install psychtoolbox" in refusal()


def test_another_clock_stops(psychopy):
    psychopy.package.clock.getTime = lambda: 1.0
    assert "PsychoPy's clock is not psychtoolbox's" in refusal()
