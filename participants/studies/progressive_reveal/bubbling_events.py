"""Events of a bubbling session: where bubbles were set, stroke by stroke."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Ordinal, Recorded, Seconds, Sha256
from participants.journal.trials import MarkingAct, ShownWhileMarked


class BubblingAct(MarkingAct):
    """Something that was done to the bubbles on an image: no eraser takes single ones back."""

    act: Literal["brush", "undo", "clear"]


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


class _Bubbled(Recorded):
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


class BubbleTrialEnd(ShownWhileMarked, _Bubbled):
    """A person finished marking an image with bubbles. Its map is made from these events."""


def bubbling_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a bubbling session by name."""
    return {"trial_start": BubbleTrialStart, "trial_end": BubbleTrialEnd}
