"""The parts on long runs and starts: what they make of edges, memory and a screen's file."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.parts import timing_pairs, timing_presses
from bench.parts.soak_probe import Plan, noting_late_flips
from bench.parts.timing_soak import PLANS, bars_of, figures_of, growth_mb, lasts_s
from bench.parts.timing_start import mapped
from bench.parts.watching import (
    Seen,
    Watched,
    _edges_of,
    dropped_seen,
    share_lost,
    standstills_said,
)
from experiments.engine.pacing import frame_record
from experiments.rig.timing.exclusions import Standstill
from experiments.rig.timing.instruments import Edge

PLAN = Plan(2, 3, 0.1)
GAP_S = 0.0001
PERIOD_S = 1 / 60


def edge(time_s, light, gap_s=GAP_S):
    return Edge(time_s + gap_s / 2, gap_s, light)


def told(onset_s, **changes):
    steps_s = [onset_s, onset_s + 0.1, onset_s + 0.2]
    return {
        "steps_s": steps_s, "offset_s": onset_s + 0.3, "planned": 18, "shown": 18, "dropped": 0,
        "late": [], "longest_interval_s": 0.0167, "rss_bytes": 10**8,
    } | changes  # fmt: skip


def edges(onset_s, late_s=0.0, gap_s=GAP_S):
    """What a diode sees 1 ms after each recorded change; the last step is late."""
    times = (onset_s, onset_s + 0.1, onset_s + 0.2 + late_s, onset_s + 0.3)
    return [edge(at_s + 0.001, step % 2 == 0, gap_s) for step, at_s in enumerate(times)]


def test_a_late_last_step_is_measured_between_edges_whatever_the_constant_lag():
    seen = [Seen(told(5.0), tuple(edges(5.0, 0.00015))), Seen(told(6.0), tuple(edges(6.0)))]
    found = figures_of(seen, PLAN, PERIOD_S)
    assert found["last_step_ms"]["max"] == pytest.approx(0.15, abs=1e-6)
    assert found["last_step_ms"]["median"] == pytest.approx(0.075, abs=1e-6)
    assert found["duration_ms"]["max"] == pytest.approx(0, abs=1e-6)
    assert (found["edges"], found["apart"], found["dropped"]) == (8, 0, 0)


def test_edges_are_matched_by_their_turn_and_the_untrusted_stand_apart():
    both = [*edges(5.0), *edges(6.0, gap_s=0.002)]
    assert [one.t_s for one in _edges_of(told(5.0), both)] == [one.t_s for one in edges(5.0)]
    assert _edges_of(told(7.0), both) == (None,) * 4
    seen = [Seen(told(at_s), _edges_of(told(at_s), both)) for at_s in (5.0, 6.0, 7.0)]
    found = figures_of(seen, PLAN, PERIOD_S)
    assert (found["edges"], found["apart"], found["unseen"]) == (4, 4, 4)
    assert found["last_step_ms"]["n"] == found["duration_ms"]["n"] == 1


def test_a_step_that_came_a_frame_after_its_record_is_unseen():
    late = edges(5.0, late_s=0.0167)
    found = figures_of([Seen(told(5.0), _edges_of(told(5.0), late))], PLAN, PERIOD_S)
    assert (found["edges"], found["unseen"], found["last_step_ms"]) == (3, 1, None)


@pytest.mark.parametrize(
    ("still", "unseen", "apart"),
    [((), 1, 0), ((Standstill(5.195, 5.196, 0),), 1, 0), ((Standstill(5.19, 5.23, 0),), 0, 1)],
)
def test_a_change_that_fell_into_a_long_standstill_is_told_apart(still, unseen, apart):
    missed = [*edges(5.0)[:2], None, edges(5.0)[3]]
    found = figures_of([Seen(told(5.0), tuple(missed), 0, still)], PLAN, PERIOD_S)
    assert (found["edges"], found["unseen"], found["apart"]) == (3, unseen, apart)


def test_memory_that_grows_evenly_is_measured_and_warming_up_is_not():
    steady = [10**8 - 10**6 * max(0, 40 - number) for number in range(100)]
    assert growth_mb(steady) == pytest.approx(0, abs=1e-9)
    assert growth_mb([10**8 + 10**5 * number for number in range(100)]) == pytest.approx(4.9)
    assert growth_mb([10**8]) == 0


def judged(*rounds):
    return [line["met"] for line in bars_of({"plan": figures_of(rounds, PLAN, PERIOD_S)})]


def test_one_late_round_among_many_is_not_within_the_schedule():
    fine = [Seen(told(at_s), tuple(edges(at_s))) for at_s in range(5, 105)]
    late = Seen(told(200.0), tuple(edges(200.0, 0.00025)))
    assert judged(*fine) == [True] * 4
    assert judged(*fine, late) == [False, True, True, True]
    said = bars_of({"plan": figures_of([*fine, late], PLAN, PERIOD_S)})[0]["measured"]
    assert "0.250 ms at most, 95 % within 0.000 ms" in said


def test_a_round_at_which_the_diode_looked_away_is_off_only_where_it_surely_was():
    wide = Seen(told(5.0), tuple(edges(5.0, 0.0004, gap_s=0.002)))
    surely = Seen(told(5.0), tuple(edges(5.0, 0.0045, gap_s=0.002)))
    fine = Seen(told(6.0), tuple(edges(6.0)))
    assert judged(fine, wide)[0]
    assert not judged(fine, surely)[0]
    assert not judged(wide)[0], "no round could be judged"


def test_what_happened_while_a_core_stood_still_stands_apart():
    """A flip due at 5.2, and its step's edge, came at 5.21."""
    once = told(5.0, dropped=1, late=[(5.1833, 5.21, 1)])
    off = tuple(edges(5.0, 0.01))
    fine = Seen(told(8.0), tuple(edges(8.0)))
    before, too_short, there = (
        (Standstill(from_s, until_s, 1),)
        for from_s, until_s in ((5.1, 5.183), (5.2, 5.2015), (5.2005, 5.2095))
    )
    for still in (before, too_short):
        assert not judged(Seen(once, off, 0, still), fine)[1]
    assert not judged(Seen(once, off, 0, before), fine)[0]
    assert judged(Seen(once, off, 0, there), fine) == [True] * 4
    found = figures_of([Seen(once, off, 0, there), fine], PLAN, PERIOD_S)
    assert (found["dropped_at_standstills"], found["last_step_ms"]["n"]) == (1, 1)
    assert found["apart"] == 1


