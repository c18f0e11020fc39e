"""Tables of a human_ai_team pack."""

from typing import Final

from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.origin import origin_columns

RIGHT: Final = "right"
WRONG: Final = "wrong"
ADVERSARIAL: Final = "adversarial"
LEVELS: Final = levels(
    easy="the confidence fits: right with high, or wrong with low confidence",
    medium="neither high nor low",
    hard="the confidence misleads: right with low, or wrong with high confidence",
)
PHASES: Final = levels(
    practice="with feedback, before the trials that count",
    validation="clear images that show who pays attention",
    main="the trials of the sheet",
)
BINS: Final = levels(
    right_easy="the AI is right, with high confidence",
    right_medium="the AI is right, with medium confidence",
    right_hard="the AI is right, with low confidence",
    wrong_easy="the AI is wrong, with low confidence",
    wrong_medium="the AI is wrong, with medium confidence",
    wrong_hard="the AI is wrong, with high confidence",
    adversarial_easy="attacked and wrong, with low confidence",
    adversarial_medium="attacked and wrong, with medium confidence",
    adversarial_hard="attacked and wrong, with high confidence",
)
NATURAL_BINS: Final = tuple(name for name in BINS if not name.startswith(ADVERSARIAL))
"""The six bins of images as they are."""

ITEMS = TableSchema(
    "items",
    "What every arm shows and nothing else: one row for each presentation, in random order.",
    (
        Column(
            "presentation",
            "text",
            "Opaque id of an image, or a text, with the label that the AI gives.",
        ),
        Column(
            "image_file",
            "text",
            "The image, a PNG: the crop that the network sees. Empty if a text is judged.",
            optional=True,
        ),
        Column("shown_label", "text", "The proposed label's id, as in labels.csv."),
        Column(
            "confidence_percent", "integer", "The AI's confidence as it is shown.", unit="per cent"
        ),
    ),
)

HELPS = TableSchema(
    "helps",
    "The help for each presentation: one row for each presentation, arm and place (and language, "
    "if the help is a text); none where the arm has no help.",
    (
        Column("presentation", "text", "What is judged, as in items.csv."),
        Column("arm", "text", "The arm, as in the protocol's help.arms."),
        Column("place", "integer", "1 is the map, the text, or the nearest example."),
        Column(
            "help_file",
            "text",
            "A PNG: a heatmap in grey (0…255 stands for 0…1), of the image's size, or an example; "
            "empty if the help is a text.",
            optional=True,
        ),
        Column("help_text", "text", "The help in words; empty if it is a picture.", optional=True),
        Column(
            "language",
            "text",
            "IETF tag of the text; empty for all other languages, and for pictures.",
            optional=True,
        ),
    ),
)

HELP_KINDS: Final = levels(
    none="no help",
    heatmap="a map of relevance beside the image",
    examples="images of the proposed label beside the image",
    text="a text beside the image",
)

ARMS = TableSchema(
    "arms",
    "The help in each arm, who made it, and how, for debriefs and reports.",
    (
        Column("arm", "text", "The arm, as in the protocol's help.arms."),
        Column("kind", "text", "Kind of help.", levels=HELP_KINDS),
        *origin_columns("help_origin", "the help"),
    ),
)

ARM_COUNTS = TableSchema(
    "arm_counts",
    "What each arm shows, in numbers: one row for each arm.",
    (
        Column("arm", "text", "The arm, as in the protocol's help.arms."),
        Column(
            "blank_maps",
            "integer",
            "Number of main images whose map is 0 everywhere, so that nothing is marked; empty if "
            "the arm has no maps.",
            optional=True,
        ),
        Column(
            "passed_over",
            "integer",
            "Number of images of the bins that no arm shows, because this arm was found to have "
            "too few examples for them.",
            optional=True,
        ),
        Column(
            "examples_learned",
            "boolean",
            "Whether the examples are images that the network has learned from; empty if the arm "
            "has no examples.",
            optional=True,
        ),
    ),
)

