import time

import pytest

from experiments.engine.clock import STEP_S, ClockWatch, StimulusClock, measure_offset


class WallClock:
    def __init__(self, ahead_s):
        self.ahead_s = ahead_s

    def read(self):
        return time.perf_counter() + self.ahead_s


def test_the_offset_is_measured_to_within_its_span():
    offset = measure_offset(WallClock(1e9).read)
    assert abs(offset.offset_s + 1e9) <= offset.span_s + 1e-6


def test_a_stamp_is_converted_to_the_monotonic_clock():
    wall = WallClock(12345.0)
    clock = StimulusClock(wall.read, "wall")
    before = time.perf_counter()
    stamp_s = clock.to_monotonic(wall.read())
    assert before - 1e-4 <= stamp_s <= time.perf_counter() + 1e-4


def test_a_step_is_noticed_once_and_stamps_stay_right_after_it():
    wall = WallClock(100.0)
    clock = StimulusClock(wall.read, "wall")
    assert not clock.measure()
    wall.ahead_s += 0.25
    assert clock.measure()
    assert not clock.measure()
    assert clock.steps == 1
    assert abs(clock.to_monotonic(wall.read()) - time.perf_counter()) < STEP_S


@pytest.fixture
def watched():
    stimulus, wall = WallClock(100.0), WallClock(200.0)
    clock = StimulusClock(stimulus.read, "GetSecs")
    return stimulus, wall, clock, ClockWatch(clock, StimulusClock(wall.read, "wall"))


def test_clocks_that_run_evenly_are_compared_without_a_step(watched):
    *_, watch = watched
    for _ in range(5):
        found = watch.compare()
        assert not found.stepped
        assert abs(found.stimulus_step_s) < STEP_S
        assert found.stimulus_offset_s == pytest.approx(-100, abs=STEP_S)
        assert found.offset_s == pytest.approx(200, abs=STEP_S)
        assert found.stimulus_clock == "GetSecs"


@pytest.mark.parametrize("step_s", [0.003, -0.25, 3600.0])
def test_a_step_of_the_stimulus_clock_is_flagged_once_with_its_size(watched, step_s):
    stimulus, _, _, watch = watched
    stimulus.ahead_s += step_s
    found = watch.compare()
    assert found.stepped
    assert found.stimulus_step_s == pytest.approx(-step_s, abs=STEP_S)
    assert not watch.compare().stepped


def test_a_step_of_the_wall_clock_alone_is_flagged_and_moves_no_press(watched):
    _, wall, _, watch = watched
    wall.ahead_s += 0.5
    found = watch.compare()
    assert found.stepped
    assert abs(found.stimulus_step_s) < STEP_S


def test_a_step_that_was_taken_back_before_the_comparison_is_flagged_if_a_press_met_it(watched):
    stimulus, _, clock, watch = watched
    stimulus.ahead_s += 0.5
    clock.measure()
    stimulus.ahead_s -= 0.5
    found = watch.compare()
    assert found.stepped
    assert abs(found.stimulus_step_s) < STEP_S


def test_many_small_moves_add_up_to_a_step(watched):
    stimulus, _, clock, watch = watched
    for _ in range(8):
        stimulus.ahead_s += 0.0004
        clock.measure()
    assert clock.steps == 0
    assert watch.compare().stepped
