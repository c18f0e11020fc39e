"""What merging data folders would do: which session is taken from where, and what conflicts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder, SessionPaths
from participants.journal.writer import is_being_written
from participants.withdrawal.holdings import owner_of
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Plan:
    """What merging would do.

    Attributes
    ----------
    new
        Sessions that the target lacks, by their ids: where each is copied from.
    longer
        Sessions that go on further elsewhere than in the target, likewise.
    same
        Sessions that the target has as they are, or further.
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
        The data folders, and the one that shall hold all of them.
    withdrawn
        Codes of people who took their data back.

    Raises
    ------
    UserError
        If a session is running, has links or leads nowhere; if it differs in two folders, so that
        neither goes on from the other; or if a pack's copy has a broken seal: which, and where.
    """
    plan, conflicts = Plan(), list[str]()
    own = (paths for paths in into.sessions() if not _belongs_to(paths, withdrawn))
    chosen = {paths.session: paths for paths in own}
    there = frozenset(chosen)
    for source, paths in ((one, paths) for one in sources for paths in one.sessions()):
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
    """Refuse links within the folders of a session, and a link to a session that isn't there.

    What a link within leads to may be anything. The folder itself may be a link: its files are
    copied.
    """
    for path in (*paths.folder.rglob("*"), *map_set.rglob("*")):
        if path.is_symlink():
            raise UserError(f"{path}: is a link; put the file itself there, then merge again")
    if not paths.journal.is_file():
        raise UserError(
            f"{paths.folder}: is a link to a session that isn't there; mount its disk or delete "
            "the link, then merge again"
        )


def _belongs_to(paths: SessionPaths, codes: Collection[str]) -> bool:
    owner = owner_of(paths)
    return any(code in owner for code in codes)


def _further(one: SessionPaths, other: SessionPaths) -> SessionPaths | None:
    """Return which of two states of a session goes further; None if they contradict each other.

    A line that was cut short isn't compared: resuming sets it aside.
    """
    first, second = (_whole_lines(paths) for paths in (one, other))
    if first.startswith(second):
        return one
    return other if second.startswith(first) else None


def _whole_lines(paths: SessionPaths) -> bytes:
    try:
        content = paths.journal.read_bytes()
    except OSError as error:
        raise UserError(f"{paths.journal}: can't be read ({error.strerror})") from None
    return content[: content.rfind(b"\n") + 1]


def _plan_packs(plan: Plan, folder: DataFolder, into: DataFolder) -> None:
    """Enter the copies of packs that the target lacks; copies of the same pack hold the same.

    A copy with a broken seal is refused, which one: so copies can't contradict each other.
    """
    for copy in sorted(path for path in folder.packs.glob("*") if path.is_dir()):
        open_pack_copy(folder, copy.name)
        if not into.pack_copy(copy.name).is_dir():
            plan.packs.setdefault(copy.name, copy)
