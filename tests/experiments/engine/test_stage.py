"""The stage is put together so that all stamps lie on the journal's clock."""

import time
from types import SimpleNamespace

import pytest

from experiments.engine import stage as stages
from experiments.engine.window import WindowSettings
from participants.journal import SystemClock


class FakeWindow:
    """A display whose flips come at even times."""

    def __init__(self, period_s):
        self.period_s = period_s
        self.now_s = 0.0
        self.waits = None
        self.software_renderer = False
        self.handle = SimpleNamespace(winHandle=None)

    def flip(self):
        self.now_s += self.period_s
        return self.now_s

    def wait_for_refresh(self, wait):
        self.waits = wait

    def close(self):
        pass


@pytest.fixture
def opened(monkeypatch):
    clocks = []

    def open_at(hz):
        window = FakeWindow(1 / hz)
        monkeypatch.setattr(stages, "require_display", lambda: None)
        monkeypatch.setattr(stages, "import_psychopy", lambda: None)
        monkeypatch.setattr(stages, "open_keyboard", lambda: None)
        monkeypatch.setattr(stages, "nominal_refresh_hz", lambda: 60.0)
        monkeypatch.setattr(stages, "raise_priority", lambda: "normal")
        monkeypatch.setattr(stages, "Focus", lambda handle: None)
        monkeypatch.setattr(stages, "open_window", lambda _, clock: clocks.append(clock) or window)
        with stages.open_stage(WindowSettings((0, 0, 0))) as stage:
            return stage, window, clocks[-1]

    return open_at


def test_flips_are_stamped_by_the_clock_of_journal_and_keyboard(opened, monkeypatch):
    """On Windows `time.monotonic` is another clock than `time.perf_counter`."""
    _, _, clock = opened(60)
    monkeypatch.setattr(time, "perf_counter", lambda: 7.0)
    assert SystemClock().monotonic_s() == 7.0
    monkeypatch.undo()
    assert clock is time.perf_counter


@pytest.mark.parametrize(("hz", "name"), [(60, "vsync"), (2500, "software")])
def test_only_a_display_that_paces_is_waited_for(opened, hz, name):
    stage, window, _ = opened(hz)
    assert (stage.pacing.name, window.waits) == (name, name == "vsync")
