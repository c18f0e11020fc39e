"""The tables of a pack that was made from a table of items."""

import unicodedata
from typing import Final

from stimuli.io.tables import Column, Row, TableSchema, levels
from stimuli.maps.origin import origin_columns
from stimuli.table_study.protocol import TableStudy

BETWEEN: Final = " | "
"""Separator between the parts of a cell that has several: answers, and what they stand for."""
PHASES: Final = levels(
    practice="to learn the task; not analysed",
    main="what is analysed",
    catch="whether somebody takes part in earnest; not analysed",
)
PICTURE_COLUMNS: Final = ("picture", "left_picture", "right_picture", "advice_picture")
CONTENT: Final = ("text", *PICTURE_COLUMNS[:3])
"""Columns of which a row needs one."""
ADVICE: Final = ("advice", "advice_text", "advice_picture")
COLUMNS: Final = (
    Column("item", "text", "The item, whatever version of it is shown."),
    Column("phase", "text", "What the item is for.", levels=PHASES),
    Column("question", "text", "The line at the top.", optional=True),
    Column("text", "text", "A text in Markdown; **bold** marks words.", optional=True),
    Column("picture", "text", "File of the picture in the middle.", optional=True),
    Column("left_picture", "text", "File of the picture on the left.", optional=True),
    Column("right_picture", "text", "File of the picture on the right.", optional=True),
    Column("answers", "text", "The answers from left to right; none if they are typed.",
           optional=True),
    Column("stands_for", "text", "What each answer stands for, in this order.", optional=True),
    Column("right", "text", "The right answer; if answers are typed, all that are right.",
           optional=True),
    Column("advice", "text", "The AI's answer.", optional=True),
    Column("advice_text", "text", "The AI's explanation in Markdown.", optional=True),
    Column("advice_picture", "text", "File of the AI's explanation.", optional=True),
)  # fmt: skip
"""Columns that a given table may have; only those of answers and content are needed."""
PRESENTATION: Final = Column(
    "presentation", "text", "The item with its version, such as item07.2; the item without one."
)
LISTS: Final = TableSchema(
    "lists",
    "Which list shows which item, in which place.",
    (
        Column("list", "text", "The list."),
        Column("position", "integer", "Place in the list, from 1."),
        Column("presentation", "text", "What is shown."),
    ),
)

EXPLANATIONS: Final = TableSchema(
    "explanations",
    "Who made the explanations that the table names by a method, and how.",
    (
        Column("method", "text", "The method, as the table names it."),
        *origin_columns("origin", "the explanations"),
    ),
)


def factor_columns(protocol: TableStudy) -> tuple[Column, ...]:
    """Return the columns of a study's factors."""
    return tuple(
        Column(
            name,
            "text",
            f"A factor that varies {factor.vary} people.",
            levels=dict.fromkeys(factor.levels, "a level"),
            optional=True,
        )
        for name, factor in protocol.factors.items()
    )


def items_schema(protocol: TableStudy) -> TableSchema:
    """Return the columns of a pack's ``items.csv``."""
    columns = (PRESENTATION, *COLUMNS, *factor_columns(protocol))
    return TableSchema("items", "One row for each version of an item.", columns)


def parts_of(cell: object) -> tuple[str, ...]:
    """Return the parts of a cell that has several; none of an empty one."""
    return tuple(part.strip() for part in str(cell).split(BETWEEN.strip())) if cell else ()


def answers_of(item: Row) -> tuple[str, ...]:
    """Return the answers to an item, from left to right; none if they are typed."""
    return parts_of(item["answers"])


def meanings_of(item: Row) -> tuple[str, ...]:
    """Return what each answer to an item stands for; the answers themselves by default."""
    return parts_of(item["stands_for"] or item["answers"])


def is_among(answer: object, accepted: object, item: Row) -> bool:
    """Return whether an answer to an item is one of those that a cell has.

    Of a typed answer capitals, blanks and a full stop at the end don't matter.
    """
    if item["answers"]:
        return answer == accepted
    return plain(str(answer)) in map(plain, parts_of(accepted))


def plain(typed: str) -> str:
    """Return a typed answer without what doesn't matter in it."""
    return " ".join(unicodedata.normalize("NFC", typed).casefold().split()).rstrip(".")
