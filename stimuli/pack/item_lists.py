"""Lists of a pack that show the same items, each in an order of its own."""

from collections.abc import Sequence
from typing import Final

from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Column, Row, TableSchema

LISTS: Final = TableSchema(
    "lists",
    "Which list shows which item, in which place.",
    (
        Column("list", "text", "The list."),
        Column("position", "integer", "Place in the session, from 1."),
        Column("item", "text", "The item."),
    ),
)


def shuffled_lists(items: Sequence[str], lists: int, seed: int) -> list[Row]:
    """Return rows of `LISTS`: all items in as many orders, drawn from the seed."""
    return [
        {"list": f"list{number}", "position": position, "item": item}
        for number in range(1, lists + 1)
        for position, item in enumerate(keyed_order(items, "list", seed, number), start=1)
    ]
