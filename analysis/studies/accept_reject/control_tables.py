"""The report's tables of controls."""

from typing import Any

from analysis.report.declared import ReportTable, changes, spelled
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    bare_percent,
    grouped,
    interval,
    number,
    percent,
    points,
    rounded,
)
from analysis.studies.accept_reject.words import KIND_WORDS, N_COLUMN, RUN_WORDS, granted

_TENTHS = rounded(percent, 1)
_RUN = Column("Explanation", spelled("explained", RUN_WORDS))

CONTROLS = ReportTable(
    "controls",
    "controls.kinds",
    lambda results: f"Controls accepted {granted(results['data'])}, and at any time.",
    (
        _RUN,
        Column("Control", spelled("control_kind", KIND_WORDS)),
        Column("Accepted", "rate", _TENTHS),
        limits(bare_percent),
        Column("At any time", "rate_whenever", _TENTHS),
        N_COLUMN,
    ),
    strong=changes("explained"),
    row_headers=2,
)


def _counted(rate: str, n: str) -> Any:
    return lambda row: f"{percent(row[rate])} ({grouped(row[n])})"


def _limited(name: str) -> Any:
    return lambda row: f"{number(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'])}"


DETECTION = ReportTable(
    "detection",
    "controls.detection",
    lambda results: (
        f"Signal detection from pooled counts, accepted {granted(results['data'])}: signals are "
        "matched right digits, noise is matched wrong digits."
    ),
    (
        _RUN,
        Column("Hits", _counted("hit_rate", "n_signal"), str, "(n)"),
        Column("False alarms", _counted("false_alarm_rate", "n_noise"), str, "(n)"),
        Column("d′", _limited("d_prime"), str),
        Column("c", _limited("criterion"), str),
    ),
    "Log-linear correction (half a trial added to each count, one to each total). A positive c "
    "leans to rejecting. Pooling leads who differ makes d′ too small; the mixed probit doesn’t.",
)
DIAGNOSTICS = ReportTable(
    "diagnostics",
    "controls.diagnostics",
    lambda results: (
        f"Diagnostics: what a misleading contour changes, accepted {granted(results['data'])}."
    ),
    (
        Column("Control", spelled("control_kind", KIND_WORDS)),
        Column("Accepted", _counted("rate", "n"), str, "(n)"),
        Column("Matched", "rate_matched", _TENTHS),
        Column("Difference", "difference", points, "points"),
        limits(points),
    ),
    "All in the run with explanations. Matched: the same kind of digit with a contour like that of "
    "S’s and E’s solutions. Harm doesn’t rest on these kinds.",
)
