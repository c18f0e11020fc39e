"""Events of a bubbling session: where bubbles were set, stroke by stroke."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256


class BubblingAct(BaseModel):
    """Something that was done to the bubbles on an image."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    act: Literal["brush", "undo", "clear"]
    t_ms: Count
    radius: Count
    points: list[int]


class BubbleTrialStart(Recorded):
    """An image that the person marks with bubbles is about to be shown."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Number in the session, from 1.")
    phase: Literal["main"] = Field(description="Always main: there is no practice.")
    position: Ordinal = Field(description="The same number.")
    item: str = Field(min_length=1, description="The image, as in tasks.csv.")
    image_sha256: str = Field(
        description="SHA-256 of the image's pixels as shown; empty if not rendered."
    )


class BubbleTrialEnd(Recorded):
    """A person finished marking an image with bubbles. Its map is made from these events."""

    trial: Ordinal = Field(description="Number in the session, from 1.")
    phase: Literal["main"] = Field(description="Always main: there is no practice.")
    position: Ordinal = Field(description="The same number.")
    item: str = Field(min_length=1, description="The image, as in tasks.csv.")
    done_s: Seconds = Field(description="Time from onset to the confirming press.")
    acts: list[BubblingAct] = Field(
        description="Everything that was done, in order: `act` (brush, undo, clear), `t_ms` since "
        "onset, `radius` (half a bubble's side), and `points`, a flat list of t_ms, x, y; "
        "coordinates and radii in quarters of a pixel of the image at 256 × 256, from its top left."
    )
    bubble_px: Annotated[int, Field(ge=1)] = Field(
        description="Side of a bubble, in pixels of the image at 256 × 256."
    )
    bubble_ms: Annotated[int, Field(ge=1)] = Field(
        description="Time from bubble to bubble while the pointer moves, ms."
    )
    counts_sha256: Sha256 = Field(
        description="SHA-256 of the counts that follow from the acts, two bytes a pixel."
    )
    area: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Share of the image under at least one bubble."
    )
    interruptions: Count = Field(
        description="How often the pause keys or another window hid the image in that time."
    )
    onset_t_monotonic_s: float = Field(description="Onset of the image's first frame.")
    frames_planned: None = Field(description="Always null: the answer ends it.")
    frames_shown: Count = Field(description="Number of frames the image was shown.")
    frames_dropped: Count = Field(description="Number of dropped frames while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether in that time a clock was set, a pause was requested or the window "
        "lost the keyboard focus."
    )


def bubbling_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a bubbling session by name."""
    return {"trial_start": BubbleTrialStart, "trial_end": BubbleTrialEnd}
