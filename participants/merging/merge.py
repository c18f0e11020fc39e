"""Merging data folders into one; doing it again, or going on after a stop, changes nothing."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import Timeout

from participants.files import make_private, write_file
from participants.folder import DataFolder, SessionPaths
from participants.journal.writer import LOCK_SUFFIX
from participants.locks import private_lock
from participants.merging.plan import Plan, plan_merge
from participants.tombstones import add_tombstones, read_tombstones
from participants.withdrawal.holdings import holdings_of, require_idle
from participants.withdrawal.removal import remove, studies_of, tables_anew
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_whole

MERGE_LOCK: Final = ".merge.lock"


@dataclass(frozen=True, slots=True)
class Merged:
    """What merging did.

    Attributes
    ----------
    plan
        Where each session came from.
    withdrawn
        When people took their data back, by code, in all folders together.
    failed
        Why tables of a study, or what is left of somebody who withdrew, need a look.
    """

    plan: Plan
    withdrawn: dict[str, str]
    failed: dict[str, str]


def merge(sources: Sequence[DataFolder], into: DataFolder) -> Merged:
    """Merge data folders: sessions, copies of packs, map sets of sessions and tombstones.

    The sources stay as they are. Who withdrew in any of them is left out, and removed
    from the target. Tables are made anew.

    Parameters
    ----------
    sources
        Data folders, such as those of several PCs.
    into
        The folder that shall hold all of them; it may hold data already.

    Raises
    ------
    UserError
        If a source is not a data folder or the target itself, as `plan_merge` (nothing is written
        then), or the target can't be written.
    """
    _check(sources, into)
    make_private(into.root)
    lock = private_lock(into.root / MERGE_LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(f"{into.root}: another merge writes here now; wait for its end") from None
    try:
        return _merge(sources, into)
    finally:
        lock.release()


def _merge(sources: Sequence[DataFolder], into: DataFolder) -> Merged:
    withdrawn: dict[str, str] = {}
    for folder in (into, *sources):
        for code, when in read_tombstones(folder).items():
            withdrawn[code] = min(when, withdrawn.get(code, when))
    plan = plan_merge(sources, into, withdrawn)
    add_tombstones(into, withdrawn)
    shutil.rmtree(into.merging, ignore_errors=True)
    for pack_id, copy in plan.packs.items():
        _copy_folder(copy, into.pack_copy(pack_id), into)
    for session, paths in plan.new.items():
        _copy_folder(paths.folder, into.session(session).folder, into)
    for session, paths in plan.longer.items():
        _take_over(paths, into.session(session))
    for source in sources:
        for session in (paths.session for paths in into.sessions()):
            own, target = source.map_set(session), into.map_set(session)
            if own.is_dir() and not target.exists():
                _copy_folder(own, target, into)
    shutil.rmtree(into.merging, ignore_errors=True)
    failed: dict[str, str] = {}
    for code in withdrawn:
        holdings = holdings_of(None, [into], code)
        require_idle(holdings)
        failed |= {str(path): why for path, why in remove(holdings, code, built=False).items()}
    again = tables_anew(into, studies_of(into))
    failed |= {f"tables of {study}": why for study, why in again.items()}
    return Merged(plan, withdrawn, failed)


def _check(sources: Sequence[DataFolder], into: DataFolder) -> None:
    target = into.root.resolve()
    for source in sources:
        root = source.root.resolve()
        if not (root / "sessions").is_dir():
            raise UserError(f"{source.root}: is not a data folder (it has no sessions)")
        if root == target or target.is_relative_to(root) or root.is_relative_to(target):
            raise UserError(f"--into {into.root}: and {source.root} lie in one another")


def _copy_folder(source: Path, target: Path, into: DataFolder) -> None:
    """Copy a folder, which appears whole or not at all."""
    aside = into.merging / target.name
    make_private(into.merging)
    make_private(target.parent)
    try:
        make_private_folder(aside)
        for path in sorted(source.rglob("*")):
            place = aside / path.relative_to(source)
            if path.is_dir():
                make_private_folder(place)
            elif path.suffix != LOCK_SUFFIX:
                write_whole(place, path.read_bytes())
        aside.replace(target)
    except OSError as error:
        todo = "see that the disk has space, then merge again"
        raise UserError(f"{target}: can't be written ({error.strerror or error}); {todo}") from None


def _take_over(source: SessionPaths, target: SessionPaths) -> None:
    """Replace a session's files by those of a folder in which it goes on; the journal last."""
    for path in sorted(source.folder.iterdir(), key=lambda path: path == source.journal):
        if path.is_file() and path.suffix != LOCK_SUFFIX:
            write_file(target.folder / path.name, path.read_bytes())
