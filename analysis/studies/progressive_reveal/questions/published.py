"""What the paper reports, beside what was found; pixels as per cent of the image."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from analysis.questions.estimates import Estimates
from analysis.questions.question import Answered, Question
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


def combine(data: RevealData, answers: Answered) -> PaperBeside:
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
    return PaperBeside(REFERENCE, REMARK, rows)


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
                " / ".join(_counted(*pair) for pair in counts),
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
    id="published", title="Published values beside ours", answer=PaperBeside, combine=combine
)
"""What the paper reports, beside ours."""
