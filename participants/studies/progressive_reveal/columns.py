"""Columns of progressive_reveal's tables: what rounds came to, and who took part."""

from collections.abc import Mapping
from typing import Final

from participants.dataset.study_tables import ROBOT, trial_table
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.origin import origin_column
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS

TYPING: Final = Column(
    "typing_s",
    "real",
    "Median time to type a letter when copying class names; empty if none were copied.",
    unit="s",
    optional=True,
)

OWN = TableSchema(
    "trials",
    "Columns of progressive_reveal.",
    (
        Column("presentation", "text", "What was shown, as in the pack's items.csv."),
        Column("list", "text", "The pack's list that the person had."),
        Column("sitting", "integer", "The sitting to which the list assigns it, from 1."),
        Column("position", "integer", "Number within the sitting, from 1."),
        Column("class", "text", "Id of the image's class, the right answer."),
        Column(
            "method",
            "text",
            "The method whose map uncovered the image; catch_… in catch rounds.",
        ),
        Column(
            "catch",
            "text",
            "The kind of catch round; empty for main rounds. Only main rounds enter the results.",
            levels=CATCH_KINDS,
            optional=True,
        ),
        Column(
            "recognised",
            "boolean",
            "Whether the person named the right class before the end of the round.",
        ),
        Column(
            "step",
            "integer",
            "Step during which the right answer was confirmed. Without a right answer, the last "
            "step that was shown completely; 0 if there was none.",
        ),
        Column("pixels", "integer", "Pixels uncovered at that step.", unit="px"),
        Column(
            "step_first_key",
            "integer",
            "Step during which the first key of the right answer was pressed; without a right "
            "answer the same as step.",
        ),
        Column("pixels_first_key", "integer", "Pixels uncovered at that step.", unit="px"),
        Column("image_pixels", "integer", "Pixels of the whole image.", unit="px"),
        Column("final_pixels", "integer", "Pixels uncovered at the last step.", unit="px"),
        Column("attempts", "integer", "Number of confirmed answers, including the right one."),
        Column(
            "answers",
            "text",
            "The answers in order, separated by |; empty without an answer.",
            optional=True,
            typed=True,
        ),
        Column("first_attempt_right", "boolean", "Whether the first answer was right."),
        Column(
            "keystrokes",
            "integer",
            "Number of keys and clicks in the answer field.",
        ),
        Column(
            "table_walk",
            "integer",
            "Longest sequence of answers that goes through the table of classes one by one, down "
            "or up.",
        ),
        Column("censored", "boolean", "Whether the image wasn't recognised while it was shown."),
        Column("left", "boolean", "Whether the person left during the round."),
        Column(
            "model_correct",
            "boolean",
            "Whether the explained network named the right class; empty if there is no network.",
            optional=True,
        ),
        TYPING,
        Column("guess_rate", "real", "Chance of a right answer by guessing: 1 / classes."),
        ROBOT,
        origin_column("map_origin", "the map"),
    ),
)

TRIALS = trial_table("progressive_reveal", OWN, "round")

SKIPPED: Final = "asked but not answered"
SURVEY_COLUMNS: Final[Mapping[str, Column]] = {
    f"survey_{name}": Column(name, "text", meaning, levels=known, optional=True)
    for name, meaning, known in (
        ("gender", "Gender.", levels("woman", "man", other="other, or none", skip=SKIPPED)),
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
                other="other, or none",
                skip=SKIPPED,
            ),
        ),
        (
            "machine_learning",
            "What the person knows about machine learning.",
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
"""Columns of the personal questions, by question; empty if none was asked."""

PEOPLE = TableSchema(
    "people",
    "One row for each person's session, finished or not.",
    (
        Column("participant", "text", "Pseudonymous code."),
        Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
        Column("purpose", "text", "What the session was for."),
        Column("rig", "text", "The PC and display on which it began."),
        Column("pack_id", "text", "The pack that was shown."),
        Column("list", "text", "The pack's list that the person had."),
        Column("language", "text", "Language of texts and names."),
        Column("complete", "boolean", "Whether the session was finished."),
        Column("visits", "integer", "Number of times it was started or continued."),
        Column("rounds", "integer", "Number of finished rounds, without practice."),
        Column("recognised", "integer", "Number of these that were recognised."),
        Column("left", "integer", "Number of these that the person left."),
        TYPING,
        *SURVEY_COLUMNS.values(),
        ROBOT,
    ),
)

OUTSIDE = ("participant", "item", "method", "class", "recognised", "step", "pixels")
"""Columns that any table needs to be analysed; the report names the others if they are missing."""
