"""The part on steps under a photodiode: what it makes of edges that were seen."""

import pytest

from bench.parts.reveal_steps import FULL, QUICK, bars_of, errors_s, figures_of, lasts_s
from bench.parts.reveal_steps_probe import STEPS
from bench.parts.watching import Watched
from experiments.rig.timing.exclusions import Standstill
from experiments.rig.timing.instruments import Edge

PERIOD_S = 1 / 60
GAP_S = 0.0001
FRAMES = 12


def told(onset_s, **changes):
    steps_s = [onset_s + n * FRAMES * PERIOD_S for n in range(3)]
    return {
        "step_s": 0.2, "steps_s": steps_s, "offset_s": onset_s + 3 * FRAMES * PERIOD_S,
        "dropped": 0, "late": [], "keystrokes": 30, "attempts": 2, "prepared_s": 0.1,
        "texture_bytes": 3_000_000, "rss_bytes": 10**8,
    } | changes  # fmt: skip


def edges(onset_s, late_s=(0.0, 0.0, 0.0, 0.0)):
    due = (onset_s + 0.001 + n * FRAMES * PERIOD_S for n in range(4))
    return [
        Edge(at_s + late + GAP_S / 2, GAP_S, n % 2 == 0)
        for n, (at_s, late) in enumerate(zip(due, late_s, strict=True))
    ]


def watched(*rounds, standstills=()):
    seen = [edge for _, own in rounds for edge in own]
    told_of = tuple(one for one, _ in rounds)
    return Watched(PERIOD_S, told_of, tuple(seen), tuple(standstills), cores=2)


def met(seen):
    return [line["met"] for line in bars_of(figures_of(seen))]


def test_every_step_is_measured_from_its_onset_whatever_the_constant_lag():
    seen = watched((told(5.0), edges(5.0, (0, 1e-4, 0, -5e-5))), (told(9.0), edges(9.0)))
    one = seen.round(seen.told[0], 0.2)
    assert list(errors_s(one, PERIOD_S)) == pytest.approx([1e-4, 0, -5e-5], abs=1e-9)
    (found,) = figures_of(seen)["by_step"].values()
    assert (found["judged"], found["unseen"], found["keys"], found["answers"]) == (6, 0, 60, 4)
    assert met(seen) == [True] * 4


def test_one_late_step_is_one_too_many():
    assert met(watched((told(5.0), edges(5.0, (0, 0, 2.5e-4, 0))))) == [False, True, True, True]


def test_a_dropped_frame_is_one_by_record_or_photodiode_unless_a_core_stood_still():
    assert not met(watched((told(5.0, dropped=1), edges(5.0))))[1]
    own = told(5.0, dropped=1, late=[(5.1, 5.125, 1)])
    for until_s, explained in ((5.1025, True), (5.1015, False), (5.0, False)):
        still = [Standstill(5.1, until_s, 0)] if until_s > 5.1 else []
        assert met(watched((own, edges(5.0)), standstills=still))[1] is explained


def test_a_step_that_a_standstill_made_late_is_a_frame_dropped_and_no_error_of_the_schedule():
    """Its flip came one refresh late, by record and photodiode; without a standstill it counts."""
    own = told(5.0, dropped=1)
    own["steps_s"][1] += PERIOD_S
    own["late"] = [(own["steps_s"][1] - 2 * PERIOD_S, own["steps_s"][1], 1)]
    late = edges(5.0, (0, PERIOD_S, 0, 0))
    begun_s = own["late"][0][0] + 0.001
    still = [Standstill(begun_s, begun_s + 0.006, 0)]
    for standstills, explained, judged in ((still, True, 2), ([], False, 3)):
        seen = watched((own, late), standstills=standstills)
        (found,) = figures_of(seen)["by_step"].values()
        assert (found["judged"], found["apart"], found["unseen"]) == (judged, 3 - judged, 0)
        assert met(seen)[:2] == [explained, explained]


def test_a_step_that_waited_for_a_late_flip_is_put_off_by_the_same_standstill():
    """The flip before took the step's own refresh: the step came a refresh late, on time itself."""
    own = told(5.0, dropped=1)
    due_s, own["steps_s"][1] = own["steps_s"][1], own["steps_s"][1] + PERIOD_S
    own["late"] = [(due_s - 2 * PERIOD_S, due_s, 1)]
    still = [Standstill(due_s - 0.03, due_s - 0.02, 0)]
    for standstills, judged in ((still, 2), ([], 3)):
        seen = watched((own, edges(5.0, (0, PERIOD_S, 0, 0))), standstills=standstills)
        (found,) = figures_of(seen)["by_step"].values()
        assert found["judged"] == judged
        assert met(seen)[0] is (judged == 2)


def test_memory_that_grows_with_every_round_is_not_flat():
    rounds = [(told(5.0 + n, rss_bytes=10**8 + n * 10**6), edges(5.0 + n)) for n in range(20)]
    assert met(watched(*rounds)) == [True, True, False, True]


def test_the_full_form_is_a_sitting_and_the_quick_one_a_moment():
    assert len(FULL.lengths_s()) == 34
    assert FULL.lengths_s().count(FULL.slow_step_s) == FULL.slow_rounds
    assert STEPS * sum(FULL.lengths_s()) < lasts_s(FULL) < 12 * 60
    assert lasts_s(QUICK) < 60
