"""Leads who decide carefully, blindly or misled: who reaches the thresholds of compliance."""

from collections.abc import Mapping
from typing import Any

from analysis.report.wording import percent
from analysis.studies.accept_reject.people import each_lead
from bench.book import Effort, Measured, Part, table
from bench.parts.control_worlds import (
    FEW,
    QUICK_STUDIES,
    Rates,
    controls_of,
    generator,
    honest,
    protocol,
)
from bench.parts.words import percent_of

KINDS: Mapping[str, Rates] = {
    "accepts 5 % of plates without a numeral": honest(0.05),
    "accepts 25 % of plates without a numeral": honest(0.25),
    "accepts 30 % of plates without a numeral": honest(0.30),
    "accepts 35 % of right digits in both runs": honest(0.05, (0.35, 0.35)),
    "accepts 90 % of right digits in both runs": honest(0.05, (0.90, 0.90)),
    "misled: accepts 80 % of digit-shaped contours without a numeral": Rates(0.95, 0.05, 0.80),
    "always rejects": Rates(0.0, 0.0, 0.0, 0.0, (0.0, 0.0)),
    "always accepts": Rates(1.0, 1.0, 1.0, 1.0, (1.0, 1.0)),
    "decides at random": Rates(0.5, 0.5, 0.5, 0.5, (0.5, 0.5)),
}


def kept_by(kind: str, seed: int) -> int:
    """Return how many of `FEW` leads of a kind reach the thresholds of compliance."""
    judged = controls_of([KINDS[kind].chances()] * FEW, generator(seed), spread=0.0)
    leads, _ = each_lead(judged, protocol().analysis)
    return sum(all(own.enough for own in lead.compliance) for lead in leads)


def compliance(effort: Effort) -> Measured:
    """Share of leads who reach the thresholds, by how they decide."""
    studies = QUICK_STUDIES if effort.quick else 100
    figures: dict[str, Any] = {"leads": studies * FEW}
    for kind in KINDS:
        figures[kind] = sum(kept_by(kind, seed) for seed in range(studies))
    return Measured(compliance_text(figures), figures)


def compliance_text(figures: Mapping[str, Any]) -> str:
    """Return the section on the thresholds of compliance."""
    leads, rules = figures["leads"], protocol().analysis
    return (
        f"{leads:,} leads of each kind. A lead must accept {percent(rules.anyone_minimum)} of the "
        f"numerals that anyone sees, and reject {percent(rules.must_reject_minimum)} of the plates "
        "without a numeral and of “no solution” in the run without explanations. Unless the table "
        "says otherwise, a lead accepts 95 % of the numerals that anyone sees, 5 % of plates "
        "without a numeral, 2 % of “no solution”, and of right digits 35 % without and 75 % with "
        "explanations. A lead who is misled by contours passes: that is a result, and the report "
        "gives it where it says who accepts from the explanation.\n\n"
    ).replace(",", "\u202f", 1) + table(
        ["lead", "reaches both thresholds"],
        [[kind, percent_of(figures[kind], leads)] for kind in KINDS],
    )


PARTS = (Part("compliance", "Which leads reach the thresholds of compliance", compliance),)
