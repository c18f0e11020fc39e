"""From the trial table to the report: how often people prefer what stands on the left."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from scipy import stats

from analysis.data.tables import Dataset
from analysis.report.checks import general_checks
from analysis.report.declared import ReportTable, Results
from analysis.report.flow import intake, leaving, stage
from analysis.report.incidents import incident_results
from analysis.report.parts import Column, Fact
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.results import describe, finished, simulated_participants, take_trials
from analysis.report.timing import rig_rows, timing_warnings
from analysis.report.wording import count, interval, percent
from analysis.statistics.proportions import Count, wilson
from analysis.study import Study, TableBeside

LIMIT_S = 5.0


def analyse(
    dataset: Dataset,
    purpose: str | None,
    left_out: Sequence[str],
    step: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Return every result as plain JSON values."""
    taken = take_trials(dataset, purpose, left_out, "answers")
    frame = taken.kept[taken.kept["choice"] != "none"]
    rigs = rig_rows(frame, dataset.sessions)
    unanswered = leaving("unanswered", taken.kept, frame)
    results = {
        "schema": "results_preferences/1.0",
        "study": dataset.study,
        "data": {
            **describe(dataset, frame, taken),
            "simulated_participants": simulated_participants(frame),
        },
        "protocol": dataset.protocol.resolved(),
        "left": _over_people(frame),
        "questions": [_question(name, own) for name, own in frame.groupby("item")],
        "flow": [*intake(dataset, unanswered), stage("analysed", frame)],
        "incidents": incident_results(dataset.sessions),
        "timing": {"rigs": rigs, "warnings": timing_warnings(rigs)},
        "published": {"reference": "", "remark": "", "rows": []},
        "notes": list(dataset.notes),
    }
    checks = general_checks(dataset.trials, frame, dataset.sessions, LIMIT_S)
    return finished(results, checks, _headline)


def _over_people(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the mean of people's shares of left answers, with its t interval."""
    shares = (frame["choice"] == "left").groupby(frame["participant"]).mean()
    row = {"share": float(shares.mean()), "participants": len(shares)}
    if len(shares) < 2:
        return row | {"ci_low": None, "ci_high": None}
    half = float(stats.t.ppf(0.975, len(shares) - 1) * stats.sem(shares))
    return row | {"ci_low": row["share"] - half, "ci_high": row["share"] + half}


def _question(name: str, own: pd.DataFrame) -> dict[str, Any]:
    found = wilson(Count(int((own["choice"] == "left").sum()), len(own)))
    return {
        "item": name,
        "share": found.estimate,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "n": len(own),
    }


def _headline(results: Results) -> list[str]:
    row = results["left"]
    between = interval(row["ci_low"], row["ci_high"], percent)
    people = count(row["participants"], "person", "people")
    return [f"{people} chose the answer on the left in {percent(row['share'])} {between}."]


QUESTIONS = ReportTable(
    "questions",
    "questions",
    "How often the answer on the left was chosen.",
    (
        Column("Question", "item"),
        Column("Left", "share", percent),
        Column("95 % interval", lambda row: interval(row["ci_low"], row["ci_high"], percent)),
        Column("n", "n", str, "answers"),
    ),
)
REPORT = ReportPlan(
    title="preferences: do people prefer what stands on the left?",
    facts=lambda results: (Fact(percent(results["left"]["share"]), "of answers on the left"),),
    methods=lambda results: [["People chose one of two words by a key press."]],
    people=lambda results: "Questions without an answer are left out.",
    after_flow=(),
    sections=(SectionPlan("Answers", (QUESTIONS,)),),
    resampling=lambda results: "Nothing is resampled.",
    files=(),
)
STUDY = Study(
    analyse=analyse,
    report=lambda: REPORT,
    beside={"items": TableBeside(("item",), "Its item table, with --trials.")},
)
