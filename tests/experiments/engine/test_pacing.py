import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from experiments.engine.pacing import (
    Refresh,
    SoftwarePacing,
    VsyncPacing,
    choose_pacing,
    measure_refresh,
)
from experiments.rig.checks.frames import judged_refresh
from stimuli.errors import UserError
from tests.experiments.examples import given


class FakeTime:
    """A clock that moves when it is read or slept on, and by the work of a frame."""

    def __init__(self):
        self.now_s = 50.0

    def read(self):
        self.now_s += 1e-6
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds + 1e-4


@given(st.floats(50, 360), st.lists(st.floats(0, 4), min_size=1, max_size=60))
def test_flips_are_due_on_one_grid_each_used_once_whatever_the_work_takes(hz, works):
    clock = FakeTime()
    period_s = 1 / hz
    pacing = SoftwarePacing(period_s, clock.read, clock.sleep)
    origin_s, last = 50.0 + 1e-6, 0
    for work in works:
        clock.now_s += work * period_s
        asked_s = clock.now_s
        pacing.wait()
        frame = round((clock.now_s - origin_s) / period_s)
        assert clock.now_s == pytest.approx(origin_s + frame * period_s, abs=2e-4)
        assert clock.now_s >= asked_s
        assert frame > last
        assert clock.now_s - asked_s <= period_s + 2e-4
        last = frame


@given(
    st.floats(50, 360),
    st.integers(0, 9),
    st.lists(st.tuples(st.floats(0, 4), st.floats(0, 3)), min_size=1, max_size=60),
)
def test_due_times_are_counted_however_late_the_stamp_after_the_swap(hz, before, frames):
    clock, period_s = FakeTime(), 1 / hz
    pacing = SoftwarePacing(period_s, clock.read, clock.sleep)
    for _ in range(before):
        pacing.wait()
    begun_s = clock.now_s
    count = pacing.count_from(clock.now_s)
    for work, stood_still in frames:
        clock.now_s += work * period_s
        pacing.wait()
        on_time_s = clock.now_s
        clock.now_s += stood_still * period_s
        since = (on_time_s - begun_s) / period_s
        assert count(clock.now_s) == pytest.approx(since, abs=2e-4 * hz)


@given(st.floats(50, 360), st.integers(0, 10_000), st.floats(-0.49, 0.49))
def test_a_displays_refreshes_are_counted_by_the_stamps(hz, frames, late):
    count = VsyncPacing(1 / hz).count_from(100.0)
    assert count(100.0 + (frames + late) / hz) == frames


def test_steady_swaps_near_the_video_mode_are_the_displays():
    pacing = choose_pacing(Refresh(59.95, 0.0002, 0.0), 60.0)
    assert isinstance(pacing, VsyncPacing)
    assert pacing.period_s == pytest.approx(1 / 59.95)


@pytest.mark.parametrize("hz", [50, 360])
@pytest.mark.parametrize("error", [-1e-3, -1e-5, 0.0, 1e-5, 1e-3])
def test_displays_at_the_ends_of_the_range_are_inside_whatever_was_measured(hz, error):
    measured_hz = hz * (1 + error)
    assert choose_pacing(Refresh(measured_hz, 0.0001, 0.0), float(hz)).name == "vsync"
    finding = judged_refresh(Refresh(measured_hz, 0.0001, 0.0), "vsync", measured_hz, float(hz))
    assert finding.status == "pass"


@pytest.mark.parametrize(
    ("refresh", "nominal"),
    [
        (Refresh(2400.0, 0.0001, 0.0), None),
        (Refresh(60.0, 0.004, 0.4), 60.0),
        (Refresh(75.0, 0.0001, 0.0), 60.0),
    ],
    ids=["too fast", "unsteady", "not the mode's"],
)
def test_other_swaps_are_paced_by_the_clock_and_recorded_as_such(refresh, nominal):
    pacing = choose_pacing(refresh, nominal)
    assert pacing.name == "software"
    assert pacing.period_s == pytest.approx(1 / 60)


