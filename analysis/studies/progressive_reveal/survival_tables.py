"""Tables of results that keep unrecognised rounds: curves, restricted means, models."""

from collections.abc import Callable, Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, changes
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    interval,
    number,
    p_value,
    percent,
)
from analysis.studies.progressive_reveal.sentences import points_tenth
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named

Row = Mapping[str, Any]

_P = Column("p", "p", p_value, "bootstrap")


def _with_gaps(means: list[Row], differences: list[Row]) -> list[Row]:
    """Return each method's mean, with its difference to the reference as ``gap``."""
    gaps = {row["method"]: row for row in differences}
    return [{**row, "gap": gaps.get(row["method"])} for row in means]


def _gap_columns(write: Callable[[float | None], str], unit: str) -> tuple[Column, ...]:
    def between(gap: Row) -> str:
        return interval(gap["ci_low"], gap["ci_high"], write)

    parts = (
        ("Less the reference", lambda gap: write(gap["estimate"]), unit),
        ("95 % interval", between, ""),
        ("p", lambda gap: p_value(gap["p"]), "bootstrap"),
    )
    return tuple(
        Column(name, "gap", lambda gap, say=say: say(gap) if gap else NOTHING, unit)
        for name, say, unit in parts
    )


def _restricted(results: Results) -> list[Row]:
    found = results["survival"]["restricted"]
    return _with_gaps(found["methods"], found["differences"])


def _within(row: Row) -> str:
    if row["lower"] is None:
        return NOTHING
    return f"{bare_percent(row['lower'])} to {bare_percent(row['upper'])}"


RESTRICTED = ReportTable(
    "restricted_means",
    "survival.restricted.methods",
    "Mean share of the image uncovered up to recognition, restricted image by image.",
    named(
        METHOD_COLUMN,
        Column("Restricted mean", "estimate", bare_percent, "% of image"),
        limits(bare_percent),
        Column("Within steps", _within, str, "% of image"),
        *_gap_columns(points_tenth, "points"),
    ),
    "Lower is better. Within steps: recognition set at the lower and at the upper end of its "
    "step’s interval; the mean has it in the middle.",
    shown=_restricted,
)
ASKED = ReportTable(
    "needed_at",
    "survival.needed.asked",
    "Recognised with at most so much of the image.",
    named(
        Column("At most uncovered", lambda row: percent(row["share"], 1)),
        METHOD_COLUMN,
        Column("Recognised rounds only", "recognised_only", bare_percent, "%"),
        limits(bare_percent, "only_low", "only_high"),
        Column("All rounds, censored", "estimate", bare_percent, "%"),
        limits(bare_percent),
        Column("All rounds, end is final", "end_final", bare_percent, "%"),
    ),
    "Recognised rounds only: as published. Censored: Turnbull’s estimate; a round that ended "
    "unrecognised says nothing of larger shares. End is final: such a round counts as never "
    "recognised, whatever more might have been uncovered. Turnbull’s estimate tells how much "
    "recognition lies in an interval between two steps’ shares, not where in it; between them the "
    "numbers are interpolated evenly.",
    shown=lambda results: sorted(
        results["survival"]["needed"]["asked"], key=lambda row: row["share"]
    ),
    strong=changes("share"),
    row_headers=2,
)
LATE = ReportTable(
    "",
    "survival.needed.late",
    lambda results: (
        f"Share of the image by which {percent(results['survival']['needed']['late_rate'])} are "
        "recognised."
    ),
    named(
        METHOD_COLUMN,
        Column("Recognised rounds only", "recognised_only", bare_percent, "% of image"),
        Column(
            "All rounds, censored",
            "turnbull",
            lambda share: "not reached" if share is None else bare_percent(share),
            "% of image",
        ),
        Column("Known up to", "known_to", bare_percent, "% of image"),
        Column("Recognised by then", "by_then", bare_percent, "%"),
    ),
)


def _mean_steps(results: Results) -> list[Row]:
    found = results["survival"]["steps"]
    return _with_gaps(found["mean_steps"], found["differences"])


MEAN_STEPS = ReportTable(
    "mean_steps",
    lambda results: [
        row for n in ("mean_steps", "differences") for row in results["survival"]["steps"][n]
    ],
    "Steps begun until recognition; unrecognised rounds count with all steps.",
    named(
        METHOD_COLUMN,
        Column("Mean steps", "estimate", number),
        limits(),
        *_gap_columns(number, "steps"),
    ),
    shown=_mean_steps,
)


CONTRASTS = ReportTable("hazard_contrasts", "models.contrasts")
"""A file alone; the page has all pairs."""


def _typed(results: Results) -> list[Row]:
    typing = results["models"]["typing"]
    return typing["methods"] if typing is not None and typing["fitted"] else []


TYPING = ReportTable(
    "",
    _typed,
    "Methods with and without typing time.",
    (
        Column("Term", "term"),
        Column("Without typing time", "without", number, "log odds"),
        Column("With it", "with", number, "log odds"),
        Column("SE", "se", number),
    ),
)
SENSITIVITY = ReportTable(
    "sensitivity",
    "sensitivity",
    "Restricted mean less the reference’s, under other choices.",
    named(
        Column("Analysis", "analysis", once=True),
        METHOD_COLUMN,
        Column("Less the reference", "estimate", points_tenth, "points of the image"),
        limits(points_tenth),
        _P,
        Column("Rounds", "rounds", grouped, "n"),
    ),
    strong=changes("analysis"),
    row_headers=2,
)
DIFFERENCES = ReportTable("restricted_differences", "survival.restricted.differences")
"""A file alone, not on the page."""
