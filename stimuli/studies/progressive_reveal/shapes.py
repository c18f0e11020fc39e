"""Drawn shapes as pictures of known objects: what a sketch uncovers in place of photographs."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from stimuli.images.resampling import resampled

Points = NDArray[np.float64]
"""A closed outline, (n, 2): x to the right, y down, within −1…1."""

OVERSAMPLING: Final = 4
DARKEST: Final = 40
"""No pixel of a picture is darker, so that none looks covered."""
_TURN_DEG: Final = 12.0
_ROUND: Final = np.linspace(0, 2 * np.pi, 72, endpoint=False)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What a shape is made of.

    Attributes
    ----------
    parts
        Outlines to fill, one after another.
    holes
        Outlines to cut out of them.
    """

    parts: tuple[Points, ...]
    holes: tuple[Points, ...] = ()


def _disc(x: float, y: float, radius: float, flat: float = 1.0) -> Points:
    return np.stack([x + radius * np.cos(_ROUND), y + flat * radius * np.sin(_ROUND)], axis=1)


def _corners(*points: tuple[float, float]) -> Points:
    return np.array(points, dtype=np.float64)


def _box(left: float, top: float, right: float, bottom: float) -> Points:
    return _corners((left, top), (right, top), (right, bottom), (left, bottom))


def _regular(corners: int, inner: float | None = None) -> Points:
    """Return a regular polygon, a corner on top; a star with an inner radius."""
    count = corners if inner is None else 2 * corners
    turn = 2 * np.pi * np.arange(count) / count
    radius = np.full(count, 0.95)
    if inner is not None:
        radius[1::2] = inner
    return np.stack([radius * np.sin(turn), -radius * np.cos(turn)], axis=1)


def _heart() -> Points:
    y = 13 * np.cos(_ROUND) - 5 * np.cos(2 * _ROUND) - 2 * np.cos(3 * _ROUND) - np.cos(4 * _ROUND)
    return np.stack([16 * np.sin(_ROUND) ** 3 / 17, -y / 17], axis=1)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "circle": Shape((_disc(0, 0, 0.85),)),
        "ring": Shape((_disc(0, 0, 0.9),), (_disc(0, 0, 0.5),)),
        "crescent": Shape((_disc(0, 0, 0.9),), (_disc(0.42, -0.1, 0.72),)),
        "square": Shape((_box(-0.75, -0.75, 0.75, 0.75),)),
        "triangle": Shape((_regular(3),)),
        "hexagon": Shape((_regular(6),)),
        "star": Shape((_regular(5, 0.4),)),
        "heart": Shape((_heart(),)),
        "cross": Shape((_box(-0.28, -0.9, 0.28, 0.9), _box(-0.9, -0.28, 0.9, 0.28))),
        "arrow": Shape(
            (_box(-0.95, -0.22, 0.2, 0.22), _corners((0.1, -0.65), (0.95, 0), (0.1, 0.65)))
        ),
        "hourglass": Shape(
            (_corners((-0.7, -0.9), (0.7, -0.9), (0, 0)), _corners((-0.7, 0.9), (0.7, 0.9), (0, 0)))
        ),
        "drop": Shape((_disc(0, 0.35, 0.58), _corners((-0.53, 0.12), (0, -0.95), (0.53, 0.12)))),
        "lightning": Shape(
            (
                _corners(
                    (0.05, -0.95), (-0.6, 0.15), (-0.08, 0.1), (-0.3, 0.95), (0.6, -0.25),
                    (0.08, -0.18), (0.5, -0.95),
                ),
            )
        ),
        "house": Shape(
            (_box(-0.65, -0.1, 0.65, 0.9), _corners((-0.95, -0.05), (0, -0.95), (0.95, -0.05))),
            (_box(-0.18, 0.4, 0.18, 0.9),),
        ),
        "tree": Shape(
            (
                _corners((-0.45, -0.3), (0, -0.95), (0.45, -0.3)),
                _corners((-0.6, 0.2), (0, -0.6), (0.6, 0.2)),
                _corners((-0.75, 0.7), (0, -0.15), (0.75, 0.7)),
                _box(-0.13, 0.65, 0.13, 0.95),
            )
        ),
        "fish": Shape(
            (_disc(0.15, 0, 0.72, 0.6), _corners((-0.35, 0), (-0.95, -0.5), (-0.95, 0.5))),
            (_disc(0.55, -0.12, 0.09),),
        ),
        "flower": Shape(
            tuple(
                _disc(0.55 * np.sin(turn), -0.55 * np.cos(turn), 0.36)
                for turn in 2 * np.pi * np.arange(5) / 5
            ),
            (_disc(0, 0, 0.22),),
        ),
        "key": Shape(
            (_disc(-0.5, 0, 0.42), _box(-0.2, -0.12, 0.95, 0.12), _box(0.72, 0, 0.95, 0.45),
             _box(0.38, 0, 0.58, 0.38)),
            (_disc(-0.5, 0, 0.2),),
        ),
        "cloud": Shape(
            (_disc(-0.5, 0.15, 0.4), _disc(0, -0.15, 0.52), _disc(0.52, 0.12, 0.42),
             _box(-0.5, 0.1, 0.52, 0.54)),
        ),
        "mushroom": Shape(
            (np.concatenate([_disc(0, 0, 0.9)[36:], _corners((0.9, 0.12), (-0.9, 0.12))]),
             _box(-0.25, 0, 0.25, 0.9)),
        ),
    }
)  # fmt: skip

