"""Tables of an accuracy pack beside those that it shares with accept_reject's other packs."""

from typing import Final

from stimuli.images.predictions import NO_SOLUTION
from stimuli.io.tables import Column, TableSchema
from stimuli.studies.accept_reject.tables import NO_NUMERAL

RUN: Final = 1
RESERVED: Final = frozenset({NO_SOLUTION, NO_NUMERAL})
"""Words that no class may have for its label."""

ITEMS = TableSchema(
    "items",
    "Only what is shown: one row a presentation, in an order that says nothing.",
    (
        Column("presentation", "text", "Opaque id of an image with a label."),
        Column("image_file", "text", "The image, a PNG."),
        Column("shown_label", "text", "The label's id, or no_solution."),
    ),
)

LABELS = TableSchema(
    "labels",
    "What a label is called on screen: one row a label × language.",
    (
        Column("label", "text", "The label's id."),
        Column("language", "text", "IETF tag; empty for every other language.", optional=True),
        Column("name", "text", "The word that a lead reads."),
    ),
)

PREDICTIONS = TableSchema(
    "predictions",
    "S's answers to every image, the most confident first; opened by builders and robots.",
    (
        Column("item", "text", "The image."),
        Column("place", "integer", "1 is the most confident answer."),
        Column("label", "text", "The label's id, or no_solution."),
        Column("confidence", "real", "S's probability of it.", optional=True),
    ),
)
