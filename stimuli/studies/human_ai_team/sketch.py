"""A pack in memory, without a network: coloured shapes, and help drawn from where they lie.

What a sketch shows of an arm is an assumption, never a result.
"""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.io.canonical import seed_of
from stimuli.maps.origin import NETWORK, Origin
from stimuli.names import ANY_LANGUAGE
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.fitting import wanted_in_bins
from stimuli.studies.human_ai_team.material import (
    AiAnswer,
    Box,
    Case,
    Heatmap,
    Material,
    Metric,
    Words,
    level_of,
)
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, NATURAL_BINS, RIGHT

PUBLISHED_WEIGHTS: Final = dict(
    zip(NATURAL_BINS, (0.6777, 0.0791, 0.0197, 0.0742, 0.0935, 0.0553), strict=True)
)
"""How often each bin occurs among ImageNet's validation images (the published code's output)."""

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


LABELS: Final = tuple(sorted(SHAPES))
POOL: Final = 12
"""Pictures of a label, from which examples and samples are taken."""
CONE_CELLS: Final = (9.0, 12.0)
"""Radii of the maps' cones, in cells of the grid."""


@dataclass(frozen=True, slots=True)
class SketchRates:
    """What a sketch assumes.

    Attributes
    ----------
    ai_images
        Images on which the AI alone is known.
    between
        Share of them whose confidence lies between the bins.
    on_object
        Share of maps that lie on the object.
    """

    ai_images: int = 1000
    between: float = 0.15
    on_object: float = 0.7


def sketch(protocol: HumanAiTeam, rates: SketchRates = SketchRates()) -> Pack:
    """Return a solution pack in memory; the same for the same arguments.

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
    """
    files = compose(protocol, sketch_material(protocol, rates))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def sketch_material(protocol: HumanAiTeam, rates: SketchRates = SketchRates()) -> Material:
    """Return drawn images, and help of all of a protocol's arms."""
    main = [
        _case(protocol, f"{name}-{nth:03d}", name)
        for name, count in wanted_in_bins(protocol).items()
        for nth in range(1, count + 1)
    ]
    wanted = protocol.validation
    validation = [
        _case(protocol, f"validation-{nth:02d}", _obvious(nth < wanted.right_trials))
        for nth in range(wanted.trials)
    ]
    practice = [
        _case(protocol, f"practice-{nth:02d}", _obvious(nth % 2 == 0))
        for nth in range(protocol.session.practice_trials)
    ]
    cases = [*main, *validation, *practice]
    arms = [arm for arm in protocol.help.arms if help_kind(arm) == "heatmap"]
    pools = {label: _pool(protocol, label) for label in LABELS}
    return Material(
        main=main,
        validation=validation,
        practice=practice,
        heatmaps={arm: _heatmaps(protocol, arm, cases, rates) for arm in arms},
        examples={case.item: _examples(protocol, case, pools) for case in cases},
        texts={arm: _texts(cases) for arm in protocol.help.arms if help_kind(arm) == "text"},
        names=SHAPE_NAMES,
        definitions=SHAPE_DEFINITIONS,
        samples={label: pool[: protocol.prior.samples] for label, pool in pools.items()},
        metrics={
            (case.item, arm): _metric(protocol, arm, case)
            for case in main
            if not case.adversarial
            for arm in arms
        },
        origins={
            arm: Origin(NETWORK, "sketch") for arm in protocol.help.arms if help_kind(arm) != "none"
        },
        ai=_ai_alone(protocol, rates),
        found={name: 2 * count for name, count in wanted_in_bins(protocol).items()},
    )


def _rng(protocol: HumanAiTeam, *of: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("sketch", protocol.seed, *of)))


def _obvious(right: bool) -> str:
    return "right_easy" if right else "wrong_easy"


def _confidence(protocol: HumanAiTeam, name: str, rng: np.random.Generator) -> float:
    """Return a confidence that puts an image into a bin."""
    limits, (kind, _, level) = protocol.bins, name.partition("_")
    low = (max(0.05, limits.low_below / 2), limits.low_below)
    for band, span in (
        ("low", low),
        ("mid", (limits.mid_from, limits.mid_below)),
        ("high", (limits.high_from, 1.0)),
    ):
        if level_of(band, kind == RIGHT) == level:
            return float(rng.uniform(*span))
    raise ValueError(f"no such bin: {name}")


