"""What inputs are changed to where a lab says so: a table of edits, or a masked language model."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.studies.simulatability.stimulus import Edit, TableInput, edits_between
from xai_backend.packs.origins import name_in_pack
from xai_backend.packs.table_lines import Line, lines_of
from xai_backend.studies.simulatability.own_reading import TextReader
from xai_backend.studies.simulatability.recorded import (
    CHANGED,
    ID,
    OWN_COLUMNS,
    GivenChanges,
    edits_to,
)
from xai_backend.studies.simulatability.table_data import TableData, read_table
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Trained
from xai_backend.studies.simulatability.written import values_in

FOLDER: Final = "hf:"
EDITS: Final = "edits"
DOMAIN: Final = "domain"


@dataclass(frozen=True, slots=True)
class GivenEdits:
    """Where a lab's own changes come from.

    Attributes
    ----------
    name
        A CSV or Parquet file with the columns ``id`` and ``changed``, for the counterfactuals; or
        ``hf:DIR``, a masked language model, for the counterfactuals of sentences, Anchor and
        Decision boundary. A file for rows alone may have columns of the table instead of
        ``changed``; empty cells stay as they are.
    domains
        The kinds of data that can be changed. If there are two, the file's column ``domain`` says
        what a line is for.
    device
        Where a masked language model computes.
    """

    name: str
    domains: Collection[str]
    device: str = "cpu"

    @property
    def by_model(self) -> bool:
        """Whether a masked language model says what words become."""
        return self.name.startswith(FOLDER)

    def ids(self, domain: str) -> frozenset[str]:
        """Return the ids that are changed; none if a model says what words become."""
        return frozenset(line.cells[ID] for line in self.lines(domain))

    def lines(self, domain: str) -> list[Line]:
        """Return the lines of one kind of data.

        Raises
        ------
        UserError
            If the table can't be read, or a line isn't for data that are given.
        """
        if self.by_model or domain not in self.domains:
            return []
        path = Path(self.name)
        lines = lines_of(path, (ID,) if set(self.domains) == {"tabular"} else (ID, CHANGED))
        if DOMAIN not in lines[0].cells:
            if len(self.domains) == 1:
                return lines
            raise UserError(
                f"{path}: column missing: {DOMAIN}; there are sentences and rows, so each line "
                "must say text or tabular"
            )
        for line in lines:
            if line.cells[DOMAIN] not in self.domains:
                raise UserError(
                    f"{path}, line {line.number}: {DOMAIN}: {line.cells[DOMAIN]!r} isn't "
                    f"{' or '.join(sorted(self.domains, reverse=True))}, of which there are data"
                )
        return [line for line in lines if line.cells[DOMAIN] == domain]


def with_edits(trained: Trained, edits: GivenEdits, source: Path) -> Trained:
    """Return a domain with a lab's own changes; as it was if there are none for it.

    Parameters
    ----------
    trained
        The domain.
    edits
        The changes.
    source
        The domain's data; sentences of a folder have blanks between all tokens.

    Raises
    ------
    UserError
        If a line doesn't fit the data, or there is no such model.
    """
    if edits.by_model:
        return _by_model(trained, edits, source) if trained.domain == "text" else trained
    lines = edits.lines(trained.domain)
    if not lines:
        return trained
    path = Path(edits.name)
    table = read_table(source, trains=False) if trained.domain == "tabular" else None
    found: dict[AnyInput, list[tuple[Edit, ...]]] = {}
    rows = _rows_by_id(trained)
    for line in lines:
        row = rows.get(line.cells[ID])
        if row is None:
            raise UserError(f"{path}, line {line.number}: the data have no id {line.cells[ID]}")
        try:
            own = _edits_of(row.given, line.cells, table)
        except ValueError as error:
            raise UserError(f"{path}, line {line.number}: {error}") from None
        found.setdefault(row.given, []).append(own)
    known = {EDITS: path.name, "edits_sha256": file_sha256(path)}
    source_of = {**trained.source, **known}
    return replace(trained, edits=GivenChanges(found), source=source_of)


def _by_model(trained: Trained, edits: GivenEdits, source: Path) -> Trained:
    from xai_backend.studies.simulatability.masked_words import MaskedSpace, masked_model

    model = masked_model(edits.name, edits.device)
    known = {EDITS: name_in_pack(edits.name), "edits_sha256": model.sha256}
    space = MaskedSpace(edits.name, TextReader(source.is_dir()), edits.device)
    return replace(trained, space=space, source={**trained.source, **known})


def _rows_by_id(trained: Trained) -> Mapping[str, Labelled]:
    """Return inputs by id; of an id that several splits have, the one that can be changed.

    Adult's ids are places in a split.
    """
    last = trained.uses["counterfactual"]
    splits = sorted(trained.splits, key=lambda name: name == last)
    return {row.source_id: row for name in splits for row in trained.splits[name]}


def _edits_of(
    given: AnyInput, cells: Mapping[str, str], table: TableData | None
) -> tuple[Edit, ...]:
    if not isinstance(given, TableInput):
        return edits_to(given, cells[CHANGED])
    assert table is not None
    named = values_in(cells[CHANGED], given.columns, CHANGED) if CHANGED in cells else {
        name: cell
        for name, cell in cells.items()
        if cell and (name in given.columns or name not in (*OWN_COLUMNS, DOMAIN))
    }  # fmt: skip
    new = {name: table.shown(name, cell) for name, cell in named.items()}
    pairs = zip(given.columns, given.values, strict=True)
    values = tuple(new.get(column, own) for column, own in pairs)
    edits = edits_between(given, given.model_copy(update={"values": values}))
    if not edits:
        raise ValueError(f"{CHANGED}: changes nothing that people see of the row")
    return edits
