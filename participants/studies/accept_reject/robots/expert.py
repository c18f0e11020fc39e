"""Expert robots, which read a plate with normal colour vision and paint the numeral.

A robot paints stroke by stroke, as in a window's session. It is a model with assumptions (see
`stimuli.plates.observer`), not fitted to people.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from participants.robots.choosing import MOTOR
from participants.robots.strokes import Intent, strokes_of
from participants.session import Question, StrokeTask
from participants.strokes import SIDE, Act
from participants.studies.accept_reject.robots.percept import look_times, templates_of
from participants.study import Robots
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import NO_NUMERAL, DigitTemplates, Observer, ShownPlate, read_over_time
from stimuli.plates.plate import Plate, plate_from_bytes
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import plate_spec

NORMAL = Observer()
MILD_DEFICIT = Observer("deutan", strength=0.5)
"""A person whom the screening missed: not an expert, which the controls must reveal."""
EXPERTS: Mapping[str, Observer] = MappingProxyType({"expert": NORMAL, "mild_deficit": MILD_DEFICIT})
CERTAIN = 0.95
"""Belief in a digit, or in no numeral, at which an expert stops looking."""
GUESS_AT = 0.5
"""Belief in the likeliest digit that suffices for an answer when time runs out."""
PATIENCE_S = 20.0
PAINTING_PX = 112

OFFSET_SD = 0.025
"""SD of the whole painting's displacement, in plate radii, each way."""
WOBBLE_SD = 0.035
"""SD of the strokes' wobble about the numeral, in plate radii, each way."""
WOBBLE_WAVES = 6
WIDTH_SD = 0.03
"""SD of the strokes' edge around the numeral's edge, in plate radii."""
SMOOTHING = 0.035
"""How far figure dots blend into strokes: SD of a Gaussian in plate radii."""

Floats = NDArray[np.float64]
Painting = NDArray[np.float32]
SLIP_SHARE: Final = 0.3
"""How often a robot first paints a dab beside the numeral and undoes it."""
TO_PAINTING_MS: Final = 350
"""Time from the answer's key to the first stroke, and from the last stroke to Enter."""
DAB_MS: Final = 120


@dataclass(frozen=True, slots=True)
class Annotation:
    """An expert's answer to a plate.

    Attributes
    ----------
    label
        The digit as text, or ``no_solution``.
    painting
        float32 (112, 112), 1 where painted, picture of the square around the plate, row 0
        on top; None with ``no_solution``.
    rt_s
        Time from the onset to the answer, seconds.
    """

    label: str
    painting: Painting | None
    rt_s: float


def annotate(
    shown_plate: ShownPlate,
    rng: np.random.Generator,
    templates: DigitTemplates,
    observer: Observer = NORMAL,
) -> Annotation:
    """Return an expert's annotation of a plate.

    Parameters
    ----------
    shown_plate
        The plate.
    rng
        Noise of the looks and of the hand.
    templates
        The digits that the expert has in mind.
    observer
        The expert's eyes.
    """
    times_s = look_times(observer.latency_s, PATIENCE_S)
    belief = np.exp(read_over_time(observer, templates, shown_plate, times_s, rng))
    certain = np.flatnonzero(belief.max(axis=1) >= CERTAIN)
    look = certain[0] if len(certain) else len(times_s) - 1
    seen = int(belief[look].argmax())
    rt_s = float(times_s[look]) + MOTOR.draw(rng)
    read = seen != NO_NUMERAL and belief[look, seen] >= GUESS_AT
    painting = paint(shown_plate.plate, rng) if read else None
    if painting is None:
        return Annotation(NO_SOLUTION, None, rt_s)
    return Annotation(str(seen), painting, rt_s)


