"""What the paper reports, beside what was found; pixels as per cent of the image."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.estimates import Estimates
from analysis.questions.question import Answered, Question
from analysis.report.about import about
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING, number, percent
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.images import ALL, LOWEST, OTHERS
from analysis.studies.progressive_reveal.quantities import RATE, READINGS, SHARE
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.images import IMAGES
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.participants import (
    PARTICIPANTS,
    named_methods,
)
from analysis.studies.progressive_reveal.questions.steps import STEPS
from analysis.studies.progressive_reveal.rates import PEOPLE_BETWEEN, TRIES
from analysis.studies.progressive_reveal.share_curves import AHEAD_FROM, LATE_ONLY
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
    steps = answers.of(STEPS)
    rows = (
        *_averages(answers.of(AVERAGES), name),
        *_shares(answers.of(NEEDED), people.reference, name),
        *_lowest(answers.of(IMAGES), people.reference, name),
        _steps(steps.row(PEOPLE_BETWEEN).estimate),
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


def _averages(ours: Estimates, name: Callable[[str], str]) -> Iterator[Beside]:
    for method, (pixels, attempts, rate) in TABLE3.items():
        seen, every = (ours.row(SHARE, method=method, reading=reading).estimate
                       for reading in READINGS)  # fmt: skip
        both = f"{percent(seen, 1)} / {percent(every, 1)}"
        tries, recognised = (ours.row(each, method=method).estimate for each in (TRIES, RATE))
        place, called = "Table III", name(method)
        yield Beside(
            f"Uncovered on average, {called} (recognised rounds / all rounds)",
            f"{percent(pixels / IMAGE_PIXELS, 1)} ({number(pixels, 1)} px)",
            place,
            both if method in ours.levels("method") else NOTHING,
            pixels / IMAGE_PIXELS,
            every,
        )
        yield Beside(f"Tries, {called}", number(attempts), place, number(tries), attempts, tries)
        yield Beside(
            f"Recognition rate, {called}", percent(rate), place, percent(recognised, 1), rate,
            recognised,
        )  # fmt: skip


def _shares(ours: Estimates, reference: str, name: Callable[[str], str]) -> Iterator[Beside]:
    """Yield shares read off the published curves."""
    late = "Uncovered when nine tenths of the recognised rounds were, {}"
    ahead = f"Uncovered from which on {{}} is ahead of {name(HUMAN)}"
    for what, quantity, published in (
        (late, LATE_ONLY, LATE),
        (ahead, AHEAD_FROM, AHEAD if reference == HUMAN else {}),
    ):
        for method, pixels in published.items():
            value = ours.row(quantity, method=method).estimate
            yield Beside(
                what.format(name(method)),
                f"about {percent(pixels / IMAGE_PIXELS, 1)} ({number(pixels, 0)} px)",
                "Figure 7, section IV-A",
                percent(value, 1),
                pixels / IMAGE_PIXELS,
                value,
            )


def _lowest(ours: Estimates, reference: str, name: Callable[[str], str]) -> Iterator[Beside]:
    without = f", {name(HUMAN)} excluded"
    for column, (also, among) in enumerate((("", ALL), (without, OTHERS))):
        for method, published in TABLE4.items():
            images = published[column]
            if images is None:
                continue
            rows = [ours.row(LOWEST, method=method, among=among, reading=reading)
                    for reading in READINGS]  # fmt: skip
            known = among == ALL or reference == HUMAN
            counts = [(int(row.estimate or 0), row.n or 0) if known else (0, 0) for row in rows]
            lowest, compared = counts[-1]
            yield Beside(
                f"Images where {name(method)} uncovered the least{also} "
                "(recognised rounds / all rounds)",
                _counted(images, PUBLISHED_IMAGES),
                "Table IV",
                " / ".join(_counted(*each) for each in counts),
                images / PUBLISHED_IMAGES,
                lowest / compared if compared else None,
            )


def _counted(images: int, compared: int) -> str:
    """Return a count of images as per cent of those compared, e.g. ``42 % (43 of 102)``."""
    return f"{percent(images / compared)} ({images} of {compared})" if compared else NOTHING


def _steps(ours: float | None) -> Beside:
    return Beside(
        "Participants whose average step of recognition lies between the 4th and the 9th",
        "all users",
        "section IV-B",
        percent(ours),
        1.0,
        ours,
    )


PUBLISHED = Question(
    id="published", title="Published values beside ours", answer=Published, combine=combine
)
"""What the paper reports, beside ours."""
