"""Timed choices: how long they can be looked at, their keys, and what a journal settles of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.journal import Event
from participants.session import (
    TimedChoice,
    repeat_step,
    settled_by,
    settled_choices,
    trial_step,
)

TRIAL = TimedChoice(
    step="trial-0001",
    trial=1,
    phase="main",
    position=1,
    presentation="p1",
    stimulus=None,
    options={"f": "first", "j": "second"},
    device="keyboard",
    fixation_s=0.5,
    limit_s=5.0,
)


@pytest.mark.parametrize(("exposure_s", "look_s"), [(None, 5.0), (2.0, 2.0), (9.0, 5.0)])
def test_a_stimulus_is_seen_until_its_exposure_or_the_limit(exposure_s, look_s):
    assert replace(TRIAL, exposure_s=exposure_s).longest_look_s == look_s


def ends_of(planned, flagged):
    """A whole session's ends, told one by one: trials first, then each repeat that is due."""
    ends = [(number, None, number in flagged) for number in range(1, planned + 1)]
    repeats = [number for number in range(1, planned + 1) if number in flagged]
    return ends + [(planned + n, n, planned + n in flagged) for n in repeats]


def left_slowly(planned, ends):
    """Walk through all that could be shown, and ask of each step whether it still must be."""
    left = set()
    for number in range(1, planned + 1):
        own = [lost for trial, repeat_of, lost in ends if (trial, repeat_of) == (number, None)]
        again = [lost for _, repeat_of, lost in ends if repeat_of == number]
        if not own:
            left.add(trial_step(number))
        if not again and (not own or own[-1]):
            left.add(repeat_step(number))
    return left


@given(st.integers(1, 12), st.frozensets(st.integers(1, 24)), st.integers(0, 24))
def test_what_is_left_is_what_a_slow_walk_finds(planned, flagged, cut):
    """Cut off after any trial, with frames lost in trials and in repeats."""
    ends = ends_of(planned, flagged)[:cut]
    events = [
        event
        for at, (trial, repeat_of, lost) in enumerate(ends)
        for event in (
            Event("trial_start", 2 * at, 0.0, "", {"trial": trial, "repeat_of": repeat_of}),
            Event(
                "trial_end", 2 * at + 1, 0.0, "",
                {"trial": trial, "repeat_of": repeat_of, "flagged": lost},
            ),
        )
    ]  # fmt: skip
    steps = {name(number) for name in (trial_step, repeat_step) for number in range(1, planned + 1)}
    settled = settled_choices(events)
    assert steps - settled == left_slowly(planned, ends)
    assert settled <= steps
    assert settled == frozenset().union(
        *(settled_by(trial, repeat_of, flagged=lost) for trial, repeat_of, lost in ends)
    )
