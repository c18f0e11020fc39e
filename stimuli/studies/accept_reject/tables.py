"""Tables of an accept_reject pack, and the words reserved in them."""

from typing import Final

from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.metrics import metrics_table
from stimuli.maps.origin import note_column, origin_column, origin_columns

NO_NUMERAL: Final = "no_numeral"
PRACTICE_RUN: Final = 0
SHAM_RUN: Final = 3

AXES = levels(
    deutan="line through the deutan copunctal point (M cones)",
    protan="line through the protan copunctal point (L cones)",
)
SOLVERS = levels(
    S="the system", E="an expert", control="nobody: a control that checks the lead's decisions"
)
CONTROL_KINDS = levels(
    right_digit="right digit, matched contour where the run has contours",
    right_digit_elsewhere="right digit, contour moved to another place",
    right_digit_shuffled="right digit, contour with its parts shuffled",
    right_digit_blank="right digit, no contour in a run with contours",
    wrong_digit="wrong digit, contour matched in kind to the other solutions",
    wrong_digit_true_place="wrong digit, contour at the true digit's place",
    wrong_digit_own_shape="wrong digit, contour shaped like the shown digit",
    no_numeral="a digit for a plate without a numeral, no contour",
    no_numeral_s_like="the same with a contour shaped like the shown digit, drawn like S's",
    no_numeral_e_like="the same with a contour shaped like the shown digit, drawn like E's",
    high_contrast="right digit on a plate that anyone can read",
    no_solution="the word for no solution derived",
    wrong_label="a label that neither S nor E gave",
)

TASKS = TableSchema(
    "tasks",
    "One row for each plate of a task pack. annotate reads the labels of practice plates only.",
    (
        Column("item", "text", "The plate."),
        Column("plate_file", "text", "The plate as dots."),
        Column(
            "use",
            "text",
            "What the plate is for.",
            levels=levels(
                main="judged in the runs",
                practice="judged with feedback before the runs",
                no_numeral="a plate without a numeral, a control of leads",
                expert_no_numeral="a plate without a numeral, a control of experts",
                expert_high_contrast="a known digit that anyone can read, a control of experts",
                expert_low_contrast=(
                    "a known digit that only people with normal colour vision can read, a control "
                    "of experts"
                ),
                practice_no_numeral="a plate without a numeral, for the practice of leads",
            ),
        ),
        Column("true_label", "text", "The plate's digit, or no_numeral."),
        Column("source", "text", "Where the digit comes from; empty without one.", optional=True),
        Column(
            "source_index", "integer", "Place of the digit in the source, from 0.", optional=True
        ),
        Column("plate_seed", "integer", "Seed of the plate's colours."),
        Column("packing_seed", "integer", "Seed of the plate's dots."),
    ),
)

ITEMS = TableSchema(
    "items",
    "What is shown and nothing else: one row for each presentation, in random order.",
    (
        Column("presentation", "text", "Opaque id of a plate with a solution."),
        Column("axis", "text", "Confusion axis of the plate's colours.", levels=AXES),
        Column("rung", "integer", "Rung of the axis's ladder of contrasts, 1 is the lowest."),
        Column("plate_file", "text", "The plate as dots."),
        Column("shown_label", "text", "The solution's digit, or no_solution."),
        Column("region_file", "text", "The explanation's region; empty if none.", optional=True),
    ),
)

LABELLED = TableSchema(
    "items",
    "What is shown and nothing else: one row for each presentation, in random order.",
    (
        Column("presentation", "text", "Opaque id of an image, or a text, with a label."),
        Column(
            "image_file",
            "text",
            "The image, a PNG. Empty if a text is judged.",
            optional=True,
        ),
        Column("shown_label", "text", "The label's id, or no_solution."),
    ),
)
"""The items of packs of labelled images or texts, which the assessment of accuracy judges."""

KEY = TableSchema(
    "key",
    "What each presentation is. A session reads it only for feedback in practice.",
    (
        Column("presentation", "text", "Opaque id, as in items.csv."),
        Column("item", "text", "The plate."),
        Column("solver", "text", "Who solved it.", levels=SOLVERS),
        Column("solver_id", "text", "Which network or expert; empty for controls.", optional=True),
        Column("method", "text", "Where the region comes from; empty if none.", optional=True),
        Column(
            "explained",
            "boolean",
            "Whether it belongs to the run with explanations and isn't a probe.",
        ),
        Column("true_label", "text", "The plate's digit, or no_numeral."),
        Column("control_kind", "text", "Kind of control.", levels=CONTROL_KINDS, optional=True),
        origin_column("solver_origin", "the solution; empty for controls too"),
        note_column("solver_origin_note", "the solution"),
    ),
)

LISTS = TableSchema(
    "lists",
    "What each list shows. A lead is assigned one list, and the session follows it.",
    (
        Column("list", "text", "The list; all its plates have one axis and one rung."),
        Column(
            "run",
            "integer",
            "0 for practice, 1 for the run without and 2 for the run with explanations; the "
            "lead's order says which comes first. 3 is run 2 without explanations, the second "
            "run of leads in the sham group.",
        ),
        Column("position", "integer", "Number within the run, from 1."),
        Column("presentation", "text", "What is shown, as in items.csv."),
    ),
)

ITEM_TABLE = TableSchema(
    "item_table",
    "One row for each item, axis, rung and method of S, for analysts: the solutions of S and E.",
    (
        Column("item", "text", "The plate, image or text."),
        Column("method", "text", "Explanation method of S; empty if none.", optional=True),
        Column("axis", "text", "Confusion axis; only plates have one.", levels=AXES, optional=True),
        Column("rung", "integer", "Rung of the ladder; only plates have one.", optional=True),
        Column("true_label", "text", "The plate's digit or no_numeral; else the data set's label."),
        Column("model_label", "text", "S's answer, or no_solution."),
        Column(
            "model_confidence",
            "real",
            "Probability that S gave its most likely answer.",
            optional=True,
        ),
        Column("expert_id", "text", "The expert drawn as E.", optional=True),
        Column("expert_label", "text", "E's answer, or no_solution.", optional=True),
        Column(
            "region_area",
            "real",
            "Area of the regions, as a share of the plate's disc.",
            optional=True,
        ),
        Column(
            "region_iou",
            "real",
            "Intersection over union of S's and E's regions.",
            optional=True,
        ),
        origin_column("expert_origin", "E's answer and painting"),
        note_column("expert_origin_note", "E's answer and painting"),
    ),
)

METRICS = metrics_table(
    Column("item", "text", "The plate."),
    Column("axis", "text", "Confusion axis.", levels=AXES),
    Column("rung", "integer", "Rung of the ladder."),
)
"""Of S's maps, before they become contours."""

ARMS = TableSchema(
    "arms",
    "Who made the solutions and their explanations, and how, for analysts: one row for each solver "
    "and method.",
    (
        Column("solver", "text", "Whose solutions.", levels={k: SOLVERS[k] for k in ("S", "E")}),
        Column(
            "method",
            "text",
            "Where the regions come from, as in key.csv; empty without explanations.",
            optional=True,
        ),
        *origin_columns("solver_origin", "the solutions"),
    ),
)
