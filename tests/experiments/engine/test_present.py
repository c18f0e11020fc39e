"""A presentation frame by frame, on a display and with presses made of numbers."""

import itertools
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import example
from hypothesis import strategies as st

from experiments.engine import present as presents
from experiments.engine.clock import StimulusClock
from experiments.engine.input import Press
from experiments.engine.pacing import VsyncPacing, frames_of
from experiments.engine.present import Leaves, Presentation, Unseen, present
from tests.experiments.examples import given


@dataclass
class PaperStage:
    """A display whose frames come at their times, some later, and hand on presses in time."""

    period_s: float
    late: dict[int, int] = field(default_factory=dict)
    presses_s: list[float] = field(default_factory=list)
    shown: list = field(default_factory=list)
    marks: list = field(default_factory=list)
    at: int = 0

    def __post_init__(self):
        clock = StimulusClock(time.perf_counter, "paper")
        self.keyboard = SimpleNamespace(clock=clock)
        self.triggers = SimpleNamespace(send=self.marks.append)
        self.focus = SimpleNamespace(losses=0)

    @property
    def pacing(self):
        return VsyncPacing(self.period_s)

    @property
    def time_s(self):
        return 1000 + self.at * self.period_s

    def nap(self, duration_s):
        """No time passes: what was pressed in time has arrived."""

    def frame(self, picture, *, critical=False, mark=None):
        if mark is not None:
            self.marks.append(mark)
        self.at += 1 + self.late.get(len(self.shown), 0)
        self.shown.append((picture, critical, self.at))
        return self.time_s

    def presses(self):
        ready = [press_s for press_s in self.presses_s if press_s <= self.time_s]
        self.presses_s = [press_s for press_s in self.presses_s if press_s > self.time_s]
        return tuple(Press("f", press_s) for press_s in ready)


@dataclass
class StampedLate(PaperStage):
    """A display without a refresh of its own: stamps come late, the pacing counts due times.

    Latenesses are in refreshes, by the number of the flip.
    """

    stamps: dict[int, float] = field(default_factory=dict)

    @property
    def pacing(self):
        first, pacing = self.at, super().pacing
        pacing.count_from = lambda flip_s: lambda flip_s: self.at - first
        return pacing

    def frame(self, picture, *, critical=False, mark=None):
        late = self.stamps.get(len(self.shown), 0.0)
        return super().frame(picture, critical=critical, mark=mark) + late * self.period_s


rates = st.floats(50, 360)
standstills = st.dictionaries(st.integers(0, 40), st.floats(0, 0.95), max_size=8)


@pytest.fixture(autouse=True, scope="module")
def _at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presents, "held_garbage", nullcontext)
        patch.setattr(presents, "HEARD_WITHIN_S", 0.0)
        yield


@given(rates, st.integers(1, 40), st.integers(0, 30))
def test_without_a_late_frame_a_stimulus_stays_exactly_its_frames(hz, exposure, rest):
    stage = PaperStage(1 / hz)
    limit_s = (exposure + rest) / hz
    shown = present(
        stage, Presentation("x", "s", "a", 3 / hz, limit_s, frozenset("f"), exposure / hz)
    )
    assert [name for name, _, _ in stage.shown] == ["x"] * 3 + ["s"] * exposure + ["a"] * (rest + 1)
    assert [critical for _, critical, _ in stage.shown].count(True) == exposure
    assert (shown.frames.planned, shown.frames.shown, shown.frames.dropped) == (
        exposure,
        exposure,
        0,
    )


@given(
    rates,
    st.dictionaries(st.integers(0, 60), st.integers(1, 5), max_size=6),
    st.integers(2, 50),
)
def test_late_frames_are_recorded_and_delay_nothing_after_them(hz, late, exposure):
    """The stimulus leaves on its frame, or on the first one after it that there is."""
    stage = PaperStage(1 / hz, late)
    shown = present(
        stage, Presentation(None, "s", None, 0, exposure / hz, frozenset("f"), exposure / hz)
    )
    onset = stage.shown[0][2]
    for (_, _, before), (name, _, _) in itertools.pairwise(stage.shown):
        assert (name == "s") is (before + 1 - onset < exposure)
        if name is None:
            break
    until_off = list(itertools.takewhile(lambda frame: frame[0] == "s", stage.shown))
    grid = [at for _, _, at in (*until_off, stage.shown[len(until_off)])]
    assert shown.frames.dropped == sum(b - a - 1 for a, b in itertools.pairwise(grid))


