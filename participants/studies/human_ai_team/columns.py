"""Columns of human_ai_team's tables: trials and people."""

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
from stimuli.studies.human_ai_team.tables import LEVELS, PHASES

RATINGS: Final = ("guess", "unsure", "fairly_sure", "sure")
"""Steps of the confidence rating, from the lowest."""
YES_NO: Final = levels("yes", "no", none="no answer within the time limit")

OWN = TableSchema(
    "trials",
    "Columns of human_ai_team.",
    (
        Column(
            "phase",
            "text",
            "What the trial was for.",
            levels={phase: PHASES[phase] for phase in ("validation", "main")},
        ),
        Column("position", "integer", "Number among all images (or texts) after practice, from 1."),
        PRESENTATION,
        Column("sheet", "text", "The person's sheet, a list of the pack."),
        Column("method", "text", "The arm: the kind of help."),
        Column("ai_correct", "boolean", "Whether the AI's label is right."),
        Column(
            "decision",
            "text",
            "The person's final answer: whether the AI's label is right.",
            levels=YES_NO,
        ),
        Column(
            "correct",
            "boolean",
            "Whether the decision was right; empty without one.",
            optional=True,
        ),
        RT_CORRECTED,
        Column(
            "level", "text", "Difficulty, by the AI's confidence.", levels=LEVELS, optional=True
        ),
        Column("adversarial", "boolean", "Whether the image was attacked to mislead the AI."),
        Column(
            "confidence", "real", "The AI's confidence in the shown label, 0 to 1, not rounded."
        ),
        Column(
            "confidence_percent",
            "integer",
            "The confidence that was shown, in per cent; empty if none was shown.",
            optional=True,
        ),
        Column(
            "pred_label",
            "text",
            "The shown label: the AI's, except where validation swaps labels (key.csv).",
        ),
        Column("true_label", "text", "The true label of the image or text."),
        Column(
            "own_decision",
            "text",
            "The person's answer before advice and help; empty if there is one stage.",
            levels=YES_NO,
            optional=True,
        ),
        Column(
            "own_rt_s",
            "real",
            "Response time of that answer, from its own onset.",
            unit="s",
            optional=True,
        ),
        Column(
            "confidence_rating",
            "integer",
            "The person's confidence in the decision, 1 (a guess) to 4; empty if not asked.",
            optional=True,
            scale=(1, 4),
        ),
        Column(
            "prior_knowledge",
            "text",
            "Whether the person had seen what the label names before; empty if not asked.",
            levels=YES_NO,
            optional=True,
        ),
        Column(
            "qualified",
            "boolean",
            "Whether the person qualified in the validation trials; empty before that was known.",
            optional=True,
        ),
        Column(
            "help_shown_s",
            "real",
            "Time from onset to help that appeared later; otherwise empty.",
            unit="s",
            optional=True,
        ),
        ROBOT,
    ),
)

TRIALS = trial_table("human_ai_team", OWN, "or validation trial")

ANSWERED_AT_THE_END: Final[Mapping[str, str]] = {
    "relied_on": "What answers were mostly based on.",
    "noticed_altered": "Whether the person noticed images that looked altered.",
    "knows_ai": "What the person knows about artificial intelligence.",
}
"""Columns of the questions that are asked once, by the question."""

PEOPLE = TableSchema(
    "team_people",
    "One row for each person's session, finished or not.",
    (
        *WHOSE_SESSION,
        Column("rig", "text", "The PC and display on which it began."),
        Column("pack_id", "text", "The pack that was shown."),
        Column("sheet", "text", "The person's sheet, a list of the pack."),
        Column("method", "text", "The arm: the kind of help."),
        Column("language", "text", "Language of texts and labels."),
        Column("complete", "boolean", "Whether the session was finished."),
        Column("trials", "integer", "Number of finished main trials."),
        Column("validation", "integer", "Number of finished validation trials."),
        Column(
            "validation_right",
            "integer",
            "Number of right ones; empty before they were evaluated.",
            optional=True,
        ),
        Column(
            "validation_needed",
            "integer",
            "Number of right ones needed to qualify; empty likewise.",
            optional=True,
        ),
        Column(
            "qualified", "boolean", "Whether the person qualified; empty likewise.", optional=True
        ),
        *(
            Column(name, "text", f"Answer at the end: {meaning} Empty if not asked.", optional=True)
            for name, meaning in ANSWERED_AT_THE_END.items()
        ),
        ROBOT,
    ),
)

OUTSIDE: Final = ("participant", "item", "method", "ai_correct", "decision")
"""Columns that any table needs to be analysed; the report names the others if they are missing."""
