import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from experiments.engine.pacing import (
    RATE_ERROR,
    FrameStamps,
    Schedule,
    frame_record,
    frames_of,
)
from tests.experiments.examples import given

periods = st.floats(1 / 360, 1 / 50)


@given(st.floats(0, 1e5), periods, st.integers(0, 100_000))
def test_every_frame_is_found_at_its_due_time(origin_s, period_s, frame):
    schedule = Schedule(origin_s, period_s)
    assert schedule.frame_at(schedule.due_s(frame)) == frame


@given(st.floats(0, 1e4), periods, st.floats(0, 100))
def test_next_after_is_the_first_frame_that_is_not_past(origin_s, period_s, later_s):
    schedule = Schedule(origin_s, period_s)
    now_s = origin_s + later_s
    frame = schedule.next_after(now_s)
    assert schedule.due_s(frame) >= now_s
    assert schedule.due_s(frame - 1) < now_s + 1e-9


@given(periods, st.integers(1, 90), st.floats(-0.49, 0.49))
def test_frames_of_a_duration_is_the_nearest_whole_number(period_s, frames, off):
    assert frames_of((frames + off) * period_s, period_s) == max(1, frames)


RATES_HZ = (50, 60, 75, 85, 100, 120, 144, 165, 240, 360)


def off(share):
    """Return factors by which a measured rate differs from the display's."""
    return st.lists(st.floats(1 - share, 1 + share), min_size=2, max_size=5)


@given(st.sampled_from(RATES_HZ), st.integers(1, 60_000), off(0.4 * RATE_ERROR))
@example(75, 500, [1 - 1e-5, 1 + 1e-5])
@example(165, 500, [1 - 1e-5, 1 + 1e-5])
@example(60, 25, [1 - 1e-5, 1 + 1e-5])
def test_a_display_shows_a_duration_for_one_number_of_frames_whatever_was_measured(hz, ms, errors):
    """In whole milliseconds and hertz nothing is rounded: half of a frame more goes up."""
    frames = max(1, (2 * ms * hz + 1000) // 2000)
    for nominal_hz in (hz, None):
        if nominal_hz is None and abs(ms * hz % 1000 - 500) > 0:
            continue
        counted = {frames_of(ms / 1000, 1 / (hz * error), nominal_hz) for error in errors}
        assert counted == {frames}


@given(periods, st.floats(1e-4, 60), st.floats(0.9, 1.1))
def test_whatever_the_nominal_rate_a_duration_is_at_most_half_a_frame_off(period_s, for_s, times):
    frames = frames_of(for_s, period_s, times / period_s)
    exact = for_s / period_s
    assert abs(frames - exact) <= 0.5 + RATE_ERROR * exact or frames == 1


def test_no_time_is_no_frame_but_any_time_is_one():
    assert frames_of(0, 1 / 60) == 0
    assert frames_of(0.001, 1 / 60) == 1


def slow_record(refreshes):
    """Straight from the definition: walk over the intervals, in whole refreshes and jitter."""
    dropped = 0
    for refresh in refreshes:
        if refresh > 1.2:
            dropped += max(1, round(refresh) - 1)
    return round(sum(refreshes)), dropped, max(refreshes)


@given(
    periods,
    st.lists(
        st.tuples(st.integers(1, 4), st.floats(-0.15, 0.15)).map(sum), min_size=1, max_size=200
    ),
)
def test_the_record_is_what_a_walk_over_the_intervals_gives(period_s, refreshes):
    stamps_s = 100 + np.concatenate([[0.0], np.cumsum(refreshes)]) * period_s
    exact = np.diff(stamps_s) / period_s
    if np.abs(exact - 1.2).min() < 1e-6:
        return
    shown, dropped, longest = slow_record([float(interval) for interval in exact])
    record = frame_record(stamps_s, period_s, 7)
    assert (record.planned, record.shown, record.dropped) == (7, shown, dropped)
    assert record.longest_interval_s == pytest.approx(longest * period_s)


@given(
    periods,
    st.lists(st.tuples(st.integers(1, 4), st.floats(0, 0.95)), min_size=1, max_size=100),
    st.floats(0, 3.95),
)
def test_counted_frames_are_recorded_whatever_the_stamps_lateness(period_s, flips, last_late):
    """Each frame missed is told; so is each flip stamped late, for nobody can tell those apart.

    Of a late flip that takes the stimulus away, every refresh is told: no later one tells of it.
    """
    frames = np.cumsum([0, *(step for step, _ in flips)])
    late = np.array([0.0, *(late for _, late in flips[:-1]), last_late])
    refreshes = np.diff(frames + late)
    if np.abs(refreshes - 1.2).min() < 1e-6 or abs(refreshes[-1] % 1 - 0.5) < 1e-6:
        return
    dropped = sum(
        max(step - 1, int(refresh > 1.2))
        for (step, _), refresh in zip(flips[:-1], refreshes[:-1], strict=True)
    )
    dropped += max(flips[-1][0] - 1, int(refreshes[-1] > 1.2), round(refreshes[-1]) - 1)
    record = frame_record(100 + (frames + late) * period_s, period_s, None, frames)
    assert (record.shown, record.dropped) == (frames[-1], dropped)


def test_stamps_are_kept_in_order_and_never_beyond_their_memory():
    stamps = FrameStamps(3)
    for frame, time_s in enumerate((1.0, 1.1, 1.2)):
        stamps.add(time_s, frame)
    assert stamps.stamps_s.tolist() == [1.0, 1.1, 1.2]
    assert stamps.frames.tolist() == [0, 1, 2]
    with pytest.raises(IndexError):
        stamps.add(1.3, 3)
    stamps.clear()
    assert stamps.stamps_s.size == 0
