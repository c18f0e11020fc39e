"""What is shown: items with a text, perhaps a picture, and answers."""

from importlib import resources
from typing import Self

from pydantic import Field, model_validator

from stimuli.io.tables import Column, TableSchema
from stimuli.pack.item_lists import LISTS, shuffled_lists
from stimuli.protocol import Protocol
from stimuli.protocol.base import Section
from stimuli.protocol.choice import ChoiceRules
from stimuli.study import Study

BETWEEN = " | "
"""Stands between the answers of an item in its table."""
ITEMS = TableSchema(
    "items",
    "One row an item.",
    (
        Column("item", "text", "The item."),
        Column("text", "text", "The text above the answers.", optional=True),
        Column("picture", "text", "File of the picture; empty without one.", optional=True),
        Column("answers", "text", "The answers from left to right."),
    ),
)


class Item(Section):
    """What a trial shows."""

    answers: tuple[str, ...] = Field(strict=False, description="The answers, from left to right.")
    text: str = Field(default="", description="The text above the answers.")
    picture: str = Field(default="", description="File in the study's folder pictures.")


class Rules(ChoiceRules):
    """The items, and how they are shown."""

    items: tuple[Item, ...] = Field(min_length=1, strict=False, description="The items.")

    @model_validator(mode="after")
    def _answers_fit(self) -> Self:
        for item in self.items:
            if len(set(item.answers)) != len(self.keys):
                raise ValueError(f"{len(self.keys)} different answers are needed: {item.answers}")
        return self


class StudyProtocol(Protocol):
    """The protocol of this study."""

    choice: Rules = Field(description="The items, and how they are shown.")


def files(protocol: StudyProtocol) -> dict[str, bytes]:
    """Return the files of a pack by path."""
    rules, here = protocol.choice, resources.files(__package__)
    rows = [
        {
            "item": f"item{number:02d}",
            "text": item.text,
            "picture": f"pictures/{item.picture}" if item.picture else None,
            "answers": BETWEEN.join(item.answers),
        }
        for number, item in enumerate(rules.items, start=1)
    ]
    lists = shuffled_lists([str(row["item"]) for row in rows], rules.lists, protocol.seed)
    pictures = {str(row["picture"]) for row in rows if row["picture"]}
    return {
        "items.csv": ITEMS.to_csv(rows),
        "lists.csv": LISTS.to_csv(lists),
        **{path: here.joinpath(path).read_bytes() for path in sorted(pictures)},
    }


STUDY = Study(
    package=__package__,
    protocol=StudyProtocol,
    ground_srgb=lambda protocol: protocol.choice.ground_srgb,
    files=files,
)
