"""What the results of every study begin and end with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from platform import python_version
from typing import Annotated, Any

import pandas as pd

from analysis.data.json_values import plain
from analysis.data.selected import rows_of, select_purpose
from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.arms import ArmOrigin, origin_rows
from analysis.report.checks import Check, check_counts, warning_sentences
from analysis.report.wording import grouped
from analysis.statistics.bootstrap import Resampling
from participants.dataset.write import schema_of
from stimuli.errors import UserError
from stimuli.versions import suite_version

LIBRARIES = ("formulae", "statsmodels", "scipy", "numpy", "pandas", "matplotlib")


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


@dataclass(frozen=True, slots=True)
class Described:
    """What was analysed, and under which rules."""

    source: Annotated[str, about("Name of the data folder or file.")]
    purpose: Annotated[str, about("Purpose of the analysed sessions; empty if not recorded.")]
    purpose_words: Annotated[str, about("How the purpose was chosen.")]
    participants: Annotated[int, about("Participants with an analysed trial.")]
    items: Annotated[int, about("Different items in the analysed trials.")]
    trials: Annotated[int, about("Analysed trials.")]
    pack_ids: Annotated[list[str], about("Packs that were shown.")]
    protocol_hashes: Annotated[list[str], about("SHA-256 of the rules in the trial table.")]
    protocol: Annotated[str, about("Name of the protocol.")]
    protocol_source: Annotated[str, about("Where the protocol comes from.")]
    protocol_known: Annotated[bool, about("Whether the protocol came with the data.")]
    origins: Annotated[list[ArmOrigin], about("Who made what each arm shows.")]
    extra_columns: Annotated[list[str], about("Columns that the suite doesn't know.")]
    simulated_participants: Annotated[int, about("Participants who are response models.")]

    @classmethod
    def of(cls, dataset: Dataset, frame: pd.DataFrame, taken: Taken) -> "Described":
        """Return what was analysed.

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
        return cls(
            source=dataset.source,
            purpose=taken.purpose,
            purpose_words=taken.words,
            participants=int(frame["participant"].nunique()),
            items=int(frame["item"].nunique()),
            trials=len(frame),
            pack_ids=values(frame, "pack_id"),
            protocol_hashes=values(frame, "protocol_hash"),
            protocol=dataset.protocol.name,
            protocol_source=dataset.protocol_source,
            protocol_known=dataset.protocol_known,
            origins=origin_rows(dataset),
            extra_columns=sorted(set(map(str, dataset.trials)) - set(known)),
            simulated_participants=simulated_participants(frame),
        )


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


@dataclass(frozen=True, slots=True)
class Drawing:
    """How participants and items were drawn in bootstrap replicates."""

    kind: Annotated[str, about("Kind of bootstrap and of interval.")]
    replicates: Annotated[int, about("Replicates.")]
    seed: Annotated[int, about("Seed.")]
    drawn: Annotated[str, about("What is drawn: both, or only participants.")]

    @classmethod
    def of(cls, plan: Resampling, *, possible: bool = True) -> "Drawing":
        """Return how participants and items were drawn; one participant can't be drawn again."""
        kind = "two-way, percentile" if possible else "none: one participant"
        return cls(kind, plan.replicates if possible else 0, plan.seed, plan.drawn)


def software_versions() -> dict[str, str]:
    """Return the versions of the suite, of Python and of the libraries that results rest on."""
    return {
        "plainsight": suite_version(),
        "python": python_version(),
        **{name: _version_of(name) for name in LIBRARIES},
    }


@cache  # each one is read from a library's folder
def _version_of(name: str) -> str:
    return version(name)


def finished(
    results: dict[str, Any],
    checks: Sequence[Check],
    headline: Callable[[dict[str, Any]], list[str]],
) -> dict[str, Any]:
    """Return results as plain JSON values, with checks, versions and the headline made of them."""
    results = plain(
        {
            **results,
            "checks": checks,
            "checks_by_state": check_counts(checks),
            "warnings": warning_sentences(checks),
            "versions": software_versions(),
        }
    )
    return {**results, "headline": headline(results)}
