"""What is shown: pairs of words, in a pack with one list."""

from typing import Annotated

from pydantic import Field

from stimuli.io.tables import Column, TableSchema
from stimuli.protocol import Protocol
from stimuli.protocol.base import Channel, Section
from stimuli.study import Study

LIST = "all"

ITEMS = TableSchema(
    "items",
    "One row a question.",
    (
        Column("item", "text", "The question."),
        Column("left", "text", "The answer on the left."),
        Column("right", "text", "The answer on the right."),
    ),
)
LISTS = TableSchema(
    "lists",
    "Which list shows which question, in which place.",
    (
        Column("list", "text", "The list."),
        Column("position", "integer", "Place in the session, from 1."),
        Column("item", "text", "The question."),
    ),
)


Pair = Annotated[tuple[str, str], Field(strict=False)]


class Questions(Section):
    """What is asked, and how it is shown."""

    pairs: tuple[Pair, ...] = Field(
        min_length=1, strict=False, description="Left and right answer of each question."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="The screen's ground, sRGB."
    )
    size_deg: float = Field(gt=0, description="Width of the words in degrees of visual angle.")
    fixation_s: float = Field(gt=0, description="Fixation before the words.")
    limit_s: float = Field(gt=0, description="Longest time for an answer.")
    left_key: str = Field(min_length=1, description="Key of the answer on the left.")
    right_key: str = Field(min_length=1, description="Key of the answer on the right.")


class Preferences(Protocol):
    """The protocol of this study."""

    questions: Questions = Field(description="The questions.")


def compose(protocol: Preferences) -> dict[str, bytes]:
    """Return the files of a pack by path."""
    items = [
        {"item": f"q{number:02d}", "left": left, "right": right}
        for number, (left, right) in enumerate(protocol.questions.pairs, start=1)
    ]
    lists = [
        {"list": LIST, "position": place, "item": row["item"]}
        for place, row in enumerate(items, start=1)
    ]
    return {"items.csv": ITEMS.to_csv(items), "lists.csv": LISTS.to_csv(lists)}


STUDY = Study(
    package=__package__,
    protocol=Preferences,
    ground_srgb=lambda protocol: protocol.questions.ground_srgb,
)
