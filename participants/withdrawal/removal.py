"""Removing what was found of a person; every step may be interrupted and done again."""

from collections.abc import Callable, Iterable
from pathlib import Path

from participants.dataset.derive import write_tables
from participants.dataset.journals import read_journals
from participants.dataset.sidecar import FIRST_TABLE, read_sidecar
from participants.files import write_file
from participants.folder import DataFolder, SessionPaths
from participants.lab_settings import random_suffix
from participants.locks import private_lock
from participants.replaced import replace_code
from participants.withdrawal.holdings import Holdings
from stimuli.errors import UserError
from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, MapSet, read_map_set
from stimuli.pack.folder import MANIFEST


def remove(
    holdings: Holdings, code: str, *, built: bool, word: str | None = None
) -> dict[Path, str]:
    """Remove what folders hold of a person.

    Sessions, the person's maps and spare files are deleted; copies of packs get another word in
    place of the code. Tables aren't touched (`tables_anew`), and neither are other files.

    Parameters
    ----------
    holdings
        What there is.
    code
        Who.
    built
        Whether to delete sealed packs that hold the person's paintings too.
    word
        What copies of packs get in place of the code; a random one by default.

    Returns
    -------
    dict
        Why something couldn't be removed, by its path.
    """
    word = word or f"withdrawn-{random_suffix()}"
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
        _try(failed, path, lambda path=path: path.unlink(missing_ok=True))
    return failed


def delete_folder(folder: Path, last: Path) -> None:
    """Delete a folder, one file of it last: until then that file says what the folder is."""
    for path in sorted(folder.rglob("*"), key=lambda one: len(one.parts), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif path != last:
            path.unlink()
    last.unlink(missing_ok=True)
    folder.rmdir()


def leave_out_maps(folder: Path, code: str) -> None:
    """Write a map set again without a person's maps; one that holds no others is deleted.

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
    return tuple(sorted({str(one.header["study"]) for one in journals.values()}))


def tables_anew(data: DataFolder, studies: Iterable[str]) -> dict[str, str]:
    """Write the tables of studies again; return why those of some can't be, by the study."""
    failed: dict[str, str] = {}
    with private_lock(data.tables_lock):
        readings = read_journals(data)
        for study in studies:
            try:
                write_tables(data, study, readings=readings)
            except UserError as error:
                failed[study] = str(error)
    return failed


def _try(failed: dict[Path, str], what: Path, step: Callable[[], object]) -> None:
    try:
        step()
    except UserError as error:
        failed[what] = str(error)
    except OSError as error:
        failed[what] = f"{error.filename or what}: {error.strerror}"
