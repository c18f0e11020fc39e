"""Honest leads and leads who read contours: who is said to accept from the explanation."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from analysis.studies.accept_reject.people import each_lead
from bench.book import Effort, Measured, Part, table
from bench.parts.control_worlds import (
    FEW,
    QUICK_STUDIES,
    STUDIES,
    Rates,
    controls_of,
    generator,
    honest,
    many,
    protocol,
)
from bench.parts.words import percent_of

READER = Rates(0.95, 0.10, 0.90)
"""As the robot ``contour_reader``: guesses one in ten, and takes most outlines for their digit."""


def flagged(errors: Sequence[float], readers: int, spread: float, seed: int) -> tuple[int, int]:
    """Return how many honest leads and how many contour readers are flagged in one study."""
    leads = [READER] * readers + [honest(error) for error in errors]
    judged = controls_of([lead.chances() for lead in leads], generator(seed), spread)
    found, _ = each_lead(judged, protocol().analysis)
    hits = [lead.flagged for lead in found]
    return sum(hits[readers:]), sum(hits[:readers])


CONTOUR_WORLDS: Mapping[str, tuple[tuple[float, ...], int, float]] = {
    "24 accept 2 % of plates without a numeral": ((0.02,) * FEW, 0, 0.0),
    "24 accept 10 %": ((0.10,) * FEW, 0, 0.0),
    "24 accept 20 %": ((0.20,) * FEW, 0, 0.0),
    "24 accept 30 %": ((0.30,) * FEW, 0, 0.0),
    "24 accept 15 % and differ": ((0.15,) * FEW, 0, 1.0),
    "23 accept 10 %, one reads contours": ((0.10,) * (FEW - 1), 1, 0.0),
    "23 accept 2 %, one reads contours": ((0.02,) * (FEW - 1), 1, 0.0),
    "18 accept 10 %, six read contours": ((0.10,) * (FEW - 6), 6, 0.0),
    "3 accept 15 %": ((0.15,) * 3, 0, 0.0),
    "2 accept 2 %, one reads contours": ((0.02,) * 2, 1, 0.0),
}


def contour_flag(effort: Effort) -> Measured:
    """How often honest leads and contour readers are said to accept from the explanation."""
    studies = QUICK_STUDIES if effort.quick else STUDIES
    figures: dict[str, Any] = {"studies": studies}
    for name, (errors, readers, spread) in CONTOUR_WORLDS.items():
        effort.say(name)
        found = many(partial(_flag_task, errors, readers, spread), studies)
        figures[name] = {
            "studies_with_a_false_flag": sum(one[0] > 0 for one in found),
            "readers_flagged": sum(one[1] for one in found),
        }
    return Measured(contour_text(figures), figures)


def contour_text(figures: Mapping[str, Any]) -> str:
    """Return the section on who accepts from the explanation."""
    studies = figures["studies"]
    lines = [
        [
            name,
            percent_of(figures[name]["studies_with_a_false_flag"], studies),
            percent_of(figures[name]["readers_flagged"], studies * readers) if readers else "–",
        ]
        for name, (_, readers, _) in CONTOUR_WORLDS.items()
    ]
    return (
        f"{studies} studies of each row. An honest lead accepts plates without a numeral equally "
        "often with and without a digit-shaped contour; the row says how often. In the row *and "
        "differ*, leads and plates vary as in the section on harm. A contour reader accepts 10 % "
        "of these plates without a contour and 90 % with one. The report flags a lead by the mixed "
        "probit model of all leads (`analysis/studies/accept_reject/exclusions.py`), with a "
        "penalty where its spread runs away, or by Fisher's exact test at 5 % divided by the "
        "number of leads.\n\n"
        + table(["leads", "studies with an honest lead flagged", "readers flagged"], lines)
    )


def _flag_task(
    errors: tuple[float, ...], readers: int, spread: float, seed: int
) -> tuple[int, int]:
    with threadpool_limits(1):
        return flagged(errors, readers, spread, seed)


PARTS = (Part("contour_flag", "Who is reported to accept from the explanation", contour_flag),)
