"""Tables of a human_ai_team pack."""

from typing import Final

from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.origin import note_column, origin_column

RIGHT: Final = "right"
WRONG: Final = "wrong"
ADVERSARIAL: Final = "adversarial"
LEVELS: Final = levels(
    easy="the confidence fits: right and high, or wrong and low",
    medium="neither high nor low",
    hard="the confidence misleads: right and low, or wrong and high",
)
PHASES: Final = levels(
    practice="before what counts, with feedback",
    validation="shows who attends: unmistakable images",
    main="the sheet's own trials",
)
BINS: Final = levels(
    right_easy="the AI is right, with high confidence",
    right_medium="the AI is right, with middling confidence",
    right_hard="the AI is right, with low confidence",
    wrong_easy="the AI is wrong, with low confidence",
    wrong_medium="the AI is wrong, with middling confidence",
    wrong_hard="the AI is wrong, with high confidence",
    adversarial_easy="attacked and wrong, with low confidence",
    adversarial_medium="attacked and wrong, with middling confidence",
    adversarial_hard="attacked and wrong, with high confidence",
)
NATURAL_BINS: Final = tuple(name for name in BINS if not name.startswith(ADVERSARIAL))
"""The six bins of images as they are."""

ITEMS = TableSchema(
    "items",
    "Only what is shown in every arm: one row a presentation, in an order that says nothing.",
    (
        Column("presentation", "text", "Opaque id of an image with the label that the AI gives."),
        Column("image_file", "text", "The image, a PNG: the crop that the network sees."),
        Column("shown_label", "text", "The proposed label's id, as in labels.csv."),
        Column(
            "confidence_percent", "integer", "The AI's confidence as it is shown.", unit="per cent"
        ),
    ),
)

HELPS = TableSchema(
    "helps",
    "What helps to judge a presentation: one row a presentation × arm × place (and language, where "
    "the help is a text); none where the arm has no help.",
    (
        Column("presentation", "text", "What is judged, as in items.csv."),
        Column("arm", "text", "The arm, as in the protocol's help.arms."),
        Column("place", "integer", "1 is the map or the text, or the nearest of the examples."),
        Column(
            "help_file",
            "text",
            "A PNG: a heatmap in grey (0…255 stands for 0…1), of the image's size, or an example; "
            "empty where the help is a text.",
            optional=True,
        ),
        Column(
            "help_text", "text", "The help in words; empty where it is a picture.", optional=True
        ),
        Column(
            "language",
            "text",
            "IETF tag of the text; empty for every other language, and for pictures.",
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
    "Who or what helps in each arm, for debriefs and reports.",
    (
        Column("arm", "text", "The arm, as in the protocol's help.arms."),
        Column("kind", "text", "What kind of help it has.", levels=HELP_KINDS),
        origin_column("help_origin", "the help; empty without one"),
        note_column("help_origin_note", "the help"),
    ),
)

LABELS = TableSchema(
    "labels",
    "What a label is called and what it means: one row a label × language.",
    (
        Column("label", "text", "The label's id."),
        Column("language", "text", "IETF tag; empty for every other language.", optional=True),
        Column("name", "text", "The word that people read."),
        Column("definition", "text", "What it means; empty if nobody wrote it.", optional=True),
    ),
)

SAMPLES = TableSchema(
    "samples",
    "Images that show what a label means: one row a label × place.",
    (
        Column("label", "text", "The label's id, as in labels.csv."),
        Column("place", "integer", "Place on the screen, from 1."),
        Column("image_file", "text", "The image, a PNG of the size of all images."),
    ),
)

LISTS = TableSchema(
    "lists",
    "What each sheet shows; a participant is given one sheet, and the session follows it.",
    (
        Column("list", "text", "The sheet; practice and validation are the same in all of them."),
        Column("phase", "text", "What the trial is for.", levels=PHASES),
        Column(
            "position",
            "integer",
            "Place in the sheet, from 1, counted over all phases in the order they are shown in.",
        ),
        Column("presentation", "text", "What is shown, as in items.csv."),
    ),
)

KEY = TableSchema(
    "key",
    "What a presentation is; a session opens it for feedback, for who passes, and for its tables.",
    (
        Column("presentation", "text", "Opaque id, as in items.csv."),
        Column("item", "text", "The image; an attacked one has an id of its own."),
        Column("true_label", "text", "What the image shows."),
        Column("ai_correct", "boolean", "Whether the proposed label is that."),
        Column("confidence", "real", "The AI's confidence, 0…1, not rounded."),
        Column(
            "level",
            "text",
            "How hard the image is by the AI's confidence; empty between the bins, which only "
            "practice and validation use.",
            levels=LEVELS,
            optional=True,
        ),
        Column("adversarial", "boolean", "Whether the image was attacked to mislead the AI."),
        Column("role", "text", "What the presentation is for.", levels=PHASES),
        Column(
            "box",
            "text",
            "Where the object lies: x0;y0;x1;y1 in pixels of the image, from its top left corner, "
            "x1 and y1 excluded; empty if not known.",
            optional=True,
        ),
    ),
)

METRICS = TableSchema(
    "metrics",
    "How well a map points at the object: one row an item × method, where a box is known.",
    (
        Column("item", "text", "The image, as in key.csv."),
        Column("method", "text", "The arm whose map it is."),
        Column(
            "pointing_game",
            "real",
            "1 where the map's highest place lies in the box, or near enough; else 0.",
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
            "1 where the box round the map overlaps the box enough; else 0.",
            optional=True,
        ),
    ),
)

AVAILABLE = TableSchema(
    "available",
    "How far the source fills the bins: one row a bin.",
    (
        Column("bin", "text", "The bin.", levels=BINS),
        Column("found", "integer", "Images of the source that fall into it."),
        Column("used", "integer", "Of these, in the pack's main trials."),
        Column(
            "weight",
            "real",
            "Share of the bin among all images of ai.csv that fall into one of the six bins of "
            "images as they are; empty for attacked ones.",
            optional=True,
        ),
    ),
)

AI = TableSchema(
    "ai",
    "The AI alone: one row an image of the source, attacked ones left out, in the bins or not.",
    (
        Column("item", "text", "The image."),
        Column("confidence", "real", "The AI's confidence, 0…1, not rounded."),
        Column("correct", "boolean", "Whether its label is right."),
    ),
)
