"""What a lab's folders hold of one person, sorted by what must be done with it, and its removal.

Every step of a removal can be interrupted and repeated.
"""

import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from participants.dataset.custody import Roll
from participants.dataset.derive import write_tables
from participants.dataset.journals import read_journals
from participants.dataset.table_files import FIRST_TABLE, read_sidecar
from participants.files import private_lock, write_file
from participants.folder import DataFolder, LabFolder, SessionPaths
from participants.journal.writer import is_being_written
from participants.lab_settings import SQLITE
from participants.registry.people import as_people_write
from participants.replaced_codes import new_word, replace_code
from stimuli.errors import UserError
from stimuli.io.files import is_left_over
from stimuli.io.inside import refuse_odd
from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, MapSet, read_map_set
from stimuli.pack.folder import MANIFEST

BESIDE: Final = ("-journal", "-wal", "-shm")
TEXT_BYTES: Final = 4096
"""A file without a zero in so many bytes at its beginning counts as a text."""
"""Suffixes of the files that SQLite keeps beside a database."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Files and folders with data about a person.

    Attributes
    ----------
    sessions
        Folders of the person's sessions.
    map_sets
        Folders of map sets with maps of the person.
    copies
        Data folders' copies of packs that name the person.
    packs
        Sealed packs that name the person: they hold the person's paintings.
    tables
        Data folders whose tables name the person.
    spare
        Files that can be deleted: logs, notes that the registry doesn't know a session, pictures of
        paintings, and files that were being written when a PC stopped; also empty folders.
    others
        Further files that name the person.
    """

    sessions: tuple[Path, ...] = ()
    map_sets: tuple[Path, ...] = ()
    copies: tuple[Path, ...] = ()
    packs: tuple[Path, ...] = ()
    tables: tuple[DataFolder, ...] = ()
    spare: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__dataclass_fields__)


def holdings_of(lab: LabFolder | None, data: Sequence[DataFolder], code: str) -> Holdings:
    """Return a person's data in a lab folder and data folders, except for the registry.

    Parameters
    ----------
    lab
        The lab. All of its folder is searched, and its data folder wherever it lies. None to search
        only data folders.
    data
        Further data folders.
    code
        Who.

    Raises
    ------
    UserError
        If a file can't be read.
    """
    folders = tuple(dict.fromkeys((*(() if lab is None else (lab.data,)), *data)))
    search = _Search(lab, folders, code)
    roots = [folder.root for folder in folders] + ([] if lab is None else [lab.root])
    for path in mentioning(roots, code):
        search.sort(path)
    return search.holdings()


def _is_painting(place: str, path: Path, data: DataFolder) -> bool:
    return place == data.tables.name and path.suffix == ".png"


def require_idle(holdings: Holdings) -> None:
    """Raise UserError if one of the sessions is running."""
    for folder in holdings.sessions:
        if is_being_written(SessionPaths(folder).journal):
            raise UserError(f"session {folder.name}: is running; end it first, then withdraw")


@dataclass(frozen=True, slots=True)
class _Search:
    """Sorts files that name a person; `kinds` keeps each of them once, in order."""

    lab: LabFolder | None
    data: tuple[DataFolder, ...]
    code: str
    kinds: dict[str, dict] = field(default_factory=dict)

    def holdings(self) -> Holdings:
        return Holdings(**{kind: tuple(paths) for kind, paths in self.kinds.items()})

    def sort(self, path: Path) -> None:
        """Enter a file, or the folder that is treated as a whole."""
        inside = [folder for folder in self.data if path.is_relative_to(folder.root.absolute())]
        if any(map(is_left_over, (path, *path.parents))):
            self._add("spare", path)
        elif self._is_kept(path) or any(path == folder.tombstones.absolute() for folder in inside):
            return
        elif not (inside and self._sorted_in(inside[-1], path)):
            self._sort_elsewhere(path)

    def _sorted_in(self, data: DataFolder, path: Path) -> bool:
        parts = path.relative_to(data.root.absolute()).parts
        place, below = parts[0], data.root / parts[0] / parts[min(1, len(parts) - 1)]
        if place == "sessions" and self.code in SessionPaths(below).owner:
            self._add("sessions", below)
        elif place == data.packs.name and path.suffix == ".csv":
            self._add("copies", below)
        elif place in (data.outbox.name, data.merging.name) or _is_painting(place, path, data):
            self._add("spare", path)
        elif place == data.tables.name:
            self._add("tables", data)
        else:
            return False
        return True

    def _sort_elsewhere(self, path: Path) -> None:
        above = [parent for parent in path.parents if parent.is_relative_to(path.anchor)]
        pack = next((folder for folder in above if (folder / MANIFEST).is_file()), None)
        if pack is not None:
            self._add("packs", pack)
        elif (path.parent / MAP_TABLE).is_file():
            self._add("map_sets", path.parent)
        elif path.is_dir() or (
            self.lab is not None and path.is_relative_to(self.lab.logs.absolute())
        ):
            self._add("spare", path)
        else:
            self._add("others", path)

    def _is_kept(self, path: Path) -> bool:
        """Return whether a file is the registry's, or the record of people still in backups."""
        if self.lab is not None and path == self.lab.backups.absolute():
            return True
        url = "" if self.lab is None else self.lab.registry_url
        file = str(Path(url.removeprefix(SQLITE)).absolute())
        return url.startswith(SQLITE) and str(path) in {file, *(file + end for end in BESIDE)}

    def _add(self, kind: str, place: Path | DataFolder) -> None:
        self.kinds.setdefault(kind, {})[place] = None


