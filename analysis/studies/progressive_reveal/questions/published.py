"""What the paper reports, beside what was found; pixels as per cent of the image."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.questions.estimates import Quantity
from analysis.questions.published import TITLE, Ours, Paper
from analysis.questions.question import Question, TypedAnswers
from analysis.report.frame import PaperBeside
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

Entry = Mapping[str, Any]
PAPER: Final = Paper.read(Path(__file__).parents[1])


def combine(data: RevealData, answers: TypedAnswers) -> PaperBeside:
    """Return the paper's values with ours."""
    people, averages, needed = answers.of(PARTICIPANTS), answers.of(AVERAGES), answers.of(NEEDED)
    by_human = people.reference == HUMAN

    def uncovered(entry: Entry) -> Ours:
        if entry["method"] not in averages.levels("method"):
            return Ours()
        seen, every = (averages.row(SHARE, method=entry["method"], reading=reading).estimate
                       for reading in READINGS)  # fmt: skip
        return Ours(f"{percent(seen, 1)} / {percent(every, 1)}", every)

    def tries(entry: Entry) -> Ours:
        ours = averages.row(TRIES, method=entry["method"]).estimate
        return Ours(number(ours), ours)

    def recognised(entry: Entry) -> Ours:
        return _share(averages.row(RATE, method=entry["method"]).estimate)

    def from_curve(quantity: Quantity, entry: Entry) -> Ours:
        return _share(needed.row(quantity, method=entry["method"]).estimate)

    def lowest(among: str, entry: Entry) -> Ours:
        rows = [answers.of(IMAGES).row(LOWEST, method=entry["method"], among=among, reading=reading)
                for reading in READINGS]  # fmt: skip
        known = among == ALL or by_human
        counts = [(int(row.estimate or 0), row.n or 0) if known else (0, 0) for row in rows]
        images, compared = counts[-1]
        words = " / ".join(_counted(*pair) for pair in counts)
        return Ours(words, images / compared if compared else None)

    between = answers.of(STEPS).row(PEOPLE_BETWEEN).estimate
    ours = {
        "uncovered": uncovered,
        "tries": tries,
        "recognised": recognised,
        "late": lambda entry: from_curve(LATE_ONLY, entry),
        "lowest": lambda entry: lowest(ALL, entry),
        "lowest_of_others": lambda entry: lowest(OTHERS, entry),
        "steps": lambda _: Ours(percent(between), between),
    }
    if by_human:
        ours["ahead"] = lambda entry: from_curve(AHEAD_FROM, entry)
    name = named_methods(people).name
    return PAPER.beside(ours, {"method": name, "human": name})


def _share(value: float | None) -> Ours:
    return Ours(percent(value, 1), value)


def _counted(images: int, compared: int) -> str:
    """Return a count of images as per cent of those compared, e.g. ``42 % (43 of 102)``."""
    return f"{percent(images / compared)} ({images} of {compared})" if compared else NOTHING


PUBLISHED = Question(id="published", title=TITLE, answer=PaperBeside, combine=combine)
"""What the paper reports, beside ours."""
