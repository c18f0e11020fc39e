"""A part of a stimulus that comes later: when it comes, what is recorded, what is timed."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from experiments.engine import present as presents
from experiments.engine.input import Press
from experiments.engine.triggers import TriggerLine
from experiments.pages.context import SessionContext
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from participants.session import Later, TimedChoice
from tests.experiments.engine.test_present import PaperStage

PERIOD_S = 1 / 60
ONSET_S = 1000 + 4 * PERIOD_S


@dataclass
class Recorded:
    """Keeps events with their stamps."""

    events: list = field(default_factory=list)

    def append(self, event, *, t_monotonic_s=None, **fields):
        self.events.append((event, t_monotonic_s, fields))

    def named(self, name):
        return [event for event in self.events if event[0] == name]


@dataclass
class Picture:
    """A picture that must be on the card before the trial and leave it afterwards."""

    name: str
    freed: bool = False

    def free(self):
        self.freed = True


class Stage(PaperStage):
    """Hands on presses of named keys."""

    def presses(self):
        ready = [press for press in self.presses_s if press.t_s <= self.time_s]
        self.presses_s = [press for press in self.presses_s if press.t_s > self.time_s]
        return tuple(ready)


def run(later, presses, monkeypatch, *, comes=True):
    """Run a trial of 1 s; return stage, choice, recorder and pictures."""
    monkeypatch.setattr(presents, "HEARD_WITHIN_S", 0.0)
    stage, recorder = Stage(PERIOD_S), Recorded()
    stage.triggers = TriggerLine()
    stage.presses_s = [Press(key, ONSET_S + at_s) for key, at_s in presses]
    actor = SimpleNamespace(expect=lambda task, where=None: None, onset=lambda onset_s: None)
    context = SessionContext(stage, actor, SimpleNamespace(keep=lambda *args: None), recorder)
    waiting = SimpleNamespace(
        between=lambda: None, note=lambda press: False, disturbed=lambda: False
    )
    task = TimedChoice(
        step="trial-0001", trial=1, phase="main", position=1, presentation="p", stimulus=None,
        options={"f": "yes", "j": "no"}, device="keyboard", fixation_s=3 * PERIOD_S, limit_s=1.0,
        later=later,
    )  # fmt: skip
    pictures = ChoicePictures(Picture("bare"), later=Picture("helped") if comes else None)
    screen = ChoiceScreen(context, waiting, Picture("x"), lambda device: 0.0, "image", "helped")
    choice = screen.run(task, lambda: pictures, lambda: recorder.append("trial_start"))
    return stage, choice, recorder, pictures


def shown(stage):
    return [picture.name for picture, _, _ in stage.shown if picture is not None]


def test_it_comes_on_its_frame_after_a_delay(monkeypatch):
    stage, choice, recorder, _ = run(Later(after_s=0.2), [("j", 0.5)], monkeypatch)
    frames = shown(stage)
    assert frames[3:].index("helped") == round(0.2 / PERIOD_S)
    assert choice.choice == "no"
    assert choice.later_s == pytest.approx(0.2, abs=1e-6)
    ((_, stamp_s, fields),) = recorder.named("helped")
    assert (stamp_s - ONSET_S, fields) == (pytest.approx(0.2, abs=1e-6), {"trial": 1})
    assert [event for event, *_ in recorder.events] == [
        "trial_start", "flip", "helped", "response", "flip",
    ]  # fmt: skip


def test_after_no_delay_it_comes_on_the_frame_after_the_onset(monkeypatch):
    stage, choice, _, _ = run(Later(after_s=0.0), [("j", 0.2)], monkeypatch)
    assert shown(stage)[3:5] == ["bare", "helped"]
    assert choice.later_s == pytest.approx(PERIOD_S, abs=1e-6)


def test_it_comes_on_the_frame_after_its_key_and_only_once(monkeypatch):
    presses = [("h", 0.3), ("h", 0.4), ("f", 0.6)]
    stage, choice, recorder, _ = run(Later(key="h"), presses, monkeypatch)
    asked = shown(stage)[3:].index("helped") * PERIOD_S
    assert 0.3 < asked <= 0.3 + 2 * PERIOD_S
    assert choice.later_s == pytest.approx(asked, abs=1e-6)
    assert choice.choice == "yes"
    assert len(recorder.named("helped")) == 1


@pytest.mark.parametrize(
    ("later", "presses"),
    [(Later(key="h"), [("f", 0.2)]), (Later(after_s=0.5), [("f", 0.2)]),
     (Later(key="h"), [("h", -0.02), ("f", 0.2)])],
)  # fmt: skip
def test_who_answers_before_never_sees_it(later, presses, monkeypatch):
    stage, choice, recorder, pictures = run(later, presses, monkeypatch)
    assert "helped" not in shown(stage)
    assert (choice.choice, choice.later_s) == ("yes", None)
    assert recorder.named("helped") == []
    assert pictures.stimulus.freed
    assert pictures.later.freed


def test_where_no_picture_comes_the_key_shows_nothing(monkeypatch):
    stage, choice, _, _ = run(Later(key="h"), [("h", 0.1), ("j", 0.3)], monkeypatch, comes=False)
    assert set(shown(stage)) == {"x", "bare"}
    assert (choice.choice, choice.later_s) == ("no", None)
