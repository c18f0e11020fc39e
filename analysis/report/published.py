"""Published values beside ours."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import WithJsonSchema

from analysis.report.about import about
from analysis.report.declared import ReportTable
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


@dataclass(frozen=True, slots=True)
class PaperBeside:
    """What the paper reports, beside the same here."""

    reference: Annotated[str, about("The paper.")]
    remark: Annotated[str, about("What a reader must know about its values.")]
    rows: Annotated[tuple[Beside, ...], about("Its values beside ours.")]


PUBLISHED = ReportTable(
    "published",
    "rows",
    "What the paper states, and the same here.",
    (
        Column("Quantity", "quantity"),
        Column("Published", "published"),
        Column("Where", "place"),
        Column("Here", "ours"),
    ),
    whole=True,
)


def published_section(published: PaperBeside | None) -> Section:
    """Return the comparison with a paper; empty where there is nothing to compare."""
    title = "Published values beside ours"
    if published is None or not published.rows:
        return Section(title, ())
    said = Paragraph(f"{published.reference} {published.remark}")
    return Section(title, (said, *PUBLISHED.parts(published)), folded=True)
