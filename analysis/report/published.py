"""Published values beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from analysis.report.parts import Paragraph, Part, Section, table


@dataclass(frozen=True, slots=True)
class Beside:
    """One quantity as published and as found here.

    Attributes
    ----------
    quantity
        What it is.
    published
        What the paper gives, in words; with its number where it has one.
    place
        Section, table or figure of the paper.
    ours
        The same here, in words.
    published_value, our_value
        The numbers, None where there is none.
    """

    quantity: str
    published: str
    place: str
    ours: str
    published_value: float | None = None
    our_value: float | None = None


def beside_rows(rows: Sequence[Beside]) -> list[dict[str, Any]]:
    """Return the rows as they stand in results.json."""
    return [asdict(row) for row in rows]


def published_section(published: Mapping[str, Any]) -> Section:
    """Return the comparison with a paper.

    Parameters
    ----------
    published
        ``reference``: the paper; ``remark``: what a reader must know of its values, e.g.
        that it has none to compare with; ``rows`` as `beside_rows` gives them.
    """
    rows = published["rows"]
    parts: list[Part] = [Paragraph(f"{published['reference']} {published['remark']}")]
    if rows:
        cells = [(row["quantity"], row["published"], row["place"], row["ours"]) for row in rows]
        columns = [
            ("Quantity", "", False),
            ("Published", "", False),
            ("Where", "", False),
            ("Here", "", False),
        ]
        parts.append(table("What the paper states, and the same here.", columns, cells))
    return Section("Published values beside ours", tuple(parts))
