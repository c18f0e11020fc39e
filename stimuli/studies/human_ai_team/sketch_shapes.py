"""Coloured shapes for sketches: drawn on a coarse grid, enlarged without blur."""

import io
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.images.names import ANY_LANGUAGE
from stimuli.studies.human_ai_team.material import Box, Heatmap

GRID: Final = 28
"""Cells of a picture's side."""
RADIUS: Final = 6.5
PLACES: Final = (9, 14, 19)
"""Rows and columns of the grid on which a shape's middle may lie."""
HUES_SRGB: Final = ((200, 60, 50), (60, 150, 70), (60, 90, 200), (210, 170, 60), (140, 80, 170))
JUDGED_HUES: Final = range(3)
"""Which of them judged images have; examples have the others."""
TAUGHT_HUES: Final = range(3, len(HUES_SRGB))
GROUNDS_SRGB: Final = ((70, 70, 75), (40, 60, 60), (95, 85, 70), (110, 110, 120))

Distances = NDArray[np.float64]
Place = tuple[int, int]


def _ring(down: Distances, across: Distances) -> NDArray[np.bool_]:
    away = np.hypot(down, across)
    return (away < RADIUS) & (away > RADIUS / 2)


SHAPES: Final[Mapping[str, Callable[[Distances, Distances], NDArray[np.bool_]]]] = MappingProxyType(
    {
        "bar": lambda y, x: (np.abs(y) < RADIUS / 3) & (np.abs(x) < RADIUS),
        "cross": lambda y, x: (
            (np.minimum(np.abs(y), np.abs(x)) < RADIUS / 3)
            & (np.maximum(np.abs(y), np.abs(x)) < RADIUS)
        ),
        "diamond": lambda y, x: np.abs(y) + np.abs(x) < RADIUS,
        "disc": lambda y, x: np.hypot(y, x) < RADIUS,
        "pillar": lambda y, x: (np.abs(x) < RADIUS / 3) & (np.abs(y) < RADIUS),
        "ring": _ring,
        "square": lambda y, x: np.maximum(np.abs(y), np.abs(x)) < RADIUS,
        "triangle": lambda y, x: (np.abs(x) < (y + RADIUS) / 2) & (np.abs(y) < RADIUS),
    }
)
"""By label which places belong to a shape, given distances from its middle in cells."""

_WORDS: Final = {
    "bar": ("bar", "Balken", "A long shape that lies flat.", "Eine lange Form, die flach liegt."),
    "cross": ("cross", "Kreuz", "Two bars across each other.", "Zwei Balken über Kreuz."),
    "diamond": ("diamond", "Raute", "A square on its tip.", "Ein Quadrat auf der Spitze."),
    "disc": ("disc", "Scheibe", "A full round shape.", "Eine volle runde Form."),
    "pillar": ("pillar", "Säule", "A long shape that stands.", "Eine lange Form, die steht."),
    "ring": ("ring", "Ring", "A disc with a hole.", "Eine Scheibe mit einem Loch."),
    "square": ("square", "Quadrat", "Four equal sides.", "Vier gleiche Seiten."),
    "triangle": ("triangle", "Dreieck", "Three sides.", "Drei Seiten."),
}
SHAPE_NAMES: Final = MappingProxyType(
    {(label, ANY_LANGUAGE): words[0] for label, words in _WORDS.items()}
    | {(label, "de"): words[1] for label, words in _WORDS.items()}
)
SHAPE_DEFINITIONS: Final = MappingProxyType(
    {(label, ANY_LANGUAGE): words[2] for label, words in _WORDS.items()}
    | {(label, "de"): words[3] for label, words in _WORDS.items()}
)


def picture(label: str, place: Place, hue: int, ground: int, size_px: int) -> bytes:
    """Return a shape as an RGB PNG of a size."""
    colours = np.array([GROUNDS_SRGB[ground], HUES_SRGB[hue]], dtype=np.uint8)
    cells = Image.fromarray(colours[_cells(label, place).astype(np.intp)])
    stream = io.BytesIO()
    cells.resize((size_px, size_px), Image.Resampling.NEAREST).save(stream, "PNG")
    return stream.getvalue()


def box_of(label: str, place: Place, size_px: int) -> Box:
    """Return the smallest box round a shape in a picture of a size."""
    rows, columns = np.nonzero(_cells(label, place))
    left, top = (int(of.min()) * size_px // GRID for of in (columns, rows))
    right, bottom = (-(-(int(of.max()) + 1) * size_px // GRID) for of in (columns, rows))
    return left, top, right, bottom


def heatmap(place: Place, radius: float, size_px: int) -> Heatmap:
    """Return a cone of relevance round a place, in eight steps, at most 1."""
    away = np.hypot(*_distances(place))
    values = (np.ceil(8 * np.maximum(0.0, 1 - away / radius)) / 8).astype(np.float32)
    at = np.arange(size_px) * GRID // size_px
    return values[np.ix_(at, at)]


def _cells(label: str, place: Place) -> NDArray[np.bool_]:
    return SHAPES[label](*_distances(place))


def _distances(place: Place) -> tuple[Distances, Distances]:
    cells = np.arange(GRID, dtype=np.float64)
    across, down = np.meshgrid(cells - place[1], cells - place[0])
    return down, across
