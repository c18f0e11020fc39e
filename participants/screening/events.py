"""Events of a screening's journal."""

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, JsonValue

from participants.journal.events import Count, Ordinal, Recorded, Seconds
from participants.journal.trials import FramesShown

SCREENED: Final = "screened"
"""A stage is over, or the rules decided; by this event the registry learns of it."""
CAP_MOVED: Final = "cap_moved"

Staged = Literal["trivector", "titration"]


class ScreeningTrialStart(Recorded):
    """A plate of a screening is about to be shown."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Number in the session, from 1.")
    procedure: Staged = Field(description="What the plate belongs to.")
    number: Count = Field(description="Number within the procedure, from 0.")
    phase: Literal["gap", "staircase", "short", "long"] = Field(
        description="gap: trivector test. In a titration: its staircase, or a short or long "
        "exposure of the verification."
    )
    axis: str = Field(description="Confusion line; empty for a catch trial.")
    excursion_1e4: Seconds = Field(description="Distance of figure and ground, 10⁻⁴ of u′v′.")
    rung: Count = Field(description="Rung of the ladder; 0 where there is none.")
    expected: str = Field(min_length=1, description="The right answer: a gap or a digit.")
    exposure_s: Seconds = Field(description="Longest exposure of the plate.")
    plate_sha256: str = Field(description="SHA-256 of the plate's pixels; empty if not rendered.")


class _Answered(Recorded):
    """What was shown and answered."""

    trial: Ordinal = Field(description="Number in the session, from 1.")
    procedure: Staged = Field(description="What the plate belongs to.")
    number: Count = Field(description="Number within the procedure, from 0.")
    answer: str = Field(
        min_length=1, description="The gap or digit that the person named; none without an answer."
    )
    right: bool = Field(description="Whether the answer was right.")
    rt_s: Seconds | None = Field(
        description="Time from onset to the press; null without an answer."
    )
    lag_s: float = Field(description="The rig's constant lag for this device.")


class ScreeningTrialEnd(FramesShown, _Answered):
    """A plate of a screening was answered, or its time ended."""


class CapMoved(Recorded):
    """A cap of the D-15 was moved."""

    cap: Annotated[int, Field(ge=1, le=15)] = Field(description="Which cap.")
    place: Annotated[int, Field(ge=1, le=15)] | None = Field(
        description="Its new place in the row, from 1; null if it was put back."
    )


class Screened(Recorded):
    """A stage of the screening is finished, or the rules gave their decision."""

    procedure: Literal["trivector", "d15", "ishihara", "titration", "decision"] = Field(
        description="What was done."
    )
    result: dict[str, JsonValue] = Field(
        description="The result: thresholds, scores, the rung, or the role and the reasons."
    )


def screening_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a screening by name."""
    return {
        "trial_start": ScreeningTrialStart,
        "trial_end": ScreeningTrialEnd,
        CAP_MOVED: CapMoved,
        SCREENED: Screened,
    }
