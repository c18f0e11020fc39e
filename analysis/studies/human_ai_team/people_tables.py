"""Tables of the report: participants, who qualified, what they knew, how sure and how fast."""

from analysis.report.declared import ReportTable, Results, changes, some, spelled
from analysis.report.listing import MOST_LISTED, cut
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    number,
    p_value,
    percent,
    rounded,
)
from analysis.studies.human_ai_team.cells import (
    Row,
    against_reference,
    arm,
    between,
    pair,
    statistic,
    tenths,
)
from analysis.studies.human_ai_team.words import arm_name, tenth


def _qualified(row: Row) -> str:
    return f"{row['qualified']} of {row['known']}" if row["known"] else NOTHING


def _named(row: Row) -> str:
    return f"{row['participant']} ({row['robot']})" if row["robot"] else row["participant"]


def _validated(row: Row) -> str:
    return f"{row['validation_right']} of {row['validation']}" if row["validation"] else NOTHING


EXCLUSIONS = ReportTable(
    "exclusions",
    "exclusions.arms",
    "Who qualified, by arm.",
    (
        Column("Arm", arm()),
        Column("Participants", "participants", grouped, "n"),
        Column("With main trials", "with_main", grouped, "n"),
        Column("Qualified", _qualified, str),
        Column("Left out", "rate", tenths),
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


def _second_words(results: Results) -> str:
    of = results["second"]["of"] if results["second"] else "qualified"
    return "everybody" if of == "everybody" else "those who qualified alone"


SECOND = ReportTable(
    "second",
    lambda results: (results["second"] or {}).get("per_user_accuracy"),
    lambda results: f"Accuracy per participant, {_second_words(results)}.",
    (
        Column("Arm", arm()),
        Column("Participants", "n", grouped, "n"),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("SD", "sd_n", number, "n"),
    ),
)
SECOND_PAIRS = ReportTable(
    "second_pairs",
    lambda results: results["second"] and against_reference(results, results["second"]["pairs"]),
    lambda results: f"Arms compared, {_second_words(results)}.",
    (
        Column("Arms", pair),
        Column("U", statistic, str),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Difference", "difference", tenth, "points"),
        Column("95 % interval", between("resampled", tenth), str),
    ),
)


def _gain(row: Row) -> str:
    return arm_name(row["method"]) + (f" less {arm_name(row['less'])}" if row["less"] else "")


PRIOR = ReportTable(
    "prior_knowledge",
    lambda results: results["prior"] and results["prior"]["rates"],
    "Right answers by prior knowledge.",
    (
        Column("Arm", arm(), once=True),
        Column("Seen before", lambda row: "yes" if row["known"] else "no"),
        Column("Right", "rate", tenths),
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
        Column("Arm", arm()),
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


def _middle_half(row: Row) -> str:
    return f"{number(row['quarter_low_s'])}–{number(row['quarter_high_s'])}"


TIMES = ReportTable(
    "times",
    some("times"),
    "Response times: medians of participants’ medians.",
    (
        Column("Arm", arm()),
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
        Column("Arm", arm()),
        Column("Answers", "n", grouped, "n"),
        Column("Help was seen", "share", tenths),
        limits(bare_percent),
        Column("After", "median_s", number, "s, median"),
    ),
)
