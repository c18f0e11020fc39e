"""Tables of texts that people judge in place of images."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.cases import Cases, TextCase
from stimuli.errors import UserError
from stimuli.names import ANY_LANGUAGE
from stimuli.protocol import own_values
from xai_backend.options import is_of_texts
from xai_backend.packs.lab_tables import lines_of

NEEDED: Final = ("item", "text", "label")


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text by language, and its correct label."""

    label: str
    texts: TextCase


def read_texts(path: Path, reserved: Collection[str] = ()) -> dict[str, LabelledText]:
    """Return the texts of a table by item, in order.

    Parameters
    ----------
    path
        A table with columns ``item``, ``text`` and ``label`` (the right one); one
        more column, headed by an IETF tag, for texts in another language. Line breaks and runs of
        blanks become one blank.
    reserved
        Words that aren't allowed as labels.

    Raises
    ------
    UserError
        If it can't be read, lacks a column or a cell, or has an item twice or a reserved label.
    """
    texts_by_item: dict[str, LabelledText] = {}
    for line in lines_of(path, NEEDED):
        item, row, where = line.cells["item"], line.cells, f"{path}, row {line.number}"
        if item in texts_by_item:
            raise UserError(f"{where}: item {item} occurs twice")
        if row["label"] in reserved:
            raise UserError(f"{where}: the label {row['label']} is a reserved word")
        translations = {tag: text for tag, text in row.items() if tag not in NEEDED and text}
        texts = {ANY_LANGUAGE: row["text"], **translations}
        spaced = {tag: " ".join(text.split()) for tag, text in texts.items()}
        texts_by_item[item] = LabelledText(row["label"], spaced)
    return texts_by_item


def cases_of(source: str | None, study: str, protocol_file: Path | None) -> Cases:
    """Return what people judge in a build (images or texts), by its source.

    Raises
    ------
    UserError
        If the protocol file contradicts it.
    """
    file_values: Mapping[str, object] = {}
    if protocol_file is not None:
        file_values = own_values(protocol_file, study)[0]
    of_texts, cases = is_of_texts(source), file_values.get("cases")
    if of_texts and cases == "images":
        raise UserError(
            f'{protocol_file}: says cases = "images", but --source {source} has texts: leave the '
            "line out"
        )
    if not of_texts and cases == "texts":
        raise UserError(
            f'{protocol_file}: says cases = "texts", but '
            f"{f'--source {source} has no texts: give' if source else '--source is missing: give'} "
            "a table item,text,label"
        )
    return "texts" if of_texts else "images"
