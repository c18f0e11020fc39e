"""Errors of a recording, and their figures, against slow readings of their definitions."""

import math
import random
import statistics
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from experiments.engine.input import Press
from experiments.rig.timing.bench import shared_out
from experiments.rig.timing.errors import (
    Errors,
    Sample,
    errors_of,
    graded,
    matched_presses,
    pictures_seen,
    ratio,
    ratios,
    spread,
    summary,
)
from experiments.rig.timing.exclusions import SampleExclusions, Span, Standstill
from experiments.rig.timing.instruments import (
    LONG_S,
    PRESSED_KEYS,
    SHORT_S,
    Edge,
    Injected,
    planned_presses,
)
from experiments.rig.timing.recording import Recorded, Recording
from experiments.rig.timing.settings import TrialSettings
from tests.experiments.examples import given

PERIOD_S = 1 / 60
GAP_S = 0.00006


def _edge(t_s, light, gap_s=GAP_S):
    return Edge(t_s + gap_s / 2, gap_s, light)


def _recording(shown, *, presses=(), injected=(), stolen=(), blinking=False, dropped=None):
    """A recording of pictures, each (recorded onset, times of the photodiode's edges)."""
    edges = [
        _edge(t_s, number % 2 == 0) for _, times_s in shown for number, t_s in enumerate(times_s)
    ]
    settings = TrialSettings(len(shown), on_frames=13 if blinking else 12, blinking=blinking)
    recorded = Recorded(
        onsets_s=tuple(onset_s for onset_s, _ in shown),
        offsets_s=tuple(onset_s + settings.on_s for onset_s, _ in shown),
        dropped=tuple(dropped or [0] * len(shown)),
        presses=tuple(presses),
        facts={},
    )
    return Recording(settings, recorded, tuple(edges), tuple(injected), tuple(stolen))


def test_onset_and_duration_errors_are_recorded_minus_seen():
    found = errors_of(_recording([(1.0005, (1.0, 1.2)), (1.5, (1.5001, 1.7003))]))
    assert [sample.error_s for sample in found.onset] == pytest.approx([0.0005, -0.0001])
    assert [sample.error_s for sample in found.duration] == pytest.approx([0.0, 0.0002])
    assert (found.onsets_unseen, found.frames_dropped_seen) == (0, 0)


def test_a_picture_that_was_never_seen_is_counted_and_spoils_no_other():
    found = errors_of(_recording([(1.0, (1.0, 1.2)), (1.5, ()), (2.0, (2.0, 2.2))]))
    assert found.onsets_unseen == 1
    assert len(found.onset) == len(found.duration) == 2


def test_a_refresh_too_many_is_a_drop_and_one_that_the_record_lacks_is_named():
    late = 1.2 + PERIOD_S
    shown = [(1.0, (1.0, late)), (1.5, (1.5, 1.7))]
    assert errors_of(_recording(shown, dropped=[1, 0])).drops_unrecorded == 0
    found = errors_of(_recording(shown, dropped=[0, 3]))
    assert (found.frames_dropped, found.frames_dropped_seen, found.drops_unrecorded) == (3, 1, 1)


@pytest.mark.parametrize("at_s", [1.0, 1.2 + PERIOD_S])
def test_a_drop_that_the_machine_may_have_made_is_not_one_that_the_record_lacks(at_s):
    """The picture was handed over in time, and came or went when the machine ran again."""
    whole = _recording([(1.0, (1.0, 1.2 + PERIOD_S)), (1.5, (1.5, 1.7))])
    assert errors_of(whole).drops_unrecorded == 1
    still = replace(whole, standstills=(Standstill(at_s - 0.009, at_s - 0.001, 0),))
    stolen = replace(whole, stolen=(Span(at_s - 0.01, at_s + 0.01),))
    for disturbed in (still, stolen):
        found = errors_of(disturbed)
        assert (found.frames_dropped_seen, found.drops_unrecorded) == (1, 0)
    elsewhere = replace(whole, standstills=(Standstill(1.45, 1.49, 0),))
    assert errors_of(elsewhere).drops_unrecorded == 1


def test_a_blinking_patch_shows_every_refresh_that_was_missed():
    times_s = np.arange(14) * PERIOD_S + 1.0
    times_s[5:] += 2 * PERIOD_S
    times_s[9:] += 0.3 * PERIOD_S
    found = errors_of(_recording([(1.0, times_s)], blinking=True, dropped=[2]))
    assert (found.frames_dropped_seen, found.drops_unrecorded) == (2, 0)


@pytest.mark.parametrize("away", [0, 1])
def test_a_photodiode_that_looked_away_sees_no_drop_that_may_not_have_been(away):
    whole = _recording([(1.0, (1.0, 1.2))])
    edges = [_edge(1.0, True), _edge(1.2, False)]
    gap_s = 2 * PERIOD_S
    # It looked up again late: after the patch had come, or after it had gone.
    seen_s = edges[away].t_s + gap_s - GAP_S
    edges[away] = Edge(seen_s, gap_s, edges[away].light)
    found = errors_of(replace(whole, edges=tuple(edges)))
    assert (found.frames_dropped_seen, found.drops_unrecorded) == (0, 0)


