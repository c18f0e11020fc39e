"""Tables of a comparison."""

from stimuli.io.tables import Column, TableSchema

SCORES = (
    Column(
        "deletion",
        "real",
        "Area under the class's probability while the most relevant pixels are blackened first "
        "(Petsiuk et al. 2018); low is good.",
    ),
    Column(
        "insertion",
        "real",
        "The same while they are brought back into a blurred image; high is good.",
    ),
    Column(
        "pointing_game",
        "real",
        "Whether the most relevant pixel lies on the object or within 15 pixels of it (Zhang et "
        "al. 2018); empty without boxes.",
        optional=True,
    ),
    Column(
        "sparseness",
        "real",
        "Gini's index of |relevance| (Chalasani et al. 2020): 0 spread evenly, 1 in one pixel; "
        "empty of an empty map.",
        optional=True,
    ),
    Column("covered", "real", "Share of the pixels with over 5 % of the largest relevance."),
    Column("png_bytes", "real", "Bytes of the map as a grey PNG.", unit="B"),
    Column(
        "sanity",
        "real",
        "Spearman's correlation with the |map| of the network with shuffled weights (after Adebayo "
        "et al. 2018); near 0 is good, near 1 says that the map shows the image and not the "
        "network. Empty where it wasn't computed.",
        optional=True,
    ),
    Column(
        "seconds",
        "real",
        "Time that the map took when it was computed; empty where it wasn't measured.",
        unit="s",
        optional=True,
    ),
)

SCORED = TableSchema(
    "scores",
    "One row for each image and method.",
    (
        Column("image", "text", "Stem of the image's file."),
        Column("method", "text", "The method's name in this comparison."),
        Column("target", "integer", "Index of the class that is explained."),
        *SCORES,
    ),
)

SUMMARY = TableSchema(
    "summary",
    "One row for each method: means over the images.",
    (
        Column("method", "text", "The method's name in this comparison."),
        Column("images", "integer", "Images with a map."),
        *(
            Column(one.name, one.kind, f"Mean of {one.name}.", unit=one.unit, optional=True)
            for one in SCORES
        ),
    ),
)

AGREEMENT = TableSchema(
    "agreement",
    "One row for each pair of methods: whether they rank the pixels alike.",
    (
        Column("method", "text", "A method."),
        Column("other", "text", "Another method."),
        Column(
            "rank_correlation",
            "real",
            "Mean over the images of Spearman's correlation of their maps; empty where none is "
            "defined.",
            optional=True,
        ),
        Column("images", "integer", "Images with a map of both."),
    ),
)
