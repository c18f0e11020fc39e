"""Tables of a progressive_reveal pack."""

from typing import Final

from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.metrics import metrics_table
from stimuli.maps.origin import note_column, origin_column, origin_columns

PRACTICE_SITTING: Final = 0
CATCH_KINDS: Final = levels(
    hidden="unrecognisable until the last step, which shows the whole image",
    whole="shown whole at once",
)


def steps_file(presentation: str) -> str:
    """Return the path of a presentation's steps, as in ``steps_file`` of items.csv."""
    return f"assets/steps/{presentation}.png"


def against_file(presentation: str) -> str:
    """Return the path of the steps of what speaks against the class, where a pack has them."""
    return f"assets/against/{presentation}.png"


ITEMS = TableSchema(
    "items",
    "What is shown and nothing else: one row for each presentation, in random order.",
    (
        Column("presentation", "text", "Opaque id of an image with a method."),
        Column("image_file", "text", "The whole image, an RGB PNG."),
        Column(
            "steps_file",
            "text",
            "The step from which each pixel is uncovered, a grey PNG of the image's size: 0 never, "
            "k: from step k on; 128 + k: the same, tinted.",
        ),
        Column(
            "prototype_file",
            "text",
            "The prototype that is shown beside the image, an RGB PNG; empty if none.",
            optional=True,
        ),
    ),
)

_METHOD = Column(
    "method",
    "text",
    "The method whose map uncovers it; catch_hidden or catch_whole in catch rounds, which have "
    "no map.",
)
_MODEL_CLASS = Column(
    "model_class",
    "text",
    "The class that the method's model predicts; empty without a model.",
    optional=True,
)
_MODEL_CORRECT = Column(
    "model_correct", "boolean", "Whether the predicted class is the image's class.", optional=True
)
_TARGET_PROBABILITY = Column(
    "target_probability",
    "real",
    "The model's probability of the image's class. The map explains that class, or model_class "
    "where the protocol's system.explained_class is predicted.",
    optional=True,
)
_FINAL_PIXELS = Column(
    "final_pixels", "integer", "Pixels uncovered at the last step.", unit="pixels"
)
_RAN_OUT = Column(
    "ran_out",
    "boolean",
    "Whether the map had fewer relevant pixels than the method's rule requires.",
)

_MAP_ORIGIN = (
    origin_column("map_origin", "the method's maps"),
    note_column("map_origin_note", "the method's maps"),
)

KEY = TableSchema(
    "key",
    "What each presentation is. A session reads it to check answers.",
    (
        Column("presentation", "text", "Opaque id, as in items.csv."),
        Column("item", "text", "The image."),
        Column("class", "text", "The image's class, as in classes.csv."),
        _METHOD,
        _MODEL_CLASS,
        _MODEL_CORRECT,
        _TARGET_PROBABILITY,
        _FINAL_PIXELS,
        _RAN_OUT,
        *_MAP_ORIGIN,
    ),
)

LISTS = TableSchema(
    "lists",
    "What each list shows. A participant is assigned one list, and the session follows it.",
    (
        Column("list", "text", "The list. It has every image once."),
        Column("sitting", "integer", "0 for practice; otherwise the sitting, from 1."),
        Column("position", "integer", "Number within the sitting, from 1."),
        Column("presentation", "text", "What is shown, as in items.csv."),
    ),
)

CLASSES = TableSchema(
    "classes",
    "What a class is called: one row for each class and language.",
    (
        Column("class", "text", "The class's id."),
        Column("language", "text", "IETF tag; empty for all other languages.", optional=True),
        Column("name", "text", "The word in the class table and in the list of suggestions."),
        Column("aliases", "text", "Other accepted words, separated by |.", optional=True),
    ),
)

_HUMAN_CORRELATION = (
    "Spearman's rank correlation of the map with the reference map, over all pixels of the image, "
    "with a map set to 0 where it has not uncovered the image. Empty without a reference, and "
    "for the reference itself."
)

ITEM_TABLE = TableSchema(
    "item_table",
    "One row for each item and method, for analysts.",
    (
        Column("item", "text", "The image."),
        Column("class", "text", "The image's class."),
        _METHOD,
        Column(
            "use",
            "text",
            "Rounds in which the image is used.",
            levels=levels(
                main="in the main rounds",
                practice="in practice rounds",
                catch="in catch rounds",
            ),
        ),
        _MODEL_CLASS,
        _MODEL_CORRECT,
        _TARGET_PROBABILITY,
        _FINAL_PIXELS,
        Column("image_pixels", "integer", "Pixels of the whole image.", unit="pixels"),
        _RAN_OUT,
        Column(
            "human_correlation", "real", f"At the last step: {_HUMAN_CORRELATION}", optional=True
        ),
        *_MAP_ORIGIN,
    ),
)

ARMS = TableSchema(
    "arms",
    "Who made each method's maps, and how, for analysts: one row for each method.",
    (
        Column("method", "text", "The method, as in the protocol's reveal.methods."),
        *origin_columns("map_origin", "the maps"),
    ),
)

_BY_STEP = (
    Column("item", "text", "The image."),
    _METHOD,
    Column("step", "integer", "The revelation step, from 1."),
)

CURVES = TableSchema(
    "curves",
    "One row for each item, method and step: what is uncovered, and how similar it is to the "
    "reference map.",
    (
        *_BY_STEP,
        Column("pixels", "integer", "Pixels uncovered from this step on.", unit="pixels"),
        Column("human_correlation", "real", _HUMAN_CORRELATION, optional=True),
        Column(
            "object_share",
            "real",
            "Share of the object's pixels that are uncovered; if the object's outline isn't "
            "known, share of the reference map's relevance; empty without either.",
            optional=True,
        ),
    ),
)

FRAGMENTS = TableSchema(
    "fragments",
    "One row for each item, method and step, for analysts: how fragmented the uncovered area is.",
    (
        *_BY_STEP,
        Column(
            "fragments",
            "integer",
            "Number of connected parts of the uncovered area (pixels connect by a side or a "
            "corner).",
        ),
        Column("small_fragments", "integer", "Number of these with at most 4 pixels."),
        Column("largest_px", "integer", "Number of pixels of the largest part.", unit="pixels"),
    ),
)

METRICS = metrics_table(Column("item", "text", "The image."))
