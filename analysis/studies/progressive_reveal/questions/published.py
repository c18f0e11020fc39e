"""What the paper reports, beside what was found; pixels as per cent of the image."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.question import Answered, Question
from analysis.report.about import about
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING, number, percent
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.images import LowestCounts
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.images import IMAGES
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.participants import (
    PARTICIPANTS,
    named_methods,
)
from analysis.studies.progressive_reveal.questions.steps import STEPS
from analysis.studies.progressive_reveal.rates import (
    ALL_LAST_STEP,
    READINGS,
    RECOGNISED,
    Averages,
    StepDistribution,
)
from analysis.studies.progressive_reveal.share_curves import Late
from analysis.studies.progressive_reveal.words import rows_of
from stimuli.studies.progressive_reveal.protocol import HUMAN

REFERENCE: Final = (
    "Dawoud et al. (2023), Human-Centered Evaluation of XAI Methods: 76 participants, 3836 rounds "
    "of 17 classes × 6 images."
)
REMARK: Final = (
    "The paper counts pixels of 256 × 256 images (65536, by its own arithmetic); they are compared "
    "as per cent of the image. How failed rounds enter its Table III isn’t stated: ours is given "
    "in both readings. Other images, classes and participants give other numbers: agreement isn’t "
    "expected, the comparison shows the scale."
)
IMAGE_PIXELS: Final = 65536
TABLE3: Final[Mapping[str, tuple[float, float, float]]] = {
    "human": (3006.9, 1.63, 0.81),
    "lrp": (3331.9, 1.49, 0.84),
    "occlusion": (3146.1, 1.49, 0.75),
    "protopnet": (4662.3, 1.55, 0.88),
}
# Number of images on which each method uncovered least: of all methods, of all but human maps.
TABLE4: Final[Mapping[str, tuple[int, int | None]]] = {
    "human": (43, None),
    "occlusion": (29, 50),
    "lrp": (16, 35),
    "protopnet": (14, 17),
}
PUBLISHED_IMAGES: Final = 102
LATE: Final[Mapping[str, float]] = {"lrp": 6500, "occlusion": 6500, "protopnet": 9000}
AHEAD: Final[Mapping[str, float]] = {"lrp": 6000, "occlusion": 6000}
"""Number of pixels from which a method is ahead of human maps."""


@dataclass(frozen=True, slots=True)
class PublishedAverages:
    """A row of the paper's Table III."""

    method: Annotated[str, about("The method.")]
    pixels: Annotated[float, about("Pixels uncovered on average.")]
    share: Annotated[float, about("The same as share of the image, 0 to 1.")]
    attempts: Annotated[float, about("Tries on average.")]
    rate: Annotated[float, about("Recognition rate, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class PublishedLowest:
    """A row of the paper's Table IV."""

    method: Annotated[str, about("The method.")]
    images: Annotated[int, about("Images on which it uncovers least.")]
    without: Annotated[int | None, about("The same without human maps; null for these.")]


@dataclass(frozen=True, slots=True)
class PublishedLate:
    """What the paper says of nine tenths of the recognised rounds."""

    method: Annotated[str, about("The method.")]
    pixels: Annotated[float, about("Pixels, approximately.")]
    share: Annotated[float, about("The same as share of the image, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class PublishedValues:
    """The paper's values."""

    image_pixels: Annotated[int, about("Size of its images, pixels.")]
    images: Annotated[int, about("Its images.")]
    table3: Annotated[tuple[PublishedAverages, ...], about("Table III.")]
    table4: Annotated[tuple[PublishedLowest, ...], about("Table IV.")]
    late: Annotated[tuple[PublishedLate, ...], about("Section IV-A.")]


@dataclass(frozen=True, slots=True)
class Published(PaperBeside):
    """What the paper reports, beside the same here."""

    values: Annotated[PublishedValues, about("Only its values.")]


def combine(data: RevealData, answers: Answered) -> Published:
    """Return the paper's values with ours."""
    people = answers.of(PARTICIPANTS)
    name = named_methods(people).name
    rows = (
        *_averages(answers.of(AVERAGES), name),
        *_late(answers.of(NEEDED).turnbull.late, name),
        *_ahead(answers.of(NEEDED).turnbull.late, people.reference, name),
        *_lowest(answers.of(IMAGES).lowest, people.reference, name),
        _steps(answers.of(STEPS).distribution),
    )
    return Published(REFERENCE, REMARK, rows, _values())


def _values() -> PublishedValues:
    return PublishedValues(
        image_pixels=IMAGE_PIXELS,
        images=PUBLISHED_IMAGES,
        table3=tuple(
            PublishedAverages(method, pixels, pixels / IMAGE_PIXELS, attempts, rate)
            for method, (pixels, attempts, rate) in TABLE3.items()
        ),
        table4=tuple(PublishedLowest(method, *images) for method, images in TABLE4.items()),
        late=tuple(
            PublishedLate(method, pixels, pixels / IMAGE_PIXELS) for method, pixels in LATE.items()
        ),
    )


def _averages(ours: Averages, name: Callable[[str], str]) -> list[Beside]:
    recognised, all_rounds = ours.of(RECOGNISED), ours.of(ALL_LAST_STEP)
    found = []
    for method, (pixels, attempts, rate) in TABLE3.items():
        own, every = recognised.get(method), all_rounds.get(method)
        share, called = pixels / IMAGE_PIXELS, name(method)
        both = f"{percent(own.share, 1)} / {percent(every.share, 1)}" if own and every else NOTHING
        found += [
            Beside(
                f"Uncovered on average, {called} (recognised rounds / all rounds)",
                f"{percent(share, 1)} ({number(pixels, 1)} px)",
                "Table III",
                both,
                share,
                every.share if every else None,
            ),
            Beside(
                f"Tries, {called}",
                number(attempts),
                "Table III",
                number(own.attempts) if own else NOTHING,
                attempts,
                own.attempts if own else None,
            ),
            Beside(
                f"Recognition rate, {called}",
                percent(rate),
                "Table III",
                percent(own.recognition_rate, 1) if own else NOTHING,
                rate,
                own.recognition_rate if own else None,
            ),
        ]
    return found


def _late(ours: tuple[Late, ...], name: Callable[[str], str]) -> list[Beside]:
    found = []
    for method, pixels in LATE.items():
        value = next((row.recognised_only for row in rows_of(ours, method)), None)
        found.append(
            Beside(
                f"Uncovered when nine tenths of the recognised rounds were, {name(method)}",
                f"about {percent(pixels / IMAGE_PIXELS, 1)} ({number(pixels, 0)} px)",
                "Figure 7, section IV-A",
                percent(value, 1),
                pixels / IMAGE_PIXELS,
                value,
            )
        )
    return found


def _ahead(ours: tuple[Late, ...], reference: str, name: Callable[[str], str]) -> list[Beside]:
    found = []
    for method, pixels in AHEAD.items() if reference == HUMAN else ():
        value = next((row.ahead_from for row in rows_of(ours, method)), None)
        found.append(
            Beside(
                f"Uncovered from which on {name(method)} is ahead of {name(HUMAN)}",
                f"about {percent(pixels / IMAGE_PIXELS, 1)} ({number(pixels, 0)} px)",
                "Figure 7, section IV-A",
                percent(value, 1),
                pixels / IMAGE_PIXELS,
                value,
            )
        )
    return found


def _lowest(
    ours: tuple[LowestCounts, ...], reference: str, name: Callable[[str], str]
) -> list[Beside]:
    every = {(row.method, row.reading): row for row in ours}
    without = every if reference == HUMAN else {}
    found = []
    for also, known, of, column in (
        ("", every, _of_all, 0),
        (f", {name(HUMAN)} excluded", without, _of_others, 1),
    ):
        for method, published in TABLE4.items():
            images = published[column]
            if images is None:
                continue
            own = [of(known.get((method, reading))) for reading in READINGS]
            share = own[-1][0] / own[-1][1] if own[-1][1] else None
            found.append(
                Beside(
                    f"Images where {name(method)} uncovered the least{also} "
                    "(recognised rounds / all rounds)",
                    _counted(images, PUBLISHED_IMAGES),
                    "Table IV",
                    " / ".join(_counted(*counts) for counts in own),
                    images / PUBLISHED_IMAGES,
                    share,
                )
            )
    return found


def _of_all(row: LowestCounts | None) -> tuple[int, int]:
    """Return on how many images a method uncovered least, and how many were compared."""
    return (0, 0) if row is None else (row.images, row.compared)


def _of_others(row: LowestCounts | None) -> tuple[int, int]:
    """Return the same without the reference."""
    return (0, 0) if row is None else (row.without_reference or 0, row.compared_without)


def _counted(images: int, compared: int) -> str:
    """Return a count of images as per cent of those compared, e.g. ``42 % (43 of 102)``."""
    return f"{percent(images / compared)} ({images} of {compared})" if compared else NOTHING


def _steps(ours: StepDistribution) -> Beside:
    return Beside(
        "Participants whose average step of recognition lies between the 4th and the 9th",
        "all users",
        "section IV-B",
        percent(ours.people_between),
        1.0,
        ours.people_between,
    )


PUBLISHED = Question(
    id="published", title="Published values beside ours", answer=Published, combine=combine
)
"""What the paper reports, beside ours."""
