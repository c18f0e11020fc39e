"""What an accuracy pack has beside the tables that it shares with accept_reject's packs."""

from dataclasses import dataclass
from typing import Final

from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Column, TableSchema
from stimuli.studies.accept_reject.tables import NO_NUMERAL

RUN: Final = 1
RESERVED: Final = frozenset({NO_SOLUTION, NO_NUMERAL})
"""Words that no class may have for its label."""

LABELS = TableSchema(
    "labels",
    "What a label is called on screen: one row for each label and language.",
    (
        Column("label", "text", "The label's id."),
        Column("language", "text", "IETF tag; empty for all other languages.", optional=True),
        Column("name", "text", "The name that a lead reads."),
    ),
)

PREDICTIONS = TableSchema(
    "predictions",
    "S's answers to each image or text, the most confident first. Builders and robots read it.",
    (
        Column("item", "text", "The image or text."),
        Column("place", "integer", "1 is the most confident answer."),
        Column("label", "text", "The label's id, or no_solution."),
        Column("confidence", "real", "S's probability of it.", optional=True),
    ),
)


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """An image or a text, with a label.

    Attributes
    ----------
    image_file
        Path in the pack; empty for a text.
    shown_label
        The label's word in the session's language, or ``no_solution``.
    case_text
        The text that is judged, in the session's language; None where an image is.
    axis, rung, region_file
        None: what plates have and these don't.
    """

    image_file: str
    shown_label: str
    case_text: str | None = None
    axis: None = None
    rung: None = None
    region_file: None = None
