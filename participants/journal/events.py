"""Events of a journal: the fields of each, typed and described in one place.

Writer, reader and documentation follow from these models. `Recorded` fields are what an
event has beyond ``event, seq, t_monotonic_s, t_utc``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from stimuli.versions import Schema

JOURNAL_SCHEMA: Final = Schema("journal")

LONGEST_NOTE: Final = 500
"""Characters of an incident note."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Ordinal = Annotated[int, Field(ge=1)]


class Recorded(BaseModel):
    """Fields of one kind of event; unknown fields, wrong types and NaN are refused.

    ``durable`` says that the event is on disk before `append` returns, whatever the
    caller asks; ``timed`` events are only kept in memory until the next durable one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    durable: ClassVar[bool] = True


class Display(BaseModel):
    """The display of a session; a rig may add what else it knows."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, allow_inf_nan=False)

    profile_hash: str = Field(description="Hash of the display profile; empty without one.")
    calibrated: bool = Field(description="Whether the profile was measured on this display.")


class Session(Recorded):
    """The session starts or is resumed; time stamps can be compared up to the next of these."""

    schema_tag: str = Field(alias="schema", description="Format and version of the journal.")
    session: str = Field(min_length=1, description="Session id, the name of its folder.")
    participant: str = Field(min_length=1, description="Pseudonymous code.")
    role: Literal["lead", "expert", "participant", "candidate"] = Field(
        description="The person's role; candidate in a screening."
    )
    study: str = Field(min_length=1, description="The study.")
    purpose: Literal["main", "pilot", "test", "robot", "rehearsal"] = Field(
        description="What the session is for."
    )
    pack_id: str = Field(min_length=1, description="The pack that is shown.")
    protocol_hash: Sha256 = Field(description="Hash of the protocol under which it is shown.")
    list: str = Field(description="The list of the pack that was assigned; may be empty.")
    order: str = Field(description="The order that was assigned; may be empty.")
    language: str = Field(description="Language of the texts, by IETF tag.")
    rig: str = Field(description="The PC and display.")
    robot: str = Field(description="The robot that answers; empty for people.")
    resumed: bool = Field(description="Whether the session continues after an interruption.")
    refresh_hz: Annotated[float, Field(gt=0)] | None = Field(
        description="Measured refresh rate; null without a window."
    )
    pacing: Literal["vsync", "software", "none"] = Field(
        description="What times the frames: the display, a software clock, or nothing."
    )
    keyboard_backend: str = Field(description="Where presses come from.")
    clock: str = Field(description="The clock behind t_monotonic_s.")
    clock_resolution_s: Seconds = Field(description="Its resolution.")
    display: Display = Field(description="The display: profile_hash, calibrated, and more.")
    versions: dict[str, str] = Field(description="Versions of the suite and its parts.")
    accept_key: str = Field(description="Key or button for accept; empty if there is none.")
    reject_key: str = Field(description="Key or button for reject; empty if there is none.")
    time_zone: str = Field(description="The rig's time zone.")


class RigFinding(BaseModel):
    """What one check of the rig found."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    check: str = Field(min_length=1, description="Its name, as `doctor` shows it.")
    status: Literal["pass", "warn", "fail"] = Field(description="How it stands.")
    found: str = Field(description="What there is.")


class RigChecks(Recorded):
    """The rig was checked before the session started or was resumed."""

    findings: list[RigFinding] = Field(
        description="Results of the checks: `check`, `status` (`pass`, `warn`, `fail`), `found`."
    )
    overridden: list[str] = Field(
        description="Failed checks that the experimenter chose to override."
    )
    reason: str = Field(description="Reason; empty if nothing failed.")


class Checklist(Recorded):
    """The experimenter's checklist before plates are shown."""

    source: Literal["asked", "file", "confirmed", "unanswered", "skipped"] = Field(
        description="Answered at the terminal, from a file, confirmed as a whole (`--checklist "
        "confirmed`), or not answered; skipped if no person takes part."
    )
    language: str = Field(description="Language of the text; empty if it wasn't shown.")
    version: str = Field(description="Its version.")
    sha256: str = Field(description="Its SHA-256.")
    holds: dict[str, bool] = Field(description="Whether each point is met, by name.")
    values: dict[str, float] = Field(
        description="`distance_cm` from eyes to display, `ambient_lux` at the display, if given."
    )
    reasons: dict[str, str] = Field(
        description="Why the session began although a point isn't met, by name."
    )


SKIPPED_CHECKLIST: Final[Mapping[str, Any]] = {
    "source": "skipped",
    "language": "",
    "version": "",
    "sha256": "",
    "holds": {},
    "values": {},
    "reasons": {},
}
"""What stands in a journal whose session has no person in it, or shows no plates."""


class Consent(Recorded):
    """A consent text was answered."""

    text: str = Field(min_length=1, description="Which text.")
    version: str = Field(min_length=1, description="Its version.")
    sha256: Sha256 = Field(description="SHA-256 of the text as it was shown.")
    language: str = Field(description="Its language.")
    agreed: bool = Field(description="The answer.")


