"""A session of progressive_reveal on paper: the window's own presenters, pictures for a window."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.picture import Layer
from experiments.engine.window_events import Typed
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.studies.progressive_reveal import presenter as window
from experiments.studies.progressive_reveal.copy_typing import field_box, word_layers
from experiments.studies.progressive_reveal.round import RoundDesk, RoundPictures, Uncovered
from participants.session import SessionPlan, SittingEnd
from participants.studies.progressive_reveal.rounds import (
    Attempt,
    CopyResult,
    CopyTask,
    RevealRound,
)
from stimuli.pack import Pack
from tests.experiments.rehearsal import (
    Paper,
    PaperPicture,
    PaperStage,
    Participant,
    Rehearsal,
    Screen,
    all_but,
    noted_texts,
    usual_plan,
)

LAST_STEP, MIDDLE_STEP = -1, 8
NAMELESS = "qq"
DISTINCT_ROUNDS = 3
"""Practice, one that is named and one that isn't; the others would show nothing new."""


def rehearse_reveal(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    The participant errs in the check until the experimenter must come, pauses, thinks of ending;
    in the rounds types, is refused and is wrong, names one image and misses the next; stops at
    a break; then comes back, declines, withdraws.
    """
    plan = usual_plan(pack, language)
    rehearsal = Rehearsal.of(pack, plan, size_px)
    paper, stage = rehearsal.paper, rehearsal.stage
    rehearsal = replace(rehearsal, keep=_keeping(paper))
    alike = frozenset(step.step for step in plan.trials[DISTINCT_ROUNDS:])
    with (
        noted_texts(paper.texts),
        patch.object(window, "uncover", _Rounds(paper, rehearsal.keep).uncover),
        patch.object(window, "copy_words", _copied),
    ):
        for actor, done in (
            *((Participant(stage, plan, errs=not done), done) for done in _parts(plan)),
            (Participant(stage, plan, declines={"consent"}), frozenset()),
            (
                Participant(stage, plan, declines={"consent_renewed"}),
                all_but(plan, "consent_renewed"),
            ),
        ):
            rehearsal.run(actor, done | alike)
    return rehearsal.screens()


def _keeping(paper: Paper) -> Callable[[str, object, PaperPicture], None]:
    """Return what keeps pictures; rounds' own frames are put together by `_Rounds`."""

    def keep(name: str, stage: object, picture: PaperPicture) -> None:
        if name != "round":
            paper.keep(name, stage, picture)

    return keep


def _parts(plan: SessionPlan) -> Iterator[frozenset[str]]:
    """Yield what is done already when each of the sittings begins."""
    yield frozenset()
    for place, step in enumerate(plan.steps, start=1):
        if isinstance(step, SittingEnd):
            yield frozenset(done.step for done in plan.steps[:place])


class _Rounds:
    """Shows every state of a round's screen once, and names every second image."""

    def __init__(self, paper: Paper, keep: Callable[[str, PaperStage, PaperPicture], None]) -> None:
        self._paper, self._keep_picture = paper, keep

    def uncover(
        self,
        desk: RoundDesk,
        shown: RevealRound,
        pictures: RoundPictures,
        **watchers: object,
    ) -> Uncovered:
        stage, field = desk.stage, desk.field
        field.begin()
        self._keep("round-begins", stage, field, pictures, 0)
        field.onset(0.0)
        self._keep("round-untouched", stage, field, pictures, LAST_STEP)
        names = [one.name.lower() for one in field._classes.names]
        letter = Counter(name[0] for name in names).most_common(1)[0][0]
        field.take([Typed("text", letter, letter, 1.0)])
        self._keep("round-letters", stage, field, pictures, MIDDLE_STEP)
        field.take([Typed("edit", "return", "return", 1.1)])
        self._keep("round-refused", stage, field, pictures, MIDDLE_STEP)
        field.take([Typed("edit", "down", "down", 1.2)])
        self._keep("round-chosen", stage, field, pictures, MIDDLE_STEP)
        field.take([Typed("edit", "escape", "escape", 1.3), Typed("text", NAMELESS, "q", 1.4)])
        field.take([Typed("edit", "return", "return", 1.5)])
        self._keep("round-unknown", stage, field, pictures, MIDDLE_STEP)
        field.take([Typed("edit", "escape", "escape", 1.6)])
        field.say("wrong")
        self._keep("round-wrong", stage, field, pictures, LAST_STEP)
        named = shown.trial % 2 == 1
        answer = Attempt(1.0, 0.5, "x", shown.right_class, True, "keyboard")
        return Uncovered(
            steps_s=tuple(np.arange(shown.steps) * shown.step_s),
            step_frames=tuple(range(shown.steps)),
            offset_s=10.0,
            keystrokes=(),
            attempts=(answer,) if named else (),
            confirmed=(Press("return", 1.0),) if named else (),
            end="named" if named else "over",
            interrupt=False,
            frames=FrameRecord(None, 60, 0, 0.017),
            clock_stepped=False,
        )

    def _keep(
        self, name: str, stage: PaperStage, field: object, pictures: RoundPictures, step: int
    ) -> None:
        parts = (pictures.standing, pictures.beside, pictures.steps[step])
        self._paper.texts.clear()
        texts = tuple(text for part in parts for text in part.texts)
        (now,) = field._picture._picture.layers
        typed = replace(now, pixels=now.pixels.copy())
        layers = (*(layer for part in parts for layer in part.layers), typed)
        self._keep_picture(name, stage, PaperPicture(layers, texts))


def _copied(
    context: SessionContext, settings: ScreenSettings, typing: None, pages: object, task: CopyTask
) -> tuple:
    """Show a word to be copied, the place of its field drawn in."""
    look, words = settings.look, settings.words
    place = words.filled("copied", done="0", total=str(len(task.words)))
    layers = word_layers(look, words["copy_word"], max(task.words, key=len), place)
    box = field_box(look)
    ground = np.full((box.height_px, box.width_px, 3), look.surface, np.uint8)
    field = Layer(ground, box.left_px, box.top_px)
    context.album.keep("copy", context.stage, context.stage.picture((*layers, field)))
    return tuple(CopyResult(word, 0.0, (), 1.0) for word in task.words)
