"""What a preregistration says of an analysis, as results.json holds it."""

from dataclasses import dataclass
from typing import Annotated

from analysis.report.about import about


@dataclass(frozen=True, slots=True)
class PlannedResult:
    """A section of the report, and whether it was planned."""

    section: Annotated[str, about("Its title.")]
    role: Annotated[str, about("primary or secondary; empty if it wasn't planned.")]
    preregistered: Annotated[str, about("Whether it was planned, in words.")]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Where an analysis differs from its preregistration."""

    what: Annotated[str, about("What differs.")]
    registered: Annotated[str, about("As registered.")]
    here: Annotated[str, about("In this analysis.")]


@dataclass(frozen=True, slots=True)
class Compared:
    """An analysis beside its preregistration."""

    registered_utc: Annotated[str, about("When it was registered, ISO 8601 in UTC.")]
    protocol_hash: Annotated[str, about("SHA-256 of the registered rules.")]
    participants: Annotated[int, about("Participants that were registered.")]
    same_rules: Annotated[bool, about("Whether all data were recorded under these rules.")]
    results: Annotated[tuple[PlannedResult, ...], about("The sections of the report.")]
    deviations: Annotated[tuple[Deviation, ...], about("Where the two differ.")]
