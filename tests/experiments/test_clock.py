import time

from experiments.engine.clock import STEP_S, StimulusClock, measure_offset


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
