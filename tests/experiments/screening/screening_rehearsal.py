"""A screening on paper: every stage's screens, the caps empty, half-way and full."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from unittest.mock import patch

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.present import Presentation, Shown
from experiments.pages import timed_choice
from experiments.robot_input.actor import Person
from experiments.screening.caps_screen import CapsBoard, CapsScreen
from participants.journal import Recorder
from participants.planning import NOBODY, rehearsal_plan
from participants.screening.stages import D15Task
from participants.screening.trials import Arrangement
from participants.screening.verdict import IshiharaEdition
from stimuli.pack import Pack
from stimuli.screening.d15 import CAPS
from tests.experiments.rehearsal import PaperStage, Rehearsal, Screen, noted_texts

FULL = Arrangement(tuple(range(1, CAPS + 1)))
STATES = (
    ("caps-empty", Arrangement(), None),
    ("caps-half", Arrangement((1, 2, 3, 4, 5)), 9),
    ("caps-full", FULL, None),
)
"""Names of the board's pictures, what lies in its row, and the cap that is chosen."""
SCORE = "21"


def rehearse_screening(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a screening, in the order of their coming."""
    plan = rehearsal_plan(pack, language, NOBODY, also_rare=True)
    rehearsal = Rehearsal.of(pack, plan, size_px)
    with (
        noted_texts(rehearsal.paper.texts),
        patch.object(timed_choice, "present", _answered),
        patch.object(CapsScreen, "run", _ordered),
    ):
        rehearsal.run(Screened(rehearsal.stage), frozenset())
    return rehearsal.screens()


def _answered(stage: object, presentation: Presentation, **watchers: object) -> Shown:
    """Stand in for a presentation: the first of the keys answers at once."""
    answer = Press(min(presentation.answer_keys), 1.0)
    return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False, (0.0,), (0,))


def _ordered(
    screen: CapsScreen,
    task: D15Task,
    colours: Sequence[tuple[int, int, int]],
    arrangement: Arrangement,
    recorder: Recorder,
) -> Arrangement:
    """Stand in for the caps' screen: keep each of its states, and have all in their order."""
    board, stage = CapsBoard(screen._look, task.tray), screen._stage
    said = (screen._words[f"caps_{name}"] for name in ("title", "hint", "start"))
    ground = stage.picture(board.board_layers(*said))
    for name, row, chosen in STATES:
        work = SimpleNamespace(arrangement=row, held=None, chosen=chosen)
        caps = screen._caps(board, colours, work)
        both = _Both((*ground.layers, *caps.layers), (*ground.texts, *caps.texts))
        screen._context.album.keep(name, stage, both)
    return FULL


@dataclass(frozen=True, slots=True)
class _Both:
    """The board and what lies on it, as one picture."""

    layers: tuple
    texts: tuple


class Screened(Person):
    """Answers at once."""

    def __init__(self, stage: PaperStage) -> None:
        self._stage, self._task = stage, None

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        self._press(key, chord=bool(modifiers))

    def choose(self, question: object, keys: dict[str, str], confirm: str) -> None:
        self._press(next(iter(keys.values())))
        self._press(confirm)

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        self._press(on)

    def expect(self, task: object, where: object = None) -> None:
        self._task = task

    def onset(self, onset_s: float) -> None:
        if isinstance(self._task, IshiharaEdition):
            for key in (*SCORE, "return"):
                self._press(key)

    def _press(self, key: str, *, chord: bool = False) -> None:
        t_s = time.perf_counter() + 10 + 0.001 * len(self._stage.pressed)
        self._stage.pressed.append(Press(key, t_s, chord))
