"""Texts in place of images: a table of them, and what it changes in a protocol and a build."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from stimuli.errors import UserError
from stimuli.images.names import ANY_LANGUAGE
from stimuli.images.sets import rows_of
from stimuli.protocol.base import Deviation
from stimuli.studies.human_ai_team.protocol import RATIONALE
from stimuli.studies.human_ai_team.wording import of_cases
from xai_backend.packs.table_lines import PARQUET, lines_of
from xai_backend.studies.human_ai_team.images import Candidate

NEEDED: Final = ("item", "text", "label")
ARMS: Final = ("confidence", RATIONALE)
"""Of a pack of texts without a protocol file."""
OF_PIXELS: Final = (
    "images", "attack", "system.layer", "help.arms", "help.extremal_variant", "help.neighbours",
)  # fmt: skip
"""Deviations from the paper, or their sections, that say nothing where texts are judged."""


def is_of_texts(source: str | None) -> bool:
    """Return whether a source is a table of texts: it has a column ``text``, and no ``image``.

    Raises
    ------
    UserError
        If it is a table that can't be read.
    """
    path = Path(source or "").expanduser()
    if not path.is_file():
        return False
    if path.suffix.lower() in PARQUET:
        return True
    first = next(iter(rows_of(path, ())), {})
    return "text" in first and "image" not in first


def text_candidates(path: Path) -> list[Candidate]:
    """Return the texts of a table, in order.

    Parameters
    ----------
    path
        A CSV or Parquet file with columns ``item``, ``text`` and ``label`` (the right one); one
        more column, headed by an IETF tag, for texts in another language. Line breaks and runs of
        blanks become one blank.

    Raises
    ------
    UserError
        If it can't be read, lacks a column or a cell, or has an item twice.
    """
    found: dict[str, Candidate] = {}
    for line in lines_of(path, NEEDED):
        item, row = line.cells["item"], line.cells
        if item in found:
            raise UserError(f"{path}, line {line.number}: item {item} occurs twice")
        own = {tag: text for tag, text in row.items() if tag not in NEEDED and text}
        texts = {ANY_LANGUAGE: row["text"], **own}
        spaced = {tag: " ".join(text.split()) for tag, text in texts.items()}
        found[item] = Candidate(item, row["label"], _without_pixels, texts=spaced)
    return list(found.values())


def _without_pixels() -> NoReturn:
    raise AssertionError("a text has no pixels")


def text_changes(*, named_arms: bool) -> dict[str, Any]:
    """Return what texts change in a protocol; the arms unless a file names its own."""
    changes: dict[str, Any] = {"cases": "texts", "prior": {"asked": False}}
    return changes if named_arms else {**changes, "help": {"arms": list(ARMS)}}


def text_deviations(protocol: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the deviations of a protocol, as plain values, said of texts."""
    kept = [
        {name: text if name in ("field", "published") else of_cases("texts", text)
         for name, text in one.items()}
        for one in protocol["deviations"]
        if not one["field"].startswith(OF_PIXELS)
    ]  # fmt: skip
    own = (
        Deviation(
            field="cases",
            published="People judge labels of photographs.",
            here="People judge labels of texts.",
            reason="The AI is one that reads texts.",
        ),
        Deviation(
            field="prior.asked",
            published="Before each image people say whether they have ever seen such a thing.",
            here="Nothing is asked before a text.",
            reason="The label of a text isn't a thing that can be seen.",
        ),
    )
    return [*kept, *(one.model_dump() for one in own)]
