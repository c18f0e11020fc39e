"""Tables of the report on teams of a person and an AI."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.report.declared import ReportTable, Results, changes, some, spelled
from analysis.report.listing import MOST_LISTED, cut
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
from analysis.studies.human_ai_team.metrics import METRIC_WORDS
from analysis.studies.human_ai_team.words import PART_WORDS, arm_name, tenth

Row = Mapping[str, Any]

_TENTHS = rounded(percent, 1)
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
QUANTITY_WORDS: Final[Mapping[str, str]] = {
    "accuracy": "right answers",
    "over_reliance": "over-reliance",
    "under_reliance": "under-reliance",
    "discrimination": "discrimination",
}


def _arm(key: str = "method") -> Any:
    return lambda row: arm_name(row[key])


def _pair(row: Row) -> str:
    return f"{arm_name(row['first'])} less {arm_name(row['second'])}"


def _part(row: Row) -> str:
    return PART_WORDS[row["part"]]


def _with_limits(name: str) -> Any:
    return lambda row: (
        f"{number(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'], number)}"
    )


def _between(name: str, write: Any) -> Any:
    return lambda row: interval(row[f"{name}_low"], row[f"{name}_high"], write)


ACCURACY = ReportTable(
    "per_user_accuracy",
    "per_user_accuracy",
    "Accuracy per participant by arm, all main trials.",
    (
        Column("Arm", _arm()),
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
    "Natural and adversarial images apart.",
    (
        Column("Images", _part, once=True),
        Column("Arm", _arm()),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("Right", lambda r: f"{grouped(r['right'])} of {grouped(r['answers'])}", str),
    ),
    "On adversarial images the AI is always wrong: alone it is right on none.",
    strong=changes("part"),
    row_headers=2,
)


def _u(row: Row) -> str:
    if row["statistic"] is None:
        return NOTHING
    of = "" if row["of"] is None else f" of {grouped(row['of'])}"
    return f"{row['statistic']:g}{of}"


PAIRS = ReportTable(
    "pairs",
    "pairs",
    "Accuracy per participant, arms compared pair by pair.",
    (
        Column("Arms", _pair),
        Column("U", _u, str),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Difference", "difference", tenth, "points"),
        Column("95 % interval", _between("resampled", tenth), str),
        Column("Rank-biserial r", _with_limits("effect"), str),
        Column("Hedges’ g", _with_limits("g"), str),
    ),
    "Mann–Whitney tests, as published; signed ranks where the same participants answered in both "
    "arms. Holm’s correction is over the pairs of the same images. The difference’s interval is "
    "over participants and images. These tests take answers of different participants as "
    "independent; where arms share images the mixed model is the one to go by. All pairs, and "
    "those of natural and of adversarial images apart, stand in tables/pairs.csv.",
    shown=lambda results: _with_reference(results, results["pairs"]),
)
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
        Column("Images", _part, once=True),
        Column("Arm", _arm()),
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
        Column("Arm", _arm(), once=True),
        Column("Measure", lambda row: MEASURE_WORDS[row["measure"]]),
        Column("Share", "estimate", _TENTHS),
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
        Column("Images", _part, once=True),
        Column("Arm", _arm()),
        Column("d′", "d_prime", number),
        Column("95 % interval", _between("d_prime", number), str),
        Column("c", "criterion", number),
        Column("95 % interval", _between("criterion", number), str),
    ),
    "Of all answers of an arm, with the log-linear correction; intervals over participants and "
    "images. A positive criterion leans to rejecting the AI’s label.",
    strong=changes("part"),
    row_headers=2,
)
RATE_PAIRS = ReportTable("rate_pairs", "rate_pairs")
OWN = ReportTable("own_accuracies", "own_accuracies")
EFFECTS = ReportTable(
    "model_pairs",
    "models.all.pairs",
    "Arms compared by the mixed model, averaged over participants and images.",
    (
        Column("Quantity", lambda row: QUANTITY_WORDS[row["quantity"]], once=True),
        Column("Arms", _pair),
        Column("Difference", "estimate", tenth, "points"),
        limits(tenth),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
    ),
    "Right answers: for the share of right labels that participants were shown. Holm’s correction "
    "is over all pairs of a quantity; tables/model_pairs.csv has them all.",
    shown=lambda results: [
        row
        for row in results["models"]["all"]["pairs"]
        if results["data"]["reference"] in (None, row["second"])
    ],
    strong=changes("quantity"),
    row_headers=2,
)
MODEL_ARMS = ReportTable("model_arms", "models.all.arms")
VERDICTS = ReportTable(
    "verdicts",
    "verdicts",
    "What each kind of help does.",
    (
        Column("Arm", _arm()),
        Column("Against", _arm("reference")),
        Column("Verdict", "verdict"),
        Column("Over-reliance", "over_reliance", tenth, "points"),
        Column("Under-reliance", "under_reliance", tenth, "points"),
        Column("Discrimination", "discrimination", tenth, "points"),
        Column("Right answers", "accuracy", tenth, "points"),
    ),
    "By the model’s 95 % intervals, without correction. An arm helps only if right and wrong "
    "labels are told apart better; one in which more of both are accepted brings over-reliance, "
    "even if more answers are right because the AI mostly is.",
)
BINS = ReportTable(
    "bins",
    "bins",
    "Accuracy by bin: whether the AI is right, and how hard the image is by its confidence.",
    (
        Column("Bin", lambda row: row["bin"].replace("_", ", "), once=True),
        Column("Arm", _arm()),
        Column("Right", "rate", _TENTHS),
        limits(bare_percent),
        Column("Answers", "n", grouped, "n"),
        Column("Images", "images", grouped, "n"),
    ),
    "Wilson’s intervals of single answers, which take them as independent.",
    strong=changes("bin"),
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
    "The AI alone accepts its label where its confidence reaches T. By weights T lies between two "
    "bins: .35 accepts middling confidence too, .7 high confidence alone.",
    shown=lambda results: [row for row in results["ai_alone"] if row["best"]],
)
WEIGHTED = ReportTable(
    "weighted",
    "weighted",
    "Teams and the AI alone on one base: natural images, the six bins weighted by how often they "
    "occur.",
    (
        Column("Weights", "weights", once=True),
        Column("Arm", _arm()),
        Column("Team", "estimate", rounded(percent, 2)),
        limits(bare_percent),
        Column("AI alone", "ai", rounded(percent, 2)),
        Column("Team less AI", "over_ai", tenth, "points"),
        Column("95 % interval", _between("over_ai", tenth), str),
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
        Column("Arm", _arm()),
        Column("Team", "team", _TENTHS),
        Column("Alone", "alone", _TENTHS),
        Column("AI", "ai", _TENTHS),
        Column("Gain", "gain", tenth, "points"),
        Column("95 % interval", _between("gain", tenth), str),
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
        Column("Arm", _arm(), once=True),
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


def _qualified(row: Row) -> str:
    return f"{row['qualified']} of {row['known']}" if row["known"] else NOTHING


def _named(row: Row) -> str:
    return f"{row['participant']} ({row['robot']})" if row["robot"] else row["participant"]


def _validated(row: Row) -> str:
    return f"{row['validation_right']} of {row['validation']}" if row["validation"] else NOTHING


def _gain(row: Row) -> str:
    return arm_name(row["method"]) + (f" less {arm_name(row['less'])}" if row["less"] else "")


def _middle_half(row: Row) -> str:
    return f"{number(row['quarter_low_s'])}–{number(row['quarter_high_s'])}"


EXCLUSIONS = ReportTable(
    "exclusions",
    "exclusions.arms",
    "Who qualified, by arm.",
    (
        Column("Arm", _arm()),
        Column("Participants", "participants", grouped, "n"),
        Column("With main trials", "with_main", grouped, "n"),
        Column("Qualified", _qualified, str),
        Column("Left out", "rate", _TENTHS),
        limits(bare_percent),
        Column("Validation", "mean_validation_right", number, "right, mean"),
    ),
    "Participants without a main trial are counted here and averaged nowhere. Intervals are "
    "Wilson’s.",
    shown=lambda results: [
        row for row in results["exclusions"]["arms"] if row["known"] or row["without_main"]
    ],
)


def _listed_people(rows: list[Row]) -> list[Row]:
    """Return everybody, or nobody where they are many and all qualified."""
    failed = any(row["qualified"] is False for row in rows)
    return rows if failed or len(rows) <= MOST_LISTED else []


PEOPLE = ReportTable(
    "participants",
    "exclusions.people",
    "Participants.",
    (
        Column("Participant", _named),
        Column("Arm", lambda row: ", ".join(arm_name(m) for m in row["methods"])),
        Column("Validation", _validated, str),
        Column("Qualified", spelled("qualified", {None: NOTHING, True: "yes", False: "no"})),
        Column("Main trials", "answered", grouped, "answered"),
        Column("Right", "correct", percent),
        Column("Accepted", "accepted", percent),
        Column("Median time", "median_rt_s", number, "s"),
    ),
    shown=lambda results: _listed_people(results["exclusions"]["people"]),
    cut=lambda rows: cut(
        rows,
        "participants",
        "participants",
        lambda r: r["qualified"] is False,
        "those who didn’t qualify, by code",
    ),
)
SECOND = ReportTable(
    "second",
    lambda results: (results["second"] or {}).get("per_user_accuracy"),
    lambda results: f"Accuracy per participant, {_second_words(results)}.",
    (
        Column("Arm", _arm()),
        Column("Participants", "n", grouped, "n"),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("SD", "sd_n", number, "n"),
    ),
)


def _second_words(results: Results) -> str:
    of = results["second"]["of"] if results["second"] else "qualified"
    return "everybody" if of == "everybody" else "those who qualified alone"


SECOND_PAIRS = ReportTable(
    "second_pairs",
    lambda results: results["second"] and _with_reference(results, results["second"]["pairs"]),
    lambda results: f"Arms compared, {_second_words(results)}.",
    (
        Column("Arms", _pair),
        Column("U", _u, str),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Difference", "difference", tenth, "points"),
        Column("95 % interval", _between("resampled", tenth), str),
    ),
)


def _with_reference(results: Results, rows: list[Row]) -> list[Row]:
    reference = results["data"]["reference"]
    return [row for row in rows if row["part"] == "all" and reference in (None, row["second"])]


PRIOR = ReportTable(
    "prior_knowledge",
    lambda results: results["prior"] and results["prior"]["rates"],
    "Right answers by prior knowledge.",
    (
        Column("Arm", _arm(), once=True),
        Column("Seen before", lambda row: "yes" if row["known"] else "no"),
        Column("Right", "rate", _TENTHS),
        limits(bare_percent),
        Column("Answers", "n", grouped, "n"),
    ),
    "Wilson’s intervals of single answers.",
    strong=changes("method"),
    row_headers=2,
)
GAINS = ReportTable(
    "prior_gains",
    lambda results: results["prior"] and results["prior"]["gains"],
    "What prior knowledge changes, by the model.",
    (
        Column("Arm", _gain),
        Column("Seen before less not", "estimate", tenth, "points"),
        limits(tenth),
    ),
    "A difference between arms says that prior knowledge moderates what the help does.",
)
RATINGS = ReportTable(
    "ratings",
    lambda results: results["ratings"] and results["ratings"]["arms"],
    "Confidence ratings: calibration, and whether they tell right answers from wrong ones.",
    (
        Column("Arm", _arm()),
        Column("Answers", "n", grouped, "n"),
        Column("Distance from calibration", "gap", tenth, "points"),
        Column("Type-2 AUROC", "auroc", rounded(number, 3)),
        limits(),
    ),
    "Calibrated: right in 50, 67, 83 and 100 % of the answers at steps 1 to 4. AUROC: how often a "
    "right answer is rated surer than a wrong one; .5 tells nothing.",
)
RATING_STEPS = ReportTable(
    "rating_steps", lambda results: results["ratings"] and results["ratings"]["steps"]
)
TIMES = ReportTable(
    "times",
    some("times"),
    "Response times: medians of participants’ medians.",
    (
        Column("Arm", _arm()),
        Column("Participants", "people", grouped, "n"),
        Column("Median", "median_s", number, "s"),
        Column("Middle half", _middle_half, str, "s"),
        Column("Right answers", "right_s", number, "s"),
        Column("Wrong answers", "wrong_s", number, "s"),
    ),
)
TIME_PAIRS = ReportTable("time_pairs", some("time_pairs"))
HELP = ReportTable(
    "help_times",
    some("help_times"),
    "Help that came later.",
    (
        Column("Arm", _arm()),
        Column("Answers", "n", grouped, "n"),
        Column("Help was seen", "share", _TENTHS),
        limits(bare_percent),
        Column("After", "median_s", number, "s, median"),
    ),
)
