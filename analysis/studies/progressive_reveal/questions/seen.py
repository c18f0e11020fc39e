"""What was shown: which images of the pack stand for all, and their pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, select
from analysis.questions.question import Pictured, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Paragraph
from analysis.report.seen import (
    LABEL_IN,
    NO_PICTURES,
    Cell,
    PictureRow,
    Pixels,
    at_most,
    of_pack,
    picture_of,
    picture_rows,
)
from analysis.report.style import WIDTH_IN
from analysis.report.wording import count, number, percent
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.quantities import ALL_LAST_STEP, RATE, SHARE
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.languages import ENGLISH
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.reveal import image_at
from stimuli.studies.progressive_reveal.tables import CLASSES, ITEMS, KEY

SHOWN_STEPS: Final = 5
QUARTERS: Final = (0.25, 0.75)
"""Places of the shown images in the order of what the reference uncovers in the end, 0 to 1."""
MOST_CLASSES: Final = 8
LARGE_PX, SMALL_PX = 256, 160
WHOLE_IMAGE: Final = ""
"""Stands for the method of a picture of the whole image, at step 0."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """An image as far as a method uncovers it by a step."""

    method: Annotated[str, about("The method.")]
    step: Annotated[int, about("The step.")]
    share: Annotated[float | None, about("Share of the image uncovered by then, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class Reveal:
    """An image, step by step by each method."""

    item: Annotated[str, about("The image.")]
    name: Annotated[str, about("Its class.")]
    rows: Annotated[tuple[ShownStep, ...], about("What is shown, by method and step.")]


@dataclass(frozen=True, slots=True)
class ShownAverage:
    """An image as far as a method had uncovered it on average when a round ended."""

    step: Annotated[int, about("Step by which this share is uncovered.")]
    method: Annotated[str, about("The method.")]
    share: Annotated[float | None, about("Average share of the image, 0 to 1.")]
    n: Annotated[int, about("Completed rounds.")]
    recognised: Annotated[int, about("Recognised rounds.")]


@dataclass(frozen=True, slots=True)
class Example:
    """The image of a class on which average shares differ most between methods."""

    item: Annotated[str, about("The image.")]
    name: Annotated[str, about("Its class.")]
    spread: Annotated[float, about("Largest average share less the smallest.")]
    rows: Annotated[tuple[ShownAverage, ...], about("What is shown, by method.")]


@dataclass(frozen=True, slots=True)
class Seen:
    """Which images the figures show; none if the pack isn't at hand."""

    reveals: Annotated[
        tuple[Reveal, ...], about("Two images with less and more to uncover, step by step.")
    ]
    examples: Annotated[
        tuple[Example, ...], about("An image of each class in which methods differ most.")
    ]
    classes: Annotated[
        int | None,
        about("Number of all classes, of which these are the first; null without the pack."),
    ]


Here = RevealView[Pictured[Seen]]


def compute(data: RevealData) -> Seen:
    """Return which images the figures show, and at which steps."""
    pack, table = data.dataset.pack, data.table
    if pack is None:
        return Seen((), (), None)
    language = pack.protocol.language_near(ENGLISH)
    names = {name.class_id: name.name for name in Classes.of(pack.table(CLASSES), language).names}
    key = [row for row in pack.table(KEY) if row["method"] in table.methods]
    class_of = {str(row["item"]): str(row["class"]) for row in key}
    there = {item: {str(row["method"]) for row in key if row["item"] == item} for item in class_of}
    items = [item for item in table.items if there.get(item, set()) >= set(table.methods)]
    name_of = {item: names[class_id] for item, class_id in class_of.items()}
    return Seen(
        reveals=tuple(_reveal(table, item, name_of[item]) for item in _typical(table, items)),
        examples=_examples(table, items, data.images, name_of),
        classes=len({class_of[item] for item in items}),
    )


def _typical(table: RoundTable, items: Sequence[str]) -> list[str]:
    last = {item: table.amounts[table.items.index(item), 0, -1] for item in items}
    ordered = sorted((item for item in items if np.isfinite(last[item])), key=lambda i: last[i])
    places = [round(quarter * (len(ordered) - 1)) for quarter in QUARTERS]
    return list(dict.fromkeys(ordered[place] for place in places)) if ordered else []


def _reveal(table: RoundTable, item: str, name: str) -> Reveal:
    steps = np.unique(np.linspace(1, table.steps, SHOWN_STEPS).round().astype(int))
    amounts = table.amounts[table.items.index(item)]
    rows = tuple(
        ShownStep(method, int(step), float(amounts[m, step - 1]))
        for m, method in enumerate(table.methods)
        for step in steps
    )
    return Reveal(item, name, rows)


def _examples(
    table: RoundTable,
    items: Sequence[str],
    images: Sequence[EstimateRow],
    name_of: Mapping[str, str],
) -> tuple[Example, ...]:
    examples: dict[str, Example] = {}
    for item in items:
        rows = select(images, SHARE, item=item, reading=ALL_LAST_STEP)
        shares = {row.of["method"]: row.interval.estimate for row in rows}
        if set(shares) < set(table.methods):
            continue
        spread = max(shares.values()) - min(shares.values())
        name = name_of[item]
        if name not in examples or spread > examples[name].spread:
            rates = {row.of["method"]: row for row in select(images, RATE, item=item)}
            cells = tuple(_average(table, rates[key], shares[key]) for key in table.methods)
            examples[name] = Example(item, name, spread, cells)
    most = sorted(examples.values(), key=lambda example: -example.spread)[:MOST_CLASSES]
    return tuple(sorted(most, key=lambda example: example.name))


