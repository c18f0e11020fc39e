"""Expert robots: one reads a plate with normal colour vision and paints the numeral.

A model with assumptions (see `stimuli.plates.observer`), not fitted to people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from participants.robots.times import MOTOR
from participants.studies.accept_reject.robots.percept import look_times
from stimuli.images.sets import NO_SOLUTION
from stimuli.plates.observer import (
    NO_NUMERAL,
    DigitTemplates,
    Observer,
    ShownPlate,
    read_over_time,
)
from stimuli.plates.plate import Plate

NORMAL = Observer()
MILD_DEFICIT = Observer("deutan", strength=0.5)
"""Somebody whom the screening missed: no expert, as the controls must find."""
EXPERTS: Mapping[str, Observer] = MappingProxyType({"expert": NORMAL, "mild_deficit": MILD_DEFICIT})
CERTAIN = 0.95
"""Belief in a digit, or in no numeral, at which an expert stops looking."""
GUESS_AT = 0.5
"""Belief in the likeliest digit that suffices for an answer when the time is over."""
PATIENCE_S = 20.0
PAINTING_PX = 112

OFFSET_SD = 0.025
"""SD of where the whole painting lies, in plate radii, each way."""
WOBBLE_SD = 0.035
"""SD of the strokes' wobble about the numeral, in plate radii, each way."""
WOBBLE_WAVES = 6
WIDTH_SD = 0.03
"""SD of the strokes' edge about the numeral's own, in plate radii."""
SMOOTHING = 0.035
"""How far figure dots blend into strokes: SD of a Gaussian in plate radii."""

Floats = NDArray[np.float64]
Painting = NDArray[np.float32]


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
    shown: ShownPlate,
    rng: np.random.Generator,
    templates: DigitTemplates,
    observer: Observer = NORMAL,
) -> Annotation:
    """Return what an expert makes of a plate.

    Parameters
    ----------
    shown
        The plate.
    rng
        Noise of the looks and of the hand.
    templates
        The digits that the expert has in mind.
    observer
        The expert's eyes.
    """
    times_s = look_times(observer.latency_s, PATIENCE_S)
    belief = np.exp(read_over_time(observer, templates, shown, times_s, rng))
    certain = np.flatnonzero(belief.max(axis=1) >= CERTAIN)
    look = certain[0] if len(certain) else len(times_s) - 1
    seen = int(belief[look].argmax())
    rt_s = float(times_s[look]) + MOTOR.draw(rng)
    read = seen != NO_NUMERAL and belief[look, seen] >= GUESS_AT
    painting = paint(shown.plate, rng) if read else None
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
