"""The participants whom the rules leave out, and the main results with and without them.

The rules look at a person's rounds that weren't left midway: whether a key was pressed, how many
answers were wrong, whether answers went through the table of classes one by one, and how the catch
rounds ended. No rule depends on how much of an image a method uncovered. The second analysis leaves
out those who break a rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final

import pandas as pd

from analysis.mixed.result import Outcome
from analysis.questions.estimates import EstimateRow
from analysis.report.about import about
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.models import PrimaryModel, fit_hazard, primary_model
from analysis.studies.progressive_reveal.rates import averages
from analysis.studies.progressive_reveal.recognition import Life, Restricted
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.studies.progressive_reveal.analysis_plan import Exclusion
from stimuli.studies.progressive_reveal.lists import HIDDEN
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS

LEAST_CATCH: Final = 2
"""Number of catch rounds of a kind from which they are judged."""


@dataclass(frozen=True, slots=True)
class Person:
    """What the exclusion rules find of a participant; null where the table lacks it."""

    participant: Annotated[str, about("Code of the participant.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    rounds: Annotated[int, about("Main rounds that weren't left midway.")]
    idle: Annotated[float | None, about("Share of rounds without a key press, 0 to 1.")]
    wrong_answers: Annotated[float | None, about("Wrong answers a round, on average.")]
    walks: Annotated[
        float | None, about("Share of rounds in which answers go through the table of classes.")
    ]
    failed_hidden: Annotated[int, about("Of the judged rounds, those that were failed.")]
    judged_hidden: Annotated[int, about("Catch rounds that can't be recognised early.")]
    failed_whole: Annotated[int, about("Of the judged rounds, those that were failed.")]
    judged_whole: Annotated[int, about("Catch rounds that are shown whole.")]
    reason: Annotated[str, about("The rules that are broken; empty if none is.")] = ""


def split_catch(rounds: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the main rounds, and the catch rounds; none of these without the column."""
    if "catch" not in rounds or rounds["catch"].isna().all():
        return rounds.reset_index(drop=True), rounds.iloc[:0]
    caught = rounds["catch"].notna()
    main, catch = (rounds[chosen].reset_index(drop=True) for chosen in (~caught, caught))
    return main, catch


def person_rows(
    main: pd.DataFrame, catch: pd.DataFrame, protocol: ProgressiveReveal
) -> tuple[Person, ...]:
    """Return what the rules find about each person, by code.

    Parameters
    ----------
    main, catch
        Main rounds and catch rounds of the trial table.
    protocol
        Whose rules.
    """
    rules, steps = protocol.exclusion, protocol.reveal.steps
    main, catch = (frame[~_flags(frame, "left")] for frame in (main, catch))
    failed = _failed(catch, rules, steps)
    codes = sorted({*main["participant"], *catch["participant"]})
    keys, runs = _numbers(main, "keystrokes"), _numbers(main, "table_walk")
    wrong = _numbers(main, "attempts") - _flags(main, "recognised")
    robots = main["robot"].dropna() if "robot" in main else pd.Series(dtype=object)
    columns: dict[str, Mapping[Any, Any]] = {
        "robot": robots.astype(str).groupby(main["participant"]).first().to_dict(),
        "rounds": main["participant"].value_counts().to_dict(),
        "idle": _mean((keys == 0).where(keys.notna()), main),
        "wrong_answers": _mean(wrong, main),
        "walks": _mean((runs >= rules.walk_answers).where(runs.notna()), main)
        if rules.walk_answers
        else {},
    }
    usual = {"robot": "", "rounds": 0}
    kinds = catch.get("catch", pd.Series(dtype=object, index=catch.index))
    for kind in CATCH_KINDS:
        judged = catch["participant"][kinds == kind]
        columns[f"failed_{kind}"] = judged[failed[judged.index]].value_counts().to_dict()
        columns[f"judged_{kind}"] = judged.value_counts().to_dict()
        usual |= {f"failed_{kind}": 0, f"judged_{kind}": 0}
    rows = []
    for code in codes:
        measures = {name: column.get(code, usual.get(name)) for name, column in columns.items()}
        row = Person(participant=str(code), **measures)
        rows.append(replace(row, reason="; ".join(_reasons(row, rules))))
    return tuple(rows)


def _mean(values: pd.Series, main: pd.DataFrame) -> dict[str, float]:
    """Return each person's mean of the known values; people without any are left out."""
    means = values.astype(float).groupby(main["participant"]).mean().dropna()
    return {str(code): float(mean) for code, mean in means.items()}


def excluded(rows: Sequence[Person]) -> tuple[str, ...]:
    """Return the codes of those who are left out."""
    return tuple(row.participant for row in rows if row.reason)


def _reasons(row: Person, rules: Exclusion) -> list[str]:
    hidden = _failed_share(row.failed_hidden, row.judged_hidden)
    whole = _failed_share(row.failed_whole, row.judged_whole)
    broken = {
        "too many rounds without a key": _above(row.idle, rules.idle_share),
        "too many wrong answers": bool(rules.wrong_answers)
        and _above(row.wrong_answers, rules.wrong_answers),
        "goes through the table of classes": _above(row.walks, rules.walks_share),
        "guesses in catch rounds": _above(hidden, rules.catch_share),
        "misses catch rounds": _above(whole, rules.catch_share),
    }
    return [rule for rule, is_broken in broken.items() if is_broken]


def _failed_share(failed: int, judged: int) -> float | None:
    return failed / judged if judged >= LEAST_CATCH else None


def _above(value: float | None, most: float) -> bool:
    return value is not None and value > most


def _failed(catch: pd.DataFrame, rules: Exclusion, steps: int) -> pd.Series:
    """Return whether each catch round is failed.

    A hidden catch round is failed by more answers than are allowed, one of which may be right at
    the last step; one that is shown whole is failed if it goes unrecognised.
    """
    if catch.empty:
        return pd.Series(False, catch.index, dtype=bool)
    seen = _flags(catch, "recognised") & (catch["step"].astype(float) >= steps)
    guesses = _numbers(catch, "attempts") - seen
    hidden = catch["catch"] == HIDDEN
    return (hidden & (guesses > rules.catch_answers)) | (~hidden & ~_flags(catch, "recognised"))


def _flags(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series(False, frame.index, dtype=bool)
    return frame[name].fillna(False).astype(bool)


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series(float("nan"), frame.index)
    return frame[name].astype(float)


# Without slots: each is computed when it is first needed.
@dataclass(frozen=True)
class MainResults:
    """What is computed from all rounds, and again from some of them."""

    table: RoundTable
    plan: Resampling

    @cached_property
    def averages(self) -> tuple[EstimateRow, ...]:
        """Table III."""
        return averages(self.table, self.plan)

    @cached_property
    def life(self) -> Life:
        """Recognition step by step."""
        return Life.of(self.table, self.plan)

    @cached_property
    def restricted(self) -> Restricted:
        """Restricted means of the uncovered share."""
        return Restricted.of(self.table, self.plan)

    @cached_property
    def fit(self) -> Outcome | None:
        """The fit of the discrete-time model."""
        return fit_hazard(self.table)

    @cached_property
    def model(self) -> PrimaryModel:
        """What the discrete-time model says."""
        return primary_model(self.table, self.fit)
