"""Events of leads' and experts' sessions.

A lead's events have what was shown and the decision. An expert's events have what was read and
painted, act by act.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256
from participants.journal.trials import Chosen, FramesShown, MarkingAct, ShownWhileMarked


class _OfTrial(Recorded):
    """What both events of a trial begin with."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one repeats; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 for practice, 1 for the first run, 2 for the second.")
    position: Ordinal = Field(description="Number within the run, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class TrialStart(_OfTrial):
    """A plate, image or text and its solution are about to be shown."""

    durable: ClassVar[bool] = False

    axis: Annotated[str, Field(min_length=1)] | None = Field(
        description="Confusion axis of the plate's colours; null without a plate."
    )
    rung: Ordinal | None = Field(
        description="Rung of the ladder of contrasts; null without a plate."
    )
    plate_sha256: str = Field(
        description="SHA-256 of the plate's or image's pixels, or of the judged text in UTF-8; "
        "empty if not rendered."
    )


class _Decided(Chosen, _OfTrial):
    decision: Literal["accept", "reject", "none"] = Field(description="The lead's decision.")
    in_time: bool = Field(description="Whether rt_s <= the protocol's cutoff_s.")
    accepted: bool = Field(
        description="Whether it counts as accepted: with an internal cutoff if in time, with a "
        "visible one at any time."
    )


class TrialEnd(FramesShown, _Decided):
    """A trial is finished. The trial table is made from these events."""


def lead_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a lead's session by name."""
    return {"trial_start": TrialStart, "trial_end": TrialEnd}


class _OfPlate(Recorded):
    """What both events of an expert's trial begin with."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Number within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")


class AnnotationTrialStart(_OfPlate):
    """A plate is about to be shown to an expert."""

    durable: ClassVar[bool] = False

    axis: str = Field(min_length=1, description="Confusion axis of the plate's colours.")
    rung: Count = Field(description="Rung of the ladder of contrasts; 0 lies below it.")
    plate_sha256: str = Field(description="SHA-256 of the plate's pixels; empty if not rendered.")


class _Annotated(_OfPlate):
    label: Annotated[str, Field(pattern=r"^([0-9]|no_solution)$")] = Field(
        description="The digit that the expert read, or no_solution."
    )
    rt_s: Seconds = Field(description="Time from onset to that answer.")
    done_s: Seconds = Field(
        description="Time from onset to the press that confirmed the answer and the painting."
    )
    acts: list[MarkingAct] = Field(
        description="Everything done with brush and eraser, in order: `act` (brush, eraser, "
        "undo, clear), `t_ms` since onset, `radius`, and `points`, a flat list of t_ms, x, y; "
        "coordinates and radii in quarters of a pixel of the 256 × 256 mask, from its top left."
    )
    mask_sha256: Sha256 = Field(
        description="SHA-256 of the painted mask that follows from the acts, as packed bits."
    )
    area: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Painted share of the plate's disc."
    )


class AnnotationTrialEnd(ShownWhileMarked, _Annotated):
    """An expert finished a plate; the annotation table and map set are made from these."""


def annotation_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of an expert's session by name."""
    return {"trial_start": AnnotationTrialStart, "trial_end": AnnotationTrialEnd}
