"""An expert's session on paper: the window's own presenter, with pictures in place of a window."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from experiments.session.staging import background_of

from experiments.annotation import presenter as window
from experiments.annotation.presenter import MESSAGES, NOT_YET, ExpertPresenter, easel_words
from experiments.engine.input import Press
from experiments.engine.picture import Layer
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import DECLINE, Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.screens.painting import answer_layers, easel_layers, message_layers
from experiments.studies.accept_reject.presenter import PlatePainter
from participants.session import RENEWED, Break, PaintResult, PaintTask, run_session
from participants.studies.accept_reject.annotation import plan_annotation
from stimuli.images.predictions import NO_SOLUTION
from stimuli.pack import Pack
from stimuli.plates.plate import plate_from_bytes
from tests.experiments.rehearsal import Paper, PaperStage, Screen, noted_texts


def rehearse_expert(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of an expert's session, in the order of their coming.

    The expert takes a pause, thinks of ending, is refused in every way, answers practice
    rightly, wrongly and where nothing is; then comes back, and withdraws.
    """
    paper = Paper()
    protocol = pack.protocol
    rig = read_rig(Path("no such rig"))
    background = background_of(protocol, rig.colours)
    plan = plan_annotation(pack, language, "AAAAA")
    library = Library(plan.study, language)
    words = library.words()
    lab = {"institution": words["institution"], "contact": words["contact"]}
    look = Look(size_px, background, language)
    stage = PaperStage(paper, size_px)
    settings = ScreenSettings(PlatePainter(pack, protocol, rig.colours), rig, look, words, lab)
    recorder = SimpleNamespace(append=lambda *args, **fields: None)
    album = SimpleNamespace(keep=paper.keep)
    seen = [s for s in plan.steps if isinstance(s, PaintTask | Break)][6:]
    nothing = SimpleNamespace()
    with (
        noted_texts(paper.texts),
        patch.object(window, "Easel", lambda *args: nothing),
        patch.object(window, "Pointer", lambda *args: nothing),
    ):
        all_but = frozenset(step.step for step in plan.steps) - {RENEWED}
        for done in (
            frozenset(),
            frozenset({"expert_consent", *(step.step for step in seen)}),
            all_but,
        ):
            context = SessionContext(
                stage, Expert(stage, declines=done == all_but), album, recorder
            )
            presenter = _Rehearsing(context, settings, plan, library)
            run_session(plan, done, presenter, recorder)
    return [
        Screen(name, size_px, background, layers, texts)
        for name, (layers, texts) in paper.kept.items()
    ]


class _Rehearsing(ExpertPresenter):
    """Shows every state of a plate's screen once, and answers by turns."""

    def paint(self, task: PaintTask) -> PaintResult:
        pack, look, box = self._settings.painter.pack, self._settings.look, self._box
        plate = plate_from_bytes(pack.asset(task.plate_file))
        _, veiled = self._rendered(plate, task, box.side_px)
        words = self._settings.words
        around = easel_words(words)
        for answer, message in ((NOT_YET, MESSAGES[0]), ("4", MESSAGES[1]), ("no", MESSAGES[2])):
            shown = words["no_solution"] if answer == "no" else answer or "?"
            layers = (
                *easel_layers(look, box.side_px, around),
                Layer(veiled, box.left_px, box.top_px),
                *answer_layers(look, box.side_px, around.caption, shown),
                *message_layers(look, box.side_px, words[message]),
            )
            self._context.album.keep(f"plate-{message}", self._stage, self._stage.picture(layers))
        label = {1: str(task.right_label), 2: "x"}.get(task.trial, NO_SOLUTION)
        return PaintResult(label, 1.0, (), 2.0, 0, 1.0, 120, 0, 0.017, False)

    def paint_feedback(self, task: PaintTask, label: str) -> None:
        super().paint_feedback(task, label)
        if task.trial == 2:
            super().paint_feedback(replace(task, right_label=NO_SOLUTION), "3")


class Expert(Person):
    """Answers at once; asks for a pause, and for the end, before the first page is left."""

    def __init__(self, stage: PaperStage, *, declines: bool) -> None:
        self._stage, self._declines = stage, declines
        self._chords = ["p", "q"]

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        if self._chords:
            self._press(self._chords.pop(), chord=True)
            return
        self._press(key, chord=bool(modifiers))

    def choose(self, question: object, keys: dict[str, str], confirm: str) -> None:
        self._press(keys[DECLINE] if self._declines else next(iter(keys.values())))
        self._press(confirm)

    def broken_off(self) -> None:
        self._press("x")

    def _press(self, key: str, *, chord: bool = False) -> None:
        t_s = time.perf_counter() + 10 + 0.001 * len(self._stage.pressed)
        self._stage.pressed.append(Press(key, t_s, chord))