def mentioning(folders: Iterable[Path], code: str) -> Iterator[Path]:
    """Yield every file and empty folder below some folders that names a code, each once, in order.

    In texts and names of files it may be written in lower case, with spaces or hyphens. Compressed
    archives aren't opened.

    Parameters
    ----------
    folders
        Where to look; one may lie within another.
    code
        As it is stored, seven capital signs.

    Raises
    ------
    UserError
        If a file can't be read: what can't be searched can't be cleaned.
    """
    roots: list[Path] = []
    for folder in sorted({folder.absolute() for folder in folders}):
        if not any(folder.is_relative_to(root) for root in roots):
            roots.append(folder)
    written = as_people_write(code)
    in_bytes = re.compile(written.pattern.encode("ascii"))
    for root in roots:
        for path in _files(root):
            if written.search(str(path.relative_to(root))) or _holds(path, code, in_bytes):
                yield path


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        yield from (Path(folder) / name for name in sorted(names))
        if not folders and not names:
            # A process that was killed may have deleted its last file.
            yield Path(folder)


def _holds(path: Path, code: str, written: re.Pattern[bytes]) -> bool:
    refuse_odd(path)
    if path.is_dir():
        return False
    try:
        with path.open("rb") as stream:
            if not path.stat().st_size:
                return False
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
                if content.find(code.encode("ascii")) >= 0:
                    return True
                # To look for other spellings takes long, and pictures and tensors have none.
                return b"\0" not in content[:TEXT_BYTES] and written.search(content) is not None
    except FileNotFoundError:
        # Another process put a new file in its place; or a link leads nowhere.
        return False
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: can't be searched ({error}); make it readable") from None


def remove(
    holdings: Holdings, code: str, *, built: bool, word: str | None = None
) -> dict[Path, str]:
    """Remove a person's data from folders.

    Sessions, the person's maps and spare files are deleted; in copies of packs, another word
    replaces the code. Tables (see `tables_anew`) and other files aren't changed.

    Parameters
    ----------
    holdings
        The person's data.
    code
        Who.
    built
        Whether to delete sealed packs that hold the person's paintings too.
    word
        The word that replaces the code in copies of packs; a random one by default.

    Returns
    -------
    dict
        Why something couldn't be removed, by path.
    """
    word = word or new_word()
    failed: dict[Path, str] = {}
    for folder in holdings.sessions:
        _try(
            failed,
            folder,
            lambda folder=folder: delete_folder(folder, SessionPaths(folder).journal),
        )
    for folder in holdings.map_sets:
        _try(failed, folder, lambda folder=folder: leave_out_maps(folder, code))
    for folder in holdings.copies:
        _try(failed, folder, lambda folder=folder: replace_code(folder, code, word))
    for folder in holdings.packs if built else ():
        _try(failed, folder, lambda folder=folder: delete_folder(folder, folder / MANIFEST))
    for path in holdings.spare:
        _try(failed, path, path.rmdir if path.is_dir() else partial(path.unlink, missing_ok=True))
    return failed


def delete_folder(folder: Path, last: Path) -> None:
    """Delete a folder; one file goes last, since it says what the folder is."""
    for path in sorted(folder.rglob("*"), key=lambda path: len(path.parts), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif path != last:
            path.unlink()
    last.unlink(missing_ok=True)
    folder.rmdir()


def leave_out_maps(folder: Path, code: str) -> None:
    """Write a map set again without a person's maps; delete it if it holds no others.

    Raises
    ------
    UserError
        If it can't be read or written.
    """
    whole = read_map_set(folder)
    kept = tuple(
        record
        for record in whole.records
        if not any(code in (text or "") for text in (record.map, record.solver_id))
    )
    names = {record.map for record in kept}
    left = MapSet(kept, {name: values for name, values in whole.maps.items() if name in names})
    if kept:
        files = left.files()
        # A map without a row would be refused; a row without a map is an abstention.
        for name in (MAP_TENSORS, MAP_TABLE):
            write_file(folder / name, files[name])
        return
    for name in (MAP_TENSORS, MAP_TABLE):
        (folder / name).unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def studies_with_tables(data: DataFolder) -> tuple[str, ...]:
    """Return the studies whose tables a data folder has, or would have from its journals."""
    if not data.tables.is_dir():
        return ()
    places = (data.tables, *sorted(path for path in data.tables.iterdir() if path.is_dir()))
    stated = (read_sidecar(place / FIRST_TABLE).study for place in places)
    return tuple(sorted({*studies_of(data), *(name for name in stated if name is not None)}))


def studies_of(data: DataFolder) -> tuple[str, ...]:
    """Return the studies whose journals a data folder holds."""
    journals, _ = read_journals(data)
    return tuple(sorted({str(journal.header["study"]) for journal in journals.values()}))


def tables_anew(data: DataFolder, studies: Iterable[str]) -> dict[str, str]:
    """Write the tables of studies again; return why some couldn't be written, by study."""
    failed: dict[str, str] = {}
    with private_lock(data.tables_lock):
        roll = Roll.at_hand(data)
        readings = read_journals(data, roll)
        for study in studies:
            try:
                write_tables(data, study, roll=roll, readings=readings)
            except UserError as error:
                failed[study] = str(error)
    return failed


def _try(failed: dict[Path, str], path: Path, step: Callable[[], object]) -> None:
    try:
        step()
    except UserError as error:
        failed[path] = str(error)
    except OSError as error:
        failed[path] = f"{error.filename or path}: {error.strerror}"
