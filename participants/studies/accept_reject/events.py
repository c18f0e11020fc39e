"""Events of a lead's session: what was shown and how it was decided."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds


class TrialStart(Recorded):
    """A plate or image and its solution are about to be shown."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Place in the session, from 1, practice included.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one shows again; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 practice, 1 the run that came first, 2 the second.")
    position: Ordinal = Field(description="Place within the run, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")
    axis: Annotated[str, Field(min_length=1)] | None = Field(
        description="Confusion axis of the plate's colours; null for an image."
    )
    rung: Ordinal | None = Field(description="Rung of the ladder of contrasts; null for an image.")
    plate_sha256: str = Field(
        description="SHA-256 of the plate's or image's pixels; empty if not rendered."
    )


class TrialEnd(Recorded):
    """A trial is finished; the trial table derives from these."""

    trial: Ordinal = Field(description="Place in the session, from 1, practice included.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one shows again; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 practice, 1 the run that came first, 2 the second.")
    position: Ordinal = Field(description="Place within the run, from 1.")
    presentation: str = Field(min_length=1, description="What was shown, as in items.csv.")
    decision: Literal["accept", "reject", "none"] = Field(description="The decision.")
    rt_s: float | None = Field(description="Press minus onset; null without a press.")
    rt_corrected_s: float | None = Field(description="rt_s less the rig's constant lag.")
    in_time: bool = Field(description="Whether rt_s <= the protocol's cutoff_s.")
    accepted: bool = Field(description="Whether it counts as accepted under the cutoff's mode.")
    onset_t_monotonic_s: float = Field(description="Onset of the plate's first frame.")
    frames_planned: Count | None = Field(
        description="Frames the plate was to stay; null where the response ends it."
    )
    frames_shown: Count = Field(description="Frames the plate stayed.")
    frames_dropped: Count = Field(description="Refreshes missed while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether a frame was lost, a clock was set, a pause was asked for or the "
        "keyboard's focus was lost meanwhile."
    )


def lead_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a lead's session by name."""
    return {"trial_start": TrialStart, "trial_end": TrialEnd}
