"""Results that every study has: what was analysed, and the versions of the software.

What was analysed includes the origin of each arm: who made it, how, and from which files. Reports
say whether people or robots answered, and who made what was shown. They never call a robot a
person.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from platform import python_version
from typing import Annotated, Any, Final

import pandas as pd

from analysis.data.selected import rows_of, select_purpose
from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.checks import Check, check_counts, warning_sentences
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Fact, Part, cell
from analysis.report.wording import count, grouped
from analysis.statistics.bootstrap import Resampling
from participants.dataset.study_tables import study_tables
from participants.dataset.table_files import schema_of
from stimuli.errors import UserError
from stimuli.maps.origin import PEOPLE, Origin, origin_in
from stimuli.versions import suite_version

SHORT: Final = 12
"""Digits of a hash on the page; the file has all of them."""

_MADE_BY: Final = {
    "network": "network",
    "image": "image-only method",
    "people": "people",
    "response_model": "robots instead of people",
    "imported": "imported",
}

LIBRARIES = ("formulae", "statsmodels", "scipy", "numpy", "pandas", "matplotlib")

Data = Any
"""What was analysed: ``data`` of results.json, as a mapping or as `Described`."""


@dataclass(frozen=True, slots=True)
class ArmOrigin:
    """Who made what an arm shows."""

    arm: Annotated[str, about("The arm.")]
    origin: Annotated[
        str, about("Who made it: network, image, people, response_model or imported.")
    ]
    note: Annotated[str, about("Its name.")]
    method: Annotated[str, about("The method.")]
    settings: Annotated[str, about("The method's settings.")]
    sha256: Annotated[
        str, about("SHA-256 of the imported file, or of the file of the lab's own function.")
    ]
    weights_sha256: Annotated[str, about("SHA-256 of the network's weights.")]


def origin_rows(dataset: Dataset) -> list[ArmOrigin]:
    """Return who made what each arm shows, and how; empty if no table says it."""
    arms = study_tables(dataset.study).arms
    frame = None if arms is None else dataset.beside.get(arms.name)
    if arms is None or frame is None or arms.origin not in frame:
        return []
    # An empty cell is None or NaN, by the type of its column.
    cells = [
        {str(name): None if pd.isna(cell) else cell for name, cell in row.items()}
        for row in frame.to_dict("records")
    ]
    origins = {(arm_name(row, arms.arm), origin_in(row, arms.origin)): None for row in cells}
    return [_arm_origin(name, origin) for name, origin in origins if origin.kind]


def arm_name(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return the name of a row's arm: its values in these columns."""
    return ", ".join(str(row[name]) for name in columns if row[name])


def _arm_origin(arm: str, origin: Origin) -> ArmOrigin:
    return ArmOrigin(
        arm=arm,
        origin=origin.kind,
        # Reports are passed on, so they must not hold anybody's code.
        note="" if origin.kind == PEOPLE else origin.note,
        method=origin.method,
        settings=origin.settings,
        sha256=origin.sha256,
        weights_sha256=origin.weights_sha256,
    )


def _short(digest: str) -> str:
    return f"{digest[:SHORT]}…" if digest else ""


ARMS: Final = ReportTable(
    "arms",
    lambda frame: frame.data.origins or None,
    "Who made what is shown, and how.",
    (
        Column("Shown", "arm"),
        Column("Made by", lambda row: _MADE_BY[row.origin]),
        Column("Name", "note"),
        Column("Method", "method"),
        Column("Settings", "settings"),
        Column(
            "SHA-256 of the file",
            lambda row: _short(row.sha256),
            note="The file is that of the lab’s own function, or the imported one.",
        ),
        Column("SHA-256 of the weights", lambda row: _short(row.weights_sha256)),
    ),
    "tables/arms.csv has all settings and whole hashes.",
)


def arms_parts(frame: Any, words: Callable[[str], str]) -> tuple[Part, ...]:
    """Return the table of the page, with arms as readers know them; the file has their ids.

    Parameters
    ----------
    frame
        What every report's results have.
    words
        Returns what an arm, or a part of its name, is called.
    """

    def named(row: ArmOrigin) -> ArmOrigin:
        return replace(row, arm=", ".join(map(words, row.arm.split(", "))))

    renamed = replace(ARMS, shown=lambda frame: [named(row) for row in frame.data.origins])
    return renamed.parts(frame)


