"""A session of stroke tasks on paper: the window's presenters, with pictures for a window."""

import time
from collections.abc import Callable, Iterable
from unittest.mock import patch

from experiments.engine.input import Press
from experiments.engine.picture import Layer, Pixels
from experiments.robot_input.actor import DECLINE, Person
from experiments.screens.strokes import (
    answer_layers,
    easel_layers,
    message_layers,
    place_layers,
)
from experiments.strokes import presenter as window
from experiments.strokes.presenter import StrokePresenter
from participants.session import RENEWED, Presented, SessionPlan, StrokeResult, StrokeTask
from participants.strokes import Act
from participants.study import session_kind_of
from stimuli.pack import Pack
from tests.experiments.rehearsal import PaperStage, Rehearsal, Screen, all_but, noted_texts

Keep = Callable[[StrokePresenter, StrokeTask, str, Pixels, str, str], None]
Made = Callable[[StrokePresenter, StrokeTask, Keep], StrokeResult]


def rehearse_strokes(
    pack: Pack,
    language: str,
    size_px: tuple[int, int],
    made: Made,
    known: Callable[[SessionPlan], Iterable[str]] = lambda plan: (),
) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    Whoever takes part takes a pause and thinks of ending; then comes back, and withdraws.

    Parameters
    ----------
    pack, language, size_px
        What is shown, and how.
    made
        Keeps what a task can show by ``keep(presenter, task, name, pixels, answer, message)``,
        and returns what was made of it.
    known
        Steps not to be shown again to whoever comes back.
    """
    plan = session_kind_of(pack).plan(pack, None, language, "AAAAA")
    rehearsal = Rehearsal.of(pack, plan, size_px)
    paper, stage, look = rehearsal.paper, rehearsal.stage, rehearsal.settings().look

    def keep(
        tasks: StrokePresenter,
        task: StrokeTask,
        name: str,
        pixels: Pixels,
        answer: str,
        message: str,
    ) -> None:
        screen, box = tasks._screen, tasks._box
        layers = (
            *easel_layers(look, box.side_px, screen.words),
            Layer(pixels, box.left_px, box.top_px),
            *place_layers(look, box.side_px, screen.place(task)),
            *answer_layers(look, box.side_px, screen.words.caption, screen.answers[answer]),
            *message_layers(look, box.side_px, screen.messages[message]),
        )
        paper.keep(name, stage, stage.picture(layers))

    all_but_one = all_but(plan, RENEWED)
    back = frozenset({plan.steps[0].step, *known(plan)})
    with (
        noted_texts(paper.texts),
        patch.object(window, "Easel", lambda *args: None),
        patch.object(StrokePresenter, "strokes", lambda tasks, task: made(tasks, task, keep)),
    ):
        for done in (frozenset(), back, all_but_one):
            rehearsal.run(Expert(stage, declines=done == all_but_one), done)
    return rehearsal.screens()


def result(acts: tuple[Act, ...] = (), label: str | None = None) -> StrokeResult:
    """Return what was done in two seconds, as if every frame was shown."""
    presented = Presented(1.0, None, 120, 0, 0.017, flagged=False)
    return StrokeResult(label, None if label is None else 1.0, acts, 2.0, 0, presented)


class Expert(Person):
    """Answers at once; asks for a pause, and for the end, before the first page is left."""

    def __init__(self, stage: PaperStage, *, declines: bool) -> None:
        self._stage, self._declines = stage, declines
        self._chords = ["p", "x"]

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
