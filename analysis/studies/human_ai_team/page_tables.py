"""Tables of the report: right answers, by arm and bin, and what the model says."""

from collections.abc import Mapping
from typing import Final

from analysis.report.declared import ReportTable, Results, changes
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    bare_percent,
    grouped,
    number,
    p_value,
    rounded,
)
from analysis.studies.human_ai_team.cells import (
    Row,
    against_reference,
    arm,
    between,
    corrected_p,
    pair,
    part,
    statistic,
    tenths,
    with_limits,
)
from analysis.studies.human_ai_team.words import tenth

ACCURACY = ReportTable(
    "per_user_accuracy",
    "per_user_accuracy",
    "Accuracy per participant by arm, all main trials.",
    (
        Column("Arm", arm()),
        Column("Participants", "n", grouped, "n"),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("SD", "sd_n", number, "n"),
        Column("Median", "median", number, "%"),
        Column("Range", lambda r: f"{number(r['lowest'], 1)}–{number(r['highest'], 1)}", str, "%"),
        Column("Right", lambda r: f"{grouped(r['right'])} of {grouped(r['answers'])}", str),
    ),
    "The two standard deviations divide by n − 1 and by n. The paper gives the second for lay "
    "users, the first for experts. Intervals of the mean are over participants and images.",
)


def _parts(results: Results) -> list[Row]:
    return [
        {"part": part, **row}
        for part in ("natural", "adversarial")
        for row in results["accuracy_by_part"][part]
    ]


PARTS = ReportTable(
    "accuracy_by_part",
    _parts,
    "Natural and adversarial images separately.",
    (
        Column("Images", part, once=True),
        Column("Arm", arm()),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("Right", lambda r: f"{grouped(r['right'])} of {grouped(r['answers'])}", str),
    ),
    "On adversarial images the AI is always wrong: alone it is right on none.",
    strong=changes("part"),
    row_headers=2,
)
PAIRS = ReportTable(
    "pairs",
    "pairs",
    "Accuracy per participant, arms compared pair by pair.",
    (
        Column("Arms", pair),
        Column("U", statistic, str),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Difference", "difference", tenth, "points"),
        Column("95 % interval", between("resampled", tenth), str),
        Column("Rank-biserial r", with_limits("effect"), str),
        Column("Hedges’ g", with_limits("g"), str),
    ),
    "Mann–Whitney tests, as published; signed ranks where the same participants answered in both "
    "arms. Holm’s correction is over the pairs of the same images. The difference’s interval is "
    "over participants and images. These tests take answers of different participants as "
    "independent, so use the mixed model if arms share images. tables/pairs.csv has all pairs, "
    "and separate ones for natural and for adversarial images.",
    shown=lambda results: against_reference(results, results["pairs"]),
)
OWN = ReportTable("own_accuracies", "own_accuracies")
RATE_PAIRS = ReportTable("rate_pairs", "rate_pairs")
BINS = ReportTable(
    "bins",
    "bins",
    "Accuracy by bin: whether the AI is right, and how hard the image is by its confidence.",
    (
        Column("Bin", lambda row: row["bin"].replace("_", ", "), once=True),
        Column("Arm", arm()),
        Column("Right", "rate", tenths),
        limits(bare_percent),
        Column("Answers", "n", grouped, "n"),
        Column("Images", "images", grouped, "n"),
    ),
    "Wilson’s intervals of single answers, which take them as independent.",
    strong=changes("bin"),
    row_headers=2,
)
MODEL_ARMS = ReportTable("model_arms", "models.all.arms")
QUANTITY_WORDS: Final[Mapping[str, str]] = {
    "accuracy": "right answers",
    "over_reliance": "over-reliance",
    "under_reliance": "under-reliance",
    "discrimination": "discrimination",
}
EFFECTS = ReportTable(
    "model_pairs",
    "models.all.pairs",
    "Arms compared by the mixed model, averaged over participants and images.",
    (
        Column("Quantity", lambda row: QUANTITY_WORDS[row["quantity"]], once=True),
        Column("Arms", pair),
        Column("Difference", "estimate", tenth, "points"),
        limits(tenth),
        Column("p", "p", p_value),
        Column("p", corrected_p, p_value, "Holm"),
    ),
    "Right answers: for the share of right labels that participants were shown. Holm’s correction "
    "is over the arms that are compared with the reference, or over all pairs where there is no "
    "reference; tables/model_pairs.csv has all pairs.",
    shown=lambda results: [
        row
        for row in results["models"]["all"]["pairs"]
        if results["data"]["reference"] in (None, row["second"])
    ],
    strong=changes("quantity"),
    row_headers=2,
)
VERDICTS = ReportTable(
    "verdicts",
    "verdicts",
    "What each kind of help does.",
    (
        Column("Arm", arm()),
        Column("Against", arm("reference")),
        Column("Verdict", "verdict"),
        Column("Over-reliance", "over_reliance", tenth, "points"),
        Column("Under-reliance", "under_reliance", tenth, "points"),
        Column("Discrimination", "discrimination", tenth, "points"),
        Column("Right answers", "accuracy", tenth, "points"),
    ),
    "By the model, at 5 % after Holm’s correction over the arms that are compared with the "
    "reference. An arm helps only if right and wrong "
    "labels are told apart better; one in which more of both are accepted brings over-reliance, "
    "even if more answers are right because the AI mostly is.",
)
