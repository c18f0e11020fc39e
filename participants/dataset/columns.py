"""Columns of the trial, item and annotation tables: names, kinds, units, meanings."""

from collections.abc import Mapping

from participants.studies.progressive_reveal.columns import PEOPLE, PROGRESSIVE_REVEAL
from stimuli.io.schema import Document, Schema
from stimuli.io.tables import Column, TableSchema, concatenate, levels
from stimuli.studies.accept_reject.tables import AXES, CONTROL_KINDS, ITEM_TABLE, SOLVERS
from stimuli.studies.progressive_reveal.tables import CURVES
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE as REVEALED_ITEM_TABLE

PURPOSES = levels(
    main="data for the study",
    pilot="a pilot's",
    test="a try of the set-up",
    robot="answers of a response model",
)

OF_THE_SESSION = (
    "participant", "session", "purpose", "rig", "pack_id", "protocol_hash", "list",
)  # fmt: skip
"""What a trial's row takes over from the event of its session."""

EVERY_STUDY = TableSchema(
    "trials",
    "Columns that every study's trial table begins with.",
    (
        Column("participant", "text", "Pseudonymous code."),
        Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
        Column("purpose", "text", "What the session was for.", levels=PURPOSES),
        Column("rig", "text", "The PC and display."),
        Column("trial", "integer", "Place of the trial in the session, from 1, practice included."),
        Column("item", "text", "The base stimulus, whatever was shown with it."),
        Column("condition", "text", "The study's arm or cell."),
        Column("rt_s", "real", "Press minus onset; empty without one.", unit="s", optional=True),
        Column(
            "onset_s",
            "real",
            "Onset of the critical stimulus since the session's (or resumption's) start.",
            unit="s",
        ),
        Column(
            "frames_planned",
            "integer",
            "Frames that the stimulus was to stay; empty where the response ends it.",
            optional=True,
        ),
        Column("frames_dropped", "integer", "Refreshes missed while it was on screen."),
        Column("pack_id", "text", "The pack that was shown."),
        Column("protocol_hash", "text", "The rules under which it was shown."),
        Column(
            "repeat_of",
            "integer",
            "The trial that this one shows again, since that one lost a frame; else empty.",
            optional=True,
        ),
        Column(
            "counts",
            "boolean",
            "Whether the row is analysed: of a trial and its repeat the one without a dropped "
            "frame, the first where both lost one.",
        ),
    ),
)

LEAD_ANSWERS: Mapping[str, str] = {
    "relied_on": "what the decisions rested on most.",
    "noticed_kinds": "whether different kinds of solutions were noticed.",
    "source_guess": "who gave the solutions.",
    "source_which": "which solutions a machine gave.",
}
"""Columns of the questions that a lead is asked once; each trial of the lead says the same."""

ACCEPT_REJECT = TableSchema(
    "trials",
    "Columns of accept_reject.",
    (
        Column("run", "integer", "Place of the run in the session: 1 the first, 2 the second."),
        Column(
            "order",
            "text",
            "Which run came first.",
            levels=levels(
                "without_first",
                "with_first",
                sham="both runs were without explanations",
                one_run="there is one run, without explanations",
            ),
        ),
        Column("presentation", "text", "What was shown, as in the pack's items.csv."),
        Column("solver", "text", "Who solved the task.", levels=SOLVERS),
        Column("solver_id", "text", "Which network or expert.", optional=True),
        Column("method", "text", "Where the shown region comes from.", optional=True),
        Column("explained", "boolean", "Whether the run shows explanations."),
        Column(
            "rung",
            "integer",
            "Rung of the ladder of contrasts; empty for images.",
            optional=True,
        ),
        Column(
            "axis",
            "text",
            "Confusion axis of the plate's colours; empty for images.",
            levels=AXES,
            optional=True,
        ),
        Column("true_label", "text", "The plate's digit or no_numeral, or the image's label."),
        Column("shown_label", "text", "The solution's digit or label, or no_solution."),
        Column("control_kind", "text", "Kind of control.", levels=CONTROL_KINDS, optional=True),
        Column(
            "decision",
            "text",
            "The lead's decision.",
            levels=levels("accept", "reject", none="no answer before the long limit"),
        ),
        Column(
            "cutoff_mode",
            "text",
            "How the cutoff works.",
            levels=levels(
                internal="late acceptances count as rejections, no clock is shown",
                visible="the plate leaves at the cutoff",
            ),
        ),
        Column("cutoff_s", "real", "The primary decision time.", unit="s"),
        Column(
            "rt_corrected_s",
            "real",
            "rt_s less the rig's constant lag; empty without an answer.",
            unit="s",
            optional=True,
        ),
        Column("in_time", "boolean", "Whether rt_s <= cutoff_s."),
        Column(
            "accepted",
            "boolean",
            "Internal cutoff: accepted in time. Visible cutoff: accepted whenever.",
        ),
        Column("list", "text", "The lead's list of the pack."),
        Column("position", "integer", "Place within the run, from 1."),
        Column(
            "robot", "text", "The response model that answered; empty for people.", optional=True
        ),
        Column(
            "guessed_source",
            "text",
            "Who gave this solution, as the lead guessed at the end; empty where not asked.",
            levels=levels("person", "machine", "cannot_say"),
            optional=True,
        ),
        *(
            Column(name, "text", f"The lead's answer at the end: {meaning}", optional=True)
            for name, meaning in LEAD_ANSWERS.items()
        ),
    ),
)