def _average(table: RoundTable, rate: EstimateRow, share: float) -> ShownAverage:
    """Return the step by which as much is uncovered as on average when a round ended."""
    item, method = rate.of["item"], rate.of["method"]
    course = table.amounts[table.items.index(item), table.methods.index(method)]
    reached = np.flatnonzero(course >= share - 1e-9)
    step = int(reached[0]) + 1 if len(reached) else table.steps
    return ShownAverage(step, method, share, rate.n or 0, rate.count)


def pictures(pack: Pack, seen: Seen) -> dict[tuple[str, str, int], Pixels]:
    """Return each picture of the figures by image, method and step; whole images at step 0."""
    key = {(str(r["item"]), str(r["method"])): str(r["presentation"]) for r in pack.table(KEY)}
    files = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    pixels: dict[tuple[str, str, int], Pixels] = {}
    for part, side_px in (
        *((reveal, LARGE_PX) for reveal in seen.reveals),
        *((example, SMALL_PX) for example in seen.examples),
    ):
        for row in part.rows:
            file = files[key[part.item, row.method]]
            image = picture_of(pack.asset(str(file["image_file"])))
            step_of = picture_of(pack.asset(str(file["steps_file"])), "L")
            pixels[part.item, row.method, row.step] = at_most(
                image_at(image, step_of, row.step), side_px
            )
            pixels[part.item, WHOLE_IMAGE, 0] = at_most(image, side_px)
    return pixels


def draw_reveals(here: Here) -> Figure:
    """Return how each method uncovers two images: one row per method, one column per step."""
    reveals = here.answer.answer.reveals
    steps = [row.step for row in reveals[0].rows if row.method == here.methods.reference]
    blocks = [
        [_reveal_row(here, reveal, method, len(steps)) for method in here.methods.all]
        for reveal in reveals
    ]
    top, name = blocks[0][0], reveals[0].name
    blocks[0][0] = replace(top, titles=[*(f"step {step}" for step in steps), name])
    return picture_rows(blocks, (WIDTH_IN - LABEL_IN) / (len(steps) + 1), 0.3)


def _reveal_row(here: Here, reveal: Reveal, method: str, steps: int) -> PictureRow:
    """Return an image as a method uncovers it; the first method's row has the whole image, too."""
    drawn = here.answer.pictures
    cells = [
        Cell(drawn[reveal.item, method, row.step], percent(row.share, 1))
        for row in reveal.rows
        if row.method == method
    ]
    name = here.methods.panel_name(method)
    if method != here.methods.all[0]:
        return PictureRow(name, cells)
    whole = Cell(drawn[reveal.item, WHOLE_IMAGE, 0])
    return PictureRow(name, [*cells, whole], [*[""] * steps, reveal.name])


def draw_examples(here: Here) -> Figure:
    """Return images as far as each method uncovered them on average: one row per class."""
    methods, drawn = here.methods, here.answer.pictures
    titles = ["whole", *(methods.panel_name(method) for method in methods.all)]
    rows = [
        PictureRow(
            example.name,
            [
                Cell(drawn[example.item, WHOLE_IMAGE, 0]),
                *(
                    Cell(
                        drawn[example.item, row.method, row.step],
                        f"{percent(row.share, 1)}, {row.recognised} of {row.n}",
                    )
                    for row in example.rows
                ),
            ],
            () if place else titles,
        )
        for place, example in enumerate(here.answer.answer.examples)
    ]
    return picture_rows([rows], min((WIDTH_IN - LABEL_IN) / len(titles), 1.05), 0.4)


def _reveal_caption(here: Here) -> str:
    return (
        f"How the methods uncover images, at some of the {count(here.people.steps, 'step')} "
        f"of {number(here.protocol.reveal.step_s, 1)} s, and the whole image "
        "(Figure 5 of the paper). By the share that the reference uncovers in the end, about a "
        "quarter of all images have less than the first one, and a quarter more than the last. In "
        "the corner: "
        "share of the image uncovered by then."
    )


def _example_caption(here: Here) -> str:
    seen = here.answer.answer
    examples, there = len(seen.examples), seen.classes or 0
    which = (
        f"The {examples} of {there} classes in which methods differ most"
        if examples < there
        else "Each class"
    )
    return (
        f"{which}: the image on which average uncovered shares differ most between methods, whole "
        "and as far as each method had uncovered it on average when a completed round ended "
        "(Figures 10 and 11 of the paper). In the corner: the average share, and how many rounds "
        "were recognised. The images are chosen for their differences: they show what methods "
        "do, not how often."
    )


def _without_pictures(here: Here) -> Paragraph | None:
    return NO_PICTURES if here.answer.answer.classes is None else None


REVEALS = ReportFigure(
    "reveals",
    _reveal_caption,
    "Rows of pictures: two images uncovered step by step, a row for each method",
    draw_reveals,
    lambda here: here.answer.pictures and here.answer.answer.reveals,
)
EXAMPLES = ReportFigure(
    "examples",
    _example_caption,
    "Rows of pictures: a class each, whole and as uncovered on average by each method",
    draw_examples,
    lambda here: here.answer.pictures and here.answer.answer.examples,
)
SEEN = Question(
    id="seen",
    title="What was shown",
    answer=Seen,
    compute=compute,
    parts=(REVEALS, EXAMPLES, _without_pictures),
    view=RevealView,
    pictures=of_pack(pictures),
)
"""What was shown."""
