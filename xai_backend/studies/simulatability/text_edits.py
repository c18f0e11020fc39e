"""What sentences are changed to where a lab says so: a table of edits, or a masked model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.studies.simulatability.inputs import Edit
from xai_backend.packs.origins import name_in_pack
from xai_backend.packs.table_lines import Line, lines_of
from xai_backend.studies.simulatability.own_reading import TextReader
from xai_backend.studies.simulatability.recorded import CHANGED, ID, GivenChanges, edits_to
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Trained

FOLDER: Final = "hf:"
EDITS: Final = "edits"


def edited_ids(edits: str | None) -> frozenset[str]:
    """Return the ids that a table of edits names; none without one.

    Raises
    ------
    UserError
        If the table can't be read.
    """
    if edits is None or edits.startswith(FOLDER):
        return frozenset()
    return frozenset(line.cells[ID] for line in _lines(Path(edits)))


def with_edits(trained: Trained, edits: str, *, spaced: bool, device: str = "cpu") -> Trained:
    """Return a domain of sentences with a lab's own changes.

    Parameters
    ----------
    trained
        The domain.
    edits
        A CSV or Parquet file with the columns ``id`` and ``changed``, for the counterfactuals; or
        ``hf:DIR``, a masked language model, for counterfactuals, Anchor and Decision boundary.
    spaced
        See `TextReader`.
    device
        Where a masked language model computes.

    Raises
    ------
    UserError
        If a line doesn't fit the data, or there is no such model.
    """
    if edits.startswith(FOLDER):
        from xai_backend.studies.simulatability.masked_words import MaskedSpace, masked_model

        known = {EDITS: name_in_pack(edits), "edits_sha256": masked_model(edits, device).sha256}
        space = MaskedSpace(edits, TextReader(spaced), device)
        return replace(trained, space=space, source={**trained.source, **known})
    path = Path(edits)
    rows = {row.source_id: row for split in trained.splits.values() for row in split}
    changes = GivenChanges(_read(path, rows))
    known = {EDITS: path.name, "edits_sha256": file_sha256(path)}
    return replace(trained, edits=changes, source={**trained.source, **known})


def _read(path: Path, rows: Mapping[str, Labelled]) -> dict[AnyInput, list[tuple[Edit, ...]]]:
    found: dict[AnyInput, list[tuple[Edit, ...]]] = {}
    for line in _lines(path):
        row = rows.get(line.cells[ID])
        if row is None:
            raise UserError(f"{path}, line {line.number}: the data have no id {line.cells[ID]}")
        try:
            edits = edits_to(row.given, line.cells[CHANGED])
        except ValueError as error:
            raise UserError(f"{path}, line {line.number}: {error}") from None
        found.setdefault(row.given, []).append(edits)
    return found


def _lines(path: Path) -> Sequence[Line]:
    return lines_of(path, (ID, CHANGED))
