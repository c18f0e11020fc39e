"""The table of a report that says what each arm was: who made it, how, from which files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import pandas as pd

from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Part
from participants.dataset.study_tables import study_tables
from stimuli.maps.origin import PEOPLE, Origin, origin_in

SHORT: Final = 12
"""Digits of a hash on the page; the file has all of them."""


@dataclass(frozen=True, slots=True)
class ArmOrigin:
    """Who made what an arm shows."""

    arm: Annotated[str, about("The arm.")]
    origin: Annotated[str, about("Who made it: network, people, response_model or imported.")]
    note: Annotated[str, about("Its name.")]
    method: Annotated[str, about("The method.")]
    settings: Annotated[str, about("The method's settings.")]
    sha256: Annotated[
        str, about("SHA-256 of the imported file, or of the file of the lab's own function.")
    ]
    weights_sha256: Annotated[str, about("SHA-256 of the network's weights.")]


def origin_rows(dataset: Dataset) -> list[ArmOrigin]:
    """Return who made what each arm shows, and how; empty where no table says it."""
    arms = study_tables(dataset.study).arms
    frame = None if arms is None else dataset.beside.get(arms.name)
    if arms is None or frame is None or arms.origin not in frame:
        return []
    # An empty cell is None or NaN, by the type of its column.
    cells = [
        {str(name): None if pd.isna(cell) else cell for name, cell in row.items()}
        for row in frame.to_dict("records")
    ]
    found = {(arm_name(row, arms.arm), origin_in(row, arms.origin)): None for row in cells}
    return [_arm_origin(name, origin) for name, origin in found if origin.kind]


def arm_name(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return the name of a row's arm: what stands in these columns."""
    return ", ".join(str(row[name]) for name in columns if row[name])


def _arm_origin(arm: str, origin: Origin) -> ArmOrigin:
    return ArmOrigin(
        arm=arm,
        origin=origin.kind,
        # A report is handed on: it has nobody's code.
        note="" if origin.kind == PEOPLE else origin.note,
        method=origin.method,
        settings=origin.settings,
        sha256=origin.sha256,
        weights_sha256=origin.weights_sha256,
    )


def _short(digest: str) -> str:
    return f"{digest[:SHORT]}…" if digest else ""


ARMS: Final = ReportTable(
    "arms",
    lambda frame: frame.data.origins or None,
    "What each arm shows: who made it, and how.",
    (
        Column("Arm", "arm"),
        Column("Made by", lambda row: _MADE_BY[row.origin]),
        Column("Name", "note"),
        Column("Method", "method"),
        Column("Settings", "settings"),
        Column(
            "SHA-256 of the file",
            lambda row: _short(row.sha256),
            note="The file is that of the lab’s own function, or the imported one.",
        ),
        Column("SHA-256 of the weights", lambda row: _short(row.weights_sha256)),
    ),
    "tables/arms.csv has all settings and whole hashes.",
)


def arms_parts(frame: Any, words: Callable[[str], str]) -> tuple[Part, ...]:
    """Return the table of the page, with arms as readers know them; the file has their ids.

    Parameters
    ----------
    frame
        What every report's results have.
    words
        Returns what an arm, or a part of its name, is called.
    """

    def named(row: ArmOrigin) -> ArmOrigin:
        return replace(row, arm=", ".join(map(words, row.arm.split(", "))))

    shown = replace(ARMS, shown=lambda frame: [named(row) for row in frame.data.origins])
    return shown.parts(frame)


_MADE_BY: Final = {
    "network": "network",
    "people": "people",
    "response_model": "robots instead of people",
    "imported": "imported",
}
