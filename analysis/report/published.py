"""Published values beside ours."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Paragraph, Section, cell


@dataclass(frozen=True, slots=True)
class Beside:
    """One quantity as published and as found here."""

    quantity: Annotated[str, about("What it is.")]
    published: Annotated[str, about("What the paper gives, in words.")]
    place: Annotated[str, about("Section, table or figure of the paper.")]
    ours: Annotated[str, about("The same here, in words.")]
    published_value: Annotated[float | None, about("The paper's number, if it gives one.")] = None
    our_value: Annotated[float | None, about("Our number, if there is one.")] = None


@dataclass(frozen=True, slots=True)
class PaperBeside:
    """What the paper reports, beside the same here."""

    reference: Annotated[str, about("The paper.")]
    remark: Annotated[str, about("What a reader must know of its values.")]
    rows: Annotated[tuple[Beside, ...], about("Its values beside ours.")]


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


def published_section(published: Any) -> Section:
    """Return the comparison with a paper; empty where there is none (None).

    Parameters
    ----------
    published
        ``reference``: the paper; ``remark``: what a reader must know of its values, e.g. that it
        has none to compare with; ``rows``: each a `Beside`. By keys or by attributes.
    """
    title = "Published values beside ours"
    if published is None:
        return Section(title, ())
    said = Paragraph(f"{cell(published, 'reference')} {cell(published, 'remark')}")
    return Section(title, (said, *PUBLISHED.parts({"published": published})))
