"""What the results of every study hold beside the answers to its questions."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from analysis.report.about import about
from analysis.report.checks import Check

Share = float | None
TAG: Final = "schema"


@dataclass(frozen=True, slots=True)
class Lacking:
    """A result that can't be given, and why; without a reason it isn't listed."""

    result: Annotated[str, about("The result.")] = ""
    reason: Annotated[str, about("Why.")] = ""


@dataclass(frozen=True, slots=True)
class ArmOrigin:
    """Who made what an arm shows."""

    arm: Annotated[str, about("The arm.")]
    origin: Annotated[str, about("Who made it: network, people, response_model or imported.")]
    note: Annotated[str, about("Its name.")]
    method: Annotated[str, about("The method.")]
    settings: Annotated[str, about("The method's settings.")]
    sha256: Annotated[str, about("SHA-256 of the file: the lab's own function, or imported.")]
    weights_sha256: Annotated[str, about("SHA-256 of the network's weights.")]


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


@dataclass(frozen=True, slots=True)
class FlowPart:
    """Participants and trials that are left out after a step."""

    reason: Annotated[str, about("Why.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int | None, about("Trials; null if not known.")]


@dataclass(frozen=True, slots=True)
class FlowArm:
    """An arm's participants and trials at a step."""

    arm: Annotated[str, about("The arm's name.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int, about("Trials.")]


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A step from the recorded sessions to the analysis."""

    step: Annotated[str, about("What is left.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int | None, about("Trials; null if not known.")]
    left_out: Annotated[list[FlowPart], about("Who is left out after it.")]
    arms: Annotated[list[FlowArm], about("The same by arm.")]


@dataclass(frozen=True, slots=True)
class Incident:
    """A note that an experimenter wrote during a session."""

    participant: Annotated[str, about("Code of the participant.")]
    session: Annotated[str, about("The session.")]
    t_utc: Annotated[str, about("When, ISO 8601 in UTC.")]
    at: Annotated[str, about("At which step.")]
    text: Annotated[str, about("The note.")]


@dataclass(frozen=True, slots=True)
class Incidents:
    """What happened in sessions beside the design."""

    sessions: Annotated[int, about("Sessions with a journal.")]
    paused_sessions: Annotated[int, about("Of these, sessions that were paused.")]
    unfocused_sessions: Annotated[int, about("Sessions that lost the keyboard's focus.")]
    notes_written: Annotated[int, about("Notes of experimenters.")]
    notes: Annotated[list[Incident], about("The notes.")]


@dataclass(frozen=True, slots=True)
class Rig:
    """How well a rig timed its trials; null where no journal or column tells."""

    rig: Annotated[str | None, about("The rig's name.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int, about("Trials.")]
    trials_with_drops: Annotated[int | None, about("Trials that lost a frame.")]
    share_with_drops: Annotated[Share, about("Their share, 0 to 1.")]
    frames_dropped: Annotated[int | None, about("Lost frames.")]
    median_rt_s: Annotated[float | None, about("Median time to the decision, seconds.")]
    sessions: Annotated[int | None, about("Sessions with a journal.")]
    refresh_hz_lowest: Annotated[float | None, about("Lowest refresh rate, Hz.")]
    refresh_hz_highest: Annotated[float | None, about("Highest refresh rate, Hz.")]
    pacing: Annotated[list[str], about("What paced frames: vsync, software, none.")]
    keyboard_backends: Annotated[list[str], about("What reported key presses.")]
    sessions_without_priority: Annotated[int | None, about("Sessions at normal priority.")]
    uncalibrated_sessions: Annotated[int | None, about("Sessions without measured colours.")]
    longest_interval_s: Annotated[float | None, about("Longest time between two flips, seconds.")]
    flagged_trials: Annotated[int | None, about("Flagged trials.")]
    clock_steps: Annotated[int | None, about("How often a clock was set.")]
    largest_clock_step_s: Annotated[float | None, about("Largest step of a clock, seconds.")]
    overridden_sessions: Annotated[int | None, about("Sessions begun despite a failed check.")]
    overridden_checks: Annotated[list[str], about("These checks.")]


@dataclass(frozen=True, slots=True)
class Timing:
    """Timing by rig."""

    rigs: Annotated[list[Rig], about("The rigs.")]
    warnings: Annotated[list[str], about("What to know before the times are believed.")]


@dataclass(frozen=True, slots=True)
class Drawing:
    """How participants and items were drawn in bootstrap replicates."""

    kind: Annotated[str, about("Kind of bootstrap and of interval.")]
    replicates: Annotated[int, about("Replicates.")]
    seed: Annotated[int, about("Seed.")]
    drawn: Annotated[str, about("What is drawn: both, or participants alone.")]


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
    incidents: Incidents = Field(description="What happened in sessions beside the design.")
    timing: Timing = Field(description="Timing by rig.")
    bootstrap: Drawing = Field(description="How bootstrap replicates were drawn.")
    intervals: str = Field(description="How intervals of means and shares were found.")
    notes: list[str] = Field(description="What limits the results.")
    missing: list[Lacking] = Field(description="Results that can't be given, and why.")
    checks: list[Check] = Field(description="Checks of the data.")
    checks_by_state: dict[str, int] = Field(description="How many checks ended in each state.")
    versions: dict[str, str] = Field(description="Versions of the software.")
    headline: list[str] = Field(description="What the study shows.")
    suspect: list[str] = Field([], description="Sessions and tables that can't be trusted.")
    preregistration: dict[str, Any] | None = Field(
        None, description="Comparison with the preregistration, if one was given."
    )
