"""A robot's timed choice: flips and presses in computed times, against times by hand."""

from dataclasses import dataclass, field, replace

import pytest

from participants.session import NO_CHOICE
from participants.simulate.presenters import VirtualClock, simulated_choice
from tests.participants.session.test_timed_choice import TRIAL

FRAME_S = 1 / 60


@dataclass
class Stamps:
    """Keeps what is recorded by its time."""

    clock: VirtualClock
    events: list = field(default_factory=list)

    def append(self, event, *, t_monotonic_s=None, durable=False, **fields):
        at_s = self.clock.monotonic_s() if t_monotonic_s is None else t_monotonic_s
        self.events.append((round(at_s, 9), fields.get("what") or event, fields))


@dataclass(frozen=True)
class Answer:
    decision: str
    rt_s: float | None


def simulated(answer, **changes):
    clock = VirtualClock()
    stamps = Stamps(clock)
    chosen = simulated_choice(replace(TRIAL, **changes), lambda: answer, clock, stamps, "image")
    return chosen, [(at_s, what) for at_s, what, _ in stamps.events], stamps, clock


def frames_s(count):
    return round(0.5 + count * FRAME_S, 9)


@pytest.mark.parametrize(
    ("rt_s", "exposure_s", "frames", "planned"),
    [
        (1.01, None, 61, None),
        (1.01, 2.0, 61, None),
        (2.5, 2.0, 120, 120),
        (None, None, 300, None),
        (None, 2.0, 120, 120),
        (None, 9.0, 300, None),
    ],
)
def test_a_stimulus_stays_until_the_choice_its_exposure_or_the_limit(
    rt_s, exposure_s, frames, planned
):
    choice = NO_CHOICE if rt_s is None else "second"
    chosen, events, _, clock = simulated(Answer(choice, rt_s), exposure_s=exposure_s)
    pressed = [] if rt_s is None else [(0.5 + rt_s, "response")]
    expected = [(0.5, "image_on"), *pressed, (frames_s(frames), "image_off")]
    assert events == sorted(expected)
    assert chosen.choice == choice
    assert chosen.rt_s == (None if rt_s is None else pytest.approx(rt_s, abs=1e-12))
    shown = chosen.presented
    assert (shown.onset_t_monotonic_s, shown.frames_shown) == (0.5, frames)
    assert (shown.frames_planned, shown.frames_dropped, shown.flagged) == (planned, 0, False)
    over_s = max(events[-1][0], 0.5 + (5.0 if rt_s is None else rt_s))
    assert clock.monotonic_s() == pytest.approx(over_s, abs=1e-9)


def test_a_press_is_that_of_the_chosen_options_key():
    _, _, stamps, _ = simulated(Answer("second", 1.0), device="mouse")
    (press,) = (fields for _, what, fields in stamps.events if what == "response")
    assert press == {"trial": 1, "device": "mouse", "key": "j"}
