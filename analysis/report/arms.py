"""The table of a report that says what each arm was: who made it, how, from which files."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.data.tables import Dataset
from analysis.report.declared import ReportTable
from analysis.report.parts import Column
from participants.dataset.study_tables import study_tables
from stimuli.maps.origin import PEOPLE, Origin, origin_in

SHORT: Final = 12
"""Digits of a hash on the page; the file has all of them."""


def origin_rows(dataset: Dataset) -> list[dict[str, Any]]:
    """Return who made what each arm shows, and how; empty where no table says it."""
    arms = study_tables(dataset.study).arms
    frame = None if arms is None else dataset.beside.get(arms.name)
    if arms is None or frame is None or arms.origin not in frame:
        return []
    # An empty cell is None or NaN, by the type of its column.
    cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
    found = {(arm_name(row, arms.arm), origin_in(row, arms.origin)): None for row in cells}
    return [{"arm": name, **_cells(origin)} for name, origin in found if origin.kind]


def arm_name(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return the name of a row's arm: what stands in these columns."""
    return ", ".join(str(row[name]) for name in columns if row[name])


def _cells(origin: Origin) -> dict[str, Any]:
    return {
        "origin": origin.kind,
        # A report is handed on: it has nobody's code.
        "note": "" if origin.kind == PEOPLE else origin.note,
        "method": origin.method,
        "settings": origin.settings,
        "sha256": origin.sha256,
        "weights_sha256": origin.weights_sha256,
    }


def _short(key: str) -> Column:
    heading = {"sha256": "SHA-256 of the file", "weights_sha256": "SHA-256 of the weights"}[key]
    return Column(heading, lambda row: f"{row[key][:SHORT]}…" if row[key] else "")


ARMS: Final = ReportTable(
    "arms",
    lambda results: results["data"].get("origins") or None,
    "What each arm shows: who made it, and how.",
    (
        Column("Arm", "arm"),
        Column("Made by", lambda row: _MADE_BY[row["origin"]]),
        Column("Name", "note"),
        Column("Method", "method"),
        Column("Settings", "settings"),
        _short("sha256"),
        _short("weights_sha256"),
    ),
    "The file is that of the lab’s own function, or the imported one. tables/arms.csv has the "
    "whole hashes.",
)
_MADE_BY: Final = {
    "network": "network",
    "people": "people",
    "response_model": "robots instead of people",
    "imported": "imported",
}
