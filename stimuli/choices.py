"""Timed choices: their rules in a protocol, and the files of a pack that follow from the rules.

This is for studies whose trials are timed choices and nothing more. An item has a text, a picture
and answers. Every list has all items, each list in a different order.
"""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Self

from pydantic import Field, model_validator

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.inside import inside
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.keys import Key
from stimuli.protocol import Channel, PositiveCount, Section


class ChoiceItem(Section):
    """The content of a trial: a text, perhaps a picture, and answers."""

    answers: tuple[str, ...] = Field(strict=False, description="The answers, from left to right.")
    text: str = Field(default="", description="The text above the answers.")
    picture: str = Field(default="", description="File in the study's folder pictures.")


class ChoiceRules(Section):
    """The items, how they are shown, and by which keys answers are chosen."""

    keys: tuple[Key, ...] = Field(
        min_length=2,
        strict=False,
        description="Keys of the answers, from left to right: digits, or letters that are "
        "the same on all keyboards (not a, m, q, w, y or z).",
    )
    lists: PositiveCount = Field(
        description="Number of lists: orders of the items, dealt evenly to participants."
    )
    fixation_s: float = Field(gt=0, le=10, description="Fixation before each stimulus.")
    limit_s: float = Field(
        ge=0.1, le=3600, description="Longest time for an answer, from the onset."
    )
    exposure_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="How long a picture is shown at most; without it until the answer.",
    )
    size_deg: float = Field(gt=0, le=40, description="Side of pictures in degrees of visual angle.")
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


BETWEEN: Final = " | "
"""Separator between an item's answers in the table."""
PICTURES: Final = "pictures"
LISTS: Final = TableSchema(
    "lists",
    "Which list shows which item, in which place.",
    (
        Column("list", "text", "The list."),
        Column("position", "integer", "Place in the session, from 1."),
        Column("item", "text", "The item."),
    ),
)


def item_table(*own: Column) -> TableSchema:
    """Return the columns of ``items.csv``: those of any `ChoiceItem`, and a study's own."""
    shared = (
        Column("item", "text", "The item."),
        Column("text", "text", "The text above the answers.", optional=True),
        Column("picture", "text", "File of the picture; empty without one.", optional=True),
        Column("answers", "text", "The answers from left to right."),
    )
    return TableSchema("items", "One row an item.", (*shared, *own))


def answers_of(item: Row) -> list[str]:
    """Return the answers of an item's row, from left to right."""
    return str(item["answers"]).split(BETWEEN)


def choice_files(
    rules: ChoiceRules, items: TableSchema, seed: int, folder: Traversable
) -> dict[str, bytes]:
    """Return the files of a pack by path.

    Parameters
    ----------
    rules
        The rules with the items; each of the study's own columns is a field of its items.
    items
        Columns of ``items.csv``, see `item_table`.
    seed
        Seed of the lists' orders.
    folder
        The study's, with ``pictures`` in it.

    Raises
    ------
    UserError
        If a picture isn't there, or its name leads out of the folder.
    """
    rows = [
        item.model_dump()
        | {
            "item": f"item{number:02d}",
            "text": item.text or None,
            "picture": f"{PICTURES}/{item.picture}" if item.picture else None,
            "answers": BETWEEN.join(item.answers),
        }
        for number, item in enumerate(rules.items, start=1)
    ]
    named = sorted({str(row["picture"]) for row in rows if row["picture"]})
    pictures = {name: inside(Path(str(folder)), name) for name in named}
    missing = [path for path in pictures.values() if not path.is_file()]
    if missing:
        raise UserError(f"{missing[0]}: is missing; protocol.toml names it")
    lists = shuffled_lists([str(row["item"]) for row in rows], rules.lists, seed)
    return {
        "items.csv": items.to_csv(rows),
        "lists.csv": LISTS.to_csv(lists),
        **{name: path.read_bytes() for name, path in pictures.items()},
    }


def shuffled_lists(items: Sequence[str], lists: int, seed: int) -> list[Row]:
    """Return rows of `LISTS`: all items, in an order for each list drawn from the seed."""
    return [
        {"list": f"list{number}", "position": position, "item": item}
        for number in range(1, lists + 1)
        for position, item in enumerate(keyed_order(items, "list", seed, number), start=1)
    ]
