"""Who is expected in a data folder, who is here, and who must not be here.

The registry, journals, their sidecars, the tables' sidecars and tombstones each know a part. Every
command that reads a data folder asks `Roll`, names what it found in the same words, and ends with
the same exit status.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from participants.anchor import SIDECAR, Anchor, refuse_unless_kept
from participants.dataset.table_files import FIRST_TABLE, read_sidecar
from participants.folder import DataFolder, SessionPaths
from participants.journal import Journal, read_journal
from participants.lab_registry import lab_of
from participants.tombstones import add_tombstones, read_tombstones
from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.folder import LabFolder
    from participants.registry import Registry
    from participants.registry.sessions import KnownSession

SUSPECT_STATUS: Final = 3
"""Exit status of a command that did its work, but without records that can't be trusted."""
REGISTRY: Final = "the registry"
UNNOTICED: Final = "a journal that was cut short with the files beside it can't be noticed"
NO_LAB: Final = "There is no lab folder here"
UNREADABLE: Final = "The lab's registry can't be read (python3 lab.py doctor says why)"
NONE_OF_THEM: Final = "These sessions aren't in the lab's registry"


@dataclass(frozen=True, slots=True)
class Kept:
    """What somebody keeps of a session's journal.

    Attributes
    ----------
    keeper
        Who: the registry, or the sidecar of a table.
    anchor
        The journal's anchor; None if only the session is known.
    study
        The session's study; None if it isn't known.
    complete
        Whether the session is known to have ended, with a sidecar.
    """

    keeper: str
    anchor: Anchor | None = None
    study: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Roll:
    """What is known of a data folder before its journals are read.

    Attributes
    ----------
    data
        The data folder.
    kept
        What is kept of journals that are here or should be, by session.
    withdrawn
        When people took their data back, by code, from the registry and the folder's copy of it.
    disputed
        People of the registry whom only the folder's copy calls withdrawn. They are left out.
    unconfirmed
        What readers should know if the registry doesn't confirm all journals; else empty.
    """

    data: DataFolder
    kept: Mapping[str, tuple[Kept, ...]] = field(default_factory=dict)
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    disputed: tuple[str, ...] = ()
    unconfirmed: str = ""

    @classmethod
    def of(cls, data: DataFolder, lab: Path | None = None, *, named: Collection[str] = ()) -> Self:
        """Return the roll of a data folder; a registry that can't be asked is named.

        Parameters
        ----------
        data
            The data folder; it needn't be the lab's own.
        lab
            The lab folder; None for the one in which the data folder lies, else the usual one.
        named
            Sessions that tables name, whether or not they are here.

        Raises
        ------
        UserError
            If the folder's tombstones can't be read, or the folder is the lab's own and the lab's
            registry was lost.
        """
        try:
            folder = lab_of(data, lab)
        except UserError:
            return cls.without_registry(data, NO_LAB)

        # Late: without a lab, SQLAlchemy isn't needed.
        from participants.registry import Registry
        from participants.registry.database import LostRegistryError

        try:
            with closing(Registry.of(folder)) as registry:
                return cls.with_registry(data, folder, registry, named=named)
        except UserError as error:
            at_home = folder.data.root.resolve() == data.root.resolve()
            if at_home and isinstance(error, LostRegistryError):
                raise
            # Tombstones that can't be read are named here.
            return cls.without_registry(data, UNREADABLE)

    @classmethod
    def at_hand(cls, data: DataFolder, lab: Path | None = None) -> Self:
        """Return the roll as `of`, or without a registry if the lab lost its own.

        A lab may have been restored without its registry.
        """
        from participants.registry.database import LostRegistryError

        try:
            return cls.of(data, lab)
        except LostRegistryError:
            return cls.without_registry(data, UNREADABLE)

    @classmethod
    def without_registry(cls, data: DataFolder, why: str = "") -> Self:
        """Return the roll of a data folder alone, with the reason why no registry is asked."""
        text = f"{why}, so {UNNOTICED}." if why else ""
        withdrawn = read_tombstones(data)
        return cls(data, _expected(withdrawn, _noted(data)), withdrawn, unconfirmed=text)

    @classmethod
    def with_registry(
        cls,
        data: DataFolder,
        lab: "LabFolder",
        registry: "Registry",
        *,
        named: Collection[str] = (),
    ) -> Self:
        """Return the roll of a data folder, with what an open registry knows.

        Parameters
        ----------
        data, named
            As for `of`.
        lab, registry
            The lab folder, and its registry.
        """
        from participants.registry.records import known_codes, tombstones
        from participants.registry.sessions import known_sessions, place_of

        in_file, buried = read_tombstones(data), registry.transact(tombstones)
        withdrawn = {**in_file, **buried}
        at_home = data.root.resolve() == lab.data.root.resolve()
        if at_home and data.root.is_dir():
            # A folder that can't be written keeps an older copy, which changes nothing here.
            with suppress(UserError):
                add_tombstones(data, buried)
        people = known_codes(registry)
        here = {paths.session for paths in data.session_folders()} | set(named)
        places = {registry.folder_id(data.root)}
        places |= {place_of(lab.settings.rig, None)} if at_home else set()
        registered = _Registered(registry.transact(known_sessions), places, here)
        kept = _expected(withdrawn, _noted(data), registered.kept())
        disputed = tuple(sorted(in_file.keys() - buried.keys() & people))
        journals = {paths.session for paths in data.sessions()}
        return cls(data, kept, withdrawn, disputed, registered.sentence(journals))

    def sessions(self) -> Iterator[SessionPaths]:
        """Yield the sessions that have a journal or should have one, oldest first."""
        folders = self.data.session_folders()
        there = {
            folder.session: folder for folder in folders if folder.began or folder.sidecar.exists()
        }
        missing = {name: self.data.session(name) for name in self.kept if name not in there}
        yield from (paths for _, paths in sorted({**there, **missing}.items()))

    def read(self, paths: SessionPaths) -> Journal:
        """Return a session's journal if it is as everybody who keeps something of it says.

        Raises
        ------
        UserError
            As `read_journal`; or if the journal is missing, is another session's, or lacks lines
            that are known.
        """
        kept = self.kept.get(paths.session, ())
        if not paths.began:
            who = " and ".join(record.keeper for record in kept) or SIDECAR
            raise UserError(
                f"{paths.session}: its journal is missing, but {who} knows of it; bring the "
                "session's folder back from a backup, or remove its person: python3 lab.py "
                "participants withdraw CODE"
            )
        journal = read_journal(paths.journal)
        for record in kept:
            refuse_unless_kept(journal.links, record.anchor, paths.session, record.keeper)
        if journal.events and journal.header["session"] != paths.session:
            raise UserError(
                f"{paths.session}: has the journal of session {journal.header['session']}; "
                "put the folder of a backup in its place"
            )
        return journal

    def is_of_another(self, session: str, study: str) -> bool:
        """Return whether a session is known to be of another study than the given one."""
        known = {record.study for record in self.kept.get(session, ())} - {None}
        return bool(known) and study not in known

    def gone(self, journals: Iterable[Journal]) -> frozenset[str]:
        """Return the codes of everybody whose sessions may not be used, whatever their purpose.

        Parameters
        ----------
        journals
            Journals of the folder. People who took back the data of one session are included.
        """
        # Commands that only read journals don't need sessions.
        from participants.session import withdrawal_in

        took_back = {
            str(journal.header["participant"]) for journal in journals if withdrawal_in(journal)
        }
        return frozenset(self.withdrawn) | took_back

    def returned(self) -> tuple[str, ...]:
        """Return the sessions here of people who withdrew, which every reader leaves out."""
        owners = ((paths.session, paths.owner) for paths in self.data.sessions())
        return tuple(
            session for session, owner in owners if any(code in owner for code in self.withdrawn)
        )

    def notes(self) -> tuple[str, ...]:
        """Return what the reader of the data should know, one sentence each."""
        sentences = (self.unconfirmed,) if self.unconfirmed else ()
        if returned := self.returned():
            sentences += (
                f"Left out, since their people withdrew: {', '.join(returned)}; to remove them, "
                "type: python3 lab.py participants withdraw CODE",
            )
        if bare := self.without_sidecar():
            sentences += (
                f"{SIDECAR} is missing beside the journals of {', '.join(bare)}; the journals say "
                "the same",
            )
        return sentences

    def without_sidecar(self) -> tuple[str, ...]:
        """Return the sessions here that ended, but have no sidecar any more."""
        ended = {
            name for name, kept in self.kept.items() if any(record.complete for record in kept)
        }
        here = (paths for paths in self.data.sessions() if paths.session in ended)
        return tuple(paths.session for paths in here if not paths.sidecar.exists())

    def disputes(self) -> tuple[str, ...]:
        """Return one line for each person who is disputed."""
        return tuple(
            f"{self.data.tombstones.name} says that {code} withdrew, but the registry doesn't; if "
            f"that is true, type: python3 lab.py participants withdraw {code}; if not, delete the "
            "line"
            for code in self.disputed
        )