LABELS = TableSchema(
    "labels",
    "What a label is called and what it means: one row for each label and language.",
    (
        Column("label", "text", "The label's id."),
        Column("language", "text", "IETF tag; empty for all other languages.", optional=True),
        Column("name", "text", "The name that people read."),
        Column(
            "definition", "text", "Its meaning; empty if there is no definition.", optional=True
        ),
    ),
)

SAMPLES = TableSchema(
    "samples",
    "Images that show what a label means: one row for each label and place.",
    (
        Column("label", "text", "The label's id, as in labels.csv."),
        Column("place", "integer", "Place on the screen, from 1."),
        Column("image_file", "text", "The image, a PNG of the size of all images."),
    ),
)

LISTS = TableSchema(
    "lists",
    "What each sheet shows. A participant is assigned one sheet, and the session follows it.",
    (
        Column("list", "text", "The sheet. Practice and validation are the same in all sheets."),
        Column("phase", "text", "What the trial is for.", levels=PHASES),
        Column(
            "position",
            "integer",
            "Number in the sheet, from 1, over all phases in the order shown.",
        ),
        Column("presentation", "text", "What is shown, as in items.csv."),
    ),
)

KEY = TableSchema(
    "key",
    "What each presentation is. A session reads it for feedback, for qualification and for its "
    "tables.",
    (
        Column("presentation", "text", "Opaque id, as in items.csv."),
        Column("item", "text", "The image or text. An attacked image has its own id."),
        Column("true_label", "text", "What the image shows, or the right label of the text."),
        Column("ai_correct", "boolean", "Whether the proposed label is right."),
        Column("confidence", "real", "The AI's confidence in this label, 0…1, not rounded."),
        Column(
            "level",
            "text",
            "Difficulty of the image, by the AI's confidence. Empty for images between the bins, "
            "which only practice and validation use.",
            levels=LEVELS,
            optional=True,
        ),
        Column("adversarial", "boolean", "Whether the image was attacked to mislead the AI."),
        Column("role", "text", "What the presentation is for.", levels=PHASES),
        Column(
            "box",
            "text",
            "Box of the object: x0;y0;x1;y1 in pixels of the image, from its top left corner, "
            "x1 and y1 excluded; empty if not known.",
            optional=True,
        ),
        Column(
            "swapped",
            "boolean",
            "Whether the proposed label isn't the one that the AI gives; only in validation.",
            optional=True,
        ),
    ),
)

METRICS = TableSchema(
    "metrics",
    "How well a map points at the object: one row for each item and method, if a box is known.",
    (
        Column("item", "text", "The image, as in key.csv."),
        Column("method", "text", "The arm whose map it is."),
        Column(
            "pointing_game",
            "real",
            "1 if the maximum of the map is in the box or close to it; otherwise 0.",
            optional=True,
        ),
        Column(
            "iou",
            "real",
            "Intersection over union of box and map, binarised at the threshold that is best for "
            "the arm over natural images on which the AI is right.",
            optional=True,
        ),
        Column(
            "wsl",
            "real",
            "1 if the box around the map overlaps the object's box enough; otherwise 0.",
            optional=True,
        ),
    ),
)

AVAILABLE = TableSchema(
    "available",
    "How many images the source has for each bin: one row for each bin.",
    (
        Column("bin", "text", "The bin.", levels=BINS),
        Column("found", "integer", "Number of the source's images in this bin."),
        Column("used", "integer", "Number of these in the pack's main trials."),
        Column(
            "weight",
            "real",
            "Share of this bin among the images of ai.csv in any of the six bins; empty for "
            "attacked images.",
            optional=True,
        ),
    ),
)

AI = TableSchema(
    "ai",
    "The AI alone: one row for each image of the source, without attacked ones, in a bin or not.",
    (
        Column("item", "text", "The image."),
        Column("confidence", "real", "The AI's confidence, 0…1, not rounded."),
        Column("correct", "boolean", "Whether its label is right."),
    ),
)