class Page(Recorded):
    """A page was read."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    name: str = Field(min_length=1, description="Which page.")
    shown_s: Seconds = Field(description="How long it was shown.")
    answers: dict[str, JsonValue] = Field(description="Answers given on it, by question.")


class Check(Recorded):
    """An attempt at the comprehension check, or the evaluation of practice."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    attempt: Ordinal = Field(description="Number of the attempt, from 1.")
    answers: dict[str, JsonValue] = Field(
        description="Answers by question; for practice, the numbers of `trials`, and of "
        "`answered` and `right` ones."
    )
    passed: bool = Field(
        description="Whether all were right; for practice, whether the criterion was met."
    )


class Flip(Recorded):
    """A refresh that showed or removed a critical stimulus."""

    durable: ClassVar[bool] = False

    what: str = Field(
        min_length=1, description="Which stimulus, and whether it was shown or removed."
    )
    trial: Ordinal = Field(description="The trial.")
    frame: Count = Field(description="Frame of the trial; 0 is the onset of the stimulus.")


class Response(Recorded):
    """A press; t_monotonic_s is the time of the press itself."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="The trial.")
    device: str = Field(min_length=1, description="Device of the press.")
    key: str = Field(min_length=1, description="Which key or button.")


class Pause(Recorded):
    """The session was paused."""

    reason: str = Field(description="Why; may be empty.")


class Continue(Recorded):
    """The session goes on after a pause."""


class FocusChanged(Recorded):
    """The window lost or regained the keyboard focus, or another one lay over it; presses in other
    windows don't count."""

    here: bool = Field(description="Whether the window has the focus now, and is uncovered.")


class Note(Recorded):
    """The experimenter wrote a note on an incident. Participants don't see it."""

    at: Literal["pause", "end"] = Field(description="When it was written.")
    text: str = Field(min_length=1, max_length=LONGEST_NOTE, description="The note.")


class Abort(Recorded):
    """The session was ended early."""

    reason: str = Field(
        description="Why; may be empty. `left_for_good`: the person left the study; the debrief "
        "and the question of the data follow."
    )


class Answer(Recorded):
    """An answer to a single question."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    question: str = Field(min_length=1, description="Which question.")
    value: JsonValue = Field(description="The answer.")


class Trigger(Recorded):
    """A trigger was sent to another device. t_monotonic_s is the time at which writing started."""

    durable: ClassVar[bool] = False

    what: str = Field(
        min_length=1, description="What it marks: onset, offset, step, response or block."
    )
    trial: Ordinal | None = Field(description="The trial; null for events outside of trials.")
    code: Annotated[int, Field(ge=1, le=255)] = Field(description="The value that was sent.")
    took_s: Seconds = Field(description="Time that writing took.")
    sent: bool = Field(description="Whether the device accepted it.")
    reason: str = Field(description="Why not; empty if it did.")


class ClockCheck(Recorded):
    """The other clocks were compared with the monotonic one."""

    durable: ClassVar[bool] = False

    at: Literal["start", "page", "block", "end", ""] = Field(
        description="When in the session; block means the start or end of a run or break."
    )
    offset_s: float = Field(description="UTC (seconds since 1970) minus t_monotonic_s.")
    stepped: bool = Field(
        description="Whether the wall clock or the stimulus clock was set since the last check: "
        "it changed by more than 1 ms relative to the monotonic clock."
    )
    stimulus_clock: str = Field(description="The clock of presses before they are converted.")
    stimulus_offset_s: float | None = Field(
        description="t_monotonic_s minus that clock; null if it wasn't compared."
    )
    stimulus_span_s: Seconds | None = Field(description="Twice the maximum error of that offset.")
    stimulus_step_s: float | None = Field(
        description="Change of that offset since the last check; 0 at the first check."
    )


class SessionEnd(Recorded):
    """The session ended."""

    complete: bool = Field(description="Whether all steps were completed.")


EVERY_STUDY: dict[str, type[Recorded]] = {
    "session": Session,
    "checks": RigChecks,
    "checklist": Checklist,
    "consent": Consent,
    "page": Page,
    "check": Check,
    "flip": Flip,
    "response": Response,
    "pause": Pause,
    "continue": Continue,
    "focus": FocusChanged,
    "note": Note,
    "abort": Abort,
    "answer": Answer,
    "trigger": Trigger,
    "clock": ClockCheck,
    "session_end": SessionEnd,
}


def checked(
    events: Mapping[str, type[Recorded]], event: str, fields: dict[str, Any]
) -> tuple[type[Recorded], dict]:
    """Return an event's model and its fields as plain JSON values, in the model's order.

    Raises
    ------
    ValueError
        If there is no such event, or a field is unknown, missing or ill-typed
        (pydantic's ValidationError is a ValueError).
    """
    if event not in events:
        raise ValueError(f"there is no event {event!r}; take one of {', '.join(events)}")
    model = events[event]
    return model, model.model_validate(fields).model_dump(mode="json", by_alias=True)
