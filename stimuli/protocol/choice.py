"""Rules of a timed choice, for protocols of studies whose trials are no more than that."""

from typing import Self

from pydantic import Field, model_validator

from stimuli.protocol.base import Channel, PositiveCount, Section


class ChoiceRules(Section):
    """How choices are shown, and by which keys they are made; a study adds its items."""

    keys: tuple[str, ...] = Field(
        min_length=2, strict=False, description="Keys of the answers, from left to right."
    )
    lists: PositiveCount = Field(
        description="Number of lists: orders of the items, dealt evenly to participants."
    )
    fixation_s: float = Field(gt=0, description="Fixation before each stimulus.")
    limit_s: float = Field(gt=0, description="Longest time for an answer, from the onset.")
    exposure_s: float | None = Field(
        default=None,
        gt=0,
        description="How long a picture is shown at most; without it until the answer.",
    )
    size_deg: float = Field(gt=0, description="Side of pictures in degrees of visual angle.")
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="The screen's ground, sRGB codes."
    )

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        if len(set(self.keys)) < len(self.keys):
            raise ValueError(f"keys must differ: {', '.join(self.keys)}")
        return self
