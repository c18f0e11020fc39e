"""Files of packs whose items are a text, a picture and answers: items, and lists of them."""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Final

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.protocol.choice import ChoiceRules

BETWEEN: Final = " | "
"""Stands between the answers of an item in its table."""
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
        With the items; each column of the study's own is a field of its items.
    items
        Columns of ``items.csv``, see `item_table`.
    seed
        The lists' orders follow from it.
    folder
        The study's, with ``pictures`` in it.

    Raises
    ------
    UserError
        If a picture isn't there.
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
    pictures = sorted({str(row["picture"]) for row in rows if row["picture"]})
    missing = [path for path in pictures if not folder.joinpath(path).is_file()]
    if missing:
        raise UserError(f"{folder.joinpath(missing[0])}: is missing; protocol.toml names it")
    lists = shuffled_lists([str(row["item"]) for row in rows], rules.lists, seed)
    return {
        "items.csv": items.to_csv(rows),
        "lists.csv": LISTS.to_csv(lists),
        **{path: folder.joinpath(path).read_bytes() for path in pictures},
    }


def shuffled_lists(items: Sequence[str], lists: int, seed: int) -> list[Row]:
    """Return rows of `LISTS`: all items in as many orders, drawn from the seed."""
    return [
        {"list": f"list{number}", "position": position, "item": item}
        for number in range(1, lists + 1)
        for position, item in enumerate(keyed_order(items, "list", seed, number), start=1)
    ]
