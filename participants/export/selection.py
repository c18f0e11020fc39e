"""What an export has: the sessions of one purpose, by study, and the files that people were shown.

Data that must not be handed on are left out.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from participants.dataset.study_tables import StudyTables
from participants.journal import Event
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Column, Row, TableSchema, text_columns
from stimuli.maps.origin import names_in
from stimuli.pack import Pack, open_pack
from stimuli.protocol import Protocol

WHO: Final = ("participant", "session")
"""Columns that name a person and a session; an export gives sessions new names."""
ITEMS: Final = "items.csv"


@dataclass(frozen=True, slots=True)
class ExportedSession:
    """A session that is exported.

    Attributes
    ----------
    participant
        Pseudonymous code.
    number
        Number among the participant's exported sessions of all studies, from 1.
    header
        The journal's first ``session`` event.
    parts
        Number of times it was started or continued.
    complete
        Whether it came to its end.
    pack_id
        The pack that was shown.
    rows
        Its rows of ``trials.csv``.
    onsets_s
        Onset of each row's stimulus, seconds since the session's first start.
    person
        Its row of ``people.csv``; None where the study has none.
    chain
        Chain of the journal's last line, which stands for all of it.
    """

    participant: str
    number: int
    header: Event
    parts: int
    complete: bool
    pack_id: str
    rows: tuple[Row, ...]
    onsets_s: tuple[float, ...]
    person: Row | None
    chain: str

    @property
    def label(self) -> str:
        """The session's number with two digits or more, such as ``01``."""
        return f"{self.number:02d}"


@dataclass(frozen=True, slots=True)
class ExportedStudy:
    """A study's sessions, and what belongs to them.

    Attributes
    ----------
    name
        Its name in the catalogue.
    tables
        Its tables.
    packs
        What was shown, by pack id.
    sessions
        Its sessions.
    beside
        Rows of the tables that come from the packs, by the table's name.
    made
        Who made each thing that was shown, and how, in a line; by the thing in words.
    """

    name: str
    tables: StudyTables
    packs: Mapping[str, Pack]
    sessions: tuple[ExportedSession, ...]
    beside: Mapping[str, tuple[Row, ...]]
    made: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """Its name in names of files: only letters and digits."""
        return "".join(sign for sign in self.name if sign.isalnum())

    @property
    def protocols(self) -> dict[str, Protocol]:
        """The rules that were in force, by hash."""
        packs = sorted(self.packs.items())
        return {pack.manifest.protocol_hash: pack.protocol for _, pack in packs}

    @property
    def people(self) -> tuple[str, ...]:
        """Codes of its participants, sorted."""
        return tuple(sorted({session.participant for session in self.sessions}))


@dataclass(frozen=True, slots=True)
class Selection:
    """Everything that is exported.

    Attributes
    ----------
    studies
        The exported studies; those of the catalogue come in its order.
    purpose
        What the sessions were for.
    left_out
        Why a session is not among them, by its id.
    with_text
        Whether people's own words are among them.
    texts
        The lab's own texts, which may stand in for those that ship; None without a lab.
    notes
        What is known of the data folder, one sentence each, such as why no registry confirms it.
    suspect
        Why sessions or tombstones can't be trusted; one line each.
    """

    studies: tuple[ExportedStudy, ...]
    purpose: str
    left_out: Mapping[str, str]
    with_text: bool
    texts: Path | None = None
    notes: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()

    @property
    def sessions(self) -> tuple[ExportedSession, ...]:
        """All sessions."""
        return tuple(chain.from_iterable(study.sessions for study in self.studies))

    def people_of(self, codes: Collection[str]) -> frozenset[str]:
        """Return the known codes that occur in any cell: the people whose data are exported.

        Experts who made what was shown are among them.
        """
        named = {name for cell in self._cells() if isinstance(cell, str) for name in names_in(cell)}
        return frozenset(named & set(codes))

    def columns(self, schema: TableSchema) -> tuple[Column, ...]:
        """Return the exported columns of a table, without those that name the session."""
        return tuple(
            column
            for column in schema.columns
            if column.name not in WHO and (self.with_text or not column.typed)
        )

    def _cells(self) -> Iterator[Any]:
        for study in self.studies:
            rows = chain(*study.beside.values(), *(session.rows for session in study.sessions))
            yield from chain.from_iterable(row.values() for row in rows)
            yield from (session.participant for session in study.sessions)


@dataclass(frozen=True, slots=True)
class ShownFiles:
    """Files that people were shown, of the packs that were given.

    Attributes
    ----------
    packs
        The packs, by id.
    by_presentation
        For each pack, the path of each presentation that somebody in the selection saw.
    """

    packs: Mapping[str, Pack] = field(default_factory=dict)
    by_presentation: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def files_of(self, session: ExportedSession) -> dict[str, str]:
        """Return the paths of what a session shows, by presentation; empty without its pack."""
        paths = self.by_presentation.get(session.pack_id, {})
        return {name: f"{session.pack_id}/{path}" for name, path in paths.items()}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield each file once, by its path."""
        for pack_id, paths in self.by_presentation.items():
            for path in sorted(set(paths.values())):
                yield f"{pack_id}/{path}", self.packs[pack_id].asset(path)


def shown_in(selection: Selection, folders: Sequence[Path]) -> ShownFiles:
    """Return the files that a selection's people were shown, from whole packs.

    Parameters
    ----------
    selection
        What goes out.
    folders
        The packs.

    Raises
    ------
    UserError
        If a folder isn't an intact pack, nobody was shown it, or its study shows no files.
    """
    packs, paths = {}, {}
    for folder in folders:
        pack = open_pack(folder, "solutions")
        seen = {
            str(row["presentation"])
            for session in selection.sessions
            if session.pack_id == pack.pack_id
            for row in session.rows
        }
        if not seen:
            raise UserError(f"--pack {folder}: nobody in the export was shown pack {pack.pack_id}")
        packs[pack.pack_id] = pack
        paths[pack.pack_id] = _paths(pack, seen, folder)
    return ShownFiles(packs, paths)


def _paths(pack: Pack, presentations: set[str], folder: Path) -> dict[str, str]:
    column = studies_of("participants")[pack.protocol.catalogue_name].stimulus_file
    table = text_columns(pack.asset(ITEMS), f"{folder}: {ITEMS}")
    if not column or not any(table[column]):
        raise UserError(f"--pack {folder}: its study shows no files; leave out --pack")
    pairs = zip(table["presentation"], table[column], strict=True)
    return {name: path for name, path in pairs if name in presentations}
