"""How well explanations foretell the model that they explain: the tables that have it."""

from collections.abc import Iterable
from typing import Final

from stimuli.io.tables import Column, Row, TableSchema

SCORES: Final = (
    Column(
        "comprehensiveness",
        "real",
        "Mean fall of the explained class's probability if the 1 to 50 % of the pixels or words "
        "that count most are taken away (DeYoung et al. 2020); high is good. Empty where it wasn't "
        "computed.",
        optional=True,
    ),
    Column(
        "sufficiency",
        "real",
        "The same if all other pixels or words are taken away; low is good.",
        optional=True,
    ),
    Column(
        "infidelity",
        "real",
        "Mean squared difference between what an explanation has in a square or run, at the best "
        "scale, and the fall of the probability without it (Yeh et al. 2019); low is good.",
        optional=True,
    ),
)
NAMES: Final = tuple(column.name for column in SCORES)
_METHOD: Final = Column("method", "text", "What made the explanation.")


def metrics_table(*key: Column) -> TableSchema:
    """Return the columns of a pack's ``metrics.csv``; ``key`` names what was explained."""
    what = "How well explanations foretell the model: one row for each of them."
    return TableSchema("metrics", what, (*key, _METHOD, *SCORES))


def metrics_file(schema: TableSchema, rows: Iterable[Row]) -> dict[str, bytes]:
    """Return a pack's file of metrics by its path; none without rows."""
    listed = list(rows)
    return {f"{schema.name}.csv": schema.to_csv(listed)} if listed else {}
