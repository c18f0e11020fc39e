"""Each lead on the page: in tables, in figures and in the headline."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.report.results import coded_name
from analysis.report.style import (
    INK,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    points_axis,
    subplots,
)
from analysis.report.wording import grouped, listed
from analysis.studies.accept_reject.exclusions import GroupCompliance
from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.quantities import BOTH
from analysis.studies.accept_reject.words import (
    FEW_LEADS,
    ODD_OUTCOMES,
    SOLVER_COLOUR,
    SOLVER_MARKER,
    VERDICTS,
    Sample,
    solver_title,
)

_GAIN_EDGES: Final = np.linspace(-1.05, 1.05, 22)  # 10 points a bar, one centred on zero


def compliance_cells(groups: tuple[GroupCompliance, ...]) -> dict[str, Any]:
    """Return a lead's compliance as columns of a file."""
    cells = {}
    for group in groups:
        cells |= {
            f"compliance_{group.name}": group.count.rate,
            f"compliance_{group.name}_n": group.n,
        }
    return cells


def lead_cells(lead: LeadResult) -> dict[str, Any]:
    """Return a lead as a row of a file."""
    return {
        "participant": lead.participant,
        "robot": lead.robot,
        "outcome": lead.outcome,
        "verdict": lead.verdict,
        "flagged": lead.flagged,
        **compliance_cells(lead.compliance),
    }


def ordered_leads(leads: Sequence[LeadResult]) -> list[LeadResult]:
    """Sort leads: those who profit most come first, those whose answers say nothing last."""
    last = {name: place for place, name in enumerate(ODD_OUTCOMES, start=1)}
    return sorted(
        leads,
        key=lambda lead: (
            last.get(lead.outcome, 0),
            -(lead.gain(BOTH).estimate or 0),
            lead.participant,
        ),
    )


def lead_axis(axes: Axes, leads: Sequence[LeadResult]) -> None:
    """Name each lead on the left, the first on top."""
    axes.set_ylim(len(leads) - 0.4, -0.6)
    axes.set_yticks(range(len(leads)))
    axes.set_yticklabels([coded_name(lead) for lead in leads], fontsize=7.8)


def draw_leads(axes: Axes, leads: Sequence[LeadResult]) -> None:
    """Draw each lead's usefulness, with the verdict beside it."""
    for place, lead in enumerate(leads):
        for solver, shift in (("S", -0.16), ("E", 0.16)):
            look = SOLVER_COLOUR[solver], SOLVER_MARKER[solver]
            draw_estimate(axes, lead.gain(solver), place + shift, *look)
        write_aside(axes, place, lead.verdict, INK if lead.flagged else SOFT)
    lead_axis(axes, leads)
    axes.set_title("Each lead")


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


def draw_crowd(leads: Sequence[LeadResult], sample: Sample) -> Figure:
    """Return how usefulness is distributed over leads, for S and for E."""
    odd = np.array([lead.outcome in ODD_OUTCOMES for lead in leads])
    gains = {
        solver: np.array([lead.gain(solver).estimate for lead in leads], float)
        for solver in ("S", "E")
    }
    with figure_style():
        figure, panels = subplots(
            1, 2, figsize=(WIDTH_IN, 2.7), sharey=True, sharex=True, layout="constrained"
        )
        for axes, (solver, usefulness) in zip(panels, gains.items(), strict=True):
            known = np.isfinite(usefulness)
            _draw_stacked(axes, usefulness[known], odd[known], SOLVER_COLOUR[solver])
            axes.axvline(0, color=SOFT, linewidth=0.7)
            title = solver_title(solver, sample)
            axes.set_title(f"{title}, {grouped(int(known.sum()))} leads")
            axes.set_xlabel("usefulness (percentage points)")
            points_axis(axes.xaxis)
            # Its frame hides the line at zero, which would cross its words.
            legend = {"frameon": True, "framealpha": 1.0, "edgecolor": "none"}
            axes.legend(loc="upper left", fontsize=7, handlelength=1.2, **legend)
        panels[0].set_ylabel("leads")
        panels[0].set_ylim(top=1.3 * panels[0].get_ylim()[1])  # room for the legend
        panels[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        # The range in which leads lie, zero and a margin included.
        every = np.array([0.0, *(gain for by_lead in gains.values() for gain in by_lead)])
        low, high = float(np.nanmin(every)), float(np.nanmax(every))
        panels[0].set_xlim(max(low - 0.1, -1.05), min(high + 0.1, 1.05))
    return figure


def _draw_stacked(axes: Axes, values: np.ndarray, odd: np.ndarray, colour: str) -> None:
    middle = (_GAIN_EDGES[:-1] + _GAIN_EDGES[1:]) / 2
    width = 0.9 * (_GAIN_EDGES[1] - _GAIN_EDGES[0])
    plain, other = (np.histogram(part, _GAIN_EDGES)[0] for part in (values[~odd], values[odd]))
    axes.bar(middle, plain, width, color=colour, label="answers from the plate")
    axes.bar(
        middle,
        other,
        width,
        bottom=plain,
        facecolor="white",
        edgecolor=INK,
        linewidth=0.5,
        hatch="/////",
        label="not from the plate",
    )


def verdicts_of(leads: Sequence[LeadResult]) -> str:
    """Return which leads got each verdict, if they are few; else how many."""
    by_outcome = _by_outcome(leads)
    parts = []
    for outcome in _ORDER:
        alike = by_outcome.get(outcome, ())
        if alike:
            names = listed([coded_name(lead) for lead in alike])
            words = _COUNTED[outcome][len(alike) > 1]
            if len(leads) <= FEW_LEADS:
                parts.append(f"{names} {words}")
            else:
                named = outcome == "from_explanation" and len(alike) <= FEW_LEADS
                parts.append(f"{len(alike)} {words}" + (f" ({names})" if named else ""))
    return "; ".join(parts)


_ORDER: Final = tuple(VERDICTS)
_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "profits": ("profits from explanations", "profit from explanations"),
    "hindered": ("accepts less with explanations", "accept less with explanations"),
    "undecided": ("is undecided", "are undecided"),
    "from_explanation": ("accepts from the explanation", "accept from the explanation"),
    "perhaps_from_explanation": (
        "accepts more, perhaps by reading the contour",
        "accept more, perhaps by reading the contour",
    ),
    "indiscriminate": (
        "accepts more, right and wrong digits alike",
        "accept more, right and wrong digits alike",
    ),
    "not_compliant": ("doesn't follow the guidelines", "don't follow the guidelines"),
    "sham": ("is in the sham group", "are in the sham group"),
    "unknown": ("can't be judged", "can't be judged"),
}


def _by_outcome(leads: Sequence[LeadResult]) -> dict[str, list[LeadResult]]:
    by_outcome: dict[str, list[LeadResult]] = {}
    for lead in leads:
        by_outcome.setdefault(lead.outcome, []).append(lead)
    return by_outcome
