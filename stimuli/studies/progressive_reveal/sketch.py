"""A pack in memory, without a network: pictures of shapes, and maps drawn from the shapes' places.

Shapes are pictures of known objects, used in place of photographs. What a sketch shows of a method
is an assumption, never a result.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from stimuli.errors import UserError
from stimuli.images.filters import resampled, smooth
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.maps.origin import NETWORK, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.material import Material, MethodMaps, ModelAnswer, Picture
from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES, ProgressiveReveal

Points = NDArray[np.float64]
"""A closed outline, (n, 2): x to the right, y down, within −1…1."""

OVERSAMPLING: Final = 4
DARKEST: Final = 40
"""No pixel of a picture is darker, so that none looks covered."""
_TURN_DEG: Final = 12.0
_ROUND: Final = np.linspace(0, 2 * np.pi, 72, endpoint=False)
Map = NDArray[np.float32]
Figure = NDArray[np.bool_]
BUBBLE_SHARE = 18 / 256
"""Side of a person's bubble as a share of the image's (Linsley et al. 2017: 18 pixels)."""
BUBBLES_A_HALF = 4
"""Bubbles of a slow hand on half a bubble's side."""
COARSE_PX = 32
PROTOTYPE_PX = 7


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


@dataclass(frozen=True, slots=True)
class SketchRates:
    """What a sketch assumes.

    Attributes
    ----------
    fewest_halves, most_halves
        How far people's bubbles go over an image, in halves of a bubble.
    people_astray
        Share of the places to which they go that lie anywhere, not on the object.
    noise
        SD of the noise on maps of networks, as a share of their largest relevance.
    prototype_shift
        SD of the prototype's place round the object's middle, as a share of the image's side.
    model_error
        Share of images that the explained model takes for another class.
    """

    fewest_halves: int = 15
    most_halves: int = 70
    people_astray: float = 0.1
    noise: float = 0.25
    prototype_shift: float = 0.1
    model_error: float = 0.1


def sketch(protocol: ProgressiveReveal, rates: SketchRates = SketchRates()) -> Pack:
    """Return a pack in memory; the same for the same arguments.

    Parameters
    ----------
    protocol
        The protocol; its ``seed`` is the root of every draw.
    rates
        What is assumed.

    Returns
    -------
    Pack
        Its id begins with ``sketch-``.

    Raises
    ------
    UserError
        If the protocol wants more classes than there are shapes.
    """
    files = compose(protocol, sketch_material(protocol, rates))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def sketch_material(protocol: ProgressiveReveal, rates: SketchRates = SketchRates()) -> Material:
    """Return drawn shapes, and maps of them by all of a protocol's methods."""
    wanted = protocol.images
    if wanted.classes > len(SHAPES):
        raise UserError(
            f"images.classes is {wanted.classes}, but a sketch has {len(SHAPES)} shapes; lower it, "
            "or name a pack with --pack"
        )
    classes = keyed_order(SHAPES, protocol.seed, "sketch")[: wanted.classes]
    main = [
        _picture(protocol, class_id, f"{class_id}-{nth}")
        for class_id in sorted(classes)
        for nth in range(1, wanted.images_per_class + 1)
    ]
    session = protocol.session
    practice, catch = (
        [
            _picture(protocol, classes[nth % len(classes)], f"{use}-{nth + 1}")
            for nth in range(count)
        ]
        for use, count in (("practice", session.practice_rounds), ("catch", session.catch_rounds))
    )
    methods = {
        method: _maps(protocol, method, (*main, *practice), rates)
        for method in protocol.reveal.methods
    }
    names = {(name, tag): words for (name, tag), words in SHAPE_NAMES.items() if name in classes}
    return Material(main, practice, methods, names, catch)


def _rng(protocol: ProgressiveReveal, *of: str) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("sketch", protocol.seed, *of)))


def _picture(protocol: ProgressiveReveal, class_id: str, item: str) -> Picture:
    rng = _rng(protocol, "picture", item)
    figure = figure_of(SHAPES[class_id], protocol.images.size_px, rng)
    return Picture(item, class_id, painted(figure, rng), figure)