def test_a_picture_that_stays_into_the_next_trials_time_is_still_seen_whole():
    found = errors_of(_recording([(1.0, (1.0, 1.8)), (2.1, (2.1, 2.3))], dropped=[36, 0]))
    assert found.frames_dropped_seen == 36
    assert found.drops_unrecorded == 0


def test_samples_are_set_apart_by_the_observers_gap_and_by_stolen_time():
    edges = (_edge(1.0, True), _edge(1.2, False, gap_s=0.0012), _edge(1.5, True))
    seen = pictures_seen((1.0, 1.5), (*edges, _edge(1.7, False)))
    assert [picture.duration_s for picture in seen] == pytest.approx([0.2, 0.2])
    whole = _recording([(1.0, (1.0, 1.2)), (1.5, (1.5, 1.7))], stolen=[Span(1.65, 1.75)])
    gappy = Recording(whole.settings, whole.recorded, (*edges, _edge(1.7, False)), (), whole.stolen)
    found = errors_of(gappy)
    assert [sample.why for sample in found.onset] == ["", ""]
    assert [sample.why for sample in found.duration] == ["gap", "stolen"]
    told = summary([found])
    assert told["duration_error_ms"] is None
    assert (told["apart"]["duration"]["gap"], told["apart"]["duration"]["stolen"]) == (1, 1)
    assert told["apart"]["duration"]["error_ms"]["n"] == 2


TICK_S = 0.00025
TICKS = st.integers(0, 400)
STRETCHES = st.lists(st.tuples(TICKS, TICKS).filter(lambda ends: ends[0] != ends[1]), max_size=5)


@given(STRETCHES, TICKS, st.booleans(), st.booleans())
def test_a_look_is_in_doubt_where_any_core_stood_still_about_it(spans, at, gap, stolen):
    """Against a walk over all ticks from 2 ms before the look to half a millisecond after."""
    still = [Standstill(min(ends) * TICK_S, max(ends) * TICK_S, 0) for ends in spans]
    look_s = (at + 0.4) * TICK_S
    taken = [Span(look_s - 1, look_s + 1)] if stolen else []
    found = SampleExclusions.of(taken, still).about([(look_s, 0.0011 if gap else 0.0)])
    ticks = range(at - 8, at + 3)
    met = any(min(ends) <= tick < max(ends) for ends in spans for tick in ticks)
    assert found == ("gap" if gap else "stolen" if stolen else "standstill" if met else "")


def test_what_was_recorded_of_a_press_doesnt_decide_whether_it_is_trusted():
    """A stamp that is .1 s wrong counts, unless a core stood still as the press was made."""
    sent = [Injected("keyboard", "a", t_s, 0.0, 0.05) for t_s in (2.0, 3.0)]
    presses = [Press("a", t_s + 0.1) for t_s in (2.0, 3.0)]
    still = (Standstill(2.05, 2.06, 1), Standstill(2.9999, 3.06, 0))
    quiet = _recording([(1.0, (1.0, 1.2))], presses=presses, injected=sent)
    found = errors_of(replace(quiet, standstills=still))
    assert [sample.why for sample in found.key] == ["", "standstill"]
    assert summary([found])["key_error_ms"]["max"] == pytest.approx(100)
    assert summary([found])["apart"]["key"]["standstill"] == 1


@st.composite
def _pressed(draw):
    """Presses that were made, some of them recorded, with a lag; and how many are missing."""
    slots = draw(st.lists(st.booleans(), min_size=1, max_size=40))
    lags_s = draw(st.lists(st.floats(0.0, 0.02), min_size=len(slots), max_size=len(slots)))
    injected = [
        Injected("keyboard", PRESSED_KEYS[number % 6], number * 0.05, 0.0, 0.002)
        for number in range(len(slots))
    ]
    recorded = [
        Press(sent.key, sent.t_s + lag_s)
        for sent, lag_s, kept in zip(injected, lags_s, slots, strict=True)
        if kept
    ]
    return injected, recorded, slots


@given(_pressed())
def test_every_record_goes_to_its_own_press_and_the_missing_are_found(drawn):
    injected, recorded, kept = drawn
    random.Random(1).shuffle(recorded)
    pairs, extra = matched_presses(injected, recorded)
    assert [press is not None for _, press in pairs] == kept
    assert extra == 0
    assert all(press is None or press.key == sent.key for sent, press in pairs)


def test_records_of_no_press_are_counted_apart():
    injected = [Injected("keyboard", "f", 1.0, 0.0, 0.01)]
    recorded = [
        Press("f", 1.001),
        Press("f", 1.002),
        Press("j", 1.0),
        Press("f", 1.001, device="mouse"),
    ]
    pairs, extra = matched_presses(injected, recorded)
    assert pairs == [(injected[0], recorded[0])]
    assert extra == 3


def test_a_press_is_not_given_the_record_of_the_next_of_its_key():
    injected = [Injected("keyboard", "f", at_s, 0.0, 0.01) for at_s in (1.0, 1.05)]
    pairs, extra = matched_presses(injected, [Press("f", 1.051)])
    assert [press for _, press in pairs] == [None, Press("f", 1.051)]
    assert extra == 0


