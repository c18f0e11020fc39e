"""Events of a lead's session: what was shown and how it was decided."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded
from participants.journal.trials import Chosen, FramesShown


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
    decision: Literal["accept", "reject", "none"] = Field(description="The decision.")
    in_time: bool = Field(description="Whether rt_s <= the protocol's cutoff_s.")
    accepted: bool = Field(description="Whether it counts as accepted in this cutoff mode.")


class TrialEnd(FramesShown, _Decided):
    """A trial is finished. The trial table is made from these events."""


def lead_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a lead's session by name."""
    return {"trial_start": TrialStart, "trial_end": TrialEnd}
