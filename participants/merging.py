"""Merge the data folders of several PCs into one: plan first, then merge.

Merging again changes nothing.
"""

import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from filelock import Timeout

from participants.dataset.custody import Roll
from participants.dataset.journals import open_pack_copy, read_journals
from participants.files import make_private, private_lock, write_file
from participants.folder import DataFolder, SessionPaths
from participants.journal.writer import LOCK_SUFFIX, is_being_written
from participants.tombstones import add_tombstones
from participants.withdrawal.holdings import (
    holdings_of,
    remove,
    require_idle,
    studies_of,
    tables_anew,
)
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_whole
from stimuli.io.given_files import read_bytes
from stimuli.io.inside import refuse_odd

MERGE_LOCK: Final = ".merge.lock"


@dataclass(frozen=True, slots=True)
class Plan:
    """What merging would do.

    Attributes
    ----------
    new
        Source folder of each session that the target lacks, by session id.
    longer
        The same for sessions that a source continues further than the target.
    same
        Sessions that are the same in the target, or longer there.
    left_out
        Sessions of people who took their data back.
    packs
        Copies of packs that the target lacks.
    """

    new: dict[str, SessionPaths] = field(default_factory=dict)
    longer: dict[str, SessionPaths] = field(default_factory=dict)
    same: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    packs: dict[str, Path] = field(default_factory=dict)


def plan_merge(sources: Sequence[DataFolder], into: DataFolder, withdrawn: Collection[str]) -> Plan:
    """Return what merging would do; nothing is written.

    Parameters
    ----------
    sources, into
        The data folders, and the one that is to hold all of them.
    withdrawn
        Codes of people who took their data back.

    Raises
    ------
    UserError
        If a session is running, has links or is a link that leads nowhere; if it differs in two
        folders, so that neither continues the other; or if a pack's copy has a broken seal. The
        message says which, and where.
    """
    plan, conflicts = Plan(), list[str]()
    kept = (paths for paths in into.sessions() if not _belongs_to(paths, withdrawn))
    chosen = {paths.session: paths for paths in kept}
    there = frozenset(chosen)
    for source, paths in ((folder, paths) for folder in sources for paths in folder.sessions()):
        _require_ended(paths)
        _refuse_links(paths, source.map_set(paths.session))
        if _belongs_to(paths, withdrawn):
            plan.left_out.add(paths.session)
            continue
        other = chosen.setdefault(paths.session, paths)
        further = _further(other, paths)
        if further is None:
            conflicts.append(f"session {paths.session} in {other.folder} and {paths.folder}")
        else:
            chosen[paths.session] = further
    for folder in (into, *sources):
        _plan_packs(plan, folder, into)
    if conflicts:
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        raise UserError(
            f"conflict: {conflicts[0]} differ{more}; find out which one is true, move the other "
            "away, and merge again"
        )
    _sort(plan, chosen, there, into)
    return plan


def _sort(
    plan: Plan, chosen: dict[str, SessionPaths], there: Collection[str], into: DataFolder
) -> None:
    for session, paths in chosen.items():
        if session not in there:
            plan.new[session] = paths
        elif paths.folder != into.session(session).folder:
            _require_ended(into.session(session))
            plan.longer[session] = paths
        else:
            plan.same.add(session)


def _require_ended(paths: SessionPaths) -> None:
    if is_being_written(paths.journal):
        raise UserError(f"{paths.folder}: this session is running; merge when it has ended")


def _refuse_links(paths: SessionPaths, map_set: Path) -> None:
    """Refuse links within a session's folder, and a session that is a link to a missing folder.

    A link within the folder may lead anywhere. The folder itself may be a link: its files are
    copied.
    """
    for path in (*paths.folder.rglob("*"), *map_set.rglob("*")):
        if path.is_symlink():
            raise UserError(f"{path}: is a link; put the file itself there, then merge again")
        refuse_odd(path)
    if not paths.journal.is_file():
        raise UserError(
            f"{paths.folder}: is a link to a session that isn't there; mount its disk or delete "
            "the link, then merge again"
        )


def _belongs_to(paths: SessionPaths, codes: Collection[str]) -> bool:
    owner = paths.owner
    return any(code in owner for code in codes)


def _further(session: SessionPaths, other: SessionPaths) -> SessionPaths | None:
    """Return the longer of two states of a session; None if they contradict each other.

    A line that was cut short isn't compared: resuming sets it aside.
    """
    first, second = (_whole_lines(paths) for paths in (session, other))
    if first.startswith(second):
        return session
    return other if second.startswith(first) else None