def test_a_press_error_is_the_stamp_minus_the_press_by_device():
    injected = [
        Injected("keyboard", "f", 1.0, 0.0, 0.002),
        Injected("mouse", "left", 1.1, 0.002, 0.03),
        Injected("keyboard", "j", 1.2, 0.0, 0.002),
    ]
    presses = [Press("f", 1.0002), Press("left", 1.1003, device="mouse")]
    found = errors_of(_recording([(1.0, (1.0, 1.2))], presses=presses, injected=injected))
    assert [sample.error_s for sample in found.key] == pytest.approx([0.0002])
    assert found.button[0].error_s == pytest.approx(0.0003)
    assert found.button[0].why == "gap"
    assert (found.presses_sent, found.presses_lost) == (3, 1)
    assert (found.short_sent, found.short_lost) == (2, 1)


RUNS = st.lists(
    st.lists(st.floats(-0.02, 0.02, allow_subnormal=False), min_size=2, max_size=12), max_size=4
)


@given(RUNS)
def test_a_spread_is_what_its_definition_says(runs):
    found = spread(runs)
    every = [1000 * error for run in runs for error in run]
    if not every:
        assert found is None
        return
    variances = [statistics.variance([1000 * error for error in run]) for run in runs]
    freedom = [len(run) - 1 for run in runs]
    pooled = sum(v * f for v, f in zip(variances, freedom, strict=True)) / sum(freedom)
    assert found.mean == pytest.approx(statistics.fmean(every), abs=1e-9)
    assert found.sd == pytest.approx(math.sqrt(pooled), abs=1e-6)
    assert found.max == max(map(abs, every))
    assert sum(abs(error) > found.p95 for error in every) <= 0.05 * len(every) + 1
    assert found.n == len(every)


def test_the_ratios_interval_is_students_on_the_logarithms():
    from scipy import stats

    pairs = [(1.0, 2.0), (1.1, 1.9), (0.9, 2.1), (1.2, 2.0), (1.0, 1.8)]
    logs = [math.log(first / second) for first, second in pairs]
    low, high = stats.t.interval(0.95, len(logs) - 1, statistics.fmean(logs), stats.sem(logs))
    found = ratio(pairs)
    assert found.estimate == pytest.approx(statistics.geometric_mean([a / b for a, b in pairs]))
    assert (found.ci_low, found.ci_high) == pytest.approx((math.exp(low), math.exp(high)))
    assert found.each == pytest.approx([first / second for first, second in pairs])
    assert ratio([(1.0, 2.0)]).ci_low is None
    assert ratio([(0.0, 1.0)]) is None


def _errors(onset_ms, duration_ms):
    samples = [
        tuple(Sample(error / 1000) for error in errors) for errors in (onset_ms, duration_ms)
    ]
    return Errors(*samples, (), (), *[0] * 9)


def test_ratios_pair_runs_that_followed_each_other():
    ours = [_errors([0, 1], [0, 2]), _errors([0, 2], [0, 2])]
    theirs = [_errors([0, 2], [0, 2]), _errors([0, 4], [0, 2])]
    found = ratios(ours, theirs)
    assert found["onset_error_ms"]["estimate"] == pytest.approx(0.5)
    assert found["duration_error_ms"]["estimate"] == pytest.approx(1.0)
    assert found["key_error_ms"] is None


def test_a_run_is_graded_by_its_larger_sd_and_its_late_pictures():
    steady = [0.0, 0.01] * 50
    assert graded([_errors(steady, steady)]) == "excellent"
    assert graded([_errors([0.0, 0.4] * 50, steady)]) == "acceptable"
    assert graded([_errors(steady, [*steady, 0.6, 0.6])]) == "acceptable"
    assert graded([_errors([], [])]) == ""


@pytest.mark.parametrize("slot_s", [0.034, 0.05, 0.1])
def test_presses_come_in_every_kind_at_every_phase_and_never_two_at_once(slot_s):
    strokes = planned_presses(10.0, 60.0, PERIOD_S, slot_s)
    phases = np.sort(((np.array([s.at_s for s in strokes]) - 10.0) / PERIOD_S) % 1)
    assert np.diff(phases, prepend=0, append=1).max() < 0.02
    kinds = {(stroke.device, stroke.hold_s) for stroke in strokes}
    assert kinds == {(d, h) for d in ("keyboard", "mouse") for h in (SHORT_S, LONG_S)}
    assert any(0 < b.at_s - a.at_s < PERIOD_S for a, b in pairwise(strokes))
    assert max(stroke.at_s + stroke.hold_s for stroke in strokes) <= 70.0
    assert all(before.at_s + before.hold_s < after.at_s for before, after in pairwise(strokes))


def test_trials_are_shared_out_to_runs_of_ten_at_least():
    assert shared_out(203, 5) == [41, 41, 41, 40, 40]
    assert shared_out(25, 5) == [13, 12]
    assert shared_out(4, 5) == [4]
