"""Columns of accept_reject's tables: trials, experts' answers, and experts."""

from collections.abc import Mapping

from participants.dataset.study_tables import (
    PRESENTATION,
    PURPOSES,
    ROBOT,
    RT_CORRECTED,
    trial_table,
)
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.origin import origin_column
from stimuli.studies.accept_reject.tables import AXES, CONTROL_KINDS, SOLVERS

LEAD_ANSWERS: Mapping[str, str] = {
    "relied_on": "what decisions were mostly based on.",
    "noticed_kinds": "whether they noticed different kinds of solutions.",
    "source_guess": "who gave the solutions.",
    "source_which": "which solutions a machine gave; also empty if all or none.",
}
"""Columns of the questions that a lead is asked once; the same in all of the lead's trials."""

OWN = TableSchema(
    "trials",
    "Columns of accept_reject.",
    (
        Column("run", "integer", "1 for the first run of the session, 2 for the second."),
        Column(
            "order",
            "text",
            "Which run came first.",
            levels=levels(
                "without_first",
                "with_first",
                sham="both runs were without explanations",
                one_run="the session has one run, without explanations",
            ),
        ),
        PRESENTATION,
        Column("solver", "text", "Who solved the task.", levels=SOLVERS),
        Column("solver_id", "text", "Which network or expert.", optional=True),
        Column("method", "text", "Method that made the shown region.", optional=True),
        Column("explained", "boolean", "Whether the run shows explanations."),
        Column(
            "rung",
            "integer",
            "Rung of the ladder of contrasts; only plates have one.",
            optional=True,
        ),
        Column(
            "axis",
            "text",
            "Confusion axis of the plate's colours; only plates have one.",
            levels=AXES,
            optional=True,
        ),
        Column("true_label", "text", "The plate's digit or no_numeral; else the data set's label."),
        Column("shown_label", "text", "The solution's digit or label, or no_solution."),
        Column("control_kind", "text", "Kind of control.", levels=CONTROL_KINDS, optional=True),
        Column(
            "decision",
            "text",
            "The lead's decision.",
            levels=levels("accept", "reject", none="no answer within the long limit"),
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
        RT_CORRECTED,
        Column("in_time", "boolean", "Whether rt_s <= cutoff_s."),
        Column(
            "accepted",
            "boolean",
            "Internal cutoff: accepted in time. Visible cutoff: accepted at any time.",
        ),
        Column("list", "text", "The pack's list that the lead had."),
        Column("position", "integer", "Number within the run, from 1."),
        ROBOT,
        Column(
            "guessed_source",
            "text",
            "The lead's guess at the end who gave this solution; empty if not asked.",
            levels=levels("person", "machine", "cannot_say"),
            optional=True,
        ),
        *(
            Column(name, "text", f"The lead's answer at the end: {meaning}", optional=True)
            for name, meaning in LEAD_ANSWERS.items()
        ),
        origin_column("solver_origin", "the solution; empty for controls too"),
    ),
)

TRIALS = trial_table("accept_reject", OWN, "trial")

ANNOTATIONS = TableSchema(
    "annotations",
    "One row for each answer of an expert in the annotation session.",
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
            Column(name, kind, meaning, unit)
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
        ROBOT,
    ),
)

EXPERTS = TableSchema(
    "experts",
    "One row for each expert's session: how many controls were right.",
    (
        Column("participant", "text", "Pseudonymous code of the expert."),
        Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
        Column("purpose", "text", "What the session was for.", levels=PURPOSES),
        Column("pack_id", "text", "The task pack."),
        ROBOT,
        Column("complete", "boolean", "Whether the session was finished."),
        Column("plates", "integer", "Number of answered plates, without practice."),
        Column("no_solution", "integer", "Number of these answered with no solution."),
        Column(
            "controls",
            "integer",
            "Number of these that anyone should answer correctly: plates without a numeral, and "
            "known digits on the top rung.",
        ),
        Column("controls_right", "integer", "Number of correctly answered controls."),
        Column(
            "failed",
            "boolean",
            "Whether the share of right controls is below the protocol's "
            "analysis.compliance_minimum, or that of digits at a low contrast below "
            "experts.low_contrast_minimum: map sets exclude the expert.",
        ),
        Column("rt_s", "real", "Median time to the answer.", unit="s", optional=True),
        Column("area", "real", "Median painted share of the plate's disc.", optional=True),
        Column(
            "low_contrast",
            "integer",
            "Number of known digits at a contrast that only people with normal colour vision can "
            "read. They aren't among the controls above.",
            optional=True,
        ),
        Column("low_contrast_right", "integer", "Number of these read correctly.", optional=True),
    ),
)

OUTSIDE = ("participant", "item", "explained", "solver", "decision", "rt_s")
"""Columns that any table needs to be analysed; the report names the others if they are missing."""
