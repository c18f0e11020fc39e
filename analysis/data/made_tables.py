"""Make a dataset's tables again from its journals and packs, and compare them with its files.

The comparison counts how often each row occurs, so the order of rows doesn't matter. Numbers need
to agree to nine digits only, because other programs keep fewer digits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

import pandas as pd

from analysis.data.table_text import or_none
from participants.dataset.derive import LEFT_OUT
from participants.dataset.fields import ShownPack
from participants.dataset.journals import open_pack_copy
from participants.dataset.study_tables import study_tables
from participants.folder import DataFolder
from participants.journal import Journal
from participants.session import has_declined, is_released
from stimuli.errors import UserError
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.protocol import Protocol, load_protocol

TOLERANCE: Final = 1e-9

TRIALS, PEOPLE = "trials", "people"


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row's cells: the real numbers, and all others."""

    others: tuple[Any, ...]
    reals: tuple[float | None, ...]

    def agrees(self, other: "ComparedRow") -> bool:
        """Whether the real numbers of two rows agree."""
        return all(
            a == b
            if a is None or b is None
            else isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
            for a, b in zip(self.reals, other.reals, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """How a table differs from what it should be.

    Attributes
    ----------
    missing
        Rows that it lacks.
    changed
        Rows that it has but shouldn't have in this form, or that occur too often.
    """

    missing: int = 0
    changed: int = 0

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed)

    def __add__(self, other: "Difference") -> "Difference":
        return Difference(self.missing + other.missing, self.changed + other.changed)


def difference(made: Iterable[ComparedRow], stored: Iterable[ComparedRow]) -> Difference:
    """Return how stored rows differ from made ones; a changed row doesn't count as missing."""
    wanted, there = Counter(made), Counter(stored)
    lacking: dict[tuple[Any, ...], list[ComparedRow]] = {}
    for row in (wanted - there).elements():
        lacking.setdefault(row.others, []).append(row)
    odd = 0
    for row in (there - wanted).elements():
        alike = lacking.get(row.others, [])
        match = next((candidate for candidate in alike if candidate.agrees(row)), None)
        if match is None:
            odd += 1
        else:
            alike.remove(match)
    return Difference(max(0, sum(map(len, lacking.values())) - odd), odd)


def stored_rows(table: pd.DataFrame, columns: Sequence[Column]) -> list[ComparedRow]:
    """Return the rows of a table that was read; a column that isn't there is empty."""
    cells = [
        or_none(table[column.name], table[column.name].isna())
        if column.name in table
        else [None] * len(table)
        for column in columns
    ]
    return [_row(row, columns) for row in zip(*cells, strict=True)]


def made_rows(rows: Iterable[Row], columns: Sequence[Column]) -> list[ComparedRow]:
    """Return rows as `stored_rows` would return them once they are written to a table."""
    return [
        _row([_as_read(row[column.name], column) for column in columns], columns) for row in rows
    ]


def _row(cells: Sequence[Any], columns: Sequence[Column]) -> ComparedRow:
    both = list(zip(cells, columns, strict=True))
    return ComparedRow(
        tuple(cell for cell, column in both if column.kind != "real"),
        tuple(cell for cell, column in both if column.kind == "real"),
    )


def _as_read(value: Any, column: Column) -> Any:
    """Return a cell as it is read back from a file."""
    if value is None or column.kind != "text":
        return value
    return column.write(value).strip() or None


@dataclass(frozen=True, slots=True)
class StoredTables:
    """The tables of a dataset, as they were read.

    Attributes
    ----------
    tables
        By file stem, including the trials; None for a table that the analysis reads but that is
        missing.
    """

    tables: Mapping[str, pd.DataFrame | None]

    @property
    def trials(self) -> pd.DataFrame:
        """The table of trials, which every dataset has."""
        trials = self.tables[TRIALS]
        assert trials is not None
        return trials

    @property
    def sessions(self) -> frozenset[str]:
        """Sessions that have rows in the tables."""
        names = {str(name) for name in self.trials["session"].unique()}
        people = self.tables.get(PEOPLE)
        if people is not None and "session" in people:
            names |= {str(name) for name in people["session"].unique()}
        return frozenset(names)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A table's rows, grouped by session if the table has a column ``session``."""

    columns: tuple[Column, ...]
    rows: Mapping[str, list[ComparedRow]]

    @classmethod
    def of(cls, table: pd.DataFrame, schema: TableSchema) -> "_Stored":
        rows: dict[str, list[ComparedRow]] = {}
        owners = table["session"] if "session" in table else [""] * len(table)
        for owner, row in zip(owners, stored_rows(table, schema.columns), strict=True):
            rows.setdefault(str(owner), []).append(row)
        return cls(schema.columns, rows)


@dataclass(frozen=True, slots=True)
class _PackContents:
    """A pack's rules, what the makers of the study's rows read from it, and its files."""

    protocol: Protocol
    pack: ShownPack
    files: frozenset[str]


class MadeTables:
    """Makes a study's rows again, session by session, and compares them with the stored ones.

    Parameters
    ----------
    data
        The dataset.
    name
        The study by its name in the catalogue.
    stored
        Its tables.

    Attributes
    ----------
    study
        The study as its journals and tables name it.
    """

    def __init__(self, data: DataFolder, name: str, stored: StoredTables) -> None:
        self._data, self._name, self._stored = data, name, stored
        self.study = load_protocol(name).study
        self._packs: dict[str, _PackContents | UserError] = {}
        self._of_study = study_tables(self.study)
        self._tables = {
            stem: _Stored.of(table, self._of_study.schema(stem))
            for stem, table in self._stored.tables.items()
            if table is not None
        }

    def are_from(self, journal: Journal) -> bool:
        """Return whether a journal's session belongs in the tables of this study.

        Raises
        ------
        UserError
            If it may belong there, but the copy of its pack can't be read.
        """
        head = journal.header
        if (head["study"], head["role"]) != (self.study, self._of_study.role):
            return False
        return self._pack(str(head["pack_id"])).protocol.catalogue_name == self._name

    def difference(self, journal: Journal, running: Callable[[], bool]) -> Difference:
        """Return how the rows of a journal's session differ from those in the tables.

        Parameters
        ----------
        journal
            The journal of a session for which `are_from` returns True.
        running
            Whether the session is still running, so that its last rows aren't in the tables yet.

        Raises
        ------
        UserError
            If a table of its pack was changed.
        """
        session = str(journal.header["session"])
        contents = self._pack(str(journal.header["pack_id"]))
        differing = self._differing(
            TRIALS, session, self._of_study.trial_rows(journal, contents.pack)
        )
        if PEOPLE in self._tables:
            differing += self._differing(PEOPLE, session, self._of_study.people_rows(journal))
        if differing and not self._has_rows(session) and self._waits(contents, journal):
            return Difference()
        return Difference() if differing and not journal.complete and running() else differing

    def suspect_tables(self) -> dict[str, str]:
        """Return why tables beside the trials can't be trusted, by file stem.

        The tables are compared with the packs of all sessions that were checked.
        """
        suspect = {}
        for stem, table in self._stored.tables.items():
            if stem != TRIALS and table is None:
                if self._has_content(stem):
                    suspect[stem] = f"{stem}.csv: is missing"
            elif differing := self._pack_difference(stem):
                suspect[stem] = (
                    f"{stem}.csv: rows that are missing, or aren't as in the pack: "
                    + str(differing.missing + differing.changed)
                )
        return suspect

    def _has_content(self, stem: str) -> bool:
        """Whether a table would have rows, as far as packs say."""
        packs = [pack for pack in self._packs.values() if isinstance(pack, _PackContents)]
        named = stem in self._of_study.of_packs and packs
        return not named or any(contents.pack.beside[stem] for contents in packs)

    def _pack_difference(self, stem: str) -> Difference:
        packs = {
            name: pack for name, pack in self._packs.items() if isinstance(pack, _PackContents)
        }
        if stem not in self._of_study.of_packs or len(packs) < len(self._packs):
            return Difference()
        stored = self._tables[stem]
        used = set(self._stored.trials["pack_id"])
        wanted, allowed = set[ComparedRow](), set[ComparedRow]()
        for pack_id, contents in packs.items():
            rows = set(made_rows(contents.pack.beside[stem], stored.columns))
            allowed |= rows
            wanted |= rows if pack_id in used else set()
        there = [row for rows in stored.rows.values() for row in rows]
        return difference(wanted | (allowed & set(there)), there)

    def _differing(self, stem: str, session: str, rows: list[Row]) -> Difference:
        stored = self._tables[stem]
        return difference(made_rows(rows, stored.columns), stored.rows.get(session, ()))

    def _has_rows(self, session: str) -> bool:
        return any(
            session in self._tables[stem].rows for stem in (TRIALS, PEOPLE) if stem in self._tables
        )

    def _waits(self, contents: _PackContents, journal: Journal) -> bool:
        """Whether a session is left out because its person hasn't agreed yet, or declined."""
        if has_declined(journal.events):
            return True
        return contents.protocol.unfinished == LEFT_OUT and not is_released(journal)

    def _pack(self, pack_id: str) -> _PackContents:
        if pack_id not in self._packs:
            self._packs[pack_id] = self._opened(pack_id)
        contents = self._packs[pack_id]
        if isinstance(contents, UserError):
            raise contents
        return contents

    def _opened(self, pack_id: str) -> _PackContents | UserError:
        try:
            pack = open_pack_copy(self._data, pack_id)
            return _PackContents(
                pack.protocol, self._of_study.read_pack(pack), frozenset(pack.manifest.files)
            )
        except UserError as error:
            return error