SHAPE_NAMES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (name, language): words
        for name, english, german in (
            ("circle", "circle|disc", "Kreis|Scheibe"),
            ("ring", "ring", "Ring"),
            ("crescent", "crescent|moon", "Sichel|Mond"),
            ("square", "square", "Quadrat|Viereck"),
            ("triangle", "triangle", "Dreieck"),
            ("hexagon", "hexagon", "Sechseck"),
            ("star", "star", "Stern"),
            ("heart", "heart", "Herz"),
            ("cross", "cross|plus sign", "Kreuz|Pluszeichen"),
            ("arrow", "arrow", "Pfeil"),
            ("hourglass", "hourglass|sand glass", "Sanduhr"),
            ("drop", "water drop|tear", "Wassertropfen|Träne"),
            ("lightning", "lightning|thunderbolt", "Blitz"),
            ("house", "house|home", "Haus|Häuschen"),
            ("tree", "fir tree|conifer", "Tannenbaum|Baum"),
            ("fish", "fish", "Fisch"),
            ("flower", "flower|blossom", "Blume|Blüte"),
            ("key", "door key", "Schlüssel"),
            ("cloud", "cloud", "Wolke"),
            ("mushroom", "mushroom|toadstool", "Pilz|Fliegenpilz"),
        )
        for language, words in (("", english), ("de", german))
    }
)
"""What shapes are called, as `classes.class_rows` takes it."""


def figure_of(shape: Shape, size_px: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which pixels (size_px, size_px) a shape has, its place, size and turn drawn."""
    side = OVERSAMPLING * size_px
    scale = rng.uniform(0.28, 0.38) * side
    room = side / 2 - 1.05 * scale
    centre = side / 2 + rng.uniform(-1, 1, size=2) * 0.8 * room
    turn = np.deg2rad(rng.uniform(-_TURN_DEG, _TURN_DEG))
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    canvas = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(canvas)
    for fill, outlines in ((255, shape.parts), (0, shape.holes)):
        for outline in outlines:
            corners = outline @ turned * scale + centre
            draw.polygon([(float(x), float(y)) for x, y in corners], fill=fill)
    small = canvas.resize((size_px, size_px), Image.Resampling.BOX)
    return np.asarray(small) >= 128


def painted(figure: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a picture (size, size, 3) of a figure: two textures of clearly different colours."""
    size = len(figure)
    light = rng.uniform(175, 235, size=3)
    dark = rng.uniform(50, 110, size=3)
    inner, outer = (light, dark) if rng.random() < 0.5 else (dark, light)
    colour = np.where(figure[..., None], inner, outer)
    spots = sum(resampled(rng.normal(size=(n, n)), size) for n in (6, 24))
    grain = rng.normal(scale=5.0, size=(size, size))
    picture = colour + (14 * spots + grain)[..., None]
    return np.clip(np.rint(picture), DARKEST, 255).astype(np.uint8)
