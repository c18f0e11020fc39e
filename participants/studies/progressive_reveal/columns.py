"""Columns of progressive_reveal's tables: what rounds came to, and who took part."""

from collections.abc import Mapping
from typing import Final

from participants.dataset.columns import ROBOT, trial_table
from stimuli.io.schema import Schema
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.origin import origin_column
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS, CURVES

TYPING: Final = Column(
    "typing_s",
    "real",
    "Median time to type a letter when class names were copied; empty where they weren't.",
    unit="s",
    optional=True,
)

OWN = TableSchema(
    "trials",
    "Columns of progressive_reveal.",
    (
        Column("presentation", "text", "What was shown, as in the pack's items.csv."),
        Column("list", "text", "The person's list of the pack."),
        Column("sitting", "integer", "The sitting in which the list has it, from 1."),
        Column("position", "integer", "Place within the sitting, from 1."),
        Column("class", "text", "Id of the class that was to be named."),
        Column(
            "method",
            "text",
            "By whose relevance the image was uncovered; catch_… in catch rounds.",
        ),
        Column(
            "catch",
            "text",
            "The kind of catch round; empty for main rounds, on which alone results rest.",
            levels=CATCH_KINDS,
            optional=True,
        ),
        Column(
            "recognised",
            "boolean",
            "Whether the right class was named before the round's end.",
        ),
        Column(
            "step",
            "integer",
            "Step in force at the press that confirmed the right answer; where there was none the "
            "last step that was seen to its end, 0 if none was.",
        ),
        Column("pixels", "integer", "Pixels uncovered at that step.", unit="px"),
        Column(
            "step_first_key",
            "integer",
            "Step in force at the right answer's first key; without one as step.",
        ),
        Column("pixels_first_key", "integer", "Pixels uncovered at that step.", unit="px"),
        Column("image_pixels", "integer", "Pixels of the whole image.", unit="px"),
        Column("final_pixels", "integer", "Pixels uncovered at the last step.", unit="px"),
        Column("attempts", "integer", "Answers that were confirmed, the right one included."),
        Column(
            "answers",
            "text",
            "Their words in order, joined by |; empty without one.",
            optional=True,
            typed=True,
        ),
        Column("first_attempt_right", "boolean", "Whether the first of them was right."),
        Column(
            "keystrokes",
            "integer",
            "Keys and clicks in the answer field; empty in tables from before it was counted.",
            optional=True,
        ),
        Column(
            "table_walk",
            "integer",
            "Most answers in a row that go through the table of classes one by one, down or up; "
            "empty in tables from before it was counted.",
            optional=True,
        ),
        Column("censored", "boolean", "Whether the image was not recognised while it was seen."),
        Column("left", "boolean", "Whether the person left in mid-round."),
        Column(
            "model_correct",
            "boolean",
            "Whether the explained network named the class rightly; empty where none is explained.",
            optional=True,
        ),
        TYPING,
        Column("guess_rate", "real", "Chance of a right answer by guessing: 1 / classes."),
        ROBOT,
        origin_column("map_origin", "the map"),
    ),
)

TRIALS = trial_table("progressive_reveal", OWN, "round")

SKIPPED: Final = "asked and not answered"
SURVEY_COLUMNS: Final[Mapping[str, Column]] = {
    f"survey_{name}": Column(name, "text", meaning, levels=known, optional=True)
    for name, meaning, known in (
        ("gender", "Gender.", levels("woman", "man", other="another, or none", skip=SKIPPED)),
        (
            "age",
            "Age in years.",
            levels("18_24", "25_34", "35_44", "45_54", "55_64", "65_up", skip=SKIPPED),
        ),
        (
            "field",
            "Field of work or study.",
            levels(
                "medicine",
                "humanities",
                computing="computer science, mathematics",
                engineering_natural="engineering, natural sciences",
                social="psychology, social sciences, education",
                law_economics="law, business, economics",
                other="another, or none",
                skip=SKIPPED,
            ),
        ),
        (
            "machine_learning",
            "What is known about machine learning.",
            levels(
                none="nothing",
                heard="heard or read about it",
                basics="how it works in principle",
                works_with_it="works with it, or has studied it",
                skip=SKIPPED,
            ),
        ),
    )
}
"""Columns of the questions about oneself, by the question; empty where none was asked."""

PEOPLE = TableSchema(
    "people",
    "One row a person's session, whether finished or not.",
    (
        Column("participant", "text", "Pseudonymous code."),
        Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
        Column("purpose", "text", "What the session was for."),
        Column("rig", "text", "The PC and display where it began."),
        Column("pack_id", "text", "The pack that was shown."),
        Column("list", "text", "The person's list of the pack."),
        Column("language", "text", "Language of texts and names."),
        Column("complete", "boolean", "Whether the session came to its end."),
        Column("visits", "integer", "How often it was begun or gone on with."),
        Column("rounds", "integer", "Rounds that came to an end, without practice."),
        Column("recognised", "integer", "Of these the ones that were recognised."),
        Column("left", "integer", "Of these the ones that the person left."),
        TYPING,
        *SURVEY_COLUMNS.values(),
        ROBOT,
    ),
)

OUTSIDE = ("participant", "item", "method", "class", "recognised", "step", "pixels")
"""What a table from elsewhere must hold to be analysed; the rest is named where it is missed."""

VERSIONS: Final[Mapping[str, Schema]] = {
    CURVES.name: Schema("curves", 1, 0),
    PEOPLE.name: Schema("people", 1, 0),
}
