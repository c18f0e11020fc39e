"""What the results of every study hold beside its own: what the shared sections are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from analysis.report.about import about
from analysis.report.checks import Check
from analysis.report.flow import FlowStep
from analysis.report.incidents import Incidents
from analysis.report.missing import Lacking
from analysis.report.results import Described, Drawing
from analysis.report.timing import Timing

TAG: Final = "schema"


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


@dataclass(frozen=True, slots=True)
class Shared:
    """What a study tells of its data: these values of `Frame`."""

    data: Described
    levels: Mapping[str, float]
    sources: Mapping[str, str]
    flow: Sequence[FlowStep]
    incidents: Incidents
    timing: Timing
    bootstrap: Drawing
    intervals: str
    notes: Sequence[str]


class Frame(BaseModel):
    """What the results of every study have beside the answers to its questions."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    tag: str = Field(alias=TAG, description="Format and version of this file.")
    study: str = Field(description="Name of the study.")
    data: Described = Field(description="What was analysed, and under which rules.")
    protocol: dict[str, Any] = Field(description="The rules; see the page of the protocol.")
    levels: dict[str, float] = Field(description="Level of the intervals.")
    sources: dict[str, str] = Field(description="Sources of the methods, as cited.")
    flow: list[FlowStep] = Field(description="From the recorded sessions to the analysis.")
    incidents: Incidents = Field(description="Unplanned events in sessions.")
    timing: Timing = Field(description="Timing by rig.")
    bootstrap: Drawing = Field(description="How bootstrap replicates were drawn.")
    intervals: str = Field(description="How intervals of means and shares were found.")
    notes: list[str] = Field(description="What limits the results.")
    missing: list[Lacking] = Field(description="Results that can't be given, and why.")
    checks: list[Check] = Field(description="Checks of the data.")
    checks_by_state: dict[str, int] = Field(description="How many checks ended in each state.")
    versions: dict[str, str] = Field(description="Versions of the software.")
    headline: list[str] = Field(description="What the study shows.")
    warnings: list[str] = Field(
        [], description="What may change the conclusions; shown above the headline."
    )
    suspect: list[str] = Field([], description="Sessions and tables that can't be trusted.")
    preregistration: Compared | None = Field(
        None, description="Comparison with the preregistration, if one was given."
    )