@dataclass(frozen=True, slots=True)
class TrialSelection:
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
) -> TrialSelection:
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
    chosen, purpose, words = select_purpose(dataset.trials, purpose)
    kept = rows_of(chosen, ~chosen["participant"].isin(left_out))
    if kept.empty:
        raise UserError(f"{dataset.source}: no {noun} are left after exclusions")
    return TrialSelection(chosen, kept, purpose, words)


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
    def of(cls, dataset: Dataset, frame: pd.DataFrame, selection: TrialSelection) -> "Described":
        """Return what was analysed.

        Parameters
        ----------
        dataset
            Where it comes from.
        frame
            The analysed trials.
        selection
            Which sessions were taken.
        """
        columns = schema_of(dataset.study, "trials").names
        return cls(
            source=dataset.source,
            purpose=selection.purpose,
            purpose_words=selection.words,
            participants=int(frame["participant"].nunique()),
            items=int(frame["item"].nunique()),
            trials=len(frame),
            pack_ids=values(frame, "pack_id"),
            protocol_hashes=values(frame, "protocol_hash"),
            protocol=dataset.protocol.name,
            protocol_source=dataset.protocol_source,
            protocol_known=dataset.protocol_known,
            origins=origin_rows(dataset),
            extra_columns=sorted(set(map(str, dataset.trials)) - set(columns)),
            simulated_participants=simulated_participants(frame),
        )


def values(frame: pd.DataFrame, column: str) -> list[str]:
    """Return a column's distinct values in order; none if there is no such column."""
    return sorted(frame[column].dropna().unique().tolist()) if column in frame else []


def simulated_participants(frame: pd.DataFrame) -> int:
    """Return how many participants are response models."""
    robots = frame[frame["robot"].notna()] if "robot" in frame else frame.iloc[:0]
    return int(robots["participant"].nunique())


def interval_words(plan: Resampling, people: str = "participants", items: str = "items") -> str:
    """Return how intervals of means and shares were found, for a methods paragraph."""
    if plan.people == "fixed":
        return (
            f"95 % Student’s t intervals over {items} for these {people}, who count as given; no "
            "narrower than Wilson’s or MOVER’s where a share is 0 or 1"
        )
    over = people if plan.drawn == "participants" else f"{people} and {items}"
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


@cache  # each version is read from the library's folder
def _version_of(name: str) -> str:
    return version(name)


def checks_and_versions(checks: Sequence[Check]) -> dict[str, Any]:
    """Return what results say of the data's checks, and the versions that they rest on."""
    return {
        "checks": checks,
        "checks_by_state": check_counts(checks),
        "warnings": warning_sentences(checks),
        "versions": software_versions(),
    }


def called(data: Data, noun: str) -> str:
    """Return what one participant is called: ``lead``, or ``simulated lead`` if all are robots."""
    return f"simulated {noun}" if all_simulated(data) else noun


def plural(data: Data, noun: str) -> str:
    """Return what participants are called, singular if there is one."""
    return called(data, noun) + ("" if cell(data, "participants") == 1 else "s")


def counted(data: Data, noun: str) -> str:
    """Return how many took part, such as ``12 simulated leads`` or ``12 leads (3 simulated)``."""
    number, simulated = cell(data, "participants"), cell(data, "simulated_participants")
    people = count(number, called(data, noun))
    return f"{people} ({grouped(simulated)} simulated)" if 0 < simulated < number else people


def sample_facts(data: Data, noun: str, number: int, rows: str, item: str) -> list[Fact]:
    """Return how many took part, and how much they gave on how many items.

    Parameters
    ----------
    data
        As in results.json.
    noun, item
        What a participant is called, and an item.
    number, rows
        How many answers there are, and what they are called, in the plural.
    """
    return [
        Fact(grouped(cell(data, "participants")), plural(data, noun)),
        Fact(grouped(number), f"{rows} on {count(cell(data, 'items'), item)}"),
    ]


def coded_name(row: Any) -> str:
    """Return a participant's code, with the robot's name if there is one."""
    code, robot = cell(row, "participant"), cell(row, "robot")
    return f"{code} ({robot})" if robot else code


def all_simulated(data: Data) -> bool:
    """Return whether every participant is a response model."""
    return cell(data, "simulated_participants") == cell(data, "participants")


def robots_first(data: Data, noun: str) -> list[str]:
    """Return the headline's first sentence if response models answered; else none.

    Parameters
    ----------
    data
        As in results.json.
    noun
        What a participant is called.
    """
    simulated = cell(data, "simulated_participants")
    if not simulated:
        return []
    if all_simulated(data):
        return [f"Robots answered: {counted(data, noun)} (response models), and no person."]
    people = count(cell(data, "participants"), noun)
    return [
        f"Robots answered in part: {grouped(simulated)} of {people} are simulated (response "
        "models), and the results hold for no group of people."
    ]
