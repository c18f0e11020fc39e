"""What the results of every study begin and end with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.data.json_values import plain
from analysis.data.selected import rows_of, select_purpose
from analysis.data.tables import Dataset
from analysis.report.arms import origin_rows
from analysis.report.checks import Check, check_counts, check_rows
from analysis.report.methods import software_versions
from analysis.report.wording import grouped
from analysis.statistics.bootstrap import Resampling
from participants.dataset.write import schema_of
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Taken:
    """The trials that an analysis takes.

    Attributes
    ----------
    chosen
        Trials of the purpose.
    kept
        Of these, trials of participants who are not left out by hand.
    purpose, words
        The purpose, and how it was chosen.
    """

    chosen: pd.DataFrame
    kept: pd.DataFrame
    purpose: str
    words: str


def take_trials(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], noun: str = "trials"
) -> Taken:
    """Return the trials to analyse.

    Parameters
    ----------
    dataset
        All trials.
    purpose
        Which sessions; None for main, or the one purpose that there is.
    left_out
        Participants to leave out of everything.
    noun
        What a row of the trial table is called, in the plural.

    Raises
    ------
    UserError
        If no trial is left.
    """
    chosen, taken, words = select_purpose(dataset.trials, purpose)
    kept = rows_of(chosen, ~chosen["participant"].isin(left_out))
    if kept.empty:
        raise UserError(f"{dataset.source}: no {noun} are left after exclusions")
    return Taken(chosen, kept, taken, words)


def describe(dataset: Dataset, frame: pd.DataFrame, taken: Taken) -> dict[str, Any]:
    """Return what was analysed and under which rules, as it stands in results.json.

    Parameters
    ----------
    dataset
        Where it comes from.
    frame
        The analysed trials.
    taken
        Which sessions were taken.
    """
    known = schema_of(dataset.study, "trials").names
    return {
        "source": dataset.source,
        "purpose": taken.purpose,
        "purpose_words": taken.words,
        "participants": int(frame["participant"].nunique()),
        "items": int(frame["item"].nunique()),
        "trials": len(frame),
        "pack_ids": values(frame, "pack_id"),
        "protocol_hashes": values(frame, "protocol_hash"),
        "protocol": dataset.protocol.name,
        "protocol_source": dataset.protocol_source,
        "protocol_known": dataset.protocol_known,
        "origins": origin_rows(dataset),
        "extra_columns": sorted(set(map(str, dataset.trials)) - set(known)),
    }


def values(frame: pd.DataFrame, column: str) -> list[str]:
    """Return a column's distinct values in order; none where there is no such column."""
    return sorted(frame[column].dropna().unique().tolist()) if column in frame else []


def simulated_participants(frame: pd.DataFrame) -> int:
    """Return how many participants are response models."""
    robots = frame[frame["robot"].notna()] if "robot" in frame else frame.iloc[:0]
    return int(robots["participant"].nunique())


def interval_words(plan: Resampling, who: str = "participants", what: str = "items") -> str:
    """Return how intervals of means and shares were found, for a methods paragraph."""
    over = who if plan.drawn == "participants" else f"{who} and {what}"
    if plan.means == "two_way":
        kind = "one-way" if plan.drawn == "participants" else "two-way"
        return (
            f"95 % Student’s t intervals over {over} ({kind} variance components, none below zero; "
            "Satterthwaite’s degrees of freedom), no narrower than Wilson’s or MOVER’s where a "
            "share is 0 or 1"
        )
    return (
        f"95 % percentile intervals of {grouped(plan.replicates)} replicates of a bootstrap over "
        f"{over} (Owen 2007), no narrower than Wilson’s or MOVER’s where a share is 0 or 1"
    )


def bootstrap_results(plan: Resampling, *, drawn: bool = True) -> dict[str, Any]:
    """Return how participants and items were drawn; one participant can't be drawn again."""
    return {
        "kind": "two-way, percentile" if drawn else "none: one participant",
        "replicates": plan.replicates if drawn else 0,
        "seed": plan.seed,
    }


def finished(
    results: dict[str, Any],
    checks: Sequence[Check],
    headline: Callable[[dict[str, Any]], list[str]],
) -> dict[str, Any]:
    """Return results as plain JSON values, with checks, versions and the headline made of them."""
    rows = check_rows(checks)
    results = plain(
        {
            **results,
            "checks": rows,
            "checks_by_state": check_counts(rows),
            "versions": software_versions(),
        }
    )
    return {**results, "headline": headline(results)}