@given(
    rates,
    st.integers(1, 8),
    st.integers(1, 6),
    st.dictionaries(st.integers(0, 60), st.integers(1, 3), max_size=4),
)
def test_every_step_comes_on_its_frame_counted_from_the_onset(hz, frames, steps, late):
    """A late frame makes its own step late and no other."""
    stage = PaperStage(1 / hz, late)
    pictures = tuple(f"p{step}" for step in range(steps))
    presentation = Presentation(
        None, pictures[0], None, 0, frames * steps / hz, frozenset("f"),
        later=pictures[1:], step_s=frames / hz,
    )  # fmt: skip
    shown = present(stage, presentation)
    onset = stage.shown[0][2]
    for name, critical, at in stage.shown[:-1]:
        if not late:
            assert name == pictures[(at - onset) // frames]
        assert critical is (int(name[1:]) % 2 == 0)
    if not late:
        due_s = [shown.onset_s + step * frames / hz for step in range(steps)]
        assert shown.steps_s == pytest.approx(due_s, abs=1e-9)
    assert list(shown.steps_s) == sorted(shown.steps_s)


@given(rates, st.integers(3, 30), st.lists(st.floats(-2, 30), max_size=5), st.integers(1, 3))
def test_what_is_asked_for_comes_on_the_frame_after_the_press(hz, frames, asked, pictures):
    """Only presses from the onset on ask for anything."""
    stage = PaperStage(1 / hz)
    onset_s = 1000 + 3 / hz
    presses_s = sorted(onset_s + at / hz for at in asked if abs(at - round(at)) > 0.01)
    stage.presses_s = list(presses_s)
    later = tuple(f"p{number}" for number in range(1, pictures + 1))
    presentation = Presentation(
        "x", "p0", None, 2 / hz, frames / hz, frozenset("k"), later=later,
        request_keys=frozenset("f"),
    )  # fmt: skip
    shown = present(stage, presentation)
    for name, critical, at in stage.shown[2:-1]:
        asked_for = sum(onset_s < press_s <= 1000 + (at - 1) / hz for press_s in presses_s)
        assert name == f"p{min(asked_for, pictures)}"
        assert critical is (int(name[1:]) % 2 == 0)
    assert shown.answer is None
    assert len(shown.steps_s) == len(shown.step_frames) == 1 + int(stage.shown[-2][0][1:])


@given(rates, st.integers(1, 8), st.integers(1, 6), standstills)
def test_a_standstill_between_a_swap_and_its_stamp_brings_no_step_early(hz, frames, steps, late):
    """By the stamps alone, one that is late by half a refresh or more would count one too many."""
    stage = StampedLate(1 / hz, stamps=late)
    pictures = tuple(f"p{step}" for step in range(steps))
    presentation = Presentation(
        "x", pictures[0], "a", 3 / hz, frames * steps / hz, frozenset("f"),
        frames * steps / hz, later=pictures[1:], step_s=frames / hz,
    )  # fmt: skip
    shown = present(stage, presentation)
    uncovered = [picture for picture in pictures for _ in range(frames)]
    assert [picture for picture, _, _ in stage.shown] == ["x"] * 3 + uncovered + ["a"]
    assert shown.step_frames == tuple(range(0, frames * steps, frames))
    assert (shown.frames.planned, shown.frames.shown) == (frames * steps, frames * steps)


@given(rates, st.integers(10, 200))
def test_frames_that_come_twice_as_fast_break_nothing(hz, frames):
    """A covered window's swaps don't wait for the display."""
    stage = PaperStage(0.5 / hz)
    stage.period_s, flip = 1 / hz, 0.5 / hz
    plain = stage.frame
    stage.frame = lambda picture, **how: plain(picture, **how) and 1000 + stage.at * flip
    shown = present(stage, Presentation(None, "s", None, 0, frames / hz, frozenset("f")))
    assert abs(shown.frames.shown - frames) <= 1


@given(rates, st.floats(-0.2, 0.6))
def test_a_press_answers_if_it_lies_after_the_onset_and_within_the_limit(hz, rt_s):
    stage = PaperStage(1 / hz)
    fixation = frames_of(0.25, 1 / hz)
    onset_s = 1000 + (fixation + 1) / hz
    limit_s = frames_of(0.4, 1 / hz) / hz
    stamp_s = onset_s + rt_s
    stage.presses_s = [stamp_s]
    shown = present(stage, Presentation("x", "s", None, 0.25, limit_s, frozenset("f")))
    assert shown.onset_s == pytest.approx(onset_s)
    assert (shown.answer is not None) is (0 < stamp_s - shown.onset_s <= limit_s)


def test_a_press_handed_on_after_the_last_frame_is_heard():
    """Between a key and the queue that is asked lie some tenths of a millisecond."""
    stage = PaperStage(1 / 60)
    onset_s = 1000 + 1 / 60
    late = [Press("f", onset_s + 0.0999)]
    stage.nap = lambda _: setattr(stage, "presses", lambda: late)
    shown = present(stage, Presentation(None, "s", None, 0, 0.1, frozenset("f")))
    assert shown.answer == late[0]


@given(rates, st.integers(0, 30), st.data())
def test_a_chord_during_the_fixation_ends_it_and_nothing_is_glimpsed(hz, fixation, data):
    """From the last look before the presentation to the look before the stimulus is drawn."""
    at = data.draw(st.integers(0, fixation))
    stage, onsets = PaperStage(1 / hz), []
    stage.presses_s = [stage.time_s + at / hz]
    ended = present(
        stage,
        Presentation("x", "s", "a", fixation / hz, 1.0, frozenset("f")),
        is_interrupt=lambda press: press.key == "f",
        watch=onsets.append,
    )
    assert isinstance(ended, Unseen)
    assert ended.interrupt.t_s == 1000 + at / hz
    assert [name for name, _, _ in stage.shown] == ["x"] * at
    assert (stage.marks, onsets) == ([], [])


@given(rates, st.integers(0, 30))
def test_a_chord_once_the_stimulus_is_drawn_takes_it_away_on_the_next_frame(hz, fixation):
    stage = PaperStage(1 / hz)
    stage.presses_s = [stage.time_s + (fixation + 0.5) / hz]
    shown = present(
        stage,
        Presentation("x", "s", "a", fixation / hz, 1.0, frozenset("f")),
        is_interrupt=lambda press: press.key == "f",
    )
    assert [name for name, _, _ in stage.shown] == ["x"] * fixation + ["s", "a"]
    assert (shown.answer, shown.interrupt.key) == (None, "f")


def test_onset_steps_answer_and_offset_are_marked_in_their_order():
    stage = PaperStage(1 / 60)
    stage.presses_s = [1000 + 8.5 / 60]
    presentation = Presentation(
        "x", "s", None, 2 / 60, 20 / 60, frozenset("f"), later=("t", "u"), step_s=2 / 60
    )
    present(stage, presentation)
    assert stage.marks == ["onset", "step", "step", "response", "offset"]


@pytest.mark.parametrize("step_s", [0.0, 0.05, -3600.0])
def test_a_clock_that_is_set_during_a_trial_is_told_and_the_next_trial_is_clean(step_s):
    stage = PaperStage(1 / 60)
    ahead_s = [0.0]
    stage.keyboard.clock = StimulusClock(lambda: time.perf_counter() + ahead_s[0], "set by hand")
    plain = stage.presses

    def presses():
        ahead_s[0] = step_s
        return plain()

    stage.presses = presses
    presentation = Presentation(None, "s", None, 0, 0.1, frozenset("f"))
    assert present(stage, presentation).clock_stepped is (step_s != 0)
    assert not present(stage, presentation).clock_stepped


@given(rates, st.integers(3, 30), st.integers(2, 20))
def test_an_answer_after_the_exposure_leaves_its_record_whole(hz, exposure, wait):
    """The last flip but one comes late by more than half a frame: the exposure is a frame short.

    That is a lost frame, and no answer that came afterwards ended the exposure.
    """
    stage = PaperStage(1 / hz)
    plain = stage.frame

    def frame(picture, **how):
        flip_s = plain(picture, **how)
        return flip_s + (0.6 / hz if len(stage.shown) == exposure - 1 else 0)

    stage.frame = frame
    press_s = 1000 + (1 + exposure + wait) / hz
    stage.presses_s = [press_s]
    limit_s = (exposure + wait + 5) / hz
    shown = present(stage, Presentation(None, "s", None, 0, limit_s, frozenset("f"), exposure / hz))
    assert shown.answer == Press("f", press_s)
    assert shown.frames.planned == exposure
    assert shown.frames.shown == exposure - 1


@given(rates, st.integers(3, 30), st.data())
def test_an_answer_within_the_exposure_ends_it(hz, exposure, data):
    pressed = data.draw(st.integers(1, exposure - 2))
    stage = PaperStage(1 / hz)
    stage.presses_s = [1000 + (1 + pressed) / hz]
    shown = present(
        stage, Presentation(None, "s", None, 0, 2 * exposure / hz, frozenset("f"), exposure / hz)
    )
    assert shown.frames.planned is None
    assert shown.frames.shown == pressed + 1


@dataclass
class Turning(PaperStage):
    """A display whose presses are keys of any name."""

    keys: list = field(default_factory=list)

    def presses(self):
        ready = [press for press in self.keys if press.t_s <= self.time_s]
        self.keys = [press for press in self.keys if press.t_s > self.time_s]
        return tuple(ready)


@given(
    st.lists(
        st.tuples(st.sampled_from(["right", "left", "f", "l"]), st.integers(1, 40)), max_size=14
    ),
    st.integers(1, 4),
)
@example([("right", 1), ("f", 2), ("f", 3)], 2)
def test_leaves_are_turned_by_keys_and_answered_where_an_answer_counts(pressed, count):
    """Against a reader who is told of one press after another, and answers only what they see."""
    frames = sorted({frame: key for key, frame in pressed}.items())
    turns = {(leaf, "right"): leaf + 1 for leaf in range(count - 1)}
    turns |= {(leaf + 1, "left"): leaf for leaf in range(count - 1)}
    pages = tuple(f"p{leaf}" for leaf in range(count))
    leaves = Leaves(pages, turns, frozenset({count - 1}))
    # The onset is on frame 1; a press in the middle of a frame's time turns the next frame.
    keys = [Press(key, 1000 + (1 + frame + 0.5) / 60) for frame, key in frames]
    stage = Turning(1 / 60, keys=keys)
    shown = present(
        stage, Presentation(None, "p0", None, 0, 60 / 60, frozenset("f"), leaves=leaves)
    )
    leaf, expected, answered = 0, [], None
    for frame, key in frames:
        is_seen = not expected or frame >= expected[-1][1]
        if key == "f" and leaf == count - 1 and is_seen:
            answered = frame
            break
        new = turns.get((leaf, key), leaf)
        if new != leaf:
            leaf = new
            expected.append((leaf, frame + 2))
    assert (shown.answer is not None) is (answered is not None)
    assert [(leaf, frame) for leaf, _, frame in shown.turned] == expected
    assert all(name in pages for name, _, _ in stage.shown[:-1])


def test_on_leaves_a_button_of_the_mouse_answers_by_its_place_alone():
    leaves = Leaves(("p0",), {}, frozenset({0}))
    presses = [Press("left", 1000 + 3.5 / 60, device="mouse")]
    stage = Turning(1 / 60, keys=presses)
    shown = present(
        stage,
        Presentation(None, "p0", None, 0, 0.5, frozenset({"left"}), device="mouse", leaves=leaves),
    )
    assert shown.answer is None


def test_once_the_stimulus_is_gone_an_answer_counts_whatever_was_seen():
    leaves = Leaves(("p0", "p1"), {(0, "right"): 1}, frozenset({1}))
    stage = Turning(1 / 60, keys=[Press("f", 1000 + 5 / 60), Press("f", 1000 + 20.5 / 60)])
    shown = present(
        stage, Presentation(None, "p0", "after", 0, 1.0, frozenset("f"), 10 / 60, leaves=leaves)
    )
    assert shown.answer is not None
    assert shown.answer.t_s == 1000 + 20.5 / 60
