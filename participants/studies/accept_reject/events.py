"""Events of a lead's session: what was shown and how it was decided."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds


class TrialStart(Recorded):
    """A plate or image and its solution are about to be shown."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one repeats; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 for practice, 1 for the first run, 2 for the second.")
    position: Ordinal = Field(description="Number within the run, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")
    axis: Annotated[str, Field(min_length=1)] | None = Field(
        description="Confusion axis of the plate's colours; null for an image."
    )
    rung: Ordinal | None = Field(description="Rung of the ladder of contrasts; null for an image.")
    plate_sha256: str = Field(
        description="SHA-256 of the plate's or image's pixels; empty if not rendered."
    )


class TrialEnd(Recorded):
    """A trial is finished. The trial table is made from these events."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one repeats; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 for practice, 1 for the first run, 2 for the second.")
    position: Ordinal = Field(description="Number within the run, from 1.")
    presentation: str = Field(min_length=1, description="What was shown, as in items.csv.")
    decision: Literal["accept", "reject", "none"] = Field(description="The decision.")
    rt_s: float | None = Field(description="Time from onset to the press; null without a press.")
    rt_corrected_s: float | None = Field(description="rt_s minus the rig's constant lag.")
    in_time: bool = Field(description="Whether rt_s <= the protocol's cutoff_s.")
    accepted: bool = Field(description="Whether it counts as accepted in this cutoff mode.")
    onset_t_monotonic_s: float = Field(description="Onset of the plate's first frame.")
    frames_planned: Count | None = Field(
        description="Planned number of frames; null if the response ends the plate."
    )
    frames_shown: Count = Field(description="Number of frames the plate was shown.")
    frames_dropped: Count = Field(description="Number of dropped frames while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether in that time a frame was dropped, a clock was set, a pause was "
        "requested or the window lost the keyboard focus."
    )


def lead_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a lead's session by name."""
    return {"trial_start": TrialStart, "trial_end": TrialEnd}
