"""The parts on long runs and starts: what they make of edges, memory and a screen's file."""

import numpy as np
import pytest

from experiments.rig.timing.photodiode import Edge
from tests.bench.parts.soak_probe import Plan
from tests.bench.parts.timing_soak import PLANS, Seen, _edges_of, figures_of, growth_mb, lasts_s
from tests.bench.parts.timing_start import mapped

PLAN = Plan(2, 3, 0.1)
GAP_S = 0.0001


def edge(time_s, light, gap_s=GAP_S):
    return Edge(time_s + gap_s / 2, gap_s, light)


def told(onset_s, **changes):
    steps_s = [onset_s, onset_s + 0.1, onset_s + 0.2]
    return {
        "steps_s": steps_s, "offset_s": onset_s + 0.3, "planned": 18, "shown": 18, "dropped": 0,
        "longest_interval_s": 0.0167, "rss_bytes": 10**8,
    } | changes  # fmt: skip


def edges(onset_s, late_s=0.0, gap_s=GAP_S):
    """What a diode sees 1 ms after each recorded change; the last step is late."""
    times = (onset_s, onset_s + 0.1, onset_s + 0.2 + late_s, onset_s + 0.3)
    return [edge(at_s + 0.001, step % 2 == 0, gap_s) for step, at_s in enumerate(times)]


def test_a_late_last_step_is_measured_between_edges_whatever_the_constant_lag():
    seen = [Seen(told(5.0), tuple(edges(5.0, 0.00015))), Seen(told(6.0), tuple(edges(6.0)))]
    found = figures_of(seen, PLAN)
    assert found["last_step_ms"]["max"] == pytest.approx(0.15, abs=1e-6)
    assert found["last_step_ms"]["median"] == pytest.approx(0.075, abs=1e-6)
    assert found["duration_ms"]["max"] == pytest.approx(0, abs=1e-6)
    assert (found["edges"], found["apart"], found["dropped"]) == (8, 0, 0)


def test_edges_are_matched_by_their_turn_and_the_untrusted_stand_apart():
    both = [*edges(5.0), *edges(6.0, gap_s=0.002)]
    assert [one.t_s for one in _edges_of(told(5.0), both)] == [one.t_s for one in edges(5.0)]
    assert _edges_of(told(7.0), both) == (None,) * 4
    seen = [Seen(told(at_s), _edges_of(told(at_s), both)) for at_s in (5.0, 6.0, 7.0)]
    found = figures_of(seen, PLAN)
    assert (found["edges"], found["apart"], found["unseen"]) == (4, 4, 4)
    assert found["last_step_ms"]["n"] == found["duration_ms"]["n"] == 1


def test_a_step_that_came_a_frame_after_its_record_is_unseen():
    late = edges(5.0, late_s=0.0167)
    found = figures_of([Seen(told(5.0), _edges_of(told(5.0), late))], PLAN)
    assert (found["edges"], found["unseen"], found["last_step_ms"]) == (3, 1, None)


def test_memory_that_grows_evenly_is_measured_and_warming_up_is_not():
    steady = [10**8 - 5 * 10**6, 10**8 - 10**6, *[10**8] * 98]
    assert growth_mb(steady) == pytest.approx(0, abs=1e-9)
    assert growth_mb([10**8 + 10**5 * number for number in range(100)]) == pytest.approx(8.9)
    assert growth_mb([10**8]) == 0


def test_all_plans_together_last_about_half_an_hour():
    assert 20 < sum(map(lasts_s, PLANS.values())) / 60 < 35


def test_a_screens_file_is_read_pixel_by_pixel(tmp_path):
    """An X window dump of 3 × 2 pixels, one colour in its table, lines padded to 16 bytes."""
    words = np.zeros(25, dtype=">u4")
    words[[0, 4, 5, 12, 19]] = 104, 3, 2, 16, 1
    lines = np.arange(32, dtype=np.uint8).reshape(2, 16)
    path = tmp_path / "screen"
    path.write_bytes(words.tobytes() + bytes(4) + bytes(12) + lines.tobytes())
    screen = mapped(path)
    assert screen.shape == (2, 3, 4)
    assert screen[1, 2].tolist() == [24, 25, 26, 27]
