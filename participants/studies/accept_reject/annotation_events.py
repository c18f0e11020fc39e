"""Events of an expert's session: what was read and painted, act by act."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256
from participants.journal.trials import MarkingAct, ShownWhileMarked


class AnnotationTrialStart(Recorded):
    """A plate is about to be shown to an expert."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Number within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")
    axis: str = Field(min_length=1, description="Confusion axis of the plate's colours.")
    rung: Count = Field(description="Rung of the ladder of contrasts; 0 lies below it.")
    plate_sha256: str = Field(description="SHA-256 of the plate's pixels; empty if not rendered.")


class _Annotated(Recorded):
    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Number within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")
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
