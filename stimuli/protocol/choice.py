"""Rules of a timed choice, for protocols of studies whose trials are no more than that."""

from typing import Self

from pydantic import Field, model_validator

from stimuli.protocol.base import Channel, PositiveCount, Section


class ChoiceItem(Section):
    """What a trial shows: a text, perhaps a picture, and answers."""

    answers: tuple[str, ...] = Field(strict=False, description="The answers, from left to right.")
    text: str = Field(default="", description="The text above the answers.")
    picture: str = Field(default="", description="File in the study's folder pictures.")


class ChoiceRules(Section):
    """The items, how they are shown, and by which keys answers are chosen."""

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
    items: tuple[ChoiceItem, ...] = Field(min_length=1, strict=False, description="The items.")

    @model_validator(mode="after")
    def _keys_fit(self) -> Self:
        if len(set(self.keys)) < len(self.keys):
            raise ValueError(f"keys must differ: {', '.join(self.keys)}")
        for item in self.items:
            if len(item.answers) != len(self.keys) or len(set(item.answers)) < len(self.keys):
                raise ValueError(
                    f"an item needs {len(self.keys)} different answers, one a key: "
                    f"{', '.join(item.answers)}"
                )
        return self
