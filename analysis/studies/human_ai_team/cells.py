"""What the cells of the report's tables say, where several tables say it alike."""

from collections.abc import Mapping
from typing import Any

from analysis.report.declared import Results
from analysis.report.wording import (
    NOTHING,
    grouped,
    interval,
    number,
    percent,
    rounded,
)
from analysis.studies.human_ai_team.words import PART_WORDS, arm_name

Row = Mapping[str, Any]
tenths = rounded(percent, 1)
"""Writes a share in per cent, with one decimal."""


def arm(key: str = "method") -> Any:
    """Return what writes the arm of a row."""
    return lambda row: arm_name(row[key])


def pair(row: Row) -> str:
    """Return which arms a row compares."""
    return f"{arm_name(row['first'])} less {arm_name(row['second'])}"


def part(row: Row) -> str:
    """Return which images a row is about."""
    return PART_WORDS[row["part"]]


def with_limits(name: str) -> Any:
    """Return what writes a value with its interval."""
    return lambda row: (
        f"{number(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'], number)}"
    )


def between(name: str, write: Any) -> Any:
    """Return what writes the interval of a value alone."""
    return lambda row: interval(row[f"{name}_low"], row[f"{name}_high"], write)


def statistic(row: Row) -> str:
    """Return a row's test statistic, with the largest it could be."""
    if row["statistic"] is None:
        return NOTHING
    of = "" if row["of"] is None else f" of {grouped(row['of'])}"
    return f"{row['statistic']:g}{of}"


def against_reference(results: Results, rows: list[Row]) -> list[Row]:
    """Return the rows that compare an arm with the reference, on all images."""
    reference = results["data"]["reference"]
    return [row for row in rows if row["part"] == "all" and reference in (None, row["second"])]


def corrected_p(row: Row) -> float:
    """Return p after Holm: over the arms against the reference; over all pairs without one."""
    return row["p_holm"] if row["p_reference"] is None else row["p_reference"]
