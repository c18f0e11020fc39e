"""The tables of a pack that was made from a table of items."""

from typing import Final

from stimuli.io.tables import Column, Row, TableSchema, levels
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
    Column("answers", "text", "The answers from left to right."),
    Column("stands_for", "text", "What each answer stands for, in this order.", optional=True),
    Column("right", "text", "The right answer.", optional=True),
    Column("advice", "text", "The AI's answer.", optional=True),
    Column("advice_text", "text", "The AI's explanation in Markdown.", optional=True),
    Column("advice_picture", "text", "File of the AI's explanation.", optional=True),
)
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


def answers_of(item: Row) -> tuple[str, ...]:
    """Return the answers to an item, from left to right."""
    return tuple(str(item["answers"]).split(BETWEEN))


def meanings_of(item: Row) -> tuple[str, ...]:
    """Return what each answer to an item stands for; the answers themselves by default."""
    return tuple(str(item["stands_for"] or item["answers"]).split(BETWEEN))
