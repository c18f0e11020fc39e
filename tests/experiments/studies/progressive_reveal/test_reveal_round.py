"""A round frame by frame, on a display and with typing made of numbers."""

from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

from experiments.engine.input import Press
from experiments.engine.present import Unseen
from experiments.studies.progressive_reveal import round as rounds
from experiments.studies.progressive_reveal.round import RoundDesk, RoundPictures, uncover
from participants.session.typed_line import Keystroke, Refused
from participants.studies.progressive_reveal.entry import Confirmed
from participants.studies.progressive_reveal.rounds import RevealRound
from tests.experiments.engine.test_present import PaperStage as Display
from tests.experiments.engine.test_present import StampedLate, standstills
from tests.experiments.examples import given

RIGHT, WRONG = "lion", "tench"
rates = st.floats(50, 360)
FIXATION_FRAMES = 3


@pytest.fixture(autouse=True, scope="module")
def _at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "held_garbage", nullcontext)
        patch.setattr(rounds, "HEARD_WITHIN_S", 0.0)
        yield


@dataclass
class Typing:
    """Hands on presses and field events once the display's time has passed their stamps."""

    display: Display
    presses: list[Press] = field(default_factory=list)
    events: list = field(default_factory=list)
    late_s: float = 0.0

    def poll(self):
        now_s = self.display.time_s
        heard = tuple(p for p in self.presses if p.t_s <= now_s)
        self.presses = [p for p in self.presses if p.t_s > now_s]
        typed = tuple(e for e in self.events if e[0] + self.late_s <= now_s)
        self.events = [e for e in self.events if e[0] + self.late_s > now_s]
        return SimpleNamespace(presses=heard, typed=typed)

    def forget(self):
        return self.poll().presses


class Field:
    """Confirms what it is told to, by the time since the onset."""

    def __init__(self):
        self.said, self.onset_s = [], None

    def begin(self):
        self.onset_s = None

    def onset(self, onset_s):
        self.onset_s = onset_s

    def take(self, typed):
        found = []
        for at_s, what in typed:
            if self.onset_s is None or at_s <= self.onset_s:
                continue
            t_s = at_s - self.onset_s
            found.append(Keystroke(t_s, "return", "", "", 0))
            if what == "refused":
                found.append(Refused(t_s, "empty"))
            else:
                found.append(Confirmed(t_s, t_s, what, what, "keyboard", "return"))
        return tuple(found)

    def say(self, message):
        self.said.append(message)

    def draw(self):
        """Nothing is drawn."""


class Shot:
    """A picture that says which step it is when it is drawn."""

    def __init__(self, name, drawn):
        self.name, self.drawn = name, drawn

    def draw(self):
        self.drawn.append(self.name)


@dataclass
class Case:
    """A round on a display of so many Hz, with so many steps of so many frames."""

    hz: float
    steps: int = 4
    frames: int = 5
    tries: int | None = None
    late: dict = field(default_factory=dict)
    display: Display = Display

    def __post_init__(self):
        self.display = self.display(1 / self.hz, self.late)
        self.drawn = []
        self.display.frame = self._framed(self.display.frame)
        self.typing, self.field = Typing(self.display), Field()
        self.watched = []

    def _framed(self, plain):
        def frame(picture, **how):
            if hasattr(picture, "draw") and not isinstance(picture, Shot):
                picture.draw()
            return plain(picture, **how)

        return frame

    @property
    def onset_s(self):
        """When the image is due if no frame is late."""
        return 1000 + (FIXATION_FRAMES + 1) / self.hz

    def at(self, frames):
        """Return the time so many frames after the onset."""
        return self.onset_s + frames / self.hz

    def run(self):
        shot = lambda name: Shot(name, self.drawn)  # noqa: E731
        pictures = RoundPictures(
            fixation=shot("fixation"), standing=shot("table"), beside=shot("beside"),
            steps=tuple(shot(step) for step in range(self.steps)),
            named=shot("named"), missed=shot("missed"),
        )  # fmt: skip
        shown = RevealRound(
            "trial-0001", 1, "main", 1, 1, "p", "i", "s", None, RIGHT,
            tuple(range(1, self.steps + 1)), self.frames / self.hz,
            FIXATION_FRAMES / self.hz, 1.0, self.tries, 0, 10,
        )  # fmt: skip
        return uncover(
            RoundDesk(self.display, self.typing, self.field), shown, pictures,
            is_interrupt=lambda press: press.key == "q", watch=self.watched.append,
        )  # fmt: skip

    @property
    def steps_drawn(self):
        return [name for name in self.drawn if isinstance(name, int)]

    @property
    def last(self):
        """Name of the picture that took the image's place."""
        picture = self.display.shown[-1][0]
        return picture and picture.name


@given(rates, st.integers(1, 15), st.integers(1, 30))
def test_every_step_stays_exactly_its_frames_and_comes_on_the_schedule(hz, steps, frames):
    case = Case(hz, steps, frames)
    seen = case.run()
    assert case.steps_drawn == [step for step in range(steps) for _ in range(frames)]
    due_s = [case.at(step * frames) for step in range(steps)]
    assert seen.steps_s == pytest.approx(due_s, abs=1e-9)
    assert seen.offset_s == pytest.approx(case.at(steps * frames), abs=1e-9)
    record = seen.frames
    assert (record.planned, record.shown, record.dropped) == (steps * frames, steps * frames, 0)
    assert (seen.end, case.last, case.watched) == ("over", "missed", [seen.onset_s])


