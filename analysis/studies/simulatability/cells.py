"""Cells that several tables of the report share."""

from collections.abc import Mapping
from typing import Any

from analysis.report.wording import rounded
from analysis.studies.simulatability.words import TEST_WORDS, domain_name, method_name, share

Row = Mapping[str, Any]
tenth = rounded(share, 1)
"""Writes per cent with one decimal."""


def domain(row: Row) -> str:
    """Return which domain a row is about."""
    return domain_name(row["domain"])


def test(row: Row) -> str:
    """Return which test a row is about."""
    return TEST_WORDS[row["test"]]


def method(row: Row) -> str:
    """Return which method a row is about."""
    return method_name(row["method"])
