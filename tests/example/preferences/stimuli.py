"""What is shown: items with a text, perhaps a picture, and answers."""

from importlib import resources

from pydantic import Field

from stimuli.choices import ChoiceItem, ChoiceRules, choice_files, item_table
from stimuli.protocol import Protocol
from stimuli.study import Study

ITEMS = item_table()
"""Columns of ``items.csv``. A column of your own is an argument here and a field of `Item`."""


class Item(ChoiceItem):
    """What a trial shows."""


class Rules(ChoiceRules):
    """The items, and how they are shown."""

    items: tuple[Item, ...] = Field(min_length=1, strict=False, description="The items.")


class StudyProtocol(Protocol):
    """The protocol of this study."""

    choice: Rules = Field(description="The items, and how they are shown.")


STUDY = Study(
    package=__package__,
    protocol=StudyProtocol,
    ground_srgb=lambda protocol: protocol.choice.ground_srgb,
    files=lambda protocol: choice_files(
        protocol.choice, ITEMS, protocol.seed, resources.files(__package__)
    ),
)