def _case(protocol: HumanAiTeam, item: str, name: str) -> Case:
    rng = _rng(protocol, "case", item)
    label, other = (LABELS[index] for index in rng.permutation(len(LABELS))[:2])
    place, size = _place_of(protocol, item), protocol.images.size_px
    of_texts = protocol.cases == "texts"
    return Case(
        item=item,
        image=b"" if of_texts else _picture(label, place, JUDGED_HUES, rng, size),
        true_label=label,
        predicted_label=label if name.startswith(RIGHT) else other,
        confidence=_confidence(protocol, name, rng),
        adversarial=name.startswith(ADVERSARIAL),
        box=None if of_texts else box_of(label, place, size),
        texts=_described(item, label) if of_texts else {},
    )


def _described(item: str, label: str) -> dict[str, str]:
    """Return a text about a shape, by language."""
    return {
        ANY_LANGUAGE: f"{SHAPE_DEFINITIONS[label, ANY_LANGUAGE]} (Text {item}.)",
        "de": f"{SHAPE_DEFINITIONS[label, 'de']} (Text {item}.)",
    }


def _place_of(protocol: HumanAiTeam, item: str) -> Place:
    """Return where an image's shape lies."""
    return _place(_rng(protocol, "place", item))


def _place(rng: np.random.Generator) -> Place:
    row, column = rng.integers(len(PLACES), size=2)
    return PLACES[row], PLACES[column]


def _picture(
    label: str, place: Place, hues: Sequence[int], rng: np.random.Generator, size_px: int
) -> bytes:
    hue, ground = hues[int(rng.integers(len(hues)))], int(rng.integers(len(GROUNDS_SRGB)))
    return picture(label, place, hue, ground, size_px)


def _pool(protocol: HumanAiTeam, label: str) -> list[bytes]:
    """Return pictures of a label, from which examples and samples are taken."""
    rng, size = _rng(protocol, "pool", label), protocol.images.size_px
    return [_picture(label, _place(rng), TAUGHT_HUES, rng, size) for _ in range(POOL)]


def _examples(protocol: HumanAiTeam, case: Case, pools: dict[str, list[bytes]]) -> list[bytes]:
    drawn = _rng(protocol, "examples", case.item).permutation(POOL)
    return [pools[case.predicted_label][index] for index in drawn[: protocol.help.neighbours]]


def _heatmaps(
    protocol: HumanAiTeam, arm: str, cases: Iterable[Case], rates: SketchRates
) -> dict[str, Heatmap]:
    """Return an arm's maps: cones on the object, or anywhere."""
    cones: dict[tuple[Place, float], Heatmap] = {}
    maps = {}
    for case in cases:
        rng = _rng(protocol, "map", arm, case.item)
        hits = rng.random() < rates.on_object
        place = _place_of(protocol, case.item) if hits else _place(rng)
        cone = place, CONE_CELLS[int(rng.integers(len(CONE_CELLS)))]
        if cone not in cones:
            cones[cone] = heatmap(*cone, protocol.images.size_px)
        maps[case.item] = cones[cone]
    return maps


def _metric(protocol: HumanAiTeam, arm: str, case: Case) -> Metric:
    rng = _rng(protocol, "metric", arm, case.item)
    iou = float(rng.uniform(0, 1))
    return Metric(
        pointing_game=float(rng.random() < 0.5 + iou / 2),
        iou=iou,
        wsl=float(iou > protocol.metrics.wsl_iou),
    )


def _texts(cases: Iterable[Case]) -> Words:
    begin = {ANY_LANGUAGE: "This is what it looks like:", "de": "So sieht es aus:"}
    return {
        (case.item, tag): f"{words} {SHAPE_DEFINITIONS[case.predicted_label, tag]}"
        for case in cases
        for tag, words in begin.items()
    }


def _ai_alone(protocol: HumanAiTeam, rates: SketchRates) -> list[AiAnswer]:
    """Return answers of the AI alone, of which bins hold what they do in the published data."""
    rng = _rng(protocol, "ai")
    shares = np.array([PUBLISHED_WEIGHTS[name] for name in NATURAL_BINS])
    names = rng.choice(NATURAL_BINS, size=rates.ai_images, p=shares / shares.sum())
    answers = []
    for nth, name in enumerate(names, start=1):
        item, right = f"source-{nth:05d}", str(name).startswith(RIGHT)
        if rng.random() < rates.between:
            answers.append(AiAnswer(item, _between(protocol, rng), right))
        else:
            answers.append(AiAnswer(item, _confidence(protocol, str(name), rng), right))
    return answers


def _between(protocol: HumanAiTeam, rng: np.random.Generator) -> float:
    """Return a confidence that lies between the bins, where there is room."""
    limits = protocol.bins
    below = limits.mid_from - limits.low_below
    width = below + limits.high_from - limits.mid_below
    at = float(rng.random()) * width
    return limits.low_below + at if at < below else limits.mid_below + at - below
