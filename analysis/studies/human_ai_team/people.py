"""Each person: in which arm, who qualified, how many were right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import pandas as pd

from analysis.questions.estimates import EstimateRow, Quantity, estimate_row, share_row
from analysis.report.about import about
from analysis.report.wording import grouped, number
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.trials import (
    NO,
    VALIDATION,
    YES,
    Answers,
    main_rows,
    phase_rows,
)
from analysis.studies.human_ai_team.words import tenths
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, Validation


@dataclass(frozen=True, slots=True)
class Person:
    """A participant of the trial table."""

    participant: Annotated[str, about("Code of the participant.")]
    robot: Annotated[str | None, about("Name of the response model; null for a person.")]
    methods: Annotated[list[str], about("Arms.")]
    validation: Annotated[int, about("Validation trials.")]
    validation_right: Annotated[int, about("Right answers in them.")]
    qualified: Annotated[bool | None, about("Whether the participant qualified; null if unknown.")]
    main: Annotated[int, about("Main trials of the table.")]
    answered: Annotated[int, about("Main trials with an answer.")]
    correct: Annotated[float | None, about("Share of right answers in these, 0 to 1.")]
    accepted: Annotated[float | None, about("Share of accepted labels in these, 0 to 1.")]
    median_rt_s: Annotated[float | None, about("Median time to the answer, seconds.")]


ENROLLED = Quantity("participants_of_arm", "Participants", "Participants of an arm.", grouped, "n")
WITH_MAIN = Quantity(
    "participants_with_main",
    "With main trials",
    "Those with an answered main trial.",
    grouped,
    "n",
)
LEFT_OUT = Quantity(
    "not_qualified", "Left out",
    "Share that didn’t qualify of the n participants of whom it is known (Wilson’s limits).",
    tenths,
)  # fmt: skip
VALIDATION_RIGHT = Quantity(
    "validation_right", "Validation", "Right validation trials, mean over those who had any.",
    number, "right, mean",
)  # fmt: skip


def person_rows(
    trials: pd.DataFrame, answers: Answers, protocol: HumanAiTeam
) -> tuple[Person, ...]:
    """Return everybody in a trial table, those without main trials too, by code."""
    checked = phase_rows(trials, VALIDATION)
    main = main_rows(trials)
    of_main = {code: len(group) for code, group in main.groupby("participant")}
    own_answers = dict(list(answers.frame.groupby("participant")))
    own_checks = dict(list(checked.groupby("participant")))
    empty = answers.frame.iloc[:0]
    rows = []
    for code, person_trials in trials.groupby("participant", sort=True):
        person_answers = own_answers.get(str(code), empty)
        right, n = _validation(own_checks.get(code))
        rows.append(
            Person(
                participant=str(code),
                robot=_robot(person_trials),
                methods=sorted(map(str, person_trials["method"].unique())),
                validation=n,
                validation_right=right,
                qualified=_qualified(person_trials, right, n, protocol.validation),
                main=of_main.get(code, 0),
                answered=len(person_answers),
                correct=float(person_answers["correct"].mean()) if len(person_answers) else None,
                accepted=float(person_answers["followed"].mean()) if len(person_answers) else None,
                median_rt_s=_median(person_answers["rt_s"]),
            )
        )
    return tuple(rows)


def arm_rows(people: Sequence[Person], arms: Sequence[str]) -> Iterator[EstimateRow]:
    """Yield for each arm who was enrolled, has main trials, qualified, and who is left out."""
    every = [*arms, *sorted({m for row in people for m in row.methods} - set(arms))]
    for arm in every:
        of = {"method": arm}
        of_arm = [row for row in people if arm in row.methods]
        known = [row for row in of_arm if row.qualified is not None]
        failed = Count(sum(not row.qualified for row in known), len(known))
        checks = [row.validation_right for row in of_arm if row.validation]
        yield estimate_row(ENROLLED, of, len(of_arm))
        yield estimate_row(WITH_MAIN, of, sum(row.answered > 0 for row in of_arm))
        yield share_row(LEFT_OUT, of, failed)
        if checks:
            yield estimate_row(VALIDATION_RIGHT, of, sum(checks) / len(checks), len(checks))


def unqualified(people: Sequence[Person]) -> tuple[str, ...]:
    """Return the codes of those who didn't qualify."""
    return tuple(row.participant for row in people if row.qualified is False)


def _validation(trials: pd.DataFrame | None) -> tuple[int, int]:
    if trials is None:
        return 0, 0
    answered = trials["decision"].isin([YES, NO])
    right = answered & ((trials["decision"] == YES) == trials["ai_correct"].astype(bool))
    return int(right.sum()), len(trials)


def _qualified(trials: pd.DataFrame, right: int, n: int, rules: Validation) -> bool | None:
    """Return whether a person qualified, by the table or by protocol; None without trials."""
    stated = trials["qualified"].dropna() if "qualified" in trials else pd.Series(dtype=object)
    if len(stated):
        return bool(stated.iloc[-1])
    if not n or not rules.trials:
        return None
    return right >= rules.pass_right * min(1.0, n / rules.trials)


def _robot(trials: pd.DataFrame) -> str | None:
    names = trials["robot"].dropna() if "robot" in trials else pd.Series(dtype=object)
    return None if names.empty else str(names.iloc[0])


def _median(times: pd.Series) -> float | None:
    known = times.dropna()
    return float(known.median()) if len(known) else None