ANNOTATIONS = TableSchema(
    "annotations",
    "One row an answer of an expert in the annotation session.",
    (
        Column("participant", "text", "Pseudonymous code of the expert."),
        Column("item", "text", "The plate."),
        Column("label", "text", "The expert's digit, or no_solution."),
        Column(
            "region_file",
            "text",
            "The painting, a PNG beside this table, white where painted; empty without one.",
            optional=True,
        ),
        Column("rt_s", "real", "Time to the answer.", unit="s"),
        *(
            Column(name, kind, f"{meaning} Empty in tables of version 1.0.", unit, optional=True)
            for name, kind, unit, meaning in (
                ("session", "text", "", "Session id."),
                ("purpose", "text", "", "What the session was for."),
                ("pack_id", "text", "", "The task pack."),
                ("use", "text", "", "What the plate is for, as in tasks.csv."),
                ("axis", "text", "", "Confusion axis of the plate's colours."),
                ("rung", "integer", "", "Rung of the ladder of contrasts."),
                ("right_label", "text", "", "The plate's digit; no_solution without a numeral."),
                ("done_s", "real", "s", "Time to the end of the painting."),
                ("area", "real", "", "Painted share of the plate's disc."),
            )
        ),
        Column(
            "robot", "text", "The response model that answered; empty for people.", optional=True
        ),
    ),
)
SINCE_ANNOTATIONS_1_1 = ANNOTATIONS.names[5:]

EXPERTS = TableSchema(
    "experts",
    "One row an expert's session: how the controls were answered.",
    (
        Column("participant", "text", "Pseudonymous code of the expert."),
        Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
        Column("purpose", "text", "What the session was for.", levels=PURPOSES),
        Column("pack_id", "text", "The task pack."),
        Column(
            "robot", "text", "The response model that answered; empty for people.", optional=True
        ),
        Column("complete", "boolean", "Whether the session came to its end."),
        Column("plates", "integer", "Plates answered, practice left out."),
        Column("no_solution", "integer", "Of these the ones answered by no solution."),
        Column("controls", "integer", "Of these the ones whose right answer is known."),
        Column("controls_right", "integer", "Controls answered rightly."),
        Column(
            "failed",
            "boolean",
            "Whether the share of right controls is below the protocol's "
            "analysis.compliance_minimum: map sets leave the expert out.",
        ),
        Column("rt_s", "real", "Median time to the answer.", unit="s", optional=True),
        Column("area", "real", "Median painted share of the plate's disc.", optional=True),
    ),
)

TRIALS: Mapping[str, TableSchema] = {
    "accept_reject": concatenate(
        (EVERY_STUDY, ACCEPT_REJECT), "trials", "One row a main trial of accept_reject."
    ),
    "progressive_reveal": concatenate(
        (EVERY_STUDY, PROGRESSIVE_REVEAL), "trials", "One row a main round of progressive_reveal."
    ),
}

ITEM_TABLES: Mapping[str, TableSchema] = {
    "accept_reject": ITEM_TABLE,
    "progressive_reveal": REVEALED_ITEM_TABLE,
}

CURVE_TABLES: Mapping[str, TableSchema] = {"progressive_reveal": CURVES}

PEOPLE_TABLES: Mapping[str, TableSchema] = {"progressive_reveal": PEOPLE}


def _before_repeats_were_kept(document: Document) -> Document:
    """1.0 → 1.1: the table held none but the rows that count."""
    columns = document["columns"]
    rows = len(next(iter(columns.values()), ()))
    return {**document, "columns": {**columns, "repeat_of": [""] * rows, "counts": ["true"] * rows}}


def _with_answers_at_the_end(document: Document) -> Document:
    """1.1 → 1.2: questions asked after the runs were kept in the journal alone."""
    columns = dict(document["columns"])
    rows = len(next(iter(columns.values()), []))
    added = {name: [""] * rows for name in ("guessed_source", *LEAD_ANSWERS)}
    return {**document, "columns": columns | added}


def _before_uses_were_kept(document: Document) -> Document:
    """Annotations 1.0 to 1.1: the table named expert, plate, answer, painting and time alone."""
    columns = document["columns"]
    rows = len(next(iter(columns.values()), ()))
    return {
        **document,
        "columns": {**columns, **{name: [""] * rows for name in SINCE_ANNOTATIONS_1_1}},
    }


def _before_images(document: Document) -> Document:
    """1.0 → 1.1: method, axis, rung and confidence may be empty since there are images."""
    return document


# A table's version stands in its sidecar. A step of these takes {"columns": {name: texts}}.
VERSIONS: Mapping[str, Schema] = {
    EVERY_STUDY.name: Schema(
        "trials", 1, 2, {0: _before_repeats_were_kept, 1: _with_answers_at_the_end}
    ),
    ITEM_TABLE.name: Schema("items", 1, 1, {0: _before_images}),
    ANNOTATIONS.name: Schema("annotations", 1, 1, {0: _before_uses_were_kept}),
    EXPERTS.name: Schema("experts", 1, 0),
    CURVES.name: Schema("curves", 1, 0),
    PEOPLE.name: Schema("people", 1, 0),
}

# What a table from elsewhere must hold to be analysed; the rest is named where it is missed.
OUTSIDE_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "accept_reject": ("participant", "item", "explained", "solver", "decision", "rt_s"),
    "accept_reject_accuracy": (
        "participant",
        "item",
        "solver",
        "true_label",
        "shown_label",
        "decision",
        "rt_s",
    ),
    "progressive_reveal": (
        "participant",
        "item",
        "method",
        "class",
        "recognised",
        "step",
        "pixels",
    ),
}
