"""Events of an expert's session: what was read and painted, act by act."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256


class PaintingAct(BaseModel):
    """Something that was done with brush or eraser."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    act: Literal["brush", "eraser", "undo", "clear"]
    t_ms: Count
    radius: Count
    points: list[int]


class AnnotationTrialStart(Recorded):
    """A plate is about to be shown to an expert."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Place in the session, from 1, practice included.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Place within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")
    axis: str = Field(min_length=1, description="Confusion axis of the plate's colours.")
    rung: Count = Field(description="Rung of the ladder of contrasts; 0 lies below it.")
    plate_sha256: str = Field(description="SHA-256 of the plate's pixels; empty if not rendered.")


class AnnotationTrialEnd(Recorded):
    """A plate was read and painted; annotation table and map set derive from these."""

    trial: Ordinal = Field(description="Place in the session, from 1, practice included.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Place within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")
    label: Annotated[str, Field(pattern=r"^([0-9]|no_solution)$")] = Field(
        description="The digit that was read, or no_solution."
    )
    rt_s: Seconds = Field(description="Press of that answer minus onset.")
    done_s: Seconds = Field(description="Press that confirmed answer and painting, minus onset.")
    acts: list[PaintingAct] = Field(
        description="All that was done with brush and eraser, in order: `act` (brush, eraser, "
        "undo, clear), `t_ms` since onset, `radius`, and `points`, a flat list of t_ms, x, y; "
        "places and radii in quarters of a pixel of the 256 × 256 mask, from its top left."
    )
    mask_sha256: Sha256 = Field(
        description="SHA-256 of the painted mask that follows from the acts, as packed bits."
    )
    area: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Painted share of the plate's disc."
    )
    interruptions: Count = Field(
        description="How often a chord or another window took the plate away meanwhile."
    )
    onset_t_monotonic_s: float = Field(description="Onset of the plate's first frame.")
    frames_planned: None = Field(description="Null: the answer ends it.")
    frames_shown: Count = Field(description="Frames the plate stayed.")
    frames_dropped: Count = Field(description="Refreshes missed while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether a clock was set, a pause was asked for or the keyboard's focus was "
        "lost meanwhile."
    )


def annotation_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of an expert's session by name."""
    return {"trial_start": AnnotationTrialStart, "trial_end": AnnotationTrialEnd}
