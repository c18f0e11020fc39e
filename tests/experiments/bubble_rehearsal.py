"""A bubbling session on paper: the window's own presenter, with pictures in place of a window."""

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
from PIL import Image

from experiments.annotation import bubble_presenter as window
from experiments.annotation.bubble_easel import bubble_words, lighter, strength
from experiments.annotation.bubble_presenter import BubblePresenter
from experiments.annotation.bubble_work import NOTHING_MARKED
from experiments.engine.picture import Layer, Pixels
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.rig.profile import read_rig
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.screens.painting import answer_layers, easel_layers, message_layers
from experiments.session.staging import background_of, staging_of
from participants.session import RENEWED, BubbleResult, BubbleTask, run_session
from participants.strokes.bubbling import HALF_BUBBLE, bubble_counts
from participants.strokes.painting import Act
from participants.studies.progressive_reveal.bubbling import plan_bubbling
from stimuli.pack import Pack
from tests.experiments.expert_rehearsal import Expert
from tests.experiments.rehearsal import Paper, PaperStage, Screen, noted_texts

ACROSS = Act("brush", 0, HALF_BUBBLE, ((0, 300, 400), (600, 700, 480), (1200, 420, 640)))


def rehearse_bubbling(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a bubbling session, in the order of their coming.

    Whoever marks takes a pause, thinks of ending, is refused; then comes back, and withdraws.
    """
    paper = Paper()
    rig = read_rig(Path("no such rig"))
    background = background_of(pack.protocol, rig.colours)
    plan = plan_bubbling(pack, language, "AAAAA")
    library = Library(plan.text_folder, language)
    words = library.words()
    lab = {"institution": words["institution"], "contact": words["contact"]}
    look = Look(size_px, background, language)
    stage = PaperStage(paper, size_px)
    painter = staging_of(pack).painter(pack, pack.protocol, rig.colours)
    settings = ScreenSettings(painter, rig, look, words, lab)
    recorder = SimpleNamespace(append=lambda *args, **fields: None)
    album = SimpleNamespace(keep=paper.keep)
    nothing = SimpleNamespace()
    all_but = frozenset(step.step for step in plan.steps) - {RENEWED}
    with (
        noted_texts(paper.texts),
        patch.object(window, "BubbleEasel", lambda *args: nothing),
        patch.object(window, "Pointer", lambda *args: nothing),
    ):
        for done in (frozenset(), frozenset({"bubble_consent"}), all_but):
            context = SessionContext(
                stage, Expert(stage, declines=done == all_but), album, recorder
            )
            run_session(plan, done, _Rehearsing(context, settings, plan, library), recorder)
    return [
        Screen(name, size_px, background, layers, texts)
        for name, (layers, texts) in paper.kept.items()
    ]


class _Rehearsing(BubblePresenter):
    """Shows an image marked and refused once, and has it marked."""

    def bubble(self, task: BubbleTask) -> BubbleResult:
        look, box, words = self._settings.look, self._box, self._settings.words
        around = bubble_words(words)
        layers = (
            *easel_layers(look, box.side_px, around),
            Layer(_marked(self._pixels(task)), box.left_px, box.top_px),
            *answer_layers(look, box.side_px, around.caption, task.name),
            *message_layers(look, box.side_px, words[NOTHING_MARKED]),
        )
        self._context.album.keep(f"image-{task.trial}", self._stage, self._stage.picture(layers))
        return BubbleResult((ACROSS,), 1.0, 0, 1.0, 120, 0, 0.017, False)


def _marked(plain: Pixels) -> Pixels:
    """Return an image as it looks with the stroke on it."""
    counts = Image.fromarray(strength(bubble_counts((ACROSS,))))
    share = np.asarray(counts.resize(plain.shape[1::-1], Image.Resampling.BILINEAR))[..., None]
    return np.rint(plain + share * (lighter(plain).astype(np.float32) - plain)).astype(np.uint8)
