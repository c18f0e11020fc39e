"""Columns of simulatability's tables: trials and people."""

from collections.abc import Mapping
from typing import Final

from participants.dataset.study_tables import (
    PRESENTATION,
    ROBOT,
    RT_CORRECTED,
    WHOSE_SESSION,
    trial_table,
)
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.studies.simulatability.tables import DOMAINS, OUTCOMES, USES

TESTS: Final = levels("forward", "counterfactual")
RATINGS: Final = ("guess", "unsure", "fairly_sure", "sure")
"""Steps of the confidence rating, from the lowest."""
PHASES: Final = levels(pre="before explanations", post="after, or with, explanations")

OWN = TableSchema(
    "trials",
    "Columns of simulatability.",
    (
        Column(
            "test_number",
            "integer",
            "1, or 2 for a second test in another domain with another method.",
        ),
        Column("list", "text", "The person's sheet, a list of the pack."),
        Column("arm", "text", "Domain and method, such as text_lime."),
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column("method", "text", "The explanation method; no_explanation: no explanations."),
        Column("use", "text", "What the item is for.", levels=USES),
        Column("phase", "text", "Before or after explanations.", levels=PHASES),
        Column(
            "first_test",
            "text",
            "The test that the person took first in this domain; empty if nothing was predicted.",
            levels=TESTS,
            optional=True,
        ),
        Column("position", "integer", "Place in this part of the session, from 1."),
        PRESENTATION,
        Column("source_id", "text", "The item's id in the data that it comes from."),
        Column(
            "outcome",
            "text",
            "True class and model's output of the unchanged input.",
            levels=OUTCOMES,
        ),
        Column(
            "flips",
            "boolean",
            "Whether the change changes the model's output; only for counterfactuals.",
            optional=True,
        ),
        Column("short", "boolean", "Whether the item belongs to the half of a short test."),
        Column("true_label", "text", "The class of the unchanged input."),
        Column("original_output", "text", "The model's output on the unchanged input."),
        Column("output", "text", "The model's output that the person had to predict."),
        Column("decision", "text", "The class that was predicted; none without a prediction."),
        Column(
            "correct",
            "boolean",
            "Whether the prediction was right; empty without one.",
            optional=True,
        ),
        Column(
            "rating",
            "integer",
            "How good the explanation is, 1 to 7; empty if not asked.",
            optional=True,
            scale=(1, 7),
        ),
        Column("rating_rt_s", "real", "Time from onset to the rating.", unit="s", optional=True),
        Column(
            "confidence",
            "integer",
            "How sure the person was of the prediction, 1 (a guess) to 4; empty if not asked.",
            optional=True,
            scale=(1, 4),
        ),
        RT_CORRECTED,
        Column(
            "look_s",
            "real",
            "How long the person looked at an example; empty for predictions.",
            unit="s",
            optional=True,
        ),
        ROBOT,
    ),
)

TRIALS = trial_table("simulatability", OWN, "trial")

ANSWERED_AT_THE_END: Final[Mapping[str, str]] = {
    "relied_on": "What the person relied on most.",
    "explanations_helped": "How much the explanations helped.",
    "knows_ai": "What the person knows about artificial intelligence.",
}
"""Columns of the questions that are asked once, by the question."""

PEOPLE = TableSchema(
    "simulatability_people",
    "One row for each person's session, finished or not.",
    (
        *WHOSE_SESSION,
        Column("arm", "text", "Domain and method, such as text_lime."),
        Column(
            "second_arm",
            "text",
            "Domain and method of the second test; empty without one.",
            optional=True,
        ),
        Column(
            "course",
            "text",
            "Whether the person has taken a course in statistics or computer science; empty: "
            "not asked.",
            levels=levels("yes", "no"),
            optional=True,
        ),
        Column(
            "understanding_right",
            "integer",
            "Right answers on the method and the balance of items; empty if not yet counted.",
            optional=True,
        ),
        Column(
            "qualified",
            "boolean",
            "Whether the course and the answers were sufficient.",
            optional=True,
        ),
        Column(
            "median_prediction_s",
            "real",
            "Median time of a prediction; empty without predictions.",
            unit="s",
            optional=True,
        ),
        *(
            Column(name, "text", f"Answer at the end: {meaning} Empty if not asked.", optional=True)
            for name, meaning in ANSWERED_AT_THE_END.items()
        ),
        Column("complete", "boolean", "Whether the session was finished."),
        ROBOT,
    ),
)

EXPLANATIONS = TableSchema(
    "simulatability_explanations",
    "What is known of each explanation in the packs that were shown: one row for each item and "
    "method.",
    (
        PRESENTATION,
        Column("item", "text", "The item, as in trials.csv."),
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column("use", "text", "What the item is for.", levels=USES),
        Column("method", "text", "The explanation method."),
        Column(
            "agrees",
            "boolean",
            "Whether it says the model's output for the unchanged input: LIME's total, the class "
            "of a rule or of a prototype, a path that leads to another class. Of Composite, "
            "whether all parts do. Empty where an explanation says no class.",
            optional=True,
        ),
        Column(
            "fidelity",
            "real",
            "LIME, also in Composite: share of the variance of the model's probability over the "
            "samples that the linear model explains (R²). Empty for other methods and if unknown.",
            optional=True,
        ),
        Column(
            "precision",
            "real",
            "Anchor, also in Composite: how often the model gives the same output when the rule "
            "holds, 0 to 1. Empty for other methods and if unknown.",
            optional=True,
        ),
        Column(
            "coverage",
            "real",
            "Anchor, also in Composite: how often a draw meets the rule, 0 to 1. Empty for other "
            "methods and if unknown.",
            optional=True,
        ),
    ),
)

OUTSIDE: Final = ("participant", "item", "domain", "use", "phase", "method", "correct")
"""Columns that any table needs; the report names the others if they are missing."""