@given(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 0.95)), min_size=2, max_size=40))
def test_late_flips_are_noted_as_the_record_counts_them(flips):
    """Refreshes go by between flips, and stamps come late: by count or by time, as the record.

    The last flip is in time: of a late one the record may count more.
    """
    flips = [*flips, (1, 0.0)]
    frames = np.cumsum([gone for gone, _ in flips])
    late = np.array([late for _, late in flips])
    stamps_s = time.perf_counter() + 1 + (frames + late) * PERIOD_S
    shown = iter(range(len(flips)))
    pacing = SimpleNamespace(count_from=lambda _: lambda flip_s: frames[stamps_s == flip_s].item())
    window = SimpleNamespace(flip=lambda until: float(stamps_s[next(shown)]))
    noted = noting_late_flips(SimpleNamespace(window=window, pacing=pacing, period_s=PERIOD_S))
    for _ in flips:
        window.flip(None)
    within = [one for one in noted if one[1] > stamps_s[0]]
    dropped = frame_record(stamps_s, PERIOD_S, None, frames).dropped
    assert sum(missed for _, _, missed in within) == dropped
    for due_s, flip_s, _ in within:
        (before,) = (stamps_s == flip_s)[1:].nonzero()[0]
        # By the earliest flip so far, which may have been late itself.
        early_s = stamps_s[before] - late[before] * PERIOD_S
        assert early_s - 1e-9 <= due_s <= stamps_s[before]


def test_a_flip_right_after_one_that_a_standstill_made_late_is_late_through_it():
    """The first of these was due at 5.0167: the second had less than a refresh, the others one."""
    late = [(5.0, 5.0233, 1), (5.0167, 5.05, 1), (5.0667, 5.1, 1), (5.1, 5.1333, 1)]
    still = (Standstill(5.0155, 5.0225, 1),)
    assert Seen(told(5.0, dropped=4, late=late), (), 0, still).stood_still == 2
    assert Seen(told(5.0, dropped=4, late=late), (), 0, ()).stood_still == 0


