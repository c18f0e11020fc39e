"""Who accepts from the explanation: plates without a numeral, with a digit-shaped contour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question, Within
from analysis.report.about import about
from analysis.report.declared import MOST_LISTED, ReportFigure, ReportModel
from analysis.report.parts import Paragraph
from analysis.report.style import FAINT, INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, shortened
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.exclusions import ContourFit
from analysis.studies.accept_reject.leads import lead_axis, ordered_leads, write_aside
from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.quantities import WITHOUT_NUMERAL
from analysis.studies.accept_reject.questions.participants import (
    PARTICIPANTS,
    leads_of,
    time_granted,
)
from analysis.studies.accept_reject.rates import contour_rows
from analysis.studies.accept_reject.words import BARE

MOST_NAMED = 12
_SHARE_EDGES = np.linspace(-0.025, 1.025, 22)
_CONTOURS = {"without": "no contour", "S_like": "contour like S’s", "E_like": "contour like E’s"}


@dataclass(frozen=True, slots=True)
class ContourReadings(Estimates):
    """Acceptance of plates without a numeral, with a digit-shaped contour and without one."""

    model: Annotated[ContourFit, about("How much leads differ.")]


def compute(data: LeadData) -> ContourReadings:
    """Return acceptance of plates without a numeral."""
    return ContourReadings(contour_rows(data.rates), data.contour.model)


def _readers(here: Within[ContourReadings]) -> Paragraph:
    flagged = [lead.participant for lead in here.whole.of(PARTICIPANTS).leads if lead.flagged]
    who = (
        "Leads who do so, by the rule under Participants: "
        f"{shortened(flagged, MOST_NAMED, 'lead')}."
        if flagged
        else "By the rule under Participants, no lead counts as doing so."
    )
    return Paragraph(
        "Plates without a numeral carry a contour shaped like the shown digit. Leads who accept "
        "them judge by the explanation, not by the plate; such acceptance is never usefulness. "
        + who
    )


READINGS = pivot(
    lambda here: f"Reading the contour: acceptance {time_granted(here)}, all leads.",
    (
        level_of("contour", "Plate without a numeral", _CONTOURS.__getitem__),
        value_of(WITHOUT_NUMERAL),
        limits_of(WITHOUT_NUMERAL, write=BARE),
        n_of(WITHOUT_NUMERAL, "n", "trials"),
    ),
    by=("contour",),
    of=lambda here: here.answer.estimates,
)


def _seen_by(leads: Sequence[LeadResult]) -> list[LeadResult]:
    """Return the leads who saw plates without a numeral with a contour."""
    return [lead for lead in leads if lead.without_numeral("with").n]


def draw(here: Within[ContourReadings]) -> Figure:
    """Draw acceptance of plates without a numeral: with a digit-shaped contour, and without."""
    leads = _seen_by(ordered_leads(leads_of(here.whole.of(PARTICIPANTS))))
    if len(leads) > MOST_LISTED:
        return _draw_crowd(leads)
    leads.sort(key=lambda lead: -(lead.without_numeral("with").estimate or 0))
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, 0.95 + max(len(leads) * 0.24, 0.5)), layout="constrained"
        )
        for place, lead in enumerate(leads):
            _draw_lead(axes, lead, place)
        lead_axis(axes, leads)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("plates without a numeral that were accepted")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_lead(axes: Axes, lead: LeadResult, place: int) -> None:
    with_, without = lead.without_numeral("with"), lead.without_numeral("without")
    axes.plot(
        np.array([with_.ci_low, with_.ci_high], dtype=float),
        [place, place],
        color=FAINT,
        linewidth=4,
        solid_capstyle="butt",
        zorder=1,
    )
    if without.estimate is not None:
        axes.plot(
            without.estimate,
            place,
            "o",
            color=SOFT,
            markerfacecolor="white",
            markersize=7.9,
            markeredgewidth=0.9,
            zorder=2,
        )
    colour = INK if lead.flagged else SOFT
    if with_.estimate is not None:
        axes.plot(with_.estimate, place, "D", color=colour, markersize=4.4, zorder=3)
    if lead.flagged:
        write_aside(axes, place, "accepts from the explanation", INK)


def _draw_crowd(leads: Sequence[LeadResult]) -> Figure:
    """Return how accepting plates without a numeral is distributed over leads."""
    flagged = np.array([lead.flagged for lead in leads])
    shares = np.array([lead.without_numeral("with").estimate for lead in leads], dtype=float)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.5), layout="constrained")
        counts = [
            np.histogram(part, _SHARE_EDGES)[0] for part in (shares[~flagged], shares[flagged])
        ]
        middle = (_SHARE_EDGES[:-1] + _SHARE_EDGES[1:]) / 2
        names = ("other leads", "accept from the explanation")
        for count, colour, base, name in zip(
            counts, ("#c9c9c9", INK), (0, counts[0]), names, strict=True
        ):
            axes.bar(
                middle,
                count,
                0.045,
                base,
                color=colour,
                label=f"{name} ({grouped(int(count.sum()))})",
            )
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("plates without a numeral, with a digit-shaped contour, that were accepted")
        axes.set_ylabel("leads")
        axes.legend(fontsize=7.5)
    return figure


def _caption(here: Within[ContourReadings]) -> str:
    if len(here.whole.of(PARTICIPANTS).leads) > MOST_LISTED:
        return (
            "Accepted plates without a numeral that carry a digit-shaped contour, as counts of "
            "leads. Black: leads who accept from the explanation."
        )
    return (
        "Accepted plates without a numeral: diamonds with a digit-shaped contour (bar: 95 % "
        "interval), open circles without one."
    )


FIGURE = ReportFigure(
    "contour_reading",
    _caption,
    "For each lead, acceptance of plates without a numeral with and without a contour",
    draw,
)
MODEL = ReportModel("contour_model", "answer.model", "How much leads differ in this:")


def _was_shown(answer: ContourReadings) -> bool:
    """Return whether any plate without a numeral had a contour."""
    return any(row.n for row in answer.estimates if row.of["contour"] != "without")


CONTOUR = Question(
    id="contour",
    title="Reading the contour",
    answer=ContourReadings,
    quantities=(WITHOUT_NUMERAL,),
    compute=compute,
    parts=(_readers, READINGS, MODEL, FIGURE),
    view=Within,
    shown=_was_shown,
    registered=lambda _: Promise(
        "Acceptance of plates without a numeral, with a digit-shaped contour and without one.",
    ),
)
"""Who accepts from the explanation."""
