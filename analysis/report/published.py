"""Published values beside ours."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import WithJsonSchema

from analysis.report.about import about
from analysis.report.declared import ReportTable, Results
from analysis.report.parts import Column, Paragraph, Section

Number = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A number as it was given: a count stays whole."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One quantity as published and as found here."""

    quantity: Annotated[str, about("What it is.")]
    published: Annotated[str, about("What the paper gives, in words.")]
    place: Annotated[str, about("Section, table or figure of the paper.")]
    ours: Annotated[str, about("The same here, in words.")]
    published_value: Annotated[Number | None, about("The paper's number, if it gives one.")] = None
    our_value: Annotated[Number | None, about("Our number, if there is one.")] = None


def beside_rows(rows: Sequence[Beside]) -> list[dict[str, Any]]:
    """Return the rows as they stand in results.json."""
    return [asdict(row) for row in rows]


PUBLISHED = ReportTable(
    "published",
    "published.rows",
    "What the paper states, and the same here.",
    (
        Column("Quantity", "quantity"),
        Column("Published", "published"),
        Column("Where", "place"),
        Column("Here", "ours"),
    ),
)


def published_section(results: Results) -> Section:
    """Return the comparison with a paper; empty where the results have none.

    The results' ``published`` holds ``reference``: the paper; ``remark``: what a reader must
    know of its values, e.g. that it has none to compare with; ``rows`` as `beside_rows` gives
    them.
    """
    title, published = "Published values beside ours", results.get("published")
    if published is None or not published["reference"]:
        return Section(title, ())
    about = Paragraph(f"{published['reference']} {published['remark']}")
    return Section(title, (about, *PUBLISHED.parts(results)))
