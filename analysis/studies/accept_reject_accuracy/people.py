"""Leads: how each kept the guidelines on controls, and who is left out of the second analysis."""

from typing import Any

import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.proportions import Count, wilson
from stimuli.studies.accept_reject_accuracy.protocol import Analysis

KINDS = ("wrong_label", "no_solution")


def lead_rows(frame: pd.DataFrame, rules: Analysis) -> list[dict[str, Any]]:
    """Return each lead's acceptance of S's, E's and controls' labels.

    ``compliant`` is None if a lead saw no control, and False if the lead rejected a smaller share
    of them than the protocol's ``compliance_minimum``.
    """
    rows = []
    for code, own in frame.groupby("participant", sort=True):
        controls = own[own["control_kind"].isin(KINDS)]
        rejected = Count(int((controls["decision"] != "accept").sum()), len(controls))
        compliant = rejected.rate >= rules.compliance_minimum if rejected.n else None
        robots = own["robot"].dropna() if "robot" in own else pd.Series(dtype=object)
        rows.append(
            {
                "participant": str(code),
                "robot": None if robots.empty else str(robots.iloc[0]),
                "trials": len(own),
                "controls": rejected.n,
                "controls_rejected": rejected.rate,
                "compliant": compliant,
                "accepted_S": _rate(own, "S"),
                "accepted_E": _rate(own, "E"),
                "median_rt_s": own["rt_s"].median(),
            }
        )
    return rows


def excluded(leads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return who is left out by rule, and why."""
    reason = "accepted too many wrong labels or no-solutions among the controls"
    return [
        {"participant": row["participant"], "reason": reason}
        for row in leads
        if row["compliant"] is False
    ]


def control_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return how often each kind of control was accepted, whenever it was."""
    rows = []
    for kind in KINDS:
        own = frame[frame["control_kind"] == kind]
        if len(own):
            found = wilson(Count(int((own["decision"] == "accept").sum()), len(own)))
            rows.append({"kind": kind, "n": len(own), **limits_row(found, "rate")})
    return rows


def _rate(own: pd.DataFrame, solver: str) -> float | None:
    shown = own[own["solver"] == solver]
    return float(shown["accepted"].mean()) if len(shown) else None
