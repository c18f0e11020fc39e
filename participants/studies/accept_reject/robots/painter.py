"""An expert robot that paints stroke by stroke, as a window's session has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from participants.robots.strokes import Intent, strokes_of
from participants.session import Question, StrokeTask
from participants.strokes.acts import SIDE, Act
from participants.studies.accept_reject.robots.expert import EXPERTS, Annotation, annotate
from participants.studies.accept_reject.robots.percept import templates_of
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import (
    Observer,
    ShownPlate,
)
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.templates import DigitTemplates
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import plate_spec

SLIP_SHARE: Final = 0.3
"""How often a robot first paints a dab beside the numeral, and takes it back."""
TO_PAINTING_MS: Final = 350
"""From the answer's key to the first stroke, and from the last one to Enter."""
DAB_MS: Final = 120


@dataclass(frozen=True, slots=True)
class RobotExpert:
    """One expert robot in front of a task pack.

    Attributes
    ----------
    pack, templates
        What it is shown, and the digits that it has in mind.
    seed, participant
        Root of its draws: the same plate is answered alike whenever it is shown.
    observer
        Its eyes.
    """

    pack: Pack
    templates: DigitTemplates
    seed: int
    participant: str
    observer: Observer

    @classmethod
    def of(cls, pack: Pack, participant: str, seed: int, name: str = "expert") -> "RobotExpert":
        """Return the robot of a code; UserError if the pack carries no templates.

        Parameters
        ----------
        pack, participant, seed
            As the attributes.
        name
            Which of `EXPERTS`.
        """
        return cls(pack, templates_of(pack), seed, participant, EXPERTS[name])

    def choose(self, question: Question) -> str:
        """Return the first choice."""
        return question.choices[0]

    def intend(self, task: StrokeTask) -> Intent:
        """Return what is going to be done with a plate."""
        rng = self._rng(task)
        annotation = self._annotation(task, rng)
        begins_ms = round(annotation.rt_s * 1000) + TO_PAINTING_MS
        acts = () if annotation.painting is None else _painted(annotation, begins_ms, rng)
        done_ms = _end_of(acts, begins_ms) + TO_PAINTING_MS
        return Intent(acts, done_ms, annotation.label, annotation.rt_s)

    def reads(self, task: StrokeTask) -> str:
        """Return only the answer of `intend`, which takes less time without the strokes."""
        return self._annotation(task, self._rng(task)).label

    def _annotation(self, task: StrokeTask, rng: np.random.Generator) -> Annotation:
        protocol, shown = self.pack.protocol, task.stimulus
        assert isinstance(protocol, AcceptReject)
        plate = plate_from_bytes(self.pack.asset(shown.plate_file))
        seen = ShownPlate(plate, shown.axis, shown.contrast, plate_spec(protocol.plates))
        return annotate(seen, rng, self.templates, self.observer)

    def _rng(self, task: StrokeTask) -> np.random.Generator:
        key = ("robot expert", self.seed, self.participant, task.item)
        return np.random.Generator(np.random.PCG64(seed_of(*key)))


def _painted(annotation: Annotation, begins_ms: int, rng: np.random.Generator) -> tuple[Act, ...]:
    assert annotation.painting is not None
    slip: tuple[Act, ...] = ()
    strokes = strokes_of(annotation.painting > 0, rng, begins_ms)
    if rng.random() < SLIP_SHARE:
        at = SIDE // 2 + int(rng.integers(-SIDE // 8, SIDE // 8))
        dab = Act("brush", begins_ms, strokes[0].radius, ((begins_ms, at, SIDE // 12),))
        slip = (dab, Act("undo", begins_ms + 2 * DAB_MS))
        strokes = tuple(_later(stroke, 4 * DAB_MS) for stroke in strokes)
    return (*slip, *strokes)


def _later(act: Act, by_ms: int) -> Act:
    points = tuple((t_ms + by_ms, x, y) for t_ms, x, y in act.points)
    return Act(act.act, act.t_ms + by_ms, act.radius, points)


def _end_of(acts: tuple[Act, ...], begins_ms: int) -> int:
    return max((act.points[-1][0] if act.points else act.t_ms for act in acts), default=begins_ms)


def experts(pack: Pack, language: str) -> Callable[[str, str, int], RobotExpert]:
    """Return what makes an expert robot in front of a pack from its kind, its code and a seed."""
    return lambda name, code, seed: RobotExpert.of(pack, code, seed, name)
