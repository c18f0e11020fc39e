"""A chord during a trial's fixation: the trial runs anew, and its journal holds one onset."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments.engine import present as presents
from experiments.engine.input import Press
from experiments.pages.context import SessionContext
from experiments.pages.interruptions import PauseSettings
from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import ABORT_KEY, Waiting
from experiments.rig.profile import UNMEASURED
from experiments.robot_input.actor import Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.studies.accept_reject.painter import PlatePainter
from experiments.studies.accept_reject.presenter import LeadPresenter
from experiments.study import background_of
from stimuli.pack import open_pack
from tests.experiments.rehearsal import Scripted, usual_plan

SIZE = (1280, 720)
PERIOD_S = 1 / 60


class GoingOn(Person):
    """Asked whether to end, wants to go on; then accepts."""

    def __init__(self, stage, key):
        self.stage, self.key, self.times = stage, key, 0

    def broken_off(self):
        self.times += 1
        frame = self.stage.frames
        self.stage.script |= {frame + 1: [Press("x", 0.0)], frame + 60: [Press(self.key, 0.0)]}


@pytest.mark.parametrize("at", [1, 6])
def test_a_chord_before_the_onset_leaves_no_flip_and_the_trial_runs_anew(
    mini_pack, monkeypatch, at
):
    monkeypatch.setattr(presents, "HEARD_WITHIN_S", 0.0)
    pack = open_pack(Path(mini_pack))
    protocol = pack.protocol
    plan = usual_plan(pack, "en")
    words, rig = Library("accept_reject", "en").words(), UNMEASURED
    background = background_of(protocol, rig.colours)
    painter = PlatePainter(pack, protocol, rig.colours)
    lab = {"institution": "a", "contact": "b", "terms": "c"}
    settings = ScreenSettings(painter, rig, Look(SIZE, background, "en"), words, lab)
    stage = Scripted(SIZE, {at: [Press(ABORT_KEY, 0.0, chord=True)]})
    actor, events = GoingOn(stage, plan.keys["accept"]), []
    recorder = SimpleNamespace(append=lambda event, **fields: events.append((event, fields)))
    album = SimpleNamespace(keep=lambda *args: None, lacks=lambda name: False)
    context = SessionContext(stage, actor, album, recorder)
    waiting = Waiting(context, settings.look, words, PauseSettings("Pause", "", ""))
    presenter = LeadPresenter(context, settings, plan, waiting)
    trial = plan.trials[0]
    result = presenter.trial(replace(trial, fixation_s=0.1))
    assert actor.times == 1
    # After the chord: the question, and a fixation of its own before the plate.
    assert stage.plates[0] == at + 1 + 6 + 1
    assert stage.plates == list(range(stage.plates[0], stage.plates[-1] + 1))
    assert result.choice == "accept"
    assert result.presented.onset_t_monotonic_s == pytest.approx(1000 + stage.plates[0] * PERIOD_S)
    kinds = [event for event, _ in events if event in ("trial_start", "flip", "response")]
    assert kinds == ["trial_start", "trial_start", "flip", "response", "flip"]