def _whole_lines(paths: SessionPaths) -> bytes:
    content = read_bytes(paths.journal)
    return content[: content.rfind(b"\n") + 1]


def _plan_packs(plan: Plan, folder: DataFolder, into: DataFolder) -> None:
    """Add the copies of packs that the target lacks.

    A copy with a broken seal is refused by name, so copies of one pack can't differ.
    """
    for copy in sorted(path for path in folder.packs.glob("*") if path.is_dir()):
        open_pack_copy(folder, copy.name)
        if not into.pack_copy(copy.name).is_dir():
            plan.packs.setdefault(copy.name, copy)


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
        Why tables of a study, or remaining files of somebody who withdrew, need attention.
    notes
        What is known of the target, one sentence each.
    suspect
        Why sessions or tombstones of the target or a source can't be trusted, one line each. What
        is whole in the target isn't among them.
    """

    plan: Plan
    withdrawn: dict[str, str]
    failed: dict[str, str]
    notes: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()


def merge(sources: Sequence[DataFolder], into: DataFolder) -> Merged:
    """Merge data folders: sessions, copies of packs, map sets of sessions and tombstones.

    The sources stay as they are. People who withdrew in any of them, or whom a registry of one of
    them calls withdrawn, are left out, and removed from the target. Tables are written again.

    Parameters
    ----------
    sources
        Data folders, such as those of several PCs.
    into
        The folder that is to hold all of them; it may hold data already.

    Raises
    ------
    UserError
        If a source isn't a data folder or is the target itself; as `plan_merge` (nothing is written
        then); or if the target can't be written.
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
    rolls = [Roll.of(folder) for folder in (into, *sources)]
    withdrawn: dict[str, str] = {}
    for roll in rolls:
        for code, when in roll.withdrawn.items():
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
            maps, target = source.map_set(session), into.map_set(session)
            if maps.is_dir() and not target.exists():
                _copy_folder(maps, target, into)
    shutil.rmtree(into.merging, ignore_errors=True)
    failed: dict[str, str] = {}
    for code in withdrawn:
        holdings = holdings_of(None, [into], code)
        require_idle(holdings)
        failed |= {str(path): why for path, why in remove(holdings, code, built=False).items()}
    again = tables_anew(into, studies_of(into))
    failed |= {f"tables of {study}": why for study, why in again.items()}
    merged = Roll.of(into)
    suspect = _suspect(merged, rolls, withdrawn)
    return Merged(plan, withdrawn, failed, merged.notes(), suspect)


def _suspect(merged: Roll, rolls: Sequence[Roll], withdrawn: Collection[str]) -> tuple[str, ...]:
    """Return why records can't be trusted after merging, the target's own first."""
    _, *sources = rolls
    whole, suspect = read_journals(merged.data, merged)
    for roll in sources:
        for session, reason in read_journals(roll.data, roll)[1].items():
            if session not in whole and not any(code in session for code in withdrawn):
                suspect.setdefault(session, reason)
    return (*suspect.values(), *dict.fromkeys(line for roll in rolls for line in roll.disputes()))


def _check(sources: Sequence[DataFolder], into: DataFolder) -> None:
    target = into.root.resolve()
    for source in sources:
        root = source.root.resolve()
        if not (root / "sessions").is_dir():
            raise UserError(f"{source.root}: is not a data folder (it has no sessions)")
        if root == target or target.is_relative_to(root) or root.is_relative_to(target):
            raise UserError(f"--into {into.root}: and {source.root} lie in one another")


def _copy_folder(source: Path, target: Path, into: DataFolder) -> None:
    """Copy a folder; the copy appears whole or not at all."""
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
                refuse_odd(path)
                write_whole(place, path.read_bytes())
        aside.replace(target)
    except OSError as error:
        todo = "see that the disk has space, then merge again"
        raise UserError(f"{target}: can't be written ({error.strerror or error}); {todo}") from None


def _take_over(source: SessionPaths, target: SessionPaths) -> None:
    """Replace a session's files by those of a folder that continues it; the journal last."""
    for path in sorted(source.folder.iterdir(), key=lambda path: path == source.journal):
        if path.is_file() and path.suffix != LOCK_SUFFIX:
            write_file(target.folder / path.name, path.read_bytes())
