"""Tables of the report: trust in the AI, the AI alone, and metrics of maps."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.report.declared import ReportTable, Results, changes, some
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    interval,
    number,
    p_value,
    percent,
    rounded,
)
from analysis.statistics.reliance import MEASURES, SWITCHING
from analysis.studies.human_ai_team.cells import (
    Row,
    arm,
    between,
    part,
    tenths,
)
from analysis.studies.human_ai_team.metrics import METRIC_WORDS
from analysis.studies.human_ai_team.words import tenth

MEASURE_WORDS: Final[Mapping[str, str]] = {
    "reliance": "followed the AI",
    "over_reliance": "over-reliance",
    "under_reliance": "under-reliance",
    "appropriate_reliance": "appropriate reliance",
    "discrimination": "discrimination",
    "switch_fraction": "switched to the AI’s answer",
    "relative_ai_reliance": "relative AI reliance (RAIR)",
    "relative_self_reliance": "relative self-reliance (RSR)",
}
_TRUST: Final = ("over_reliance", "under_reliance", "discrimination")


def _trusted(results: Results) -> list[Row]:
    """Return a row an arm and part, with the measures of trust that it has."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in results["reliance"]:
        key = (row["part"], row["method"])
        own = rows.setdefault(key, {"part": key[0], "method": key[1]})
        own[row["measure"]] = row
    return list(rows.values())


def _measured(measure: str) -> Any:
    def said(row: Row) -> str:
        own = row[measure]
        if own["estimate"] is None:
            return NOTHING
        limits_ = interval(own["ci_low"], own["ci_high"], bare_percent)
        return f"{percent(own['estimate'], 1)} {limits_}"

    return said


RELIANCE = ReportTable(
    "reliance",
    "reliance",
    "Trust in the AI’s label, by arm, with 95 % intervals.",
    (
        Column("Images", part, once=True),
        Column("Arm", arm()),
        Column("Over-reliance", _measured("over_reliance"), str),
        Column("Answers", lambda row: _of(row["over_reliance"]), str),
        Column("Under-reliance", _measured("under_reliance"), str),
        Column("Answers", lambda row: _of(row["under_reliance"]), str),
        Column("Discrimination", _measured("discrimination"), str),
    ),
    "Over-reliance: "
    + MEASURES["over_reliance"]
    + ". Under-reliance: "
    + MEASURES["under_reliance"]
    + ". Discrimination: "
    + MEASURES["discrimination"]
    + ".",
    shown=_trusted,
    strong=changes("part"),
    row_headers=2,
)
SWITCHED = ReportTable(
    "",
    lambda results: [
        row
        for row in results["reliance"]
        if row["measure"] in SWITCHING and row["estimate"] is not None and row["part"] == "all"
    ],
    "Own answers, and what advice made of them.",
    (
        Column("Arm", arm(), once=True),
        Column("Measure", lambda row: MEASURE_WORDS[row["measure"]]),
        Column("Share", "estimate", tenths),
        limits(bare_percent),
        Column("Answers", lambda row: _of(row), str),
    ),
    "RAIR: of own wrong answers, with the AI right, those given up for it. RSR: of own right "
    "answers, with the AI wrong, those kept (Schemmer et al. 2023).",
    strong=changes("method"),
    row_headers=2,
)


def _of(row: Row) -> str:
    if row["count"] is None:
        return grouped(row["n"])
    return f"{grouped(row['count'])} of {grouped(row['n'])}"


DETECTION = ReportTable(
    "detection",
    "detection",
    "Sensitivity and criterion by arm.",
    (
        Column("Images", part, once=True),
        Column("Arm", arm()),
        Column("d′", "d_prime", number),
        Column("95 % interval", between("d_prime", number), str),
        Column("c", "criterion", number),
        Column("95 % interval", between("criterion", number), str),
    ),
    "Of all answers of an arm, with the log-linear correction; intervals over participants and "
    "images. A positive criterion leans to rejecting the AI’s label.",
    strong=changes("part"),
    row_headers=2,
)
_BASES: Final = {"all": "all images", "bins": "the six bins, as many as there are"}


def base_words(base: str) -> str:
    """Return what a base of the AI alone is called."""
    return _BASES.get(base, f"the six bins, weighted ({base})")


ALONE = ReportTable(
    "ai_alone",
    "ai_alone",
    "The AI alone, at its best threshold on each base.",
    (
        Column("Base", lambda row: base_words(row["base"])),
        Column("T", "threshold", number),
        Column("Right", "accuracy", rounded(percent, 2)),
        Column("Images", "images", grouped, "n"),
    ),
    "The AI alone accepts its label if its confidence reaches T. With weights, T can only lie "
    "between two bins: .35 accepts medium and high confidence, .7 high confidence only.",
    shown=lambda results: [row for row in results["ai_alone"] if row["best"]],
)
WEIGHTED = ReportTable(
    "weighted",
    "weighted",
    "Teams and the AI alone on one base: natural images, the six bins weighted by how often they "
    "occur.",
    (
        Column("Weights", "weights", once=True),
        Column("Arm", arm()),
        Column("Team", "estimate", rounded(percent, 2)),
        limits(bare_percent),
        Column("AI alone", "ai", rounded(percent, 2)),
        Column("Team less AI", "over_ai", tenth, "points"),
        Column("95 % interval", between("over_ai", tenth), str),
    ),
    "A team’s accuracy can be given where it has answers in every bin.",
    strong=changes("weights"),
    row_headers=2,
)
COMPLEMENTARITY = ReportTable(
    "complementarity",
    some("complementarity"),
    "Teams against both alone.",
    (
        Column("Arm", arm()),
        Column("Team", "team", tenths),
        Column("Alone", "alone", tenths),
        Column("AI", "ai", tenths),
        Column("Gain", "gain", tenth, "points"),
        Column("95 % interval", between("gain", tenth), str),
        Column("p", "p", p_value, "one-sided"),
        Column("Better than both", lambda row: "yes" if row["complementary"] else "no"),
    ),
    "Gain: the team less the better of the two. Alone: the label was seen without confidence or "
    "help. The AI is counted on the images that the team saw.",
)
METRICS = ReportTable(
    "metrics",
    some("metrics"),
    "Metrics of maps against the share of right answers, image by image.",
    (
        Column("Arm", arm(), once=True),
        Column("Metric", lambda row: METRIC_WORDS[row["metric"]]),
        Column("r", "r", rounded(number, 3)),
        limits(),
        Column("p", "p", p_value),
        Column("Images", "images", grouped, "n"),
    ),
    "Pearson’s r over natural images on which the AI is right and which at least two qualified "
    "participants of the arm saw.",
    strong=changes("method"),
    row_headers=2,
)
