"""Axes of figures that show leads one by one."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.words import ODD_OUTCOMES, lead_name


def ordered_leads(leads: Sequence[LeadResult]) -> list[LeadResult]:
    """Sort leads: those who profit most first, those whose answers say nothing last."""
    last = {name: place for place, name in enumerate(ODD_OUTCOMES, start=1)}
    return sorted(
        leads,
        key=lambda lead: (
            last.get(lead.outcome, 0),
            -(lead.usefulness_pooled.estimate or 0),
            lead.participant,
        ),
    )


def lead_axis(axes: Axes, leads: Sequence[LeadResult]) -> None:
    """Name each lead on the left, the first on top."""
    axes.set_ylim(len(leads) - 0.4, -0.6)
    axes.set_yticks(range(len(leads)))
    axes.set_yticklabels([lead_name(lead) for lead in leads], fontsize=7.8)


def write_aside(axes: Axes, place: int, text: str, colour: str) -> None:
    """Write a remark on the right of a lead's row."""
    axes.annotate(
        text,
        (1.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.2,
        color=colour,
    )