def paint(plate: Plate, rng: np.random.Generator) -> Painting | None:
    """Return strokes along the numeral of a plate, drawn with a human hand's error.

    The painting as a whole is a little off, the strokes wobble, and they are a little
    wider or narrower than the numeral's.

    Returns
    -------
    float32 (112, 112) or None
        1 where painted; None if there is no figure to paint.
    """
    figure = figure_area(plate)
    if not figure.any():
        return None
    distance_to_edge = ndimage.distance_transform_edt
    inwards_px = distance_to_edge(figure) - distance_to_edge(~figure)
    radius_px = PAINTING_PX / 2
    row, column = np.indices(figure.shape, dtype=float)
    moved_from = [
        coordinate
        - radius_px * rng.normal(0, OFFSET_SD)
        - radius_px * _wobble(row / radius_px, column / radius_px, rng)
        for coordinate in (row, column)
    ]
    drawn_px = ndimage.map_coordinates(inwards_px, moved_from, order=1, mode="nearest")
    narrower_px = radius_px * rng.normal(0, WIDTH_SD)
    painted = drawn_px > min(narrower_px, float(drawn_px.max()) - 1)
    return painted.astype(np.float32)


def figure_area(plate: Plate) -> NDArray[np.bool_]:
    """Return where figure dots prevail over the others nearby, bool (112, 112)."""
    packing = plate.packing
    weight = packing.radius.astype(float) ** 2
    at = [
        np.clip(((value + 1) / 2 * PAINTING_PX).astype(int), 0, PAINTING_PX - 1)
        for value in (-packing.y, packing.x)
    ]
    sums = np.zeros((2, PAINTING_PX, PAINTING_PX))
    np.add.at(sums[0], (at[0], at[1]), weight * plate.figure)
    np.add.at(sums[1], (at[0], at[1]), weight)
    sigma_px = SMOOTHING * PAINTING_PX / 2
    figure, every = (ndimage.gaussian_filter(total, sigma_px) for total in sums)
    return figure > 0.5 * np.maximum(every, 1e-12)


def _wobble(y: Floats, x: Floats, rng: np.random.Generator) -> Floats:
    """Return a smooth random displacement at points, in plate radii: a sum of slow waves."""
    way = rng.uniform(0, 2 * np.pi, WOBBLE_WAVES)
    rate = rng.uniform(1, 4, WOBBLE_WAVES)
    phase = rng.uniform(0, 2 * np.pi, WOBBLE_WAVES)
    along = y[..., None] * np.sin(way) + x[..., None] * np.cos(way)
    waves = np.sin(along * rate + phase)
    return WOBBLE_SD * np.sqrt(2 / WOBBLE_WAVES) * waves.sum(axis=-1)


@dataclass(frozen=True, slots=True)
class RobotExpert:
    """One expert robot in front of a task pack.

    Attributes
    ----------
    pack, templates
        The pack it is shown, and the digits that it has in mind.
    seed, participant
        Root of its draws: the same plate always gets the same answer.
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
        """Return what the robot will do with a plate."""
        rng = self._rng(task)
        annotation = self._annotation(task, rng)
        begins_ms = round(annotation.rt_s * 1000) + TO_PAINTING_MS
        acts = () if annotation.painting is None else _painted(annotation, begins_ms, rng)
        done_ms = _end_of(acts, begins_ms) + TO_PAINTING_MS
        return Intent(acts, done_ms, annotation.label, annotation.rt_s)

    def reads(self, task: StrokeTask) -> str:
        """Return only the answer of `intend`, which is faster without the strokes."""
        return self._annotation(task, self._rng(task)).label

    def _annotation(self, task: StrokeTask, rng: np.random.Generator) -> Annotation:
        protocol, stimulus = self.pack.protocol, task.stimulus
        assert isinstance(protocol, AcceptReject)
        plate = plate_from_bytes(self.pack.asset(stimulus.plate_file))
        seen = ShownPlate(plate, stimulus.axis, stimulus.contrast, plate_spec(protocol.plates))
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
    """Return a function that makes an expert robot for a pack from kind, code and seed."""
    return lambda name, code, seed: RobotExpert.of(pack, code, seed, name)


SESSION_ROBOTS: Final = Robots(make=experts)