def test_the_share_of_frames_that_lost_time_is_counted_frame_by_frame():
    """18 frames, of which the second and third meet with standstills of 2 ms in all, the fifth with
    less; a late frame lasts a fifth longer than a refresh.
    """
    still = (
        Standstill(5.0335, 5.0345, 0),
        Standstill(5.0348, 5.0361, 1),
        Standstill(5.07, 5.0715, 0),
    )
    seen = Watched(1 / 60, (told(5.0),), (), still, cores=2)
    assert share_lost(seen) == pytest.approx(2 / 18)


def test_standstills_are_told_and_so_is_that_nobody_watched():
    found = [Standstill(1.0, 1.0005, 0), Standstill(2.0, 2.0072, 1)]
    said = standstills_said(found, cores=2)
    assert said == (
        "Standstills witnessed on 2 cores: 2 of over 0.15 ms, 1 of over 3 ms, the longest 7.2 ms."
    )
    assert "No witness" in standstills_said((), cores=0)


@pytest.mark.parametrize(("recorded", "seen"), [(0, 1), (1, 0), (1, 1)])
def test_a_frame_dropped_by_record_or_photodiode_is_one(recorded, seen):
    one = Seen(told(5.0, dropped=recorded), tuple(edges(5.0)), seen)
    assert judged(one) == [True, False, True, True]


def test_drops_are_seen_without_the_record():
    """A step that stayed a frame longer than it should, while the record says nothing of it."""
    late = [*edges(4.0), *edges(5.0, late_s=PERIOD_S), *edges(6.0)]
    assert [dropped_seen(told(at_s), late, 0.1, PERIOD_S) for at_s in (4.0, 5.0, 6.0)] == [0, 1, 0]
    away = edges(5.0)
    away[2] = edge(5.201 + PERIOD_S / 2, True, gap_s=PERIOD_S + GAP_S)
    assert dropped_seen(told(5.0), away, 0.1, PERIOD_S) == 0


def test_short_trials_are_judged_by_the_runs_refreshes():
    """Onsets that come 12 frames after each other; a slow clock or a late last one shows."""

    def short(onset_s):
        seen_at = (onset_s + 0.001, onset_s + 0.1012)
        one = told(onset_s, steps_s=[onset_s], offset_s=onset_s + 0.1)
        return Seen(one, (edge(seen_at[0], True), edge(seen_at[1], False)))

    def found(late_s):
        due_s = 5.0 + 12 * PERIOD_S * np.arange(len(late_s))
        return figures_of([short(at_s) for at_s in due_s + late_s], Plan(1, 1, 0.1), PERIOD_S)

    still, slow = np.zeros(1000), np.linspace(0, 0.0003, 1000)
    late = np.eye(1000)[-1] * 0.0003
    for late_s, drift_ms, last_ms, met in (
        (still, 0, 0, True), (slow, 0.3, 0.3, False), (slow / 2, 0.15, 0.15, True),
    ):  # fmt: skip
        told_of = found(late_s)
        assert told_of["drift_ms"] == pytest.approx(drift_ms, abs=1e-6)
        assert told_of["last_onset_ms"] == pytest.approx(last_ms, abs=0.01)
        assert told_of["duration_ms"]["median"] == pytest.approx(0.2, abs=1e-6)
        assert bars_of({"short": told_of})[0]["met"] is met
    assert not bars_of({"short": found(late)})[0]["met"]
    first = np.eye(1000)[0] * 0.0003
    assert found(first)["last_onset_ms"] == pytest.approx(0, abs=1e-6)
    assert not bars_of({"short": figures_of([], Plan(1, 1, 0.1), PERIOD_S)})[0]["met"]


def test_parts_last_no_longer_than_they_must():
    """Ten minutes of slow reveals and nine of quick ones are asked for."""
    assert 19 * 60 < sum(map(lasts_s, PLANS.values())) < 30 * 60
    assert lasts_s(PLANS["short trials"]) < 8 * 60
    assert timing_pairs.lasts_s(timing_pairs.PAIRS, timing_pairs.TRIALS_A_RUN) < 8 * 60
    assert timing_presses.lasts_s(10_000) < 5 * 60


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