@given(rates, st.dictionaries(st.integers(4, 30), st.integers(1, 4), max_size=4))
def test_a_late_frame_makes_no_later_step_late(hz, late):
    case = Case(hz, steps=5, frames=8, late=late)
    seen = case.run()
    shown_at = [at for _, _, at in case.display.shown]
    onset = round((seen.onset_s - 1000) * hz)
    for step, flip_s in enumerate(seen.steps_s):
        # What a flip shows was drawn for the frame after the one before it.
        due = onset + 8 * step
        first = next(at for before, at in pairwise(shown_at) if before + 1 >= due)
        assert round((flip_s - 1000) * hz) == first
    last = len(case.display.shown) - 1
    assert seen.frames.dropped == sum(missed for at, missed in late.items() if at <= last)


@given(rates, standstills)
def test_a_standstill_between_a_swap_and_its_stamp_brings_no_step_early(hz, late):
    case = Case(hz, steps=5, frames=8, display=lambda *args: StampedLate(*args, stamps=late))
    seen = case.run()
    assert case.steps_drawn == [step for step in range(5) for _ in range(8)]
    assert seen.step_frames == (0, 8, 16, 24, 32)
    assert (seen.end, seen.frames.planned, seen.frames.shown) == ("over", 40, 40)


def test_the_patch_is_white_at_the_onset_and_turns_with_every_step():
    case = Case(60.0, steps=4, frames=3)
    case.run()
    critical = [how for _, how, _ in case.display.shown[FIXATION_FRAMES:]]
    assert critical == [True] * 3 + [False] * 3 + [True] * 3 + [False] * 3 + [False]
    assert case.display.marks == ["onset", "step", "step", "step", "offset"]


@given(rates, st.integers(1, 18))
def test_the_right_answer_ends_the_round_on_the_next_frame(hz, frame):
    case = Case(hz)
    press_s = case.at(frame - 0.5)
    case.typing.events = [(press_s, RIGHT), (press_s + 1e-6, WRONG)]
    seen = case.run()
    assert (seen.end, case.last) == ("named", "named")
    assert seen.offset_s == pytest.approx(case.at(frame + 1), abs=1e-9)
    (attempt,) = seen.attempts
    assert attempt.right
    assert attempt.t_s == pytest.approx((frame - 0.5) / hz)
    assert len(seen.keystrokes) == 1, "what follows the right answer is for nobody"
    assert [press.t_s for press in seen.confirmed] == [pytest.approx(press_s)]
    assert seen.frames.planned is None
    assert len(seen.steps_s) == frame // case.frames + 1


def test_wrong_answers_are_told_and_cost_no_frame():
    case = Case(60.0)
    case.typing.events = [(case.at(2.5), WRONG), (case.at(6.5), "refused"), (case.at(9.5), WRONG)]
    seen = case.run()
    assert case.field.said == ["wrong", "wrong"]
    assert [attempt.right for attempt in seen.attempts] == [False, False]
    assert len(seen.keystrokes) == 3
    assert (seen.end, seen.frames.shown, seen.frames.dropped) == ("over", 20, 0)


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_a_round_ends_with_its_last_try(tries):
    case = Case(60.0, tries=tries)
    case.typing.events = [(case.at(2 * n + 0.5), WRONG) for n in range(1, 6)]
    seen = case.run()
    assert (seen.end, len(seen.attempts), case.last) == ("tries", tries, "missed")
    assert seen.frames.planned is None


@given(rates, st.floats(-0.9, 0.9).filter(lambda off: abs(off) > 1e-6))
def test_an_answer_counts_by_its_own_stamp_not_by_when_it_was_heard(hz, off_frames):
    """The window hands it on two frames late, when the image is whole already."""
    case = Case(hz)
    case.typing.late_s = 1.9 / hz
    case.typing.events = [(case.at(20 + off_frames), RIGHT)]
    case.typing.poll = _also_the_last(case)
    seen = case.run()
    in_time = off_frames < 0
    assert (seen.end == "named") is in_time
    assert seen.frames.planned == 20, "the image had been uncovered to its end"


def _also_the_last(case):
    plain = case.typing.poll

    def poll():
        if case.display.shown and getattr(case.display.shown[-1][0], "name", "") == "missed":
            case.typing.late_s = -1.0
        return plain()

    return poll


@given(rates, st.integers(0, FIXATION_FRAMES))
def test_a_chord_in_the_fixation_keeps_the_image_from_being_seen(hz, at):
    case = Case(hz)
    case.typing.presses = [Press("q", 1000 + at / hz)]
    assert isinstance(case.run(), Unseen)
    assert case.drawn == []
    assert case.display.marks == case.watched == []


@given(rates, st.integers(1, 18))
def test_a_chord_in_mid_round_takes_the_image_away(hz, frame):
    case = Case(hz)
    case.typing.presses = [Press("q", case.at(frame - 0.5))]
    seen = case.run()
    assert (seen.end, seen.interrupt, case.last) == ("left", True, None)
    assert seen.frames.planned is None
    assert seen.offset_s == pytest.approx(case.at(frame + 1), abs=1e-9)


def test_a_chord_that_meets_the_right_answer_leaves_the_round_whole():
    case = Case(60.0)
    case.typing.presses = [Press("q", case.at(4.4))]
    case.typing.events = [(case.at(4.6), RIGHT)]
    seen = case.run()
    assert (seen.end, seen.interrupt, case.last) == ("named", True, "named")


def test_what_was_typed_before_the_onset_is_for_nobody():
    case = Case(60.0)
    case.typing.events = [(case.at(-1.5), RIGHT)]
    assert case.run().attempts == ()