@dataclass(frozen=True, slots=True)
class _Registered:
    """What a registry answers about a data folder.

    Attributes
    ----------
    sessions
        All its sessions.
    places
        The folder's places (`place_of`).
    here
        Sessions that the folder has or names.
    """

    sessions: "tuple[KnownSession, ...]"
    places: Collection[str]
    here: Collection[str]

    def kept(self) -> dict[str, Kept]:
        """Return what is kept of the sessions that are here or should be.

        In a folder that was copied, moved or merged, the sessions of a place should be here up to
        the last one that is: later ones were recorded after the copy.
        """
        last: dict[str, str] = {}
        for session in self.sessions:
            if session.session in self.here and not session.taken_over:
                last[session.place] = max(session.started_utc, last.get(session.place, ""))
        return {
            session.session: Kept(REGISTRY, self._anchor(session), session.study, session.complete)
            for session in self.sessions
            if session.session in self.here
            or (session.begun and self._should_be_here(session, last))
        }

    def _should_be_here(self, session: "KnownSession", last: Mapping[str, str]) -> bool:
        copied = not session.taken_over and session.started_utc <= last.get(session.place, "")
        return session.place in self.places or copied

    def sentence(self, journals: Collection[str]) -> str:
        """Return what the registry doesn't confirm of the folder's journals."""
        # A session that hasn't ended yet gets its anchor then.
        known = {
            session.session
            for session in self.sessions
            if self._anchor(session) or not session.complete
        }
        unknown = set(journals) - known
        if journals and len(unknown) == len(journals):
            return f"{NONE_OF_THEM}, so {UNNOTICED}."
        if not unknown:
            return ""
        return (
            f"The lab's registry doesn't know {len(unknown)} of {len(journals)} journals; of "
            f"these, {UNNOTICED}."
        )

    def _anchor(self, session: "KnownSession") -> Anchor | None:
        # The place that a session left has an older journal.
        return None if session.taken_over and session.place not in self.places else session.anchor


