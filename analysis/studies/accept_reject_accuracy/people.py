"""Leads: how each kept the guidelines on controls, and who is left out of the second analysis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import pandas as pd

from analysis.report.about import about
from analysis.statistics.proportions import Count
from stimuli.studies.accept_reject_accuracy.protocol import Analysis

KINDS: Final = ("wrong_label", "no_solution")
REASON: Final = "accepted too many wrong labels or no-solutions among the controls"


@dataclass(frozen=True, slots=True)
class Lead:
    """A lead."""

    participant: Annotated[str, about("Code of the lead.")]
    robot: Annotated[str | None, about("Name of the response model; null for a person.")]
    trials: Annotated[int, about("Trials.")]
    controls: Annotated[int, about("Controls among them.")]
    controls_rejected: Annotated[float | None, about("Share of these that was rejected, 0 to 1.")]
    compliant: Annotated[
        bool | None, about("Whether enough of them were; null for a lead who saw none.")
    ]
    accepted_S: Annotated[float | None, about("Share of S's labels accepted, as drawn, 0 to 1.")]  # noqa: N815
    accepted_E: Annotated[float | None, about("The same of E's labels.")]  # noqa: N815
    median_rt_s: Annotated[float | None, about("Median time to the answer, seconds.")]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A lead who is left out of the second analysis."""

    participant: Annotated[str, about("Code of the lead.")]
    reason: Annotated[str, about("Why.")]


def lead_rows(frame: pd.DataFrame, rules: Analysis) -> tuple[Lead, ...]:
    """Return each lead's acceptance of S's, E's and controls' labels.

    ``compliant`` is False if the lead rejected a smaller share of the controls than the protocol's
    ``compliance_minimum``.
    """
    rows = []
    for code, group in frame.groupby("participant", sort=True):
        controls = group[group["control_kind"].isin(KINDS)]
        rejected = Count(int((controls["decision"] != "accept").sum()), len(controls))
        robots = group["robot"].dropna() if "robot" in group else pd.Series(dtype=object)
        rows.append(
            Lead(
                participant=str(code),
                robot=None if robots.empty else str(robots.iloc[0]),
                trials=len(group),
                controls=rejected.n,
                controls_rejected=rejected.rate,
                compliant=rejected.rate >= rules.compliance_minimum if rejected.n else None,
                accepted_S=_rate(group, "S"),
                accepted_E=_rate(group, "E"),
                median_rt_s=group["rt_s"].dropna().median(),
            )
        )
    return tuple(rows)


def left_out_by_rule(leads: Sequence[Lead]) -> tuple[LeftOut, ...]:
    """Return who is left out by rule, and why."""
    return tuple(LeftOut(lead.participant, REASON) for lead in leads if lead.compliant is False)


def _rate(trials: pd.DataFrame, solver: str) -> float | None:
    of_solver = trials[trials["solver"] == solver]
    return float(of_solver["accepted"].mean()) if len(of_solver) else None