def test_a_busy_processor_that_draws_as_steadily_as_a_display_is_none():
    """Seen on two loaded cores: 54.65 Hz; frames then came at twice that, presses were missed."""
    pacing = choose_pacing(Refresh(54.65, 0.001, 0.0), None, software_renderer=True)
    assert isinstance(pacing, SoftwarePacing)
    assert pacing.period_s == pytest.approx(1 / 60)


@given(st.floats(50, 360), st.integers(0, 2**32 - 1))
def test_the_rate_is_exact_enough_to_count_the_frames_of_a_minute(hz, seed):
    """By the median of so few intervals it would be a frame off after ten seconds."""
    rng = np.random.Generator(np.random.PCG64(seed))
    refreshes = np.cumsum(1 + (rng.random(500) < 0.05))
    times = iter((refreshes / hz + rng.uniform(-5e-5, 5e-5, 500)).tolist())
    refresh = measure_refresh(lambda: next(times))
    assert abs(refresh.hz / hz - 1) * 60 * hz < 0.5


@given(st.floats(50, 360), st.lists(st.floats(0, 3), min_size=1, max_size=40))
def test_swaps_that_dont_wait_make_no_more_frames_than_twice_the_refreshes(hz, works):
    clock, period_s = FakeTime(), 1 / hz
    pacing = VsyncPacing(period_s, clock.read, clock.sleep)
    last_s = None
    for work in works:
        clock.now_s += work * period_s
        asked_s = clock.now_s
        pacing.wait()
        if last_s is not None:
            assert clock.now_s - last_s >= 0.5 * period_s - 1e-5
        assert work < 0.5 or clock.now_s - asked_s < 1e-5, "a swap that waited is not delayed"
        last_s = clock.now_s


@pytest.mark.parametrize("hz", [60.0, 75.0, 100.0, 120.0, 144.0])
def test_the_refresh_is_measured_from_the_stamps(hz):
    times = iter([number / hz for number in range(500)])
    refresh = measure_refresh(lambda: next(times))
    assert refresh.hz == pytest.approx(hz)
    assert refresh.sd_s == pytest.approx(0, abs=1e-9)
    assert refresh.late_share == 0


def flips_looked_at(hz):
    """Return how many flips tell the rate where they come this fast, and that rate."""
    times = itertools.count(100.0, 1 / hz)
    refresh = measure_refresh(lambda: next(times))
    return round((next(times) - 100.0) * hz), refresh.hz


@pytest.mark.parametrize("hz", [500.0, 800.0, 5000.0])
def test_swaps_that_dont_wait_are_told_by_a_few(hz):
    looked_at, measured_hz = flips_looked_at(hz)
    assert looked_at < 70
    assert measured_hz == pytest.approx(hz)


@pytest.mark.parametrize("hz", [50.0, 60.0, 144.0, 240.0, 360.0])
def test_a_display_is_measured_for_a_second(hz):
    looked_at, _ = flips_looked_at(hz)
    assert looked_at >= hz


@pytest.mark.parametrize("hang_s", [0.2, 1.5, 40.0])
def test_a_display_that_hangs_is_one_line_and_no_rate(hang_s):
    times = itertools.count(100.0, hang_s)
    with pytest.raises(UserError, match=r"^display: it hangs, \d+ frames came in [\d.]+ s; close"):
        measure_refresh(lambda: next(times))


@pytest.mark.parametrize("hung_s", [1.2, 30.0])
def test_a_display_that_hung_only_once_is_measured(hung_s):
    """Flips 7 to 8 take that long: the second flip that is looked at."""
    times = (number / 60 + (hung_s if number > 6 else 0) for number in itertools.count())
    refresh = measure_refresh(lambda: next(times))
    assert refresh.hz == pytest.approx(60)
    assert refresh.sd_s == pytest.approx(0, abs=1e-9)