def _noted(data: DataFolder) -> dict[str, Kept]:
    """Return what the sidecars of the trials say of the journals they were made from."""
    kept: dict[str, Kept] = {}
    for table in sorted({*data.tables.glob(FIRST_TABLE), *data.tables.glob(f"*/{FIRST_TABLE}")}):
        beside = read_sidecar(table)
        keeper = table.with_suffix(".json").name
        kept |= {
            name: Kept(keeper, anchor, beside.study) for name, anchor in beside.sessions.items()
        }
    return kept


def _expected(
    withdrawn: Collection[str], *keepers: Mapping[str, Kept]
) -> dict[str, tuple[Kept, ...]]:
    """Return what is kept by session, without sessions of people who withdrew."""
    expected: dict[str, tuple[Kept, ...]] = {}
    for keeper in keepers:
        for session, kept in keeper.items():
            # A session's id contains the person's code.
            if not any(code in session for code in withdrawn):
                expected[session] = (*expected.get(session, ()), kept)
    return expected


def tell(suspect: Iterable[str]) -> int:
    """Name what can't be trusted on the terminal, one line each; return the exit status.

    Parameters
    ----------
    suspect
        Why sessions, tables or tombstones can't be trusted.

    Returns
    -------
    int
        `SUSPECT_STATUS`, or 0 if there is nothing to name.
    """
    lines = tuple(suspect)
    for line in lines:
        print(f"can't be trusted: {line}", file=sys.stderr)
    return SUSPECT_STATUS if lines else 0