def _maps(
    protocol: ProgressiveReveal, method: str, pictures: tuple[Picture, ...], rates: SketchRates
) -> MethodMaps:
    known = sorted({picture.class_id for picture in pictures})
    maps, answers, prototypes = {}, {}, {}
    for picture in pictures:
        assert picture.figure is not None
        maps[picture.item] = _map(
            method, picture.figure, _rng(protocol, "map", method, picture.item), rates
        )
        if method != HUMAN:
            network = PROTOTYPES if method == PROTOTYPES else "network"
            answers[picture.item] = _answer(
                picture, known, _rng(protocol, network, picture.item), rates
            )
        if method == PROTOTYPES:
            prototypes[picture.item] = _patch(picture.image, maps[picture.item])
    origin = Origin(RESPONSE_MODEL if method == HUMAN else NETWORK, "sketch")
    return MethodMaps(maps, answers, prototypes, origin)


def _answer(
    picture: Picture, classes: list[str], rng: np.random.Generator, rates: SketchRates
) -> ModelAnswer:
    others = [name for name in classes if name != picture.class_id]
    wrong, probability = rng.random() < rates.model_error, float(rng.uniform(0.5, 1.0))
    if not wrong:
        return ModelAnswer(picture.class_id, probability)
    return ModelAnswer(others[int(rng.integers(len(others)))], 1 - probability)


def _map(method: str, figure: Figure, rng: np.random.Generator, rates: SketchRates) -> Map:
    """Return a map of a figure, as a method of that name would tend to look."""
    if method == HUMAN:
        values = _bubbles(figure, rng, rates)
    elif method == PROTOTYPES:
        values = _prototype(figure, rng, rates)
    elif method == "occlusion":
        values = _blurred(figure, 2.0) + rates.noise * resampled(rng.normal(size=(8, 8)), COARSE_PX)
    else:
        values = _edges(figure) + rates.noise * rng.normal(size=figure.shape)
    return values.astype(np.float32)


def _bubbles(figure: Figure, rng: np.random.Generator, rates: SketchRates) -> NDArray[np.float64]:
    """Return how many bubbles lie on each pixel: one way from place to place, as a mouse goes."""
    half = max(1, round(BUBBLE_SHARE * len(figure) / 2))
    every = max(1, half // BUBBLES_A_HALF)
    left = half * int(rng.integers(rates.fewest_halves, rates.most_halves + 1))
    inside, anywhere = np.argwhere(figure), np.argwhere(np.ones_like(figure))
    values, start = np.zeros(figure.shape), inside[rng.integers(len(inside))]
    while left > 0:
        among = anywhere if rng.random() < rates.people_astray else inside
        end = among[rng.integers(len(among))]
        far = max(1, int(np.abs(end - start).max()))
        way = np.rint(np.linspace(start, end, 1 + far // every)).astype(int)
        for row, column in way[: -(-left // every)]:
            values[max(0, row - half) : row + half, max(0, column - half) : column + half] += 1
        left, start = left - far, end
    return values


def _blurred(figure: Figure, sigma_px: float) -> NDArray[np.float64]:
    """Return a figure, coarse and under a Gaussian, at most 1."""
    values = smooth(resampled(figure.astype(np.float64), COARSE_PX), sigma_px)
    return values / values.max()


def _edges(figure: Figure) -> NDArray[np.float64]:
    """Return the outline's strength and a little of the inside, at most 1."""
    coarse = resampled(_blurred(figure, 1.0), len(figure))
    down, across = np.gradient(coarse)
    slope = np.hypot(down, across)
    return 0.8 * slope / slope.max() + 0.2 * figure


def _prototype(figure: Figure, rng: np.random.Generator, rates: SketchRates) -> NDArray[np.float64]:
    """Return a similarity (7, 7) round a place near the object's middle; above 0 everywhere."""
    middle = np.argwhere(figure).mean(axis=0) / len(figure)
    place = middle + rng.normal(scale=rates.prototype_shift, size=2)
    at = (np.arange(PROTOTYPE_PX) + 0.5) / PROTOTYPE_PX
    away = (at[:, None] - place[0]) ** 2 + (at - place[1]) ** 2
    return np.exp(-away / 0.06) + 0.1 * rng.random((PROTOTYPE_PX, PROTOTYPE_PX))


def _patch(image: NDArray[np.uint8], values: Map) -> NDArray[np.uint8]:
    """Return the part of an image where a coarse map is highest."""
    side = max(1, len(image) * 2 // PROTOTYPE_PX)
    row, column = np.unravel_index(int(values.argmax()), values.shape)
    top, left = (
        min(max(0, int((at + 0.5) * len(image) / PROTOTYPE_PX - side / 2)), len(image) - side)
        for at in (row, column)
    )
    return np.ascontiguousarray(image[top : top + side, left : left + side])
