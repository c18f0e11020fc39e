"""Acts: what was done by hand to a picture, as a journal keeps it.

A painting is kept as acts (strokes, undos, clears), never as pixels alone: what is painted is a
pure function of them. Places are whole quarter pixels of a grid of 256 × 256 over the picture.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

MASK_PX: Final = 256
"""Side of the grid over the square around the picture."""
UNITS: Final = 4
"""Parts of a pixel of the grid in which places and radii are counted."""
SIDE: Final = MASK_PX * UNITS

Tool = Literal["brush", "eraser"]
ActName = Literal["brush", "eraser", "undo", "clear"]
Point = tuple[int, int, int]
Box = tuple[slice, slice]
NOWHERE: Final = (slice(0, 0), slice(0, 0))


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done to a picture.

    Attributes
    ----------
    act
        ``brush`` and ``eraser`` are strokes; ``undo`` takes the last act back that still
        stands, ``clear`` wipes all.
    t_ms
        When it began, whole milliseconds since the picture's onset.
    radius
        Of the stroke, in quarter pixels of the grid; 0 without one.
    points
        Of the stroke: (milliseconds, x, y), quarter pixels from the square's top left corner;
        at least one. Empty without a stroke.
    """

    act: ActName
    t_ms: int
    radius: int = 0
    points: tuple[Point, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the act as it stands in a journal: its points as one flat list."""
        flat = [value for point in self.points for value in point]
        return {"act": self.act, "t_ms": self.t_ms, "radius": self.radius, "points": flat}


def act_from(document: dict[str, Any]) -> Act:
    """Return the act of a journal's document."""
    flat = [int(value) for value in document["points"]]
    points = tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
    return Act(document["act"], int(document["t_ms"]), int(document["radius"]), points)


def standing(acts: Iterable[Act]) -> list[Act]:
    """Return the strokes and clears that no undo took back, in order."""
    kept: list[Act] = []
    for act in acts:
        if act.act != "undo":
            kept.append(act)
        elif kept:
            kept.pop()
    return kept
