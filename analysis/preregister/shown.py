"""A report with what its preregistration says: a section, and a line in each planned section."""

from dataclasses import replace
from typing import Final

from analysis.preregister.compared import NO, YES
from analysis.report.frame import Compared, PlannedResult
from analysis.report.parts import Column, Paragraph, Part, Report, Section, table
from analysis.report.wording import count

TITLE: Final = "Preregistration"
_RESULTS: Final = (
    Column("Section of the report", "section"),
    Column("Role", lambda row: row.role or None),
    Column("Preregistered", "preregistered"),
)
_DEVIATIONS: Final = (
    Column("What", "what"),
    Column("Registered", "registered"),
    Column("Here", "here"),
)


def with_preregistration(report: Report, compared: Compared) -> Report:
    """Return a report that says of each result whether it was preregistered.

    Parameters
    ----------
    report
        The report of an analysis.
    compared
        What `analysis.preregister.compared.compare` returned.
    """
    roles = {row.section: row for row in compared.results}
    results = [
        replace(section, parts=(_line(roles[section.title]), *section.parts))
        for section in report.sections
        if section.title in roles
    ]
    others = [section for section in report.sections if section.title not in roles]
    return replace(
        report,
        headline=(*report.headline, sentence(compared)),
        sections=(*results, _section(compared), *others),
    )


def sentence(compared: Compared) -> str:
    """Return what a preregistration says of an analysis in one sentence."""
    number = len(compared.deviations)
    rules = "under the registered rules" if compared.same_rules else "under other rules"
    deviations = count(number, "deviation") if number else "no deviation"
    return (
        f"Preregistered on {compared.registered_utc[:10]}; the data were recorded {rules}; "
        f"{deviations}."
    )


def _line(row: PlannedResult) -> Paragraph:
    said = {YES: f"Preregistered ({row.role}).", NO: "Not preregistered: exploratory."}
    return Paragraph(
        said.get(row.preregistered, f"Planned ({row.role}), but under other rules."), "quiet"
    )


def _section(compared: Compared) -> Section:
    intro = Paragraph(
        f"{sentence(compared)} Registered protocol: SHA-256 {compared.protocol_hash}."
    )
    parts: list[Part] = [
        intro,
        table("What was planned.", _RESULTS, compared.results),
    ]
    if compared.deviations:
        parts.append(
            table(
                "Deviations from the preregistration.",
                _DEVIATIONS,
                compared.deviations,
                "Each of them needs a word in the paper.",
            )
        )
    return Section(TITLE, tuple(parts))
